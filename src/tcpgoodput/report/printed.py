"""Table of the numbers that a study's text prints beside the recomputed ones, as LaTeX."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from tcpgoodput.configuration.markup import escaped, to_latex
from tcpgoodput.report import latex
from tcpgoodput.report.claims import SHORT
from tcpgoodput.report.latex import rendered
from tcpgoodput.studies.schema import Source

DIGITS = 4
"""Significant digits of a recomputed number in the table."""

FILE = "printed.csv"


def printed_tex(source: Source, results: Path) -> str:
    """Return a LaTeX table of a study's printed numbers; a comment if the run has no such table."""
    file = results / source.name / FILE
    if not file.is_file():
        return "%\n"
    rows = pd.read_csv(file, keep_default_na=False, dtype=str)
    shown = [_row(row) for row in rows.to_dict("records")]
    return rendered("printed", source=source.name, title=source.figures.title, rows=shown)


def _row(row: dict[str, str]) -> dict[str, Any]:
    unit = f" {to_latex(row['unit'])}" if row["unit"] else ""
    return {
        "what": row["what"],
        "where": row["where"],
        "rule": row["rule"] if row["kind"] == "claim" or "stated" in row["rule"] else "",
        "printed": escaped(row["printed"]) + unit,
        "cells": [_cell(row, evidence) for evidence in SHORT],
        "agree": _agreement(row),
    }


def _cell(row: dict[str, str], evidence: str) -> str:
    """Return the recomputed number with its interval below it; a dash if there is none."""
    if not row[evidence]:
        return "---"
    value = ", ".join(latex.number(float(part), DIGITS) for part in row[evidence].split(", "))
    low, high = row[f"{evidence}_low"], row[f"{evidence}_high"]
    if not low:
        return value
    ends = " to ".join(latex.number(float(end), DIGITS) for end in (low, high))
    return rf"{value}\newline{{\scriptsize {ends}}}"


def _agreement(row: dict[str, str]) -> str:
    """Return the agreement in words; the kinds of evidence that differ are named."""
    parts = {SHORT[evidence]: row[f"{evidence}_agrees"] for evidence in SHORT}
    found = {name: agrees for name, agrees in parts.items() if agrees}
    if not found:
        return "not tested"
    if len(set(found.values())) > 1:
        return "; ".join(f"{name}: {agrees}" for name, agrees in found.items())
    agrees = next(iter(found.values()))
    return f"{agrees} (setting)" if row["kind"] == "setting" else agrees
