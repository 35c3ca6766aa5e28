"""Numbers in the findings of README and docs agree with the last run, if there is one."""

from __future__ import annotations

import csv
import re

import pytest

from tests.folders import ROOT

RESULTS = ROOT / "results"
PAGES = ("README.md", "docs/index.md")
LONGEST_BURST_SLOTS = 23.0
BAND_HZ = (0.1, 2.0)
LATE_MS = 400.0

Line = dict[float, float]


def line(study: str, figure: str, panel: str, series: str) -> Line:
    """Return a series of a figure's table as a dictionary from x to y."""
    file = RESULTS / study / "answers" / f"{figure}.csv"
    if not file.is_file():
        pytest.skip("./reproduce has not been run here")
    with file.open(encoding="utf-8", newline="") as text:
        rows = [r for r in csv.DictReader(text) if (r["panel"], r["series"]) == (panel, series)]
    assert rows, f"{figure} has no series {series}"
    return {float(row["x"]): float(row["y"]) for row in rows if row["y"]}


def ratios(model: Line, measured: Line) -> Line:
    """Return the ratio of model to measurement at each x at which both have a value."""
    return {x: model[x] / y for x, y in measured.items() if x in model}


def loss_events() -> list[str]:
    simulated = line("reductions", "bursts", "sack", "packet")
    short = {x: y for x, y in simulated.items() if x < LONGEST_BURST_SLOTS}
    packets = line("reductions", "bursts", "sack", "mathis_every_loss_an_event")
    events = ratios(line("reductions", "bursts", "sack", "mathis_r_ge"), short)
    furthest = max(abs(ratio - 1) for ratio in events.values())
    by_packets = ratios(packets, short)[max(short)]
    return [f"predicts {by_packets:.0%} of SACK's", f"error is (within|at most) {furthest:.0%} "]


def late_handoffs() -> list[str]:
    kernel, model = (
        line("handoffs", "kernel_defaults", "b", series)[LATE_MS]
        for series in ("linux_defaults", "model_b_1")
    )
    return [f"deliver {kernel / model:.1f} times"]


def varying_capacity() -> list[str]:
    smallest = line("variable_capacity", "fig03", "a", "simulated_b_0_1_c_max_t_m")
    band = [y for x, y in smallest.items() if BAND_HZ[0] <= x <= BAND_HZ[1]]
    largest = line("variable_capacity", "fig03", "a", "simulated_b_c_max_t_m")
    return [
        f"uses {100 * min(band):.0f} to {max(band):.0%} of",
        f"at least {min(largest.values()):.0%}",
    ]


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("finding", [loss_events, late_handoffs, varying_capacity])
def test_pages_have_the_runs_numbers(page: str, finding) -> None:  # type: ignore[no-untyped-def]
    text = (ROOT / page).read_text(encoding="utf-8")
    for expected in finding():
        assert re.search(expected.replace("%", " %"), text)


def test_the_readme_has_the_interval_of_the_largest_error() -> None:
    file = RESULTS / "macros.csv"
    if not file.is_file():
        pytest.skip("./reproduce has not been run here")
    with file.open(encoding="utf-8", newline="") as text:
        (most,) = (r for r in csv.DictReader(text) if r["name"] == "ReductionsBurstsMost")
    text_of_readme = (ROOT / "README.md").read_text(encoding="utf-8")
    end = f"interval: up to {float(most['value_high']) - 1:.0%}".replace("%", " %")
    assert end in text_of_readme
