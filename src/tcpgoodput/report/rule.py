"""The report's table of the errors of the two-line rule, from the rows of `rule.csv`."""

from __future__ import annotations

from typing import Any

import pandas as pd

from tcpgoodput.comparison.rule_errors import (
    ACKS,
    ALL,
    HELD_OUT,
    IMPAIRMENTS,
    LINUX,
    LONG,
    PRODUCTS,
    RANDOM,
)
from tcpgoodput.comparison.two_line_rule import FLUID_ALONE, RULE
from tcpgoodput.comparison.validation import (
    AGAINST_LINUX,
    EVERYWHERE,
    MEASURED_BY_LINUX,
    WITHIN,
)
from tcpgoodput.report.latex import count, median_cell, percent, rendered, share_cell, spaced
from tcpgoodput.style import Style

LABELS = {
    **{name: name for name in IMPAIRMENTS},
    "small": "BDP up to 10",
    "middle": "BDP of 10 to 50",
    "large": "BDP above 50",
    "each packet": "ACK for each packet",
    "each second packet": "ACK for two packets",
}


def rule_tex(style: Style, table: pd.DataFrame) -> str:
    """Return the two-line rule's table of errors as LaTeX, or a comment if there are no rows.

    The table has rows for whole sets of connections, and for groups of the random sample without
    finite transfers. TCP variants are in the order of their median errors.
    """
    if table.empty:
        return "%\n"
    rows = table.to_dict("records")
    sets = [
        row
        for row in rows
        if row["group"] == ALL and row["advice"] in (RULE, FLUID_ALONE)
        if row["where"] != MEASURED_BY_LINUX
        if (row["advice"], row["where"]) != (FLUID_ALONE, AGAINST_LINUX)
        if (row["sample"], row["where"]) != (LINUX, EVERYWHERE)
    ]
    long = (RANDOM, LONG, RULE)
    groups = [row for row in rows if (row["sample"], row["where"], row["advice"]) == long]
    senders = [row for row in groups if row["group"] in style.palette.variants]
    senders.sort(key=lambda row: row["median_%"])
    labels = LABELS | {name: look.label for name, look in style.palette.variants.items()}
    impaired, products, acks = (
        [row for row in groups if row["group"] in names] for names in (IMPAIRMENTS, PRODUCTS, ACKS)
    )
    parts = [
        [[labels[row["group"]], *_cells(row)] for row in part]
        for part in (impaired, senders, products, acks)
    ]
    return rendered("rule", rows=spaced([[[_label(row), *_cells(row)] for row in sets], *parts]))


def _label(row: dict[str, Any]) -> str:
    """Return the text of a row's first cell; a row of the fluid alone follows one of the rule."""
    if row["advice"] == FLUID_ALONE:
        return r"\quad the fluid alone"
    label = {
        RANDOM: "random sample",
        LINUX: "random sample, Linux's sender",
        HELD_OUT: "held-out connections",
    }[row["sample"]]
    if row["where"] in (WITHIN, AGAINST_LINUX):
        return f"{label}, {row['where']}"
    counts_transfers = row["where"] == EVERYWHERE and row["sample"] != HELD_OUT
    return f"{label}, also finite transfers" if counts_transfers else label


def _cells(row: dict[str, Any]) -> list[str]:
    ninety, beyond = percent(row["q90_%"]), share_cell(row, "off_by_two")
    return [count(row["n"]), median_cell(row), ninety, beyond]
