"""Measure how long the explorer's web page needs to show a change, and the server's memory.

python benchmarks/explorer.py    (needs chromium and the packages of requirements-browser.lock)

For each shipped scenario a slider is moved ten times; the next move follows once the page
shows the effect of the last one. Finally a slider is moved fifty times without waiting, and the
server's memory is measured before and after.
"""

from __future__ import annotations

import re
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

from goals import against_goal
from playwright.sync_api import Page, sync_playwright

PRESSES = 10
WAIT_MS = 60_000

SHOWN = """key => new Promise(resolve => {
  const place = document.querySelector('.models');
  const started = performance.now();
  new MutationObserver((_, observer) => {
    if (!place.querySelector('.headline') && !place.querySelector('table')) return;
    observer.disconnect();
    requestAnimationFrame(() => resolve(performance.now() - started));
  }).observe(place, {childList: true});
  const slider = document.querySelector(key);
  const step = Number(slider.value) > 100 ? -1 : 1;
  slider.value = Number(slider.value) + step * window.press++ % 7 + step;
  slider.dispatchEvent(new Event('input', {bubbles: true}));
})"""
"""JavaScript that moves the slider with CSS selector `key`; it returns the milliseconds until the
page draws a new table of the models' predictions."""

SLIDERS = (
    "[aria-label='handoffs.interval_s, slider']",
    "[aria-label='loss.probability, slider']",
    "[aria-label='loss.good_to_bad, slider']",
    "[aria-label='capacity.frequency_hz, slider']",
    "[aria-label='spikes.duration.mean_s, slider']",
    "[aria-label='path.backward_delay_s, slider']",
)
"""CSS selectors of sliders; the first one that exists on a scenario's page is moved."""


def latencies_ms(page: Page, address: str, scenario: str) -> list[float]:
    """Move a scenario's slider; return the delay in ms from each move to the new predictions."""
    page.goto(f"{address}#connection?scenario={scenario}")
    page.reload()
    page.wait_for_selector(".models tbody tr")
    page.wait_for_timeout(400)
    page.evaluate("window.press = 1")
    slider = next(name for name in SLIDERS if page.query_selector(name))
    found = []
    for _ in range(PRESSES):
        found.append(page.evaluate(SHOWN, slider))
        page.wait_for_timeout(50)
    return found


def resident_mb(process: int) -> float:
    """Return the resident memory, in megabytes, of the process with a given id."""
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1e3  # type: ignore[index]


def main() -> None:
    """Print the delays of all scenarios, and the server's memory before and after 50 changes."""
    command = [sys.executable, "-c", "from tcpgoodput.cli import main; main()"]
    server = subprocess.Popen(
        [*command, "explore", "--no-browser"], stderr=subprocess.PIPE, text=True
    )
    assert server.stderr is not None
    address = re.search(r"http://\S+", server.stderr.readline())[0]  # type: ignore[index]
    scenarios = sorted(file.stem for file in Path("config/scenarios").glob("*.yaml"))
    every: list[float] = []
    with sync_playwright() as tools:
        browser = tools.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(WAIT_MS)
        latencies_ms(page, address, scenarios[0])  # not counted: it compiles all code
        for scenario in scenarios:
            own = latencies_ms(page, address, scenario)
            every += own
            print(f"{scenario:32} median {statistics.median(own):4.0f} worst {max(own):4.0f} ms")
        every.sort()
        print(f"{len(every)} changes: median {statistics.median(every):.0f} ms")
        print(against_goal("the explorer's answer, 95 % within", every[int(0.95 * len(every))]))
        print(f"the slowest answer: {every[-1]:.0f} ms")
        before = resident_mb(server.pid)
        page.focus(next(name for name in SLIDERS if page.query_selector(name)))
        for _ in range(50):
            page.keyboard.press("ArrowRight")
        page.wait_for_timeout(5000)
        print(f"memory before 50 changes {before:.0f} MB, after {resident_mb(server.pid):.0f} MB")
        browser.close()
    server.terminate()


if __name__ == "__main__":
    main()
