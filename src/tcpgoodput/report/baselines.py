"""The report's table of all ways to predict, from the rows of `heldout/samples.csv`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import pandas as pd

from tcpgoodput.comparison.baselines import (
    ALL,
    BEST,
    CORRECTED,
    HELD_OUT,
    RULE,
    SMALLER,
)
from tcpgoodput.comparison.families import label_of
from tcpgoodput.comparison.input_errors import BY_CONSTANT, CAP, FLUID, ORACLE, SIMULATION
from tcpgoodput.comparison.inputs import Inputs
from tcpgoodput.configuration.markup import to_latex
from tcpgoodput.engines.base import PACKET
from tcpgoodput.project.settings import Configuration
from tcpgoodput.report.latex import count, median_cell, number, percent, rendered, spaced

LABELS = {
    CAP: r"cap: min($C$, $W/R$)",
    FLUID: "fluid alone",
    SMALLER: "smaller of PFTK, fluid",
    RULE: "last edition's rule",
    BEST: "one for each impairment",
    CORRECTED: "smaller, regression",
    ORACLE: "closest, in hindsight",
    SIMULATION: "simulation",
}
SIMPLE = [
    *(CAP, CAP + BY_CONSTANT, FLUID, FLUID + BY_CONSTANT, RULE, RULE + BY_CONSTANT),
    *(SMALLER, SMALLER + BY_CONSTANT, BEST, BEST + BY_CONSTANT, ORACLE, CORRECTED, SIMULATION),
]
"""The lower part of the table: ways to predict that are not one formula."""

NONE = "--"

JUDGES: tuple[Literal["ns2", "linux"], ...] = ("ns2", "linux")
"""Engines beside the packet simulator whose connections are columns."""

KEYS = ["sample", "judge", "predictor"]


def samples_tex(configuration: Configuration, results: Path) -> str:
    """Return the table of all ways to predict as LaTeX, or a comment if there are no rows.

    Families are in the order of the medians of their values. The table needs random connections
    that ns-2 and Linux measure.
    """
    inputs = configuration.inputs
    if inputs is None or len(inputs.settings.judges) < len(JUDGES):
        return "%\n"
    tables = {n: pd.read_csv(results / f"heldout/{n}.csv") for n in ("samples", "statuses")}
    rows, statuses = (table[table["group"] == ALL] for table in tables.values())
    main, *others = _columns(inputs)
    is_main = (rows["sample"] == main[0]) & (rows["judge"] == main[1])
    of_main = rows[is_main].set_index("predictor")
    if of_main.empty:
        return "%\n"
    of_main = of_main.join(
        statuses.set_index(KEYS).sort_index().loc[main], on="predictor", lsuffix="_"
    )
    elsewhere = [
        rows[(rows["sample"] == sample) & (rows["judge"] == judge)].set_index("predictor")
        for sample, judge in others
    ]
    label = label_of(configuration.families, configuration.style)
    families = of_main[~of_main.index.str.endswith(BY_CONSTANT) & (of_main["answered_%"] > 0)]
    families = families.drop(SIMPLE, errors="ignore").sort_values("median_of_answers_%")
    parts = [
        [["$n$", "", "", "", _counts(of_main), "", "", "", *map(_counts, elsewhere)]],
        [_line(to_latex(label(name)), name, of_main, elsewhere) for name in families.index],
        [_line(_simple(name), name, of_main, elsewhere) for name in SIMPLE],
    ]
    return rendered("samples", rows=spaced(parts))


def _columns(inputs: Inputs) -> list[tuple[str, str]]:
    """Return the sets of connections that are columns, each by sample and judge."""
    judges = inputs.settings.judges
    ns2, linux = ((judges[engine].sample, engine) for engine in JUDGES)
    return [(inputs.settings.sample, PACKET), ns2, (HELD_OUT, PACKET), linux]


def _simple(name: str) -> str:
    return r"\quad over a constant" if name.endswith(BY_CONSTANT) else LABELS[name]


def _counts(rows: pd.DataFrame) -> str:
    return NONE if rows.empty else count(rows["n"].max())


def _line(label: str, name: str, of_main: pd.DataFrame, elsewhere: list[pd.DataFrame]) -> list[str]:
    cells = _all_cells(of_main.loc[name]) if name in of_main.index else [""] * 7
    medians = [_median(own.loc[name]) if name in own.index else NONE for own in elsewhere]
    return [label, *cells, *medians]


def _all_cells(row: Any) -> list[str]:
    shares = [row[name] for name in ("native", "reduced", "out-of-domain")]
    return [
        "/".join(f"{share:.0f}" for share in shares) if any(shares) else "",
        percent(row["median_of_answers_%"]),
        f"${row['bias_%']:+.0f}$",
        _median(row),
        percent(row["q90_%"]),
        number(row["within_10_%"], 2),
        number(row["off_by_two_%"], 2),
    ]


def _median(row: Any) -> str:
    """Return the median with its interval; without it if most values are missing."""
    is_sure = row["median_low_%"] == row["median_high_%"]
    return percent(row["median_%"]) if is_sure else median_cell(row)
