"""Verdicts on claims as sentences, for readers who do not know the ledger."""

from __future__ import annotations

from collections.abc import Mapping

from tcpgoodput.comparison.claims.schema import Claim, Evidence
from tcpgoodput.comparison.claims.verdicts import Judgement, with_our_outcome
from tcpgoodput.comparison.claims.words import EVIDENCE_TITLES

NUMBERS = {
    "ordering": "the distance between the lines, relative to the larger, is {}",
    "bound": "the number is {}",
    "ratio": "the ratio is {}",
    "within": "the number is {}",
    "monotone": "the smallest step, relative to the range of the line, is {}",
    "crossing": "the lines cross at x = {}",
    "extremum": "it is at x = {}",
}
"""What the number of a verdict is, by the kind of the predicate."""


def verdict_sentences(one: Judgement) -> str:
    """Return a verdict, what it means, and the test with its deciding number, as a Markdown item.

    Args:
        one: the verdict on a claim by one kind of evidence, which tests the claim.

    """
    ours = one.outcomes[0]
    test = _test(one.claim, ours.predicate, ours.value, ours.note)
    return f"- **{_title(one.evidence)}: {one.verdict}.** {_meaning(one)}.\n  - {test}"


def recorded_sentences(one: Judgement, row: Mapping[str, str]) -> str:
    """Return the verdict in a row of a ledger as a Markdown item, for an untested claim.

    Args:
        one: the verdict on the claim without measurements.
        row: the row of the ledger `claims.csv` for the same claim and kind of evidence.

    """
    verdict = with_our_outcome(row["verdict"], row["joint"])
    value = float(row["value"]) if row["value"] else None
    test = _test(one.claim, row["predicate"], value, "")
    return f"- **{_title(one.evidence)}: {verdict}** in the reference results.\n  - {test}"


def _title(evidence: Evidence) -> str:
    title = EVIDENCE_TITLES[evidence]
    return title.capitalize() if title.isalpha() or " " in title else title  # ns-2 stays as it is


def _meaning(one: Judgement) -> str:
    held = [outcome.holds for outcome in one.outcomes if not outcome.without_value]
    every = f" in all {len(held)} interpretations of the text" if len(held) > 1 else ""
    match one.verdict:
        case "reproduced":
            return f"The statement holds{every}"
        case "contradicted":
            return f"The statement fails{every}"
        case "erratum":
            return f"The statement fails as printed ({one.note})"
    counts = f"It holds in {held.count(True)} of {len(held)} interpretations of the text"
    tied = f", and the 95 % intervals allow both outcomes in {held.count(None)}"
    ours = {True: "holds", False: "fails", None: "is undecided"}[held[0]]
    return f"{counts}{tied if None in held else ''}; in ours it {ours}"


def _test(claim: Claim, test: str, value: float | None, where: str) -> str:
    if value is None:
        return f"Test: {test}."
    predicate = claim.predicate
    assert predicate is not None  # a claim with data has a predicate
    found = NUMBERS[predicate.kind].format(f"{value:.4g}")
    if getattr(predicate, "holds", "") == "mostly":
        found = f"the test holds at {value:.0%} of the points"
    place = f" {where}" if where.startswith("at ") else f", {where}" if where else ""
    return f"Test: {test}; {found}{place}."
