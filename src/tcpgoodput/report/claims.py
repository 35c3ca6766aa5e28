"""Tables of the studies' claims with verdicts, and counts of verdicts, for the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from tcpgoodput.comparison.claims.schema import MEASURED, Claim
from tcpgoodput.comparison.claims.verdicts import VERDICTS, with_our_outcome
from tcpgoodput.project.settings import Configuration
from tcpgoodput.report.latex import rendered
from tcpgoodput.report.numbers import Quoted, camel_case
from tcpgoodput.studies.schema import Source

SECOND_READER = Path("data/second_reader.csv")
"""Table of an independent second reader's verdicts on the studies' claims. The reader had the
studies' texts and our results, but not our verdicts."""

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


def of_studies(configuration: Configuration, rows: pd.DataFrame) -> pd.DataFrame:
    """Return the verdicts on claims of published studies, without claims about our own data."""
    return rows[rows["source"].isin(studies(configuration))]


def studies(configuration: Configuration) -> list[str]:
    """Return the names of the published studies, without studies by this project."""
    return [name for name, source in configuration.sources.items() if not source.figures.ours]


def counted(configuration: Configuration, rows: pd.DataFrame) -> Iterator[Quoted]:
    """Yield the number of the studies' claims, and how often measurements give each verdict."""
    origin, published = "claims.csv", studies(configuration)
    claims = [own.claims for name, own in configuration.claims.items() if name in published]
    yield Quoted("ClaimsCount", sum(map(len, claims)), None, origin)
    measured = rows[rows["evidence"].isin(MEASURED)]["verdict"]
    yield Quoted("ClaimsMeasuredRows", len(measured), None, origin)
    for verdict in VERDICTS:
        count = int((measured == verdict).sum())
        yield Quoted(f"ClaimsMeasured{camel_case(verdict)}", count, None, origin)


def of_readings(readings: pd.DataFrame, rows: pd.DataFrame) -> Iterator[Quoted]:
    """Yield how many claims fail under more readings of the study's text than they hold under.

    A reading is one interpretation of the text. There is a number for the verdict `depends`, and
    one for `undecided`. Only verdicts by measurements count.

    Args:
        readings: the outcome of each claim under each interpretation of the study's text.
        rows: the verdicts on claims of published studies; see `of_studies`.

    """
    outcomes = readings.groupby(["source", "id", "evidence"])["outcome"].value_counts()
    counts = outcomes.unstack(fill_value=0).reindex(columns=["holds", "fails"], fill_value=0)
    measured = rows[rows["evidence"].isin(MEASURED)]
    known = measured.merge(counts.reset_index(), on=["source", "id", "evidence"], how="left")
    failing, origin = known["fails"] > known["holds"], "claims_readings.csv"
    for verdict in ("depends", "undecided"):
        count = int((failing & (known["verdict"] == verdict)).sum())
        yield Quoted(f"Claims{camel_case(verdict)}MoreFail", count, None, origin)


def second_reader(verdicts_by_name: Mapping[str, str]) -> Iterator[Quoted]:
    """Yield counts that compare our verdicts with those of an independent second reader.

    The second reader's verdicts are in `SECOND_READER`. Verdicts on removed claims do not count.

    Args:
        verdicts_by_name: our verdicts; see `by_name`.

    """
    read = pd.read_csv(SECOND_READER, keep_default_na=False, dtype=str)
    ours = [verdicts_by_name.get(name) for name in names_of(read)]
    known = read.assign(ours=ours).dropna(subset="ours")
    origin = str(SECOND_READER)
    yield Quoted("SecondReaderVerdicts", len(known), None, origin)
    agrees = known["verdict"] == known["ours"]
    yield Quoted("SecondReaderAgrees", int(agrees.sum()), None, origin)
    unsettled = ~agrees & (known["settled"] == "")
    yield Quoted("SecondReaderUnsettled", int(unsettled.sum()), None, origin)
    harsher = known["verdict"] == "contradicted"
    yield Quoted("SecondReaderContradicted", int(harsher.sum()), None, origin)
    yield Quoted("SecondReaderContradictedToo", int((harsher & agrees).sum()), None, origin)
    laxer = (known["verdict"] == "reproduced") & (known["ours"] == "depends")
    yield Quoted("SecondReaderLaxer", int(laxer.sum()), None, origin)
    claims = known[["source", "id"]].drop_duplicates()
    yield Quoted("SecondReaderClaims", len(claims), None, origin)


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
    """Return a LaTeX table of the changes to claims after their numbers were known.

    Args:
        source: the study.
        claims: all claims of the study.

    """
    rows = [{"claim": claim, "change": change} for claim in claims for change in claim.changed]
    if not rows:
        return "%\n"
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
