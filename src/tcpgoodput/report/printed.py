"""Table of the numbers that a study's text prints beside the recomputed ones, as LaTeX."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from tcpgoodput.configuration.markup import to_latex
from tcpgoodput.report import latex
from tcpgoodput.report.latex import rendered
from tcpgoodput.studies.schema import Source

TITLES = {"model": "model", "packet": "simulator", "ns2": "ns-2", "linux": "Linux"}
"""Titles of the columns, by the kind of evidence."""

REFERENCES = ("ns2", "linux")
"""Kinds of evidence that share a column."""

DIGITS = 4
"""Significant digits of a recomputed number; the ends of its interval have one less."""

PROFILES = {"modern": "d", "newreno-timestamps": "t", "newreno": "n"}
"""Letters for the settings of the kernel: its defaults; with timestamps, without selective
acknowledgements; with neither."""

NOTHING = "---"
"""A cell without a number."""

FILE = "printed.csv"

Record = Mapping[str, str]


def printed_tex(source: Source, results: Path) -> str:
    """Return a LaTeX table of a study's printed numbers; a comment if the run has no such table.

    Settings that the figures have as they are printed, and numbers that are not compared, are only
    counted.
    """
    file = results / source.name / FILE
    if not file.is_file():
        return "%\n"
    rows = pd.read_csv(file, keep_default_na=False, dtype=str).to_dict("records")
    alike = [row for row in rows if row["kind"] == "setting" and row["agree"] == "yes"]
    untested = [row for row in rows if row["agree"] == "not tested"]
    compared = [row for row in rows if row not in alike and row not in untested]
    # The last column has both reference implementations, since few rows have a number by either.
    references = [name for name in REFERENCES if any(row[name] for row in compared)]
    return rendered(
        "printed",
        source=source.name,
        title=source.figures.title,
        rows=[_row(row, references) for row in compared],
        references=" or ".join(TITLES[name] for name in references),
        profiles=any(row["linux_setting"] for row in compared),
        alike=len(alike),
        untested=len(untested),
    )


def _row(row: Record, references: Sequence[str]) -> dict[str, Any]:
    """Return the cells of a compared number; its rule is given if it is not the last digit's.

    If both reference implementations can have a number, each number says whose it is.
    """
    is_default = "half a unit" in row["rule"] or (
        row["kind"] == "result" and "±" not in row["rule"]
    )
    cells = [_cell(row, kind) for kind in ("model", "packet")]
    measured = [name for name in references if row[name]]
    whose = {name: f"{TITLES[name]} " if len(references) > 1 else "" for name in measured}
    if letter := PROFILES.get(row["linux_setting"]):
        whose |= {"linux": rf"{TITLES['linux']}\textsuperscript{{{letter}}} "}
    if references:
        both = r"\newline ".join(whose[name] + _cell(row, name) for name in measured)
        cells.append(both or NOTHING)
    return {
        "what": row["what"],
        "where": row["where"],
        "rule": "" if is_default else row["rule"],
        # A reader asks why a number differs, and in which setting.
        "note": row["note"] if any(row[f"{kind}_agrees"] == "no" for kind in TITLES) else "",
        "printed": _with_unit(row),
        "cells": cells,
    }


def _with_unit(row: Record) -> str:
    return to_latex(f"{row['printed']} {row['unit']}".strip())


SIGNS = {
    "yes": r"\checkmark",
    "within interval": r"$\approx$",
    "depends": r"$\circ$",
    "undecided": "?",
    "erratum": "E",
    "no": r"$\times$",
}
"""Sign for each agreement, explained in `paper/sections/models.tex`."""


def _cell(row: Record, kind: str) -> str:
    """Return the recomputed number with its sign and its interval; a dash if there is none."""
    value = ", ".join(_number(part) for part in row[kind].split(", ")) if row[kind] else NOTHING
    low, high = row[f"{kind}_low"], row[f"{kind}_high"]
    signed = f"{value} {_signs(row, kind)}".rstrip()
    if not low:
        return signed
    ends = ", ".join(_number(end, DIGITS - 1) for end in (low, high))
    return rf"{signed} {{\scriptsize [{ends}]}}"


def _signs(row: Record, kind: str) -> str:
    """Return the sign of the agreement by one kind of evidence, and that in our setting."""
    agrees, drawn = row[f"{kind}_agrees"], row[f"{kind}_drawn"]
    ours = rf"\,({SIGNS[drawn]})" if drawn not in ("", agrees) else ""
    return SIGNS[agrees] + ours if agrees else ""


def _number(text: str, digits: int = DIGITS) -> str:
    """Return a number as LaTeX; a whole number below 10 000 has no decimals."""
    value = float(text)
    if value.is_integer() and abs(value) < 10**DIGITS:
        return f"${int(value)}$"
    return latex.number(value, digits)
