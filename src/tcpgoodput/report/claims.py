"""Tables of the studies' claims with verdicts, and counts of verdicts, for the report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from tcpgoodput.comparison.claims.schema import Claim
from tcpgoodput.comparison.claims.verdicts import with_our_outcome
from tcpgoodput.report.latex import rendered
from tcpgoodput.studies.schema import Source

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


def claims_tex(source: Source, claims: Sequence[Claim], rows: pd.DataFrame) -> str:
    """Return a LaTeX table of claims of a study with their verdicts; a comment if it has no rows.

    Args:
        source: the study.
        claims: the claims to show.
        rows: the verdicts on all claims.

    """
    own = dict(iter(rows[rows["source"] == source.name].groupby("id", sort=False)))
    shown = [_row(claim, own[claim.id]) for claim in claims if claim.id in own]
    if not shown:
        return "%\n"
    title = source.figures.title
    return rendered("claims", source=source.name, title=title, rows=shown, of=len(own))


def changed_tex(source: Source, claims: Sequence[Claim]) -> str:
    """Return a LaTeX table of the changes to claims after their numbers were known, by reason.

    Args:
        source: the study.
        claims: all claims of the study.

    """
    by_reason: dict[str, list[dict[str, Any]]] = {}
    for claim in claims:
        for change in claim.changed:
            by_reason.setdefault(change.why, []).append({"claim": claim, "change": change})
    if not by_reason:
        return "%\n"
    rows = [row for why, changes in by_reason.items() for row in ({"why": why}, *changes)]
    return rendered("changed", source=source.name, title=source.figures.title, rows=rows)


def _row(claim: Claim, rows: pd.DataFrame) -> dict[str, Any]:
    """Return a claim with its verdict by each kind of evidence, for the LaTeX template."""
    found = {SHORT[row.evidence]: _verdict(row) for row in rows.itertuples()}
    return {"claim": claim, "verdicts": [found.get(name) for name in SHORT.values()]}


def _verdict(row: Any) -> dict[str, Any]:
    """Return a verdict, and the number that decided it; None if the verdict has no number."""
    decided = row.verdict not in ("undecided", "untestable") and row.value
    text = with_our_outcome(row.verdict, row.joint)
    return {"verdict": text, "value": float(row.value) if decided else None}
