"""Verdicts on claims, from predicates under all interpretations of a study's text.

`settings:` in a study's file of figures lists the settings that its text leaves open for a group of
figures. A claim about figures of the group is evaluated in each of them: with the same predicate,
and the same data of the figures in this setting. So one can ask under which *one* setting most
sentences of the study hold.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import pandas as pd

from tcpgoodput.comparison.claims.data import Data, NoValue, Unmeasured
from tcpgoodput.comparison.claims.files import SourceClaims
from tcpgoodput.comparison.claims.predicates import Finding, evaluate_predicate
from tcpgoodput.comparison.claims.schema import (
    EVIDENCE,
    Change,
    Claim,
    DataSelection,
    Evidence,
    Predicate,
)
from tcpgoodput.comparison.claims.words import in_words
from tcpgoodput.configuration import ConfigurationError, Problem
from tcpgoodput.models import ERRATA
from tcpgoodput.studies.open_settings import name_in
from tcpgoodput.studies.reductions import TooCoarse
from tcpgoodput.studies.schema import SourceFigures

Verdict = Literal["reproduced", "depends", "contradicted", "erratum", "undecided", "untestable"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
COLUMNS = [
    *("source", "id", "statement", "evidence", "predicate", "verdict", "joint", "value"),
    *("value_low", "value_high", "bound", "note", "was", "is", "why", "verdict_before"),
]
READING_COLUMNS = [
    *("source", "id", "evidence", "setting", "predicate", "outcome", "value", "value_low"),
    *("value_high", "bound", "note"),
]
OUTCOMES = {True: "holds", False: "fails", None: "undecided"}


@dataclass(frozen=True)
class Outcome:
    """Result of a predicate under one interpretation of the study's text."""

    setting: str
    """The interpretation in words; empty if the study's text has only one."""
    predicate: str
    """The evaluated predicate in words."""
    holds: bool | None
    value: float | None
    bound: str
    note: str
    """The x of the value and how many points have none, or why the predicate has no value."""
    interval: tuple[float, float] | None = None
    """95 % interval of the value; None if the value is exact or a share of points."""
    unmeasured: bool = False
    """True if a measurement that the claim needs is missing."""
    without_value: bool = False
    """True if a model that the claim reads has no value in this setting of the study's figures. The
    setting then does not count for the verdict."""
    places: tuple[tuple[str, str, str], ...] = ()
    """Group, name and title of the study's setting (`settings` in the file of figures), if the
    interpretation is one; the drawn setting of each group that the claim reads."""

    @property
    def word(self) -> str:
        """The predicate's result in a word or two."""
        return NO_VALUE if self.without_value else OUTCOMES[self.holds]

    @property
    def short(self) -> str:
        """The interpretation and the predicate's result, as text."""
        found = "" if self.value is None else f" ({self.value:.3g})"
        return f"{self.word} with {self.setting}{found}"

    def record(self) -> dict[str, str]:
        """Return the outcome as columns of the table `claims_readings.csv` of interpretations."""
        return {
            "setting": self.setting,
            "predicate": self.predicate,
            "outcome": self.word,
            **self.levels(),
            "note": self.note,
        }

    def levels(self) -> dict[str, str]:
        """Return the value that the claim tests, the ends of its 95 % interval, and its limit."""
        low, high = self.interval or (None, None)
        ends = {"value_low": digits(low), "value_high": digits(high)}
        return {"value": digits(self.value), **ends, "bound": self.bound}


UNTESTED = Outcome("", "", None, None, "", "")
"""Outcome of a claim that cannot be tested."""


@dataclass(frozen=True)
class Judgement:
    """The verdict on one claim by one kind of evidence, such as simulation: a row of a table."""

    source: str
    claim: Claim
    evidence: Evidence
    verdict: Verdict
    note: str
    outcomes: tuple[Outcome, ...] = ()
    """Outcomes under all interpretations, ours first; empty if the claim cannot be tested."""
    before: tuple[str, ...] = ()
    """The verdict by the test before each change; empty texts if it cannot be evaluated today."""

    def record(self) -> dict[str, str]:
        """Return the verdict as a table row, with the tested value and its limit.

        Value, limit and the outcome `joint` are those of the interpretation of the study's text
        that we chose. The columns `was`, `is` and `why` have the changes of the claim after its
        number was known, and `verdict_before` the verdict by the test before each change, if it can
        be evaluated today; several changes are separated by ` / `.
        """
        ours = self.outcomes[0] if self.outcomes else UNTESTED
        changed = self.claim.changed
        return {
            "source": self.source,
            "id": self.claim.id,
            "statement": self.claim.statement,
            "evidence": self.evidence,
            "predicate": ours.predicate,
            "verdict": self.verdict,
            "joint": OUTCOMES[ours.holds] if self.outcomes else "",
            **ours.levels(),
            "note": self.note,
            "was": " / ".join(change.was for change in changed),
            "is": " / ".join(change.now for change in changed),
            "why": " / ".join(change.why for change in changed),
            "verdict_before": " / ".join(self.before),
        }

    def reading_records(self) -> Iterator[dict[str, str]]:
        """Yield a row for each interpretation of a claim; no row if the claim has only one."""
        own = {"source": self.source, "id": self.claim.id, "evidence": self.evidence}
        if len(self.outcomes) > 1:
            for outcome in self.outcomes:
                yield own | outcome.record()

    def setting_records(self, figures: SourceFigures) -> Iterator[dict[str, str]]:
        """Yield a row for each setting in which the claim was evaluated and can fail."""
        if self.evidence in self.claim.by_construction:
            return
        about = {"id": self.claim.id, "where": self.claim.where, "statement": self.claim.statement}
        for outcome in self.outcomes:
            for group, setting, title in outcome.places:
                yield {
                    "group": group,
                    "setting": setting,
                    "title": title,
                    "figures": " ".join(figures.settings[group].figures),
                    **about,
                    "evidence": self.evidence,
                    "outcome": outcome.word,
                    **outcome.levels(),
                }


def with_our_outcome(verdict: str, joint: str) -> str:
    """Return a verdict, followed by the outcome in our setting if the verdict does not tell it.

    Example:
        >>> with_our_outcome("depends", "holds")
        'depends; ours: holds'
        >>> with_our_outcome("reproduced", "holds")
        'reproduced'

    """
    return f"{verdict}; ours: {joint}" if verdict in ("depends", "undecided") else verdict


def judgements_of(claims: SourceClaims, data: Data) -> list[Judgement]:
    """Return the verdicts on a study's claims, in the order of their file.

    A claim whose predicate cannot be evaluated never counts as reproduced, so it is an error.
    """
    judgements: list[Judgement] = []
    problems: list[Problem] = []
    for claim in claims.claims:
        for evidence in (e for e in EVIDENCE if e in claim.data or e in claim.untestable):
            try:
                judgements.append(judgement(claims.source, claim, evidence, data))
            except ValueError as error:
                problems.append(claims.problem(claim, f"{evidence} cannot be evaluated: {error}"))
    if problems:
        raise ConfigurationError(problems)
    return judgements


def judgement(source: str, claim: Claim, evidence: Evidence, data: Data) -> Judgement:
    """Return the verdict on a claim by one kind of evidence."""
    if evidence in claim.untestable:
        return Judgement(source, claim, evidence, "untestable", claim.untestable[evidence])
    outcomes = tuple(_outcomes(claim, evidence, data))
    verdict, why = _verdict(source, claim, evidence, outcomes)
    before = tuple(_before(source, claim, change, evidence, data) for change in claim.changed)
    note = "; ".join(part for part in (why, claim.note) if part)
    return Judgement(source, claim, evidence, verdict, note, outcomes, before)


def _before(source: str, claim: Claim, change: Change, evidence: Evidence, data: Data) -> str:
    """Return the verdict by the test before a change; empty if it cannot be evaluated today."""
    if change.former is None:
        return ""
    former = claim.before(change.former)
    try:
        return _verdict(source, former, evidence, tuple(_outcomes(former, evidence, data)))[0]
    except ValueError:
        return ""


def _outcomes(claim: Claim, evidence: Evidence, data: Data) -> Iterator[Outcome]:
    """Yield the outcome of a claim under each interpretation of the study's text, ours first.

    After ours come the other settings of the figures that the claim reads (`settings` in the file
    of figures), then those that only this claim has (`open`). A setting of the figures in which
    nothing was measured is left out, like a setting for which a claim names no data. In one in
    which a line is too coarse for the predicate, the claim is undecided.
    """
    (setting, predicate, readings), *others = claim.readings(evidence)
    read = {reading.figure for reading in readings}
    groups = {
        group: settings
        for group, settings in data.source.figures.settings.items()
        if not read.isdisjoint(settings.figures)
    }
    drawn = tuple((group, DRAWN, settings.drawn) for group, settings in groups.items())
    ours = "; ".join(filter(None, [*(title for *_, title in drawn), setting]))
    yield replace(outcome_of(ours, predicate, readings, data), places=drawn)
    for group, settings in groups.items():
        for key, choice in settings.others.items():
            text = "; ".join(filter(None, [choice.title, setting]))
            places = ((group, key, choice.title),)
            moved = [
                one.model_copy(update={"figure": name_in(one.figure, key)})
                if one.figure in settings.figures
                else one
                for one in readings
            ]
            try:
                outcome = outcome_of(text, predicate, moved, data)
            except (NoValue, TooCoarse) as error:
                none = isinstance(error, NoValue)
                note = str(error)
                yield Outcome(text, "", None, None, "", note, without_value=none, places=places)
                continue
            if not outcome.unmeasured:
                yield replace(outcome, places=places)
    for setting, predicate, readings in others:
        yield outcome_of(setting, predicate, readings, data)


def outcome_of(
    setting: str, predicate: Predicate, readings: Sequence[DataSelection], data: Data
) -> Outcome:
    """Return the outcome of a predicate on selected data; without a value if data are missing.

    A predicate that is to hold everywhere is undecided if it holds at all points with a value, and
    a model has no value at others.
    """
    texts = (setting, in_words(predicate, readings, data.label))
    try:
        finding = evaluate_predicate(predicate, data.operands(readings))
    except Unmeasured as unmeasured:
        return Outcome(*texts, None, None, "", str(unmeasured), unmeasured=True)
    except ValueError as error:
        # A claim stays undecided if a model has no value because its equations are as printed, or
        # if a line has too few points because the run is a draft.
        if data.conditions.equations == "printed":
            why = "with equations as printed"
        elif data.conditions.precision == "draft" and isinstance(error, TooCoarse):
            why = "in a draft"
        else:
            raise
        return Outcome(*texts, None, None, "", f"{why}: {error}")
    of_models, measured = data.left_out(readings)
    holds, empty = finding.holds, of_models + measured
    if of_models and getattr(predicate, "holds", "") == "everywhere" and holds != predicate.negated:
        holds = None
    notes = [_where(finding), f"points without a value: {empty}" if empty else ""]
    note = "; ".join(filter(None, notes))
    return Outcome(*texts, holds, finding.value, finding.bound, note, finding.interval)


def _where(finding: Finding) -> str:
    place = "" if finding.at is None else f"at x = {finding.at:.4g}"
    if finding.holds is not None:
        return place
    many = f"{finding.ties} of {finding.points} points" if finding.points > 1 else ""
    where = ", ".join(filter(None, (many, place)))
    return "a tie within the intervals" + (f" ({where})" if where else "")


def _verdict(
    source: str, claim: Claim, evidence: Evidence, outcomes: Sequence[Outcome]
) -> tuple[Verdict, str]:
    """Combine the outcomes under all interpretations to one verdict, with its reason.

    A claim is `reproduced` or `contradicted` only if all interpretations agree. An interpretation
    with an undecided outcome could hold or fail, so it excludes both verdicts.
    """
    outcomes = [outcome for outcome in outcomes if not outcome.without_value]
    found = {outcome.holds for outcome in outcomes}
    ours = outcomes[0].note
    why = "; ".join(outcome.short for outcome in outcomes) if len(outcomes) > 1 else ours
    if {True, False} <= found:
        return "depends", why
    if None in found:
        return "undecided", why
    if found == {True}:
        if evidence in claim.by_construction:
            return "untestable", f"by construction: {claim.by_construction[evidence]}"
        return "reproduced", why
    if claim.erratum is None:
        return "contradicted", why
    erratum = ERRATA[f"{source}.{claim.erratum}"]
    note = f"{why}; " if why else ""
    if erratum.evidence == "our assumption":
        return "contradicted", f"{note}{erratum.id} is our assumption, and proves no error"
    return "erratum", f"{note}{erratum.evidence}: {erratum.id}"


def digits(value: float | None) -> str:
    """Return a number as text with six digits; empty without a number."""
    return "" if value is None or math.isnan(value) else f"{value:.6g}"


DRAWN = "drawn"
"""Name of the setting in which a group's figures are drawn, in the table of settings."""
COUNTED = ("model", "packet")
"""Kinds of evidence that decide which setting is drawn: every setting has both."""
NO_VALUE = "no value"
"""Outcome in a setting in which a model that the claim reads has no value."""
OUTCOME_WORDS = ("holds", "fails", "undecided", NO_VALUE)
SETTING_COLUMNS = [
    *("group", "setting", "title", "figures", "id", "where", "statement", "evidence", "outcome"),
    *("value", "value_low", "value_high", "bound"),
]


def sentences_that_hold(rows: pd.DataFrame) -> pd.DataFrame:
    """Count the sentences with each outcome in each setting of a study, for each evidence.

    `rows` is the study's table `settings.csv`. There is a row for each group, setting and kind of
    evidence, in the order of `rows`, with the columns group, setting, title, evidence, and one for
    each of `OUTCOME_WORDS`. Only sentences that have an outcome in every setting of their group are
    counted: a sentence that ns-2 did not measure in one setting does not count in the others.
    """
    settings = rows.groupby(["group", "evidence"])["setting"].transform("nunique")
    own = rows.groupby(["group", "evidence", "id"])["setting"].transform("nunique")
    complete = rows[own == settings]
    keys = ["group", "setting", "title", "evidence"]
    counts = complete.groupby([*keys, "outcome"], sort=False).size().unstack(fill_value=0)
    return counts.reindex(columns=list(OUTCOME_WORDS), fill_value=0).reset_index()


def best_settings(rows: pd.DataFrame) -> dict[str, str]:
    """Return, for each group, the name of the setting under which most sentences hold.

    Sentences judged by the study's model and by our simulator count. If settings are equal, the one
    with fewer failures is best, then the one under which more sentences hold by ns-2, then the one
    that comes first in the file.
    """
    counts = sentences_that_hold(rows)
    best = {}
    for group, own in counts.groupby("group", sort=False):
        counted = own[own["evidence"].isin(COUNTED)].groupby("setting", sort=False)
        table = counted[["holds", "fails"]].sum()
        by_ns2 = own[own["evidence"] == "ns2"].set_index("setting")["holds"]
        table["ns2"] = by_ns2.reindex(table.index).fillna(0)
        ranked = table.sort_values(
            ["holds", "fails", "ns2"], ascending=[False, True, False], kind="stable"
        )
        best[str(group)] = str(ranked.index[0])
    return best
