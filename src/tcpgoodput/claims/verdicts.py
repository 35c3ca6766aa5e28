"""Verdicts: what a predicate's outcome says of a claim."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from tcpgoodput.claims.data import Data, Unmeasured
from tcpgoodput.claims.predicates import Finding, find
from tcpgoodput.claims.schema import EVIDENCE, Claim, Evidence
from tcpgoodput.claims.source import SourceClaims
from tcpgoodput.claims.words import in_words
from tcpgoodput.configuration import ConfigurationError, Problem
from tcpgoodput.models import ERRATA

Verdict = Literal["reproduced", "contradicted", "erratum", "untestable"]
VERDICTS: tuple[Verdict, ...] = ("reproduced", "contradicted", "erratum", "untestable")
COLUMNS = [
    "source",
    "id",
    "statement",
    "evidence",
    "predicate",
    "verdict",
    "value",
    "bound",
    "note",
]
TIE = "a tie within the intervals"


@dataclass(frozen=True)
class Judgement:
    """The verdict on one claim by one kind of evidence: a row of the published table."""

    source: str
    claim: Claim
    evidence: Evidence
    predicate: str
    """In words."""
    verdict: Verdict
    value: float | None
    bound: str
    note: str

    def record(self) -> dict[str, str]:
        """Return the row."""
        known = self.value is not None and not math.isnan(self.value)
        return {
            "source": self.source,
            "id": self.claim.id,
            "statement": self.claim.statement,
            "evidence": self.evidence,
            "predicate": self.predicate,
            "verdict": self.verdict,
            "value": f"{self.value:.6g}" if known else "",
            "bound": self.bound,
            "note": self.note,
        }


def judged(claims: SourceClaims, data: Data) -> list[Judgement]:
    """Return the verdicts on a source's claims, in the order of their file.

    Raises:
        ConfigurationError: a predicate cannot be evaluated; that is never a pass.

    """
    judgements: list[Judgement] = []
    problems: list[Problem] = []
    for claim in claims.claims:
        for evidence in evidence_of(claim):
            try:
                judgements.append(judgement(claims.source, claim, evidence, data))
            except ValueError as error:
                problems.append(claims.problem(claim, f"{evidence} cannot be evaluated: {error}"))
    if problems:
        raise ConfigurationError(problems)
    return judgements


def evidence_of(claim: Claim) -> Iterable[Evidence]:
    """Return the kinds of evidence that a claim has a row for."""
    return [e for e in EVIDENCE if e in claim.data or e in claim.untestable]


def judgement(source: str, claim: Claim, evidence: Evidence, data: Data) -> Judgement:
    """Return the verdict on a claim by one kind of evidence.

    Raises:
        ValueError: the predicate cannot be evaluated.

    """
    said = (source, claim, evidence, in_words(claim, evidence, data.label))
    if evidence in claim.untestable:
        reason = claim.untestable[evidence]
        return Judgement(*said, "untestable", None, "", reason)
    assert claim.predicate is not None  # the schema demands one where there are data
    try:
        finding = find(claim.predicate, data.operands(claim.data[evidence]))
    except Unmeasured as unmeasured:
        return Judgement(*said, "untestable", None, "", str(unmeasured))
    except ValueError as error:
        if data.conditions.equations == "corrected":
            raise
        # Some models have no value as they are printed: a run that asks for these goes on.
        note = f"with equations as printed: {error}"
        return Judgement(*said, "untestable", None, "", note)
    verdict, why = _verdict(source, claim, finding)
    note = "; ".join(part for part in (why, claim.note) if part)
    return Judgement(*said, verdict, finding.value, finding.bound, note)


def _verdict(source: str, claim: Claim, finding: Finding) -> tuple[Verdict, str]:
    place = "" if finding.at is None else f"at x = {finding.at:.4g}"
    if finding.holds is None:
        many = f"{finding.ties} of {finding.points} points" if finding.points > 1 else ""
        where = ", ".join(part for part in (many, place) if part)
        return "untestable", TIE + (f" ({where})" if where else "")
    if finding.holds:
        return "reproduced", place
    if claim.erratum is None:
        return "contradicted", place
    erratum = ERRATA[f"{source}.{claim.erratum}"]
    note = f"{place}; " if place else ""
    if erratum.evidence == "seen":
        return "erratum", f"{note}misprint {erratum.id}"
    return "contradicted", f"{note}by our reading, {erratum.id}, which is no proved misprint"
