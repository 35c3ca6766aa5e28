"""The report's tables of a study: claims with verdicts, printed numbers, settings left open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from tcpgoodput.comparison.claims.schema import Claim
from tcpgoodput.comparison.claims.verdicts import (
    DRAWN,
    OUTCOME_WORDS,
    best_settings,
    sentences_that_hold,
    with_our_outcome,
)
from tcpgoodput.configuration.markup import to_latex
from tcpgoodput.report import latex
from tcpgoodput.report.floats import printed_name
from tcpgoodput.report.latex import rendered
from tcpgoodput.studies.schema import Before, Source

SHOWN = 10
"""Largest number of claims in a table of claims."""

SHORT = {"model": "model", "packet": "packet", "ns2": "ns-2", "linux": "Linux"}

PRINTED = "printed.csv"

AGREEMENTS = {
    "yes": r"\checkmark",
    "within interval": r"$\approx$",
    "depends": r"$\circ$",
    "undecided": "?",
    "erratum": "E",
    "no": r"$\times$",
}
"""Sign for each agreement, explained in `paper/sections/models.tex`."""

SIGNS = AGREEMENTS | {
    "reproduced": AGREEMENTS["yes"],
    "contradicted": AGREEMENTS["no"],
    "untestable": "u",
}
"""Signs of verdicts: those of the tables of printed numbers, and u for untestable."""


def verdicts(results: Path) -> pd.DataFrame:
    """Read the verdicts on claims from the folder of results."""
    return pd.read_csv(results / "claims.csv", keep_default_na=False, dtype=str)


def by_name(rows: pd.DataFrame) -> dict[str, str]:
    """Return each verdict by its name: study, claim and kind of evidence, `source/id/evidence`.

    `source/id/evidence/chosen` has the outcome in the setting that we chose, such as holds.
    """
    names = rows["source"] + "/" + rows["id"] + "/" + rows["evidence"]
    outcomes = dict(zip(names + "/chosen", rows["joint"], strict=True))
    return dict(zip(names, rows["verdict"], strict=True)) | outcomes


def claims_tex(source: Source, results: Path, claims: Sequence[Claim], rows: pd.DataFrame) -> str:
    """Return a LaTeX table of a study's first claims with their verdicts.

    Return a comment for a study with a table of printed numbers, which has the claims, and for our
    own studies, whose claims are in the text.
    """
    own = dict(iter(rows[rows["source"] == source.name].groupby("id", sort=False)))
    shown = [_row(claim, own[claim.id]) for claim in claims[:SHOWN] if claim.id in own]
    if source.figures.ours or (results / source.name / PRINTED).is_file() or not shown:
        return "%\n"
    title = source.figures.title
    return rendered("claims", source=source.name, title=title, rows=shown, of=len(own))


def changed_tex(source: Source, claims: Sequence[Claim], rows: pd.DataFrame) -> str:
    """Return a LaTeX table of changed claims by reason; those that changed alike share a row.

    Changes that turn no verdict are counted and not listed; the table of claims has them.
    """
    own = dict(iter(rows[rows["source"] == source.name].groupby("id", sort=False)))
    by_reason: dict[str, dict[tuple[str, str], list[tuple[Claim, int]]]] = {}
    for claim in claims:
        for position, change in enumerate(claim.changed):
            alike = by_reason.setdefault(change.why, {})
            alike.setdefault((change.was, change.now), []).append((claim, position))
    lines: list[dict[str, Any]] = []
    idle = 0
    for why, changes in by_reason.items():
        rows_of_reason: list[dict[str, Any]] = []
        for (was, now), changed in changes.items():
            turned = [
                (claim, turn)
                for claim, position in changed
                if (turn := _turned(own.get(claim.id), position)) != NO_TURN
            ]
            idle += len(changed) - len(turned)
            if turned:
                statements = _joined([claim.statement for claim, _ in turned])
                names = [(claim.id, turn) for claim, turn in turned]
                row = {"statements": statements, "was": was, "now": now, "verdicts": names}
                rows_of_reason.append(row)
        if rows_of_reason:
            lines += [{"why": why}, *rows_of_reason]
    if not lines:
        return "%\n"
    title = source.figures.title
    return rendered("changed", source=source.name, title=title, rows=lines, idle=idle)


def _turned(rows: pd.DataFrame | None, position: int) -> str:
    """Return as LaTeX the verdicts that a change of a claim turned; a dash if they are unknown."""
    if rows is None:
        return "---"
    before = [row.verdict_before.split(" / ") for row in rows.itertuples()]
    known = [one[position] if position < len(one) else "" for one in before]
    if not any(known):
        return "---"
    pairs = zip(rows["evidence"], known, rows["verdict"], strict=True)
    turned = [
        f"{SHORT[e]} {SIGNS[was]}$\\to${SIGNS[now]}" for e, was, now in pairs if was and was != now
    ]
    return ", ".join(turned) or NO_TURN


NO_TURN = "="
"""What stands for the verdicts of a changed claim if the former test gives the same ones."""


def _joined(statements: Sequence[str]) -> str:
    """Return statements as one text; what all say before the last colon stands once."""
    parts = [text.rstrip(".").rpartition(": ") for text in statements]
    if len({before for before, _, _ in parts}) > 1:
        return "; ".join("".join(part) for part in parts) + "."
    before, colon, _ = parts[0]
    return f"{before}{colon}{'; '.join(after for _, _, after in parts)}."


def _row(claim: Claim, rows: pd.DataFrame) -> dict[str, Any]:
    """Return a claim with its verdict by each kind of evidence, for the LaTeX template."""
    found = {SHORT[row.evidence]: _verdict(row) for row in rows.itertuples()}
    return {"claim": claim, "verdicts": [found.get(name) for name in SHORT.values()]}


def _verdict(row: Any) -> dict[str, Any]:
    """Return a verdict, and the number that decided it; None if the verdict has no number."""
    decided = row.verdict not in ("undecided", "untestable") and row.value
    text = with_our_outcome(row.verdict, row.joint)
    return {"verdict": text, "value": float(row.value) if decided else None}


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

Record = Mapping[str, str]


def printed_tex(source: Source, results: Path) -> str:
    """Return a LaTeX table of a study's printed numbers; a comment if the run has no such table.

    Settings that the figures have as they are printed, and numbers that are not compared, are only
    counted.
    """
    file = results / source.name / PRINTED
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
        rows=[_number_row(row, references) for row in compared],
        references=" or ".join(TITLES[name] for name in references),
        profiles=any(row["linux_setting"] for row in compared),
        alike=len(alike),
        untested=len(untested),
    )


def _number_row(row: Record, references: Sequence[str]) -> dict[str, Any]:
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
        "printed": to_latex(f"{row['printed']} {row['unit']}".strip()),
        "cells": cells,
    }


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
    ours = rf"\,({AGREEMENTS[drawn]})" if drawn not in ("", agrees) else ""
    return AGREEMENTS[agrees] + ours if agrees else ""


def _number(text: str, digits: int = DIGITS) -> str:
    """Return a number as LaTeX; a whole number below 10 000 has no decimals."""
    value = float(text)
    if value.is_integer() and abs(value) < 10**DIGITS:
        return f"${int(value)}$"
    return latex.number(value, digits)


EVIDENCE_SHOWN = ("model", "packet", "ns2")
"""Kinds of evidence with a column of the table. Linux measures no figure in several settings."""


def settings_tex(source: Source, results: Path) -> str:
    """Return the LaTeX table of a study's settings; a comment if its text leaves none open."""
    if not source.figures.settings:
        return "%\n"
    path = results / source.name / "settings.csv"
    rows = pd.read_csv(path, keep_default_na=False, dtype=str) if path.exists() else None
    if rows is None or rows.empty:
        return "%\n"
    counts, best = sentences_that_hold(rows), best_settings(rows)
    shown: list[dict[str, Any]] = []
    for group, settings in source.figures.settings.items():
        own = counts[counts["group"] == group]
        if len(own):
            named = [printed_name(figure) for figure in settings.figures]
            shown += [{"figures": named, "title": "", "drawn": False, "cells": []}]
            shown += _settings(own, settings.before)
    groups = source.figures.settings
    passed = [name for name, setting in best.items() if setting != DRAWN]
    note = f"In this run another setting holds more of them: {', '.join(passed)}." if passed else ""
    left = [f"{one.what} ({one.where})" for group in groups.values() for one in group.open]
    return rendered(
        "settings",
        source=source.name,
        title=source.figures.title,
        rows=shown,
        note=note,
        open="; ".join(left),
    )


def _settings(counts: pd.DataFrame, before: Before | None) -> Iterator[dict[str, Any]]:
    """Yield the settings of a group of figures, for the LaTeX template."""
    for (setting, title), own in counts.groupby(["setting", "title"], sort=False):
        by_evidence = own.set_index("evidence")[list(OUTCOME_WORDS)].to_dict("index")
        cells = [by_evidence.get(kind) for kind in EVIDENCE_SHOWN]
        why = before.why if before and before.setting == setting else ""
        drawn = setting == DRAWN
        yield {"figures": [], "title": title, "drawn": drawn, "before": why, "cells": cells}
