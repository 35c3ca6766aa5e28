"""The explorer (a web page) in a real browser: navigation, keyboard use, and exact numbers."""

from __future__ import annotations

import colorsys
import csv
import itertools
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from tcpgoodput.models import MODELS
from tests.cli.program import PROGRAM, answer, tcpgoodput
from tests.explorer import made_up
from tests.folders import ROOT

CHROMIUM = shutil.which("chromium")
if not CHROMIUM:
    pytest.skip(
        "chromium is not installed (Debian: apt-get install chromium)", allow_module_level=True
    )
playwright = pytest.importorskip(
    "playwright.sync_api", reason="the packages of requirements-browser.lock are not installed"
)
axe = pytest.importorskip("axe_playwright_python.sync_playwright")

pytestmark = pytest.mark.browser

WIDTHS = (1440, 390)
SCENARIO = "s14b-handoff-batch-late"
FILE = f"config/scenarios/{SCENARIO}.yaml"
LOSS_SWEEP = "sweep?scenario=s02-independent-1e-2&key=loss.probability&from=0.001"
VIEWS = ("connection", "sweep", "matrix", "claims", "figures")
SHOWN = [("live", "connection"), ("live", "sweep"), *(("static", view) for view in VIEWS)]
"""Kinds of page (`live`: with a server, `static`: a file) and views to test. Views of a run's
results are tested on the static page only."""
READY = {"connection": ".models tbody tr", "sweep": ".picture svg"}
"""Elements that a view has when it shows its content; of other views any element."""
FOCUSABLE = "a[href], button, input:not([disabled]), select, summary, [tabindex='0']"
WAIT_MS = 120_000
FIGURE = dict.fromkeys(("source", "name", "study", "title", "caption"), "study")
LIBRARY = {
    "figures": [{**FIGURE, "of": None, "picture": "figures/s/f.png", "data": "results/s/f.csv"}],
    "matrix": None,
    "claims": None,
}
"""Results of a run with one figure."""
SETTLED = """() => new Promise(done => {
    const end = () => { changes.disconnect(); done(); };
    let timer = setTimeout(end, 1500);
    const again = () => { clearTimeout(timer); timer = setTimeout(end, 1500); };
    const changes = new MutationObserver(again);
    changes.observe(document.body, { subtree: true, childList: true });
})"""
"""JavaScript that waits until the page has not changed for 1.5 s."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as tools:
        # Chromium's sandbox does not work for root in a container
        found = tools.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture(scope="module")
def live() -> Iterator[str]:
    """Start the explorer's server for one scenario, and yield the page's address."""
    with serving(ROOT, FILE) as address:
        yield address


@contextmanager
def serving(folder: Path, *arguments: str) -> Iterator[str]:
    """Start the explorer's server in a folder; yield the page's address."""
    command = [*PROGRAM, "explore", "--no-browser", *arguments]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        yield re.findall(r"http://\S+", process.stderr.readline())[0]
        process.terminate()


@pytest.fixture(scope="module")
def static(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("static")
    (folder / "explorer.html").write_text(made_up.page(folder), encoding="utf-8")
    return (folder / "explorer.html").as_uri()


class Visit:
    """The explorer's page in a browser, the console's messages, and the requested URLs.

    A page from a file has no network.
    """

    def __init__(self, browser: Any, address: str, width: int) -> None:
        self.context = browser.new_context(
            viewport={"width": width, "height": 900},
            accept_downloads=True,
            permissions=["clipboard-read", "clipboard-write"],
        )
        self.address, self.messages, self.requests = address, [], set()
        self.page = self.context.new_page()
        self.page.set_default_timeout(WAIT_MS)
        self.page.on("console", lambda message: self.messages.append(message.text))
        self.page.on("pageerror", lambda error: self.messages.append(str(error)))
        self.page.on("request", lambda request: self.requests.add(request.url))
        if address.startswith("file:"):
            self.context.set_offline(True)

    def go(self, state: str) -> Any:
        self.page.goto(f"{self.address}#{state}")
        self.page.reload()
        self.page.wait_for_selector("main *")
        return self.page

    def ready(self, state: str = f"connection?scenario={SCENARIO}") -> Any:
        """Go to a state of the page, and wait until its view has its content."""
        self.go(state)
        self.page.wait_for_selector(READY.get(state.partition("?")[0], "main *"))
        return self.page

    def answered(self, goodput_bps: float | None = None) -> Any:
        """Wait until the table of models is shown and has the goodput; return the page."""
        self.page.wait_for_selector(".models tbody tr")
        if goodput_bps is not None:
            self.page.wait_for_function(HAS_GOODPUT, arg=goodput_bps / 1e3)
        return self.page


@pytest.fixture
def visit(browser: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    visits: list[Visit] = []

    def begin(address: str, width: int = WIDTHS[0]) -> Visit:
        visits.append(Visit(browser, address, width))
        return visits[-1]

    yield begin
    for found in visits:
        assert found.messages == []
        local = ("data:", "blob:", "file:", "http://127.0.0.1:")
        assert [url for url in found.requests if not url.startswith(local)] == []
        found.context.close()


HAS_GOODPUT = """kbps => [...document.querySelectorAll(".models tbody td")].some(cell => {
    const text = cell.innerText.trim(), decimals = (text.split(".")[1] || "").length;
    return /^[0-9.]+$/.test(text) && Math.abs(text - kbps) <= 0.5 * 10 ** -decimals + 1e-9 * kbps;
})"""
"""Whether a cell of the table of models shows a goodput, in kbit/s, rounded to its last digit."""


def shows(text: str, goodput_bps: float | None) -> bool:
    """Return whether a cell shows a goodput in kbit/s, rounded to the cell's last digit."""
    if goodput_bps is None or not text:
        return not text and goodput_bps is None
    assert re.fullmatch(r"\d+(\.\d+)?", text)
    kbps = goodput_bps / 1e3
    return abs(float(text) - kbps) <= 0.5 * 10 ** -len(text.partition(".")[2]) + 1e-9 * kbps


def cells(page: Any) -> dict[str, list[str]]:
    """Return goodput, error and status in the table of models, by the model's name."""
    rows = page.eval_on_selector_all(
        ".models tbody tr",
        """rows => rows.map(row => [row.dataset.model,
            ...[...row.cells].slice(1).map(cell => cell.innerText)])""",
    )
    return {name: [goodput, error, status] for name, goodput, error, _, status, _ in rows}


def marked(page: Any) -> dict[str, str]:
    """Return the ids of the fields marked as invalid, each with the message that describes it."""
    return page.evaluate(
        """() => {
            const described = field => field.getAttribute("aria-describedby").split(" ")
                .map(id => document.getElementById(id)).find(part => part.matches(".wrong"));
            return Object.fromEntries([...document.querySelectorAll("[aria-invalid=true]")]
                .map(field => [field.id, described(field).innerText]));
        }"""
    )


def grave(page: Any) -> list[str]:
    """Return serious and critical accessibility problems of a page, as found by axe."""
    found = axe.Axe().run(page).response["violations"]
    return [
        f"{v['id']}: {v['nodes'][0]['html'][:120]}"
        for v in found
        if v["impact"] in ("serious", "critical")
    ]


def test_shown_values_equal_those_of_the_command_line(visit: Any, live: str) -> None:
    change = "handoffs.late_s=0.35"
    result = answer("compare", FILE, "--set", change)
    table = tcpgoodput("compare", FILE, "--set", change, "--csv").stdout
    printed = list(csv.DictReader(table.splitlines()))
    found = visit(live)
    found.go(f"connection?scenario={SCENARIO}&{change}")
    page = found.answered(result["simulation"]["goodput_bps"])
    shown = cells(page)
    for record in result["models"]:
        assert shows(shown[record["name"]][0], record["goodput_bps"])
        assert shown[record["name"]][2] == record["status"]
    assert shows(shown["packet simulator"][0], result["simulation"]["goodput_bps"])
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as CSV").click()
    saved = list(csv.DictReader(Path(download.value.path()).read_text().splitlines()))
    for ours, theirs in zip(saved, printed, strict=True):
        for column in ("name", "status", "reduction", "log_error", "goodput_bps", "ci95_bps"):
            mine, other = ours[column], theirs[column]
            if column in ("log_error", "goodput_bps", "ci95_bps") and mine:
                assert float(mine) == float(other), (ours["name"], column)
            else:
                assert mine == other, (ours["name"], column)


def test_a_user_can_explore_late_hand_offs(visit: Any, live: str) -> None:
    """By links and texts of the page alone, a user finds what late hand-offs cost NewReno."""
    found = visit(live)
    page = found.go("connection")
    page.get_by_text("Questions to begin with").click()
    page.get_by_role("link", name="Why does NewReno lose a quarter").click()
    found.answered()
    page.wait_for_selector(".costs tbody tr")
    page.get_by_text("Reasons, other models").click()
    assert "No packet was lost" in page.inner_text(".story")
    assert "reduced its window needlessly" in page.inner_text(".story")
    as_it_is, _, without, costs = page.locator(".costs .number").all_inner_texts()
    share = 1 - float(as_it_is.split()[0]) / float(without.split()[0])
    assert 0.2 < share < 0.3
    assert costs == f"costs {100 * share:.0f} %"
    assert "none, because no model is in domain; use the simulated" in page.inner_text(".use")
    assert page.locator("tr.best").count() == 0
    assert "a packet that was only late is sent again" in page.inner_text(".window")


def test_costs_follow_the_last_measurement(visit: Any, live: str) -> None:
    page = visit(live).go("connection?scenario=s02-independent-1e-2")
    page.wait_for_selector(".costs tbody tr")
    page.wait_for_selector(".progress", state="hidden")
    assert page.locator(".costs .number").first.inner_text() == page.inner_text(".headline strong")


def test_a_key_press_on_a_slider_changes_the_page_and_its_address(visit: Any, live: str) -> None:
    page = visit(live).ready()
    before = cells(page)["handoffs"][0]
    page.get_by_label("handoffs.interval_s, slider").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function(
        "old => document.querySelector('tr[data-model=handoffs] td').textContent !== old",
        arg=before,
    )
    assert "handoffs.interval_s=" in page.url
    value = page.input_value("[id='key-handoffs.interval_s']")
    again = visit(live)
    again.page.goto(page.url)
    shared = again.answered(1e3 * float(cells(page)["handoffs"][0]))
    assert shared.input_value("[id='key-handoffs.interval_s']") == value


def test_chart_and_table_fit_a_window_of_1400_pixels(visit: Any, live: str) -> None:
    page = visit(live, 1400).ready()
    page.wait_for_selector(".window svg")
    ends = page.evaluate(
        """() => ['.window svg', 'table.models'].map(name =>
            document.querySelector(name).getBoundingClientRect().bottom)"""
    )
    assert ends[0] < ends[1]
    assert ends[0] < 900
    statuses = page.locator(".models tbody tr:visible td:nth-child(5)").all_inner_texts()
    assert statuses[0] == "measured"
    assert set(statuses[1:]) <= {"native", "reduced"}
    # The chart is visible next to the last slider.
    page.get_by_label("handoffs.late_s, slider").scroll_into_view_if_needed()
    place = page.locator(".window svg").first.bounding_box()
    assert 0 <= place["y"] < place["y"] + place["height"] <= 900
    page.get_by_role("button", name="Show all models").click()
    assert page.locator(".models tbody tr:visible").count() == len(cells(page))
    assert page.evaluate(
        """() => [...document.querySelectorAll('.scroll')].every(region =>
            region.scrollWidth <= region.clientWidth)"""
    )


def test_keys_of_sender_and_path_come_before_impairments(visit: Any, live: str) -> None:
    page = visit(live).ready()
    names = page.locator("form > details > summary").all_inner_texts()
    assert [name.split("\n")[0] for name in names][:3] == ["tcp", "path", "loss"]
    assert page.locator("form code").count() > 0
    assert "`" not in page.evaluate("document.querySelector('form').textContent")


def test_progress_of_an_answer_is_shown(visit: Any, live: str) -> None:
    page = visit(live).go(f"connection?scenario={SCENARIO}")
    page.wait_for_selector(".progress", state="visible")
    page.wait_for_selector(".progress", state="hidden")
    assert page.locator(".models tbody tr:visible").count() > 0


def test_a_view_that_waits_for_results_says_so(visit: Any, live: str) -> None:
    found = visit(live)
    waiting: list[Any] = []
    found.page.route("**/library", lambda route: waiting.append(route))
    page = found.go(f"connection?scenario={SCENARIO}")
    found.answered()
    page.get_by_role("link", name="Matrix").click()
    assert page.inner_text("nav [aria-current]") == "Matrix"
    assert page.inner_text("main").startswith("Computing")
    assert page.locator(".models").count() == 0
    while not waiting:  # the request reaches its handler only while the test waits
        page.wait_for_timeout(20)
    (route,) = waiting
    route.fulfill(json=LIBRARY)
    page.wait_for_selector(".progress", state="detached")
    assert "No run has made the matrix" in page.inner_text("main")


@pytest.mark.parametrize(("variant", "inflates"), [("newreno", True), ("sack", False)])
def test_the_window_tells_only_of_inflation_that_the_sender_has(
    visit: Any, live: str, variant: str, inflates: bool
) -> None:
    page = visit(live).go(f"connection?scenario={SCENARIO}&tcp.variant={variant}&tcp.stack=null")
    page.wait_for_selector(".window .chart")
    assert ("each duplicate ACK enlarges" in page.inner_text(".window")) == inflates


def test_outside_the_project_the_page_shows_my_link_and_names_what_is_missing(
    visit: Any, live: str, tmp_path: Path
) -> None:
    with serving(tmp_path) as address:
        found = visit(address)
        with found.page.expect_response("**/library"):  # the page's last request
            page = found.go("connection")
        found.answered()
        assert page.locator("#link-rate").is_visible()
        assert "outside the project's folder" in page.inner_text("main > .note")
    assert visit(live).go("connection").locator("main > .note").count() == 0


def test_the_static_page_uses_its_whole_width(visit: Any, static: str) -> None:
    page = visit(static).ready("connection")
    assert page.locator(".window .chart").bounding_box()["x"] < 50


def test_after_fifty_changes_the_last_one_is_answered(visit: Any, live: str) -> None:
    found = visit(live)
    page = found.ready()
    page.get_by_label("handoffs.interval_s, slider").focus()
    for _ in range(50):
        page.keyboard.press("ArrowLeft")
        page.wait_for_timeout(20)  # some changes are answered before the next one
    value = page.input_value("[id='key-handoffs.interval_s']")
    assert f"handoffs.interval_s={value}" in page.url
    result = answer("predict", FILE, "--set", f"handoffs.interval_s={value}")
    goodput = next(r["goodput_bps"] for r in result if r["name"] == "handoffs")
    found.answered(goodput)
    assert page.input_value("[id='key-handoffs.interval_s']") == value


def test_bad_input_is_reported_and_the_page_continues(visit: Any, live: str) -> None:
    page = visit(live).ready()
    field = page.locator("[id='key-path.rate_bps']")
    field.fill("-5")
    page.wait_for_selector(".problem p")
    message = page.inner_text(".problem")
    assert message.startswith("path.rate_bps=-5")
    assert "--" not in message  # the page has no command line
    assert page.locator(".models.outdated").count() == 1
    assert marked(page) == {"key-path.rate_bps": "is -5 but must be greater than 0"}
    field.fill("2e7")
    page.wait_for_selector(".problem p", state="detached")
    assert marked(page) == {}
    assert page.input_value("[id='key-path.rate_bps']") == "2e7"
    page.wait_for_selector(".progress", state="hidden")
    assert page.locator(".outdated").count() == 0
    assert "path.rate_bps = 2e7" in page.inner_text(".heading")
    assert "Ten packets late" not in page.inner_text(".heading")


def test_a_focused_field_keeps_its_value_when_another_control_changes(
    visit: Any, live: str
) -> None:
    page = visit(live).ready()
    field = page.locator("[id='key-path.rate_bps']")
    value = field.input_value()
    field.focus()
    page.locator("[id='part-loss']").evaluate(
        "select => { select.value = 'bernoulli'; select.dispatchEvent(new Event('change')); }"
    )
    page.wait_for_selector("[id='key-loss.probability']", state="attached")
    assert page.evaluate("document.activeElement.id") == "key-path.rate_bps"
    assert field.input_value() == value


def test_every_part_can_be_added_changed_and_removed(visit: Any, live: str) -> None:
    page = visit(live).ready("connection?scenario=s02-independent-1e-2")
    for part in ("spikes", "handoffs", "capacity"):
        chooser = page.locator(f"[id='part-{part}']")
        page.locator("details.part", has=chooser).locator("summary").first.click()
        names = chooser.evaluate("select => [...select.options].map(option => option.value)")
        assert names[0] == "null"
        for name in names[1:]:
            chooser.select_option(name)
            page.wait_for_function(
                """part => location.hash.includes(part + '=')
                    && !document.querySelector('.problem p')""",
                arg=part,
            )
            page.wait_for_function(
                "key => document.querySelectorAll(`[id^='key-${key}.']`).length > 0", arg=part
            )
        chooser.select_option("null")
        page.wait_for_function(
            "key => document.querySelectorAll(`[id^='key-${key}.']`).length === 0", arg=part
        )
    chooser = page.locator("[id='part-loss']")
    for name in ("gilbert-elliott", "none", "bernoulli"):
        chooser.select_option(name)
        page.wait_for_function("() => !document.querySelector('.problem p')")
    page.locator("[id='key-loss.probability']").wait_for()


def test_fate_and_lateness_change_together(visit: Any, live: str) -> None:
    page = visit(live).ready()
    page.locator("[id='key-handoffs.fate']").select_option("lost")
    page.wait_for_function(
        "() => /[1-9][0-9]* packets lost/.test(document.querySelector('.story').textContent)"
    )
    page.locator("[id='key-handoffs.fate']").select_option("late")
    page.wait_for_function(
        "() => document.querySelector('.story').textContent.includes(' 0 packets lost')"
    )


def test_the_copied_yaml_is_accepted_by_the_commands(visit: Any, live: str, tmp_path: Path) -> None:
    page = visit(live).ready(f"connection?scenario={SCENARIO}&tcp.variant=sack")
    button = page.get_by_role("button", name="Copy as YAML").element_handle()
    button.click()
    page.get_by_role("button", name="Copied").wait_for()
    page.locator(".headline", has_text=", simulated").wait_for()
    assert button.evaluate("button => button.isConnected")  # the answer of the engine keeps it
    text = page.evaluate("navigator.clipboard.readText()")
    assert yaml.safe_load(text)["tcp"]["variant"] == "sack"
    (tmp_path / "copied.yaml").write_text(text, encoding="utf-8")
    result = answer("predict", str(tmp_path / "copied.yaml"))
    shown = cells(page)
    for record in result:
        if record["goodput_bps"]:
            assert shows(shown[record["name"]][0], record["goodput_bps"])


def test_the_chosen_key_selects_the_stored_sweep(visit: Any, static: str) -> None:
    page = visit(static).ready("sweep")
    stored = page.locator("#sweep-key option").all_inner_texts()
    assert len(stored) > 1
    for key in stored[::-1]:
        page.locator("#sweep-key").select_option(key)
        page.wait_for_function(
            "key => document.querySelector('.picture').textContent.includes(key)", arg=key
        )
        assert f"key={key}" in page.evaluate("location.hash")


def test_a_chart_follows_the_width_of_the_window(visit: Any, static: str) -> None:
    page = visit(static).go("sweep")
    page.wait_for_selector(".picture svg.chart")
    for width in (390, 1400):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function(
            """() => {
                const picture = document.querySelector('.picture svg.chart');
                return Number(picture.getAttribute('width')) ===
                    Math.min(860, picture.parentElement.clientWidth);
            }"""
        )
    assert float(page.locator(".picture svg.chart").get_attribute("width")) > 390


def test_an_accent_is_drawn_on_its_letter(visit: Any, static: str) -> None:
    page = visit(static).go("claims")
    texts = "text => mathematics(text).map(part => part.textContent ?? part).join('')"
    assert page.evaluate(texts, r"$(a - \hat a)/\bar{b}$") == "(a - a\u0302)/b\u0304"


@pytest.mark.parametrize("view", ["connection", "sweep"])
def test_the_static_page_reports_an_unknown_scenario(visit: Any, static: str, view: str) -> None:
    page = visit(static).go(f"{view}?scenario=nobody-knows-it")
    assert "nobody-knows-it" in page.locator("[role=alert]").inner_text()
    page.locator("[role=alert] a").click()
    page.wait_for_selector(READY[view])


def test_a_sweep_shows_points_with_intervals_and_can_be_saved(visit: Any, live: str) -> None:
    found = visit(live)
    page = found.go(f"{LOSS_SWEEP}&to=0.1&points=5")
    page.wait_for_function("() => document.querySelectorAll('.picture circle').length >= 5")
    page.locator("#sweep-points").fill("3")
    rows = 3 * (len(MODELS.names()) + 1)  # three points, each with all models and the simulation
    page.wait_for_function(f"() => document.querySelectorAll('.take tbody tr').length === {rows}")
    for name, start in (("Save as CSV", b"key,x,series"), ("Save as PNG", b"\x89PNG")):
        with page.expect_download() as download:
            page.get_by_role("button", name=name).click()
        assert Path(download.value.path()).read_bytes().startswith(start)
    page.locator("#sweep-key").select_option("tcp.variant")
    page.wait_for_function(
        "() => document.querySelector('.picture').textContent.includes('oldtahoe')"
    )
    page.locator("#sweep-from").fill("x")
    page.locator("#sweep-key").select_option("path.rate_bps")
    page.wait_for_function("() => document.querySelectorAll('.picture circle').length >= 3")


@pytest.mark.parametrize("scenario", ["s02-independent-1e-2", SCENARIO])
def test_a_sweep_shows_the_simulation_first(visit: Any, live: str, scenario: str) -> None:
    """Also if no model is in domain, as for late hand-offs (`SCENARIO`)."""
    page = visit(live).go(f"sweep?scenario={scenario}&key=path.rate_bps&from=1e6&to=2e7&points=3")
    page.wait_for_function("() => document.querySelectorAll('.picture .interval').length === 3")
    assert page.locator(".legend input[value=packet]").is_checked()
    ticked = page.locator(".legend input:checked").count()
    says_none = "No model is in domain" in page.inner_text(".legend")
    assert (ticked == 1) == says_none == (scenario == SCENARIO)


def test_the_address_has_the_ticked_lines(visit: Any, static: str) -> None:
    page = visit(static).go("sweep")
    boxes = page.locator(".legend input")
    for box in boxes.all():
        box.uncheck()
    assert page.locator(".picture svg").count() == 0
    assert "Tick others" in page.inner_text(".picture")
    page.reload()
    page.wait_for_selector(".legend")
    assert page.locator(".legend input:checked").count() == 0
    page.locator(".legend input[value=packet]").check()
    page.locator(".legend summary").click()
    page.locator(".legend input[value=pftk]").check()
    page.reload()
    page.wait_for_selector(".picture svg")
    checked = page.locator(".legend input:checked")
    values = checked.evaluate_all("boxes => boxes.map(box => box.value)")
    assert sorted(values) == ["packet", "pftk"]


def test_the_address_has_the_choice_of_all_models(visit: Any, static: str) -> None:
    page = visit(static).go("connection")
    page.get_by_role("button", name="Show all models").click()
    page.reload()
    page.wait_for_selector(".models tbody tr")
    assert page.locator(".models tbody tr:visible").count() == len(cells(page))


def test_a_missing_steady_state_is_said_before_the_goodput(visit: Any, static: str) -> None:
    page = visit(static).go("matrix")
    cell = "error => simulatedCell({simulated_bps: 2e6, cells: [{goodput_bps: 1e6, ...error}]})"
    assert page.evaluate(f"{cell[:9]} {cell[9:]}.textContent", {"log_error": 0.1}) == "2 Mbit/s"
    unsteady = page.evaluate(f"{cell[:9]} {cell[9:]}.textContent", {"log_error": None})
    assert unsteady == "no steady state"
    simulation = {"goodput_bps": 2e6, "ci95_bps": 1e5, "packets_sent": 10, "is_steady": False}
    texts = "simulation => headlineOf({simulation}).map(part => part.textContent ?? part).join('')"
    assert page.evaluate(texts, simulation).startswith("No steady state; mean goodput")
    steady = page.evaluate(texts, {**simulation, "is_steady": True})
    assert steady == "2 Mbit/s, simulated (± 5 %)."


MODEL = {"name": "pftk", "goodput_bps": 2e6}
OTHER = {"name": "mathis", "goodput_bps": 3e6}
ADVICE = {"kind": "independent loss", "models": [MODEL, OTHER], "outside": []}
ROWS = [["pftk", "native", "4 %", "9 %", "7"], ["mathis", "native", "5 %", "8 %", "7"]]


@pytest.mark.parametrize(
    ("kind", "nearest", "advice", "named", "words"),
    [
        ("models", None, {}, "pftk", "half of its errors are below 4 %, nine of ten below 9 %."),
        ("answer", "mathis", {}, "pftk", "half of its errors are below 4 %"),
        ("answer", "pftk", {"outside": ["loss"]}, "pftk", "outside the range"),
        ("answer", "mathis", {"kind": None}, "mathis", "errors on such links are unknown."),
        ("models", None, {"kind": None}, None, "nearest to the simulation, which follows"),
        ("models", None, {"models": []}, None, "the simulation follows"),
        ("answer", None, {"models": []}, None, "use the simulated goodput"),
    ],
)
def test_the_head_names_at_most_one_model(
    visit: Any, static: str, kind: str, nearest: str | None, advice: dict, named: str, words: str
) -> None:
    known = {**ADVICE, **advice}
    record = {
        "kind": kind,
        "models": [MODEL, OTHER],
        "nearest": nearest,
        "simulation": {"goodput_bps": 1e6} if kind == "answer" else None,
        "advice": known,
        "advice_text": {"rows": ROWS if known["kind"] else []},
    }
    page = visit(static).go("connection")
    text = page.evaluate("record => useOf(record).map(part => part.textContent ?? part)", record)
    line = "".join(text)
    assert [name for name in ("pftk", "mathis") if name in text] == ([named] if named else [])
    assert line.startswith("Model to use: ")
    assert words in line


def test_a_chart_on_a_phone_has_letters_of_full_size(visit: Any, static: str) -> None:
    page = visit(static, 390).ready("sweep")
    sizes = page.locator(".picture svg").evaluate(
        "svg => [svg.getBoundingClientRect().width, svg.viewBox.baseVal.width]"
    )
    assert sizes[0] == pytest.approx(sizes[1], rel=0.02)
    ends = page.locator(".picture .tick[text-anchor=middle]").evaluate_all(
        "ticks => ticks.map(tick => tick.getBoundingClientRect()).map(box => [box.left, box.right])"
    )
    assert len(ends) > 1
    assert all(left > right for (_, right), (left, _) in itertools.pairwise(ends))


def test_the_page_works_behind_a_path(visit: Any, live: str) -> None:
    """A proxy such as JupyterHub's serves the page below `/proxy/8000/`."""
    path = "http://127.0.0.1:9/proxy/8000/"
    found = visit(path)

    def fetched(route: Any) -> None:
        url = route.request.url.replace(path, live)
        route.fulfill(response=route.fetch(url=url, timeout=WAIT_MS))

    found.page.route(f"{path}**", fetched)
    found.page.route(f"{path}library", lambda route: route.fulfill(json=LIBRARY))
    found.go("connection")
    found.answered()
    found.page.route(re.compile(f"{path}(figures|results)/"), lambda route: route.fulfill(body=""))
    found.page.get_by_role("link", name="Figures").click()
    with found.page.expect_request(f"{path}{LIBRARY['figures'][0]['data']}"):
        found.page.get_by_role("button", name="Numbers of").click()
    assert all(url.startswith((path, "data:", "blob:")) for url in found.requests)
    assert f"{path}{LIBRARY['figures'][0]['picture']}" in found.requests


def test_the_matrix_sorts_filters_and_opens_a_connection(visit: Any, static: str) -> None:
    found = visit(static)
    page = found.go("matrix")
    rows = page.locator(".matrix tbody tr")
    all_rows = rows.count()
    page.get_by_role("button", name="simulated").click()
    assert page.locator("th[aria-sort=ascending]").inner_text().startswith("simulated")
    assert page.evaluate("document.activeElement.id") == "sort-simulated"
    sizes = {"k": 1e3, "M": 1e6, "G": 1e9}
    shown = page.locator(".matrix td.number").all_inner_texts()
    levels = [float(number) * sizes[unit[0]] for number, unit in map(str.split, shown)]
    assert levels == sorted(levels)
    page.locator("#filter-regime").select_option("overflow alone")
    assert 0 < rows.count() < all_rows
    assert "regime=overflow" in page.url
    page.reload()
    page.wait_for_selector(".matrix")
    assert 0 < rows.count() < all_rows
    page.locator(".error a").first.click()
    found.answered()
    assert "#connection?scenario=" in page.url


def test_a_claim_opens_its_source_predicate_evidence_and_figure(visit: Any, static: str) -> None:
    page = visit(static).go("claims")
    page.locator(".claim summary").first.click()
    page.wait_for_selector(".claim[open] table")
    text = page.inner_text(".claim[open]")
    assert "Source" in text
    assert "a < b" in text
    width = "image => image.decode().then(() => image.naturalWidth)"
    assert page.locator(".claim[open] figure img").first.evaluate(width) > 0
    assert "claim=" in page.url
    page.reload()
    page.wait_for_selector(".claim[open] table")
    page.locator("#filter-text").fill("no such words")
    page.wait_for_function("() => document.querySelectorAll('.claim').length === 0")


def test_many_claims_are_folded_by_study_and_the_open_ones_are_kept(
    visit: Any, static: str
) -> None:
    page = visit(static).go("claims")
    page.wait_for_selector(".study")
    page.evaluate(
        """() => {
            const { claims } = pageData.library;
            const [row] = claims.rows;
            claims.sources = { one: "One study", other: "Another study" };
            claims.rows = Object.keys(claims.sources).flatMap((source) =>
                Array.from({ length: 9 }, (_, n) => ({ ...row, source, id: `claim-${n}` })));
            showView();
        }"""
    )
    page.wait_for_function("() => document.querySelectorAll('.study').length === 2")
    assert page.locator(".claim").count() == 0
    page.locator(".study > summary").first.click()
    page.wait_for_function("() => document.querySelectorAll('.claim').length === 9")
    assert "open=" in page.url
    page.locator("#filter-text").fill("claim-3")
    page.wait_for_function("() => document.querySelectorAll('.claim').length === 2")
    page.locator("#filter-text").fill("")
    page.wait_for_function("() => document.querySelectorAll('.claim').length === 9")


def test_figures_have_captions_and_numbers_without_a_network(visit: Any, static: str) -> None:
    page = visit(static).go("figures")
    assert page.locator("figure").count() == 0
    studies = page.locator(".study > summary h2").all_inner_texts()
    assert len(studies) == len(set(studies)) > 1
    for summary in page.locator(".study > summary").all():
        summary.click()
    page.wait_for_function(
        "n => readAddress().pairs.get('open')?.split(' ').length === n", arg=len(studies)
    )
    assert page.locator("figure").count() > 3
    page.reload()
    page.wait_for_selector("figure")
    assert page.locator(".study[open]").count() == len(studies)
    picture = page.locator("figure img").first
    assert picture.get_attribute("alt")
    width = picture.bounding_box()["width"]
    page.locator(".picture-of").first.click()
    assert picture.bounding_box()["width"] > 1.5 * width
    with page.expect_download() as download:
        page.get_by_role("button", name="Numbers of").first.click()
    assert Path(download.value.path()).read_text() == "x,y\n1,2\n"


def test_my_link_names_one_model_and_keeps_its_numbers(visit: Any, live: str) -> None:
    found = visit(live)
    page = found.ready("connection?scenario=my-link")
    page.locator("#link-rate").fill("35M")
    page.locator("#link-rtt").fill("45 ms")
    page.locator("#link-loss").fill("0.5%")
    options = ["--rate", "35M", "--rtt", "45ms", "--loss", "0.5%"]
    predicted = {r["name"]: r for r in answer("predict", *options)}
    found.answered(predicted["cubic"]["goodput_bps"])
    page.wait_for_selector(".progress", state="hidden")
    printed = tcpgoodput("predict", *options).stdout
    (name,) = page.locator(".use .name").all_inner_texts()
    assert f"To use one model, take {name}: " in printed
    goodput = page.evaluate("bps => rate(bps)", predicted[name]["goodput_bps"])
    assert f"{name}, {goodput}; on such links half" in page.inner_text(".use")
    page.reload()
    found.answered()
    shown = [page.input_value(f"#link-{field}") for field in ("rate", "rtt", "loss", "buffer")]
    assert shown == ["35", "45", "0.5", ""]
    assert page.input_value("#link-sender") == "cubic"


def test_results_are_grey_after_an_invalid_text_in_my_link(visit: Any, live: str) -> None:
    page = visit(live).ready("connection?scenario=my-link")
    address = page.url
    page.locator("#link-loss").fill("much")
    page.wait_for_selector(".problem p")
    assert page.inner_text(".problem").startswith("Lost packets: is 'much'")
    assert marked(page)["link-loss"].startswith("Lost packets: is 'much'")
    assert page.locator(".measured.outdated").count() == 1
    assert page.url == address
    page.locator("#link-loss").fill("2")
    page.wait_for_selector(".problem p", state="detached")
    page.wait_for_selector(".progress", state="hidden")
    assert page.locator(".outdated").count() == 0


def test_a_sweep_draws_one_model_of_each_family_and_names_it(visit: Any, live: str) -> None:
    page = visit(live).go(f"{LOSS_SWEEP}&to=0.01&points=3")
    page.wait_for_selector(".progress", state="hidden")
    ticked = page.locator(".legend input:checked").evaluate_all("all => all.map(box => box.value)")
    families = page.evaluate("pageData.looks.families")
    assert len(ticked) > 2
    assert all(len({*family} & {*ticked}) <= 1 for family in families)
    names = page.locator(".ends text").evaluate_all("all => all.map(name => name.textContent)")
    assert sorted(names) == sorted(page.evaluate("names => names.map(titleOf)", ticked))
    boxes = [name.bounding_box() for name in page.locator(".ends text").all()]
    heights = sorted(box["y"] for box in boxes)
    assert all(b - a > 10 for a, b in itertools.pairwise(heights))


@pytest.mark.parametrize(
    ("scenario", "key"),
    [("s02-independent-1e-2", "loss.probability"), ("s05a-droptail-8", "path.rate_bps")],
)
def test_a_sweep_begins_with_loss_or_rate(visit: Any, live: str, scenario: str, key: str) -> None:
    page = visit(live).go(f"sweep?scenario={scenario}")
    page.wait_for_selector(".picture svg .tick")
    assert page.input_value("#sweep-key") == key
    title = page.text_content(".picture .axis >> nth=0")
    assert key in title
    assert title != key
    page.wait_for_selector(".progress", state="hidden")


def test_a_sweep_has_ticks_at_both_ends_and_no_point_on_a_number(visit: Any, static: str) -> None:
    page = visit(static).ready("sweep")
    across = page.locator(".picture .tick[text-anchor=middle]").all_text_contents()
    values = page.evaluate("pageData.sweeps[pageData.begin][0].records[0].values")
    ends = [values[0], values[-1]]
    assert [float(across[0]), float(across[-1])] == pytest.approx(ends, rel=0.01)
    numbers = page.locator(".picture .tick[text-anchor=end]").all()
    widest = max(box["x"] + box["width"] for box in (tick.bounding_box() for tick in numbers))
    points = page.locator(".picture .interval").all()
    assert min(point.bounding_box()["x"] for point in points) > widest


def test_marks_of_models_have_one_axis_of_ratios(visit: Any, static: str) -> None:
    page = visit(static).ready("connection?all=1")
    places = page.evaluate(
        """() => [1.02, 30].map(ratio => {
            const { place, ticks } = ratioScale([1, ratio], 0, 200);
            return [place(1), place(ratio), place(1 / ratio), ticks.map(([value]) => value)];
        })"""
    )
    for one, most, least, ticks in places:
        assert one == pytest.approx(100)
        assert 0 <= least < one < most <= 200
        assert least + most == pytest.approx(200)
        assert 1 in ticks
    ticks = page.locator(".models thead svg text").all_text_contents()
    lines = page.locator(".models tbody tr >> nth=0").locator("svg line").count()
    assert lines == len(ticks) > 3


def test_each_colour_keeps_its_hue_in_the_dark_and_is_visible(visit: Any, static: str) -> None:
    found = visit(static)
    colours = {}
    for scheme in ("light", "dark"):
        found.page.emulate_media(color_scheme=scheme)
        page = found.go("connection")
        colours[scheme] = page.evaluate(
            """() => Object.values(pageData.looks.models).map(({ colour }) => {
                const line = draw("line", { stroke: colour }), picture = draw("svg", {}, line);
                document.body.append(picture);
                const pen = new OffscreenCanvas(1, 1).getContext("2d");
                pen.fillStyle = getComputedStyle(line).stroke;
                pen.fillRect(0, 0, 1, 1);
                return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
            })"""
        )
    for light, dark in zip(colours["light"], colours["dark"], strict=True):
        if len(set(light)) > 1:
            hues = [colorsys.rgb_to_hls(*(p / 255 for p in colour))[0] for colour in (light, dark)]
            apart = abs(hues[0] - hues[1])
            assert min(apart, 1 - apart) < 0.07, (light, dark)
        assert luminance(dark) > 0.15
    pairs = set(zip(map(tuple, colours["light"]), map(tuple, colours["dark"]), strict=True))
    assert len({dark for _, dark in pairs}) == len({light for light, _ in pairs}) == len(pairs)


def luminance(colour: list[int]) -> float:
    """Return the relative luminance of WCAG; lines need 3:1, which is 0.13 on the dark page."""
    linear = [((part / 255 + 0.055) / 1.055) ** 2.4 for part in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("view", VIEWS)
def test_controls_are_large_enough_for_a_thumb(visit: Any, static: str, view: str) -> None:
    page = visit(static, 390).go(view)
    ready = {"connection": ".take button", "sweep": ".legend .entry"}
    page.wait_for_selector(ready.get(view, "main *"))
    small = page.evaluate(
        """() => [...document.querySelectorAll(
                "nav a, main button, main summary, main select, main .entry, .error a, .button")]
            .filter(e => e.checkVisibility() && e.getBoundingClientRect().height < 43.5)
            .map(e => e.outerHTML.slice(0, 80))"""
    )
    assert small == []


def test_head_and_first_column_of_the_matrix_stay(visit: Any, static: str) -> None:
    page = visit(static, 390).go("matrix")
    page.wait_for_selector(".matrix .error")
    assert page.locator(".sideways").is_visible()
    places = page.evaluate(
        """() => {
            const region = document.querySelector(".scroll:has(> .matrix)");
            region.style.maxHeight = "80px";
            region.scrollTo(100, 100);
            const { top, left } = region.getBoundingClientRect();
            const boxOf = name => region.querySelector(name).getBoundingClientRect();
            return [region.scrollTop, region.scrollLeft,
                boxOf("thead th:nth-child(3)").top - top, boxOf("tbody th").left - left];
        }"""
    )
    assert min(places[:2]) > 20
    assert places[2:] == pytest.approx([0, 0], abs=1)


def test_a_slider_keeps_its_ends_and_shows_where_the_value_is(visit: Any, live: str) -> None:
    page = visit(live).ready("connection?scenario=my-link")
    slider = page.get_by_label("path.rate_bps, slider")
    places = []
    for text, bps in (("2 Mbit/s", 2_000_000), ("20M", 20_000_000), ("2e8", 200_000_000)):
        page.locator("[id='key-path.rate_bps']").fill(text)
        page.locator(f"input[aria-valuetext='{bps} bit/s']").wait_for()
        places.append(int(slider.input_value()))
    assert places[0] < places[1] < places[2]
    assert places[1] - places[0] == pytest.approx(places[2] - places[1], abs=1)


def test_bars_and_keys_are_printed_and_the_form_is_not(visit: Any, live: str) -> None:
    page = visit(live).ready()
    page.wait_for_selector(".costs tbody tr")
    page.emulate_media(media="print")
    for shown in (".headline", ".bar-of >> nth=0", ".window svg >> nth=0", "pre.printed"):
        assert page.locator(shown).is_visible()
    assert "late_s: 0.3" in page.inner_text("pre.printed")
    for hidden in (".left", "nav", ".take .buttons"):
        assert not page.locator(hidden).is_visible()
    adjust = "bar => getComputedStyle(bar).printColorAdjust"
    assert page.locator(".bar-of").first.evaluate(adjust) == "exact"


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(("where", "view"), SHOWN)
def test_pages_are_accessible_and_not_wider_than_the_window(
    visit: Any, where: str, view: str, width: int, request: pytest.FixtureRequest
) -> None:
    found = visit(request.getfixturevalue(where), width)
    for scheme in ("light", "dark"):
        found.page.emulate_media(color_scheme=scheme)
        page = found.ready(view)
        assert scheme in page.evaluate("getComputedStyle(document.documentElement).colorScheme")
        assert grave(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_accessibility_check_finds_serious_problems(visit: Any, static: str) -> None:
    page = visit(static).go("matrix")
    page.evaluate("document.querySelector('main').innerHTML += '<input><img src=data:,>'")
    assert {message.partition(":")[0] for message in grave(page)} >= {"label", "image-alt"}


@pytest.mark.parametrize(("where", "view"), SHOWN)
def test_every_control_can_be_reached_with_the_tab_key(
    visit: Any, where: str, view: str, request: pytest.FixtureRequest
) -> None:
    page = visit(request.getfixturevalue(where)).ready(view)
    if view in READY:
        page.wait_for_selector(".take button")
    if where == "live":
        page.wait_for_selector(".progress", state="hidden")
    page.evaluate(SETTLED)
    wanted = page.evaluate(
        """selector => [...document.querySelectorAll(selector)].filter(e => e.checkVisibility())
            .map((e, n) => (e.dataset.number = n))""",
        FOCUSABLE,
    )
    assert len(wanted) > len(VIEWS)
    reached = set()
    for _ in range(len(wanted) + 5):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.dataset.number ?? null"))
    missed = [n for n in map(str, wanted) if n not in reached]
    names = page.evaluate(
        "ns => ns.map(n => document.querySelector(`[data-number='${n}']`)?.outerHTML.slice(0, 90))",
        missed,
    )
    assert names == []
