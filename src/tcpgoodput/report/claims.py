"""Tables of the studies' claims with verdicts, and counts of verdicts, for the report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from tcpgoodput.comparison.claims.schema import Claim
from tcpgoodput.comparison.claims.verdicts import with_our_outcome
from tcpgoodput.report.latex import rendered
from tcpgoodput.report.printed import FILE as PRINTED
from tcpgoodput.report.printed import SIGNS as AGREEMENTS
from tcpgoodput.studies.schema import Source

SHOWN = 10
"""Largest number of claims in a table of claims."""

SHORT = {"model": "model", "packet": "packet", "ns2": "ns-2", "linux": "Linux"}


def verdicts(results: Path) -> pd.DataFrame:
    """Read the verdicts on claims from the folder of results."""
    return pd.read_csv(results / "claims.csv", keep_default_na=False, dtype=str)


def by_name(rows: pd.DataFrame) -> dict[str, str]:
    """Return each verdict by its name: study, claim and kind of evidence, `source/id/evidence`."""
    return dict(zip(names_of(rows), rows["verdict"], strict=True))


def names_of(rows: pd.DataFrame) -> pd.Series[str]:
    """Return the names of verdicts: study, claim and kind of evidence, `source/id/evidence`."""
    return rows["source"] + "/" + rows["id"] + "/" + rows["evidence"]


def claims_tex(source: Source, results: Path, claims: Sequence[Claim], rows: pd.DataFrame) -> str:
    """Return a LaTeX table of a study's first claims with their verdicts.

    Return a comment for a study with a table of printed numbers, which has the claims, and for our
    own studies, whose claims are in the text.

    Args:
        source: the study.
        results: the folder of the run's results.
        claims: all claims of the study.
        rows: the verdicts on all claims.

    """
    own = dict(iter(rows[rows["source"] == source.name].groupby("id", sort=False)))
    shown = [_row(claim, own[claim.id]) for claim in claims[:SHOWN] if claim.id in own]
    if source.figures.ours or (results / source.name / PRINTED).is_file() or not shown:
        return "%\n"
    title = source.figures.title
    return rendered("claims", source=source.name, title=title, rows=shown, of=len(own))


def changed_tex(source: Source, claims: Sequence[Claim], rows: pd.DataFrame) -> str:
    """Return a LaTeX table of the changes to claims after their numbers were known, by reason.

    Claims that changed alike for one reason share a row. Changes that turn no verdict are counted
    and not listed; the table of claims has them.

    Args:
        source: the study.
        claims: all claims of the study.
        rows: the verdicts on all claims.

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
    """Return, as LaTeX, the verdicts before and after a change of a claim that differ.

    A dash: they cannot be computed.
    """
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

SIGNS = AGREEMENTS | {
    "reproduced": AGREEMENTS["yes"],
    "contradicted": AGREEMENTS["no"],
    "untestable": "u",
}
"""Signs of verdicts: those of the tables of printed numbers, and u for untestable."""


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
