"""Numbers in the findings of README and docs agree with the last run, if there is one."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tcpgoodput.storage import read_rows
from tests.folders import ROOT

LONGEST_BURST_SLOTS = 23.0
BAND_HZ = (0.1, 2.0)
LATE_MS = 400.0

Line = dict[float, float]


def rows_of(table: str, **values: str) -> list[dict[str, str]]:
    """Return the rows of a table that have these values."""
    file = ROOT / "results" / table
    if not file.is_file():
        pytest.skip("./reproduce has not been run here")
    rows = [row for row in read_rows(file) if values.items() <= row.items()]
    assert rows, (table, values)
    return rows


def line(study: str, figure: str, panel: str, series: str) -> Line:
    """Return a series of a figure's table as a dictionary from x to y."""
    rows = rows_of(f"{study}/answers/{figure}.csv", panel=panel, series=series)
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
    used = f"uses {100 * min(band):.0f} to {max(band):.0%} of"
    return [used, f"at least {min(largest.values()):.0%}"]


def row(table: str, **values: str) -> dict[str, float]:
    """Return the statistics of the only row of a table with these values."""
    (found,) = rows_of(table, **values)
    return {name: float(value) for name, value in found.items() if re.match(r"[\d.]+$", value)}


def known_of_the_link() -> list[str]:
    def median(case: str, predictor: str) -> str:
        of = {"judge": "linux", "case": case, "predictor": predictor}
        return f"{row('inputs/errors.csv', **of)['median_%']:.0f}%"

    least, most = (median(case, "formula") for case in ("lost-packets", "everything"))
    count = row("inputs/errors.csv", judge="linux", case="everything", predictor="formula")
    hindsight, simulation = (median("everything", name) for name in ("oracle", "simulation"))
    return [
        f"On {count['clusters']:.0f} random connections in the Linux kernel the best formula is "
        f"off by {least} in the median if loss bursts, round trip, timer, window and mean rate are "
        f"unknown, and by {most} if all",
        f"in hindsight, is off by {hindsight}, and a simulation by {simulation}",
    ]


def undo() -> list[str]:
    found = row("census/linux/recorded/gains.csv", other_variant="all", group="late_handoffs")
    assert round(found["q95"]) == 9
    return [f"gains? {found['q50'] - 1:.0%} in the median, and a factor of nine on one path in"]


def ways_to_predict() -> list[str]:
    of = {"sample": "connections", "judge": "packet", "group": "all"}
    smaller, fluid, closest = (
        f"{row('heldout/samples.csv', **of, predictor=name)['median_%']:.0f}%"
        for name in ("smaller of PFTK and fluid", "variable_capacity.fluid", "oracle")
    )
    return [
        f"off by {smaller} in the median on random connections, and the fluid model alone by "
        f"{fluid}; the closest of all models, in hindsight, is off by {closest}"
    ]


FINDINGS = {
    "README.md": [known_of_the_link, undo, varying_capacity],
    "docs/index.md": [
        *(known_of_the_link, undo, ways_to_predict),
        *(loss_events, late_handoffs, varying_capacity),
    ],
}


@pytest.mark.parametrize(
    ("page", "finding"), [(page, one) for page, own in FINDINGS.items() for one in own]
)
def test_pages_have_the_runs_numbers(page: str, finding: Callable[[], list[str]]) -> None:
    text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
    for expected in finding():
        assert re.search(expected.replace("%", " %"), text), expected
