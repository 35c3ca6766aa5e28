"""The report's ledger: every claim of every source with its verdicts, and how many there are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from tcpgoodput.claims.data import WAITING
from tcpgoodput.claims.schema import EVIDENCE, MEASURED, PARTS, Claim
from tcpgoodput.claims.verdicts import BY_CONSTRUCTION, VERDICTS
from tcpgoodput.project.configuration import Configuration
from tcpgoodput.report.numbers import Quoted, camel_case
from tcpgoodput.report.templates import rendered
from tcpgoodput.studies.source import Source

SECOND_READER = Path("data/second_reader.csv")
"""Predicates and verdicts of somebody who had the texts and the answers, and no verdict of ours."""

SHORT = {"model": "model", "packet": "packet", "ns2": "ns-2", "linux": "Linux"}
KINDS = ("ordering", "bound", "ratio", "within", "monotone", "crossing", "extremum")
NAMED = re.compile(r"(?i:timer|timeout|clock|buffer|window (?:of|limit|rounded))|\bTO\b")
"""Settings of a sender or a path that a text could have stated, as readings name them."""

CLAUSE = re.compile(r"[;,]| and ")
"""What stands between the parts of a reading's setting."""

DECIDED = ("reproduced", "depends", "contradicted", "erratum")
"""Verdicts that count: what is so by construction has nothing to say, ties do not say it."""


def verdicts(results: Path) -> pd.DataFrame:
    """Read the published verdicts."""
    return pd.read_csv(results / "claims.csv", keep_default_na=False, dtype=str)


def by_name(rows: pd.DataFrame) -> dict[str, str]:
    """Return the verdicts by `source/id/evidence`."""
    return dict(zip(names_of(rows), rows["verdict"], strict=True))


def names_of(rows: pd.DataFrame) -> pd.Series[str]:
    """Return the names of verdicts: `source/id/evidence`."""
    return rows["source"] + "/" + rows["id"] + "/" + rows["evidence"]


def readings(results: Path) -> pd.DataFrame:
    """Read what became of claims at each setting that their text leaves open."""
    return pd.read_csv(results / "claims_readings.csv", keep_default_na=False, dtype=str)


def of_studies(configuration: Configuration, rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows on what published studies say: what we say of our own is not counted."""
    return rows[rows["source"].isin(studies(configuration))]


def studies(configuration: Configuration) -> list[str]:
    """Return the names of the published studies."""
    return [name for name, source in configuration.sources.items() if not source.figures.ours]


def counted(configuration: Configuration, rows: pd.DataFrame) -> Iterator[Quoted]:
    """Yield how many claims and verdicts there are: in all, by source, evidence and predicate."""
    origin = "claims.csv"
    published = studies(configuration)
    claims = {n: own.claims for n, own in configuration.claims.items() if n in published}
    yield Quoted("ClaimsCount", sum(map(len, claims.values())), None, origin)
    decided = rows[rows["verdict"].isin(DECIDED)]
    yield Quoted("ClaimsDecided", len(decided[["source", "id"]].drop_duplicates()), None, origin)
    for name, words in (("Waiting", WAITING), ("Constructed", BY_CONSTRUCTION)):
        count = int(rows["note"].str.contains(words, regex=False).sum())
        yield Quoted(f"Claims{name}", count, None, origin)
    yield from by_statement(rows)
    for evidence in EVIDENCE:
        yield from _verdicts_of(f"Claims{camel_case(evidence)}", rows, [evidence], VERDICTS)
    yield from _verdicts_of("ClaimsMeasured", rows, MEASURED, VERDICTS)
    for part, kinds in PARTS.items():
        count = int(rows["evidence"].isin(kinds).sum())
        yield Quoted(f"Claims{part}Rows", count, None, origin)
    for source in published:
        name = f"Claims{camel_case(source)}"
        yield Quoted(f"{name}Count", len(claims.get(source, [])), None, origin)
        for part, kinds in PARTS.items():
            own = decided[decided["source"] == source]
            yield from _verdicts_of(f"{name}{part}", own, kinds, DECIDED)
    yield from _by_kind(configuration, decided)


def _verdicts_of(
    name: str, rows: pd.DataFrame, evidence: Sequence[str], verdicts: Sequence[str]
) -> Iterator[Quoted]:
    """Yield how many verdicts of each kind some evidence has."""
    own = rows[rows["evidence"].isin(evidence)]["verdict"]
    for verdict in verdicts:
        yield Quoted(
            f"{name}{camel_case(verdict)}", int((own == verdict).sum()), None, "claims.csv"
        )


def by_readings(rows: pd.DataFrame, readings: pd.DataFrame) -> Iterator[Quoted]:
    """Yield what verdicts rest on: which settings, how many of them, and what ties hide."""
    for part, kinds in PARTS.items():
        own = rows[rows["evidence"].isin(kinds)]
        for name, count in _rest_on(own, readings).items():
            yield Quoted(f"Claims{part}{name}", count, None, "claims_readings.csv")


def _rest_on(rows: pd.DataFrame, readings: pd.DataFrame) -> dict[str, int]:
    settings = _by_verdict(readings, "setting")
    outcomes = _by_verdict(readings, "outcome")
    names = {verdict: names_of(rows[rows["verdict"] == verdict]) for verdict in VERDICTS}
    parted = sum(
        _part(zip(settings.get(name, ()), outcomes.get(name, ()), strict=True))
        for name in names["depends"]
    )
    undecided = [outcomes.get(name, ()) for name in names["undecided"]]
    failing = sum("fails" in found for found in undecided)
    holding = sum("holds" in found for found in undecided)
    return {
        "DependsParted": parted,
        "DependsOther": len(names["depends"]) - parted,
        "UndecidedFailing": failing,
        "UndecidedHolding": holding,
        "UndecidedTied": len(undecided) - failing - holding,
        "ContradictedSingle": sum(
            len(settings.get(name, ())) < 2 for name in names["contradicted"]
        ),
    }


def _part(readings: Iterable[tuple[str, str]]) -> bool:
    """Tell whether the readings that hold name other timers, buffers... than those that fail."""
    named: dict[str, set[frozenset[str]]] = {}
    for setting, outcome in readings:
        clauses = {clause.strip() for clause in CLAUSE.split(setting) if NAMED.search(clause)}
        named.setdefault(outcome, set()).add(frozenset(clauses))
    return named.get("holds", set()).isdisjoint(named.get("fails", set()))


def _by_verdict(readings: pd.DataFrame, column: str) -> dict[str, list[str]]:
    """Return what a column of the readings says of each verdict, by the verdict's name."""
    return readings.groupby(names_of(readings))[column].agg(list).to_dict()


def by_statement(rows: pd.DataFrame) -> Iterator[Quoted]:
    """Yield on how many statements all that was measured speaks alike."""
    measured = rows[rows["evidence"].isin(MEASURED)]
    said = measured.groupby(["source", "id"])["verdict"].agg(set)
    yield Quoted("StatementsMeasured", len(said), None, "claims.csv")
    for verdict in ("reproduced", "contradicted"):
        alike = sum(verdicts == {verdict} for verdicts in said)
        yield Quoted(f"StatementsAll{camel_case(verdict)}", alike, None, "claims.csv")
    touched = sum("contradicted" in verdicts for verdicts in said)
    yield Quoted("StatementsContradicted", touched, None, "claims.csv")


def _by_kind(configuration: Configuration, decided: pd.DataFrame) -> Iterator[Quoted]:
    """Yield what became of predicates of each kind, in the models and where they were measured."""
    kinds = {
        (name, claim.id): claim.predicate.kind
        for name, own in configuration.claims.items()
        for claim in own.claims
        if claim.predicate is not None
    }
    found: Counter[tuple[str, str, bool]] = Counter()
    contradicted: Counter[tuple[str, str]] = Counter()
    for row in decided.itertuples():
        part = "Measured" if row.evidence in MEASURED else "Model"
        kind = kinds[row.source, row.id]
        found[kind, part, row.verdict == "reproduced"] += 1
        contradicted[kind, part] += row.verdict == "contradicted"
    for kind in KINDS:
        for part in PARTS:
            name = f"Claims{part}Contradicted{kind.capitalize()}"
            yield Quoted(name, contradicted[kind, part], None, "claims.csv")
            held, failed = (found[kind, part, holds] for holds in (True, False))
            name = f"Claims{kind.capitalize()}{part}"
            yield Quoted(f"{name}Held", held, None, "claims.csv")
            yield Quoted(f"{name}Decided", held + failed, None, "claims.csv")


def second_reader(verdicts_by_name: Mapping[str, str]) -> Iterator[Quoted]:
    """Yield on how many verdicts a second reader, who had seen none, agrees with the ledger.

    What the second reader said is recorded; verdicts of claims that are gone do not count.
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
    """Return some claims of a source with their verdicts as a table; a comment if there are none.

    Args:
        source: the study.
        claims: those to print.
        rows: the published verdicts of all studies.

    """
    own = dict(iter(rows[rows["source"] == source.name].groupby("id", sort=False)))
    shown = [_row(claim, own[claim.id]) for claim in claims if claim.id in own]
    if not shown:
        return "%\n"
    return rendered("claims", source=source.name, title=source.figures.title, rows=shown)


def _row(claim: Claim, rows: pd.DataFrame) -> dict[str, Any]:
    """Return a claim and its verdict by each evidence."""
    found = {SHORT[row.evidence]: _verdict(row) for row in rows.itertuples()}
    return {"claim": claim, "verdicts": [found.get(name) for name in SHORT.values()]}


def _verdict(row: Any) -> dict[str, Any]:
    """Return a verdict and the number that decides, if there is one."""
    decided = row.verdict not in ("undecided", "untestable") and row.value
    return {"verdict": row.verdict, "value": float(row.value) if decided else None}
