"""The report's table of all ways to predict, from the rows of `heldout/samples.csv`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import pandas as pd

from tcpgoodput.comparison.baselines import (
    ALL,
    BEST,
    BY_LINK,
    CORRECTED,
    HELD_OUT,
    RULE,
    SMALLER,
)
from tcpgoodput.comparison.errors import FACTOR_OF_TWO, per_cent
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
    RULE: "last edition's rule",
    SMALLER: "smaller of PFTK, fluid",
    BY_LINK: r"by Table~\ref{tab:links}",
    BEST: "one per impairment",
    ORACLE: "closest, in hindsight",
    CORRECTED: "smaller, regression",
    SIMULATION: "simulation",
}
SIMPLE = list(LABELS)
"""Ways to predict that are not one formula, in the order of the table."""
SCALED = [CAP, FLUID, RULE, SMALLER, BEST]
"""Ways to predict whose errors over a constant are in the table."""

MISSING = per_cent(FACTOR_OF_TWO)
"""Median of the errors of a family that has no value on most connections, in per cent."""

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
    names = {name: to_latex(label(name)) for name in families.index}
    usual = [name for name in names if families.loc[name, "median_%"] < MISSING]
    main_parts = [
        [[names[name], *_all_cells(name, of_main)] for name in names],
        [[LABELS[name], *_all_cells(name, of_main)] for name in SIMPLE if name in of_main.index],
    ]
    judged = [(name, names[name]) for name in usual]
    for name in SIMPLE:
        judged.append((name, LABELS[name]))
        if name in SCALED:
            judged.append((name + BY_CONSTANT, r"\quad over a constant"))
    lines = [[text, *(_judged(name, rows) for rows in elsewhere)] for name, text in judged]
    counts = [_counts(own) for own in (of_main, *elsewhere)]
    return rendered("samples", rows=spaced(main_parts), judged=lines, counts=counts)


def _columns(inputs: Inputs) -> list[tuple[str, str]]:
    """Return the sets of connections that are columns, each by sample and judge."""
    judges = inputs.settings.judges
    ns2, linux = ((judges[engine].sample, engine) for engine in JUDGES)
    return [(inputs.settings.sample, PACKET), ns2, linux, (HELD_OUT, PACKET), (HELD_OUT, "linux")]


def _counts(rows: pd.DataFrame) -> str:
    return NONE if rows.empty else count(rows["n"].max())


def _judged(name: str, rows: pd.DataFrame) -> str:
    return _median(rows.loc[name]) if name in rows.index else NONE


def _all_cells(name: str, rows: pd.DataFrame) -> list[str]:
    row = rows.loc[name]
    shares = [row[status] for status in ("native", "reduced", "out-of-domain")]
    return [
        "/".join(f"{share:.0f}" for share in shares) if any(shares) else "",
        percent(row["median_of_answers_%"]),
        f"${row['bias_%']:+.0f}$",
        _median(row),
        percent(row["q90_%"]),
        number(row["within_10_%"], 2),
        number(row["off_by_two_%"], 2),
        _judged(name + BY_CONSTANT, rows) if name in SCALED else "",
    ]


def _median(row: Any) -> str:
    """Return the median with its interval; without it if most values are missing."""
    is_sure = row["median_low_%"] == row["median_high_%"]
    return percent(row["median_%"]) if is_sure else median_cell(row)
