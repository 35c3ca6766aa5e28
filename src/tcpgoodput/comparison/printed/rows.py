"""Compare each printed number of a study with the recomputed numbers of a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from tcpgoodput.comparison.claims.data import Data, Unmeasured
from tcpgoodput.comparison.claims.predicates import evaluate_predicate, limits_text, number
from tcpgoodput.comparison.claims.schema import (
    EVIDENCE,
    Bound,
    Claim,
    DataSelection,
    Evidence,
    Predicate,
    Ratio,
    Within,
)
from tcpgoodput.comparison.claims.verdicts import Judgement, Verdict, digits, outcome_of
from tcpgoodput.comparison.printed.files import (
    FRACTION,
    SIGNS,
    PrintedNumber,
    SourcePrinted,
    values_of_setting,
)
from tcpgoodput.configuration import ConfigurationError, Problem
from tcpgoodput.models import ERRATA
from tcpgoodput.studies.reductions import Value

Agreement = Literal["yes", "within interval", "depends", "undecided", "no", "erratum", ""]
"""Result of the comparison of a printed number with one kind of evidence; empty without one.

- yes: the recomputed number, with its whole 95 % interval, agrees;
- within interval: the interval contains numbers that agree, and others;
- depends: it agrees at some of the settings that the study's text leaves open, not at others;
- undecided: in some setting the interval contains the printed limit, or nothing is measured, and
  the other settings do not differ; a setting in which a model has no value does not count;
- no: it does not agree;
- erratum: it does not agree because of a misprint or a proved error in the text.
"""

PARTS = ("", "_low", "_high", "_agrees", "_drawn")
COLUMNS = [
    *("source", "what", "where", "printed", "unit", "kind", "rule"),
    *(f"{evidence}{part}" for evidence in EVIDENCE for part in PARTS),
    "linux_setting",
    *("agree", "claim", "erratum", "note"),
]


@dataclass(frozen=True)
class Recomputed:
    """The recomputed number for one kind of evidence, and whether it agrees with the printed."""

    values: Sequence[float] = ()
    """The number, or one for each of several printed numbers; empty if it is not measured."""
    interval: tuple[float, float] | None = None
    agrees: Agreement = ""
    drawn: Agreement = ""
    """Whether it agrees in our setting alone; empty if the study's text leaves no other open."""
    note: str = ""


@dataclass(frozen=True)
class Row:
    """A printed number with the recomputed numbers: a row of `printed.csv`."""

    number: PrintedNumber
    printed: str
    rule: str
    found: Mapping[Evidence, Recomputed] = field(default_factory=dict)
    linux_setting: str = ""
    """The profile of kernel settings with which Linux measured the number."""

    @property
    def kind(self) -> str:
        """How the number was compared: a claim, data, a setting of the run, or not at all."""
        if self.number.untested is not None:
            return "quoted"
        if self.number.setting is not None:
            return "setting"
        return "claim" if self.number.claim is not None else "result"

    @property
    def agree(self) -> str:
        """The agreement of all kinds of evidence; one word if all are equal."""
        parts = {evidence: one.agrees for evidence, one in self.found.items() if one.agrees}
        if len(set(parts.values())) <= 1:
            return next(iter(parts.values()), "not tested")
        return "; ".join(f"{evidence}: {agrees}" for evidence, agrees in parts.items())

    def record(self, source: str) -> dict[str, str]:
        """Return the row of the table `printed.csv`."""
        notes = [f"{evidence}: {one.note}" for evidence, one in self.found.items() if one.note]
        record = {
            "source": source,
            "what": self.number.what,
            "where": self.number.where,
            "printed": self.printed,
            "unit": self.number.unit,
            "kind": self.kind,
            "rule": self.rule,
            "agree": self.agree,
            "claim": self.number.claim or "",
            "erratum": self.number.erratum or "",
            "linux_setting": self.linux_setting,
            "note": "; ".join(filter(None, [self.number.untested, self.number.note, *notes])),
        }
        for evidence, one in self.found.items():
            low, high = one.interval or (None, None)
            record[evidence] = ", ".join(digits(value) for value in one.values)
            record[f"{evidence}_low"], record[f"{evidence}_high"] = digits(low), digits(high)
            record[f"{evidence}_agrees"] = one.agrees
            record[f"{evidence}_drawn"] = one.drawn
        return record


def rows_of(printed: SourcePrinted, data: Data, judgements: Iterable[Judgement]) -> list[Row]:
    """Return the printed numbers of a study with the recomputed ones, in their order."""
    of_claims: dict[str, dict[Evidence, Judgement]] = {}
    for judgement in judgements:
        if judgement.source == printed.source:
            of_claims.setdefault(judgement.claim.id, {})[judgement.evidence] = judgement
    rows: list[Row] = []
    problems: list[Problem] = []
    for position, one in enumerate(printed.numbers):
        try:
            rows.append(_row(one, data, of_claims.get(one.claim or "", {})))
        except ValueError as error:
            problems.append(printed.problem(position, f"cannot be compared: {error}"))
    if problems:
        raise ConfigurationError(problems)
    return rows


def _row(one: PrintedNumber, data: Data, judgements: Mapping[Evidence, Judgement]) -> Row:
    if one.untested is not None:
        return Row(one, one.printed or "", "")
    if one.claim is not None:
        return _row_of_claim(one, data, judgements)
    assert one.printed is not None  # the schema requires it without a claim
    rule = _rule(one)
    if one.setting is not None:
        values = values_of_setting(data.source, one.setting)
        found = {e: _of_setting(one, value, data.source.name) for e, value in values.items()}
        return Row(one, one.printed, rule, found)
    compared = {e: _of_data(one, selections, data) for e, selections in one.data.items()}
    return Row(one, one.printed, rule, compared, data.linux_setting(one.data.get("linux", ())))


def _rule(one: PrintedNumber) -> str:
    """Return the rule of agreement: the printed limits, or the tolerance."""
    first = one.predicates[0]
    if isinstance(first, Bound):
        return limits_text(first)
    tolerance = max(near.allowed for near in one.predicates if isinstance(near, Within))
    is_exact = FRACTION.fullmatch(one.printed or "")
    kind = "exact" if is_exact else "half a unit of the last digit"
    return f"± {tolerance:.3g}, {kind if one.tolerance is None else 'stated'}"


def _of_setting(one: PrintedNumber, value: float, source: str) -> Recomputed:
    finding = evaluate_predicate(one.predicates[0], [number(Value(value, value, value))])
    return Recomputed([value], agrees="yes" if finding.holds else _disagreement(one, source))


def _of_data(one: PrintedNumber, selections: Sequence[DataSelection], data: Data) -> Recomputed:
    if len(one.predicates) > 1:
        return _of_several(one, selections, data)
    predicate = one.predicates[0]
    outcome = outcome_of("", predicate, selections, data)
    if outcome.value is None:
        return Recomputed(note=outcome.note)
    agrees: Agreement
    if outcome.holds is None:
        agrees = "within interval" if isinstance(predicate, Within) else "undecided"
    else:
        agrees = "yes" if outcome.holds else _disagreement(one, data.source.name)
    place = "" if outcome.holds is None else outcome.note
    return Recomputed([outcome.value], outcome.interval, agrees, note=place)


def _of_several(one: PrintedNumber, selections: Sequence[DataSelection], data: Data) -> Recomputed:
    """Compare several printed numbers with as many recomputed ones, in order."""
    try:
        operands = data.operands(selections)
    except Unmeasured as unmeasured:
        return Recomputed(note=str(unmeasured))
    values = np.concatenate([line.y for line in operands])
    if values.size != len(one.predicates):
        raise ValueError(f"{len(one.predicates)} numbers are printed, {values.size} selected")
    holds = [
        evaluate_predicate(predicate, [number(Value(value, value, value))]).holds
        for predicate, value in zip(one.predicates, values, strict=True)
    ]
    return Recomputed(
        values.tolist(), agrees="yes" if all(holds) else _disagreement(one, data.source.name)
    )


def _row_of_claim(one: PrintedNumber, data: Data, judgements: Mapping[Evidence, Judgement]) -> Row:
    found: dict[Evidence, Recomputed] = {}
    rule = ""
    for evidence, judgement in judgements.items():
        if not judgement.outcomes:
            found[evidence] = Recomputed(note=judgement.note)
            continue
        ours = judgement.outcomes[0]
        rule = rule or _rule_of_claim(one, judgement.claim, ours.bound)
        values = [] if ours.value is None else [_converted(one, ours.value)]
        ends = [_converted(one, end) for end in ours.interval or ()]
        interval = (min(ends), max(ends)) if ends else None
        agrees = AGREEMENTS[judgement.verdict]
        drawn: Agreement = "" if len(judgement.outcomes) == 1 else IN_WORDS[ours.holds]
        # The first setting in which the claim has another outcome than in ours.
        others = (other.short for other in judgement.outcomes if other.word != ours.word)
        note = "; ".join(filter(None, [ours.note, next(others, "")]))
        found[evidence] = Recomputed(values, interval, agrees, drawn, note)
    claims = [judgement.claim for judgement in judgements.values()]
    printed = one.printed or _printed(one, claims[0].predicate)
    setting = data.linux_setting(claims[0].data.get("linux", ()))
    return Row(one, printed, rule, found, setting)


def _printed(one: PrintedNumber, predicate: Predicate | None) -> str:
    """Return the number that a claim tests, in the unit of the printed number."""
    if isinstance(predicate, Within) and predicate.printed and one.times == 1 and one.plus == 0:
        return predicate.printed
    if isinstance(predicate, Within) and predicate.target is not None:
        return f"{_converted(one, predicate.target):.6g}"
    assert isinstance(predicate, Bound | Ratio)  # `load_printed` has checked this
    return _limits(one, predicate)


def _limits(one: PrintedNumber, predicate: Bound | Ratio) -> str:
    """Return the limits of a claim in the unit of the printed number."""
    limits = {name: getattr(predicate, name) for name in SIGNS.values()}
    given = {name: _converted(one, limit) for name, limit in limits.items() if limit is not None}
    turned = {"above": "below", "below": "above", "at_least": "at_most", "at_most": "at_least"}
    if one.times < 0:
        given = {turned[name]: limit for name, limit in given.items()}
    return limits_text(Bound(kind="bound", **given))


def _converted(one: PrintedNumber, value: float) -> float:
    return value * one.times + one.plus


def _disagreement(one: PrintedNumber, source: str) -> Agreement:
    """Return `erratum` if a misprint or proved error explains the difference, else `no`."""
    if one.erratum is None:
        return "no"
    evidence = ERRATA[f"{source}.{one.erratum}"].evidence
    return "no" if evidence == "our assumption" else "erratum"


MEASURES = {
    "ordering": "smallest relative lead",
    "bound": "number",
    "ratio": "ratio",
    "within": "largest relative difference",
    "monotone": "smallest step, as a share of the range,",
    "crossing": "place of the crossing:",
    "extremum": "place of the extremum:",
}
"""What the number is that decides a claim, by the kind of the claim's predicate."""


def _rule_of_claim(one: PrintedNumber, claim: Claim, bound: str) -> str:
    """Return what the number is that decides a claim, and its bound.

    The limits of a bound or ratio are in the unit of the printed number, others in the claim's.
    """
    predicate = claim.predicate
    assert predicate is not None  # only a claim with a predicate has outcomes
    if not bound:
        return ""
    if getattr(predicate, "holds", None) == "mostly":
        return f"share of points {bound.replace(' of the points', ', where')}"
    if isinstance(predicate, Bound | Ratio) and (one.times, one.plus) != (1, 0):
        return f"number {_limits(one, predicate)}"
    if isinstance(predicate, Within):
        if predicate.target is not None:
            return bound
        if predicate.percent is None:
            return f"largest difference {bound}"
    return f"{MEASURES[predicate.kind]} {bound}"


AGREEMENTS: Mapping[Verdict, Agreement] = {
    "reproduced": "yes",
    "depends": "depends",
    "contradicted": "no",
    "erratum": "erratum",
    "undecided": "undecided",
    "untestable": "yes",  # a claim with outcomes is untestable if it holds by construction
}
"""Agreement of the number of a claim with data, by the claim's verdict."""

IN_WORDS: Mapping[bool | None, Agreement] = {True: "yes", False: "no", None: "undecided"}
"""Agreement in our setting alone, by the outcome of the claim in this setting."""
