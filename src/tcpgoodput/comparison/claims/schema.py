"""Schema of a file of a study's claims, `config/claims/<source>.yaml`.

A claim is a statement of a study in our words. Its entry has one predicate, and the data that the
predicate compares for each kind of evidence (model, simulation, ns-2, Linux). There are a few fixed
kinds of predicates; a file cannot contain or name code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import BeforeValidator, Field, model_validator

from tcpgoodput.scenario.types import Identifier, Part, Text
from tcpgoodput.studies.schema import (
    Changes,
    DottedName,
    EngineName,
    Limits,
    Name,
    QuantityName,
    Reduction,
)

MEASURED: tuple[str, ...] = get_args(EngineName)
"""Kinds of evidence that are measurements. The other kind, `model`, is the prediction of the
study's model."""
EVIDENCE = ("model", *MEASURED)
PARTS: dict[str, tuple[str, ...]] = {"Model": ("model",), "Measured": MEASURED}
"""Kinds of evidence in two groups, predictions of models and measurements, which are counted
separately."""
Evidence = Literal[EVIDENCE]  # type: ignore[valid-type]
Holds = Annotated[
    Literal["everywhere", "somewhere", "mostly"],
    Field(
        description="at which of the compared points the statement must hold; mostly: at more "
        "than half of the points"
    ),
]

PRINTED = re.compile(r"[-+]?(\d+)(?:\.(\d+))?(?:e([-+]?\d+))?")


class DataSelection(Reduction):
    """Data that a predicate compares: lines, numbers of figures, a model's value, a landmark."""

    figure: Name | None = Field(None, description="name of a figure or table of the same study")
    series: Annotated[list[DottedName], Field(min_length=1)] | DottedName | None = Field(
        None,
        description="id of a series of the figure, or a list of ids; each series is one of the "
        "compared lines",
    )
    column: Name | None = Field(
        None, description="column of the table; its values, row by row, are the compared line"
    )
    rows: dict[Name, str | float] = Field(
        default_factory=dict, description="selected rows of the table: required value by column"
    )
    model: DottedName | None = Field(
        None, description="name of a model, whose value at one point is compared"
    )
    curve: DottedName | None = Field(
        None, description="name of a curve, one of whose landmarks is compared"
    )
    options: dict[str, Any] = Field(
        default_factory=dict, description="arguments of the curve", alias="with"
    )
    landmark: Text | None = Field(None, description="name of the curve's landmark")
    scenario: Identifier | None = Field(
        None, description="base scenario of the model or curve, from the file of figures"
    )
    set: Changes = Field(default_factory=dict)
    quantity: QuantityName | None = Field(None, description="quantity that the model predicts")
    equations: Literal["printed", "corrected"] | None = Field(
        None,
        description="use printed or corrected equations of the model; default: as in the settings",
    )
    erratum: Identifier | None = Field(
        None, description="id of an erratum of the study, whose numerical effect is compared"
    )
    form: Literal["printed", "corrected"] | None = Field(
        None, description="form of the erratum whose value is compared"
    )

    @model_validator(mode="after")
    def _names_one(self) -> Self:
        if [self.figure, self.model, self.curve, self.erratum].count(None) != 3:
            raise ValueError("a reading names exactly one of figure, model, curve, erratum")
        if self.figure and (self.series is None) == (self.column is None):
            raise ValueError("a reading of a figure names its series, one of a table its column")
        if self.model and (self.scenario is None or self.quantity is None):
            raise ValueError("a model needs scenario and quantity")
        if self.curve and self.landmark is None:
            raise ValueError("a curve needs landmark")
        if self.erratum and self.form is None:
            raise ValueError("an erratum needs form: printed or corrected")
        if self.figure is None and self.take is not None:
            raise ValueError("take is for figures and tables: anything else is a number already")
        return self

    @property
    def ids(self) -> list[str]:
        """The ids of the selected series, in the order of the file."""
        if self.series is None:
            return []
        return [self.series] if isinstance(self.series, str) else list(self.series)

    @property
    def is_line(self) -> bool:
        """Whether the selection gives lines of a figure, not numbers."""
        return self.figure is not None and self.take is None


class _Limited(Part):
    above: float | None = None
    below: float | None = None
    at_least: float | None = None
    at_most: float | None = None

    @model_validator(mode="after")
    def _is_limited(self) -> Self:
        lower = [x for x in (self.above, self.at_least) if x is not None]
        upper = [x for x in (self.below, self.at_most) if x is not None]
        if len(lower) > 1 or len(upper) > 1 or not lower + upper:
            raise ValueError("needs above or at_least, below or at_most, or one of each side")
        if lower and upper and lower[0] >= upper[0]:
            raise ValueError("the lower limit must be below the upper one")
        return self


class Ordering(Part):
    """Predicate: the selected lines or numbers are in ascending order at every x."""

    kind: Literal["ordering"]
    strict: bool = Field(True, description="false: neighbours in the order may be equal")
    above: float | None = Field(
        None, description="number that the last line or number also has to exceed"
    )
    holds: Holds = "everywhere"
    negated: bool = Field(False, description="true: the claim is that the statement does not hold")


class Bound(_Limited):
    """Predicate: every selected line or number is within limits."""

    kind: Literal["bound"]
    holds: Holds = "everywhere"
    negated: bool = False


class Ratio(_Limited):
    """Predicate: the ratio of the first to the second line or number is within limits."""

    kind: Literal["ratio"]
    holds: Holds = "everywhere"
    negated: bool = False


class Within(Part):
    """Predicate: selected lines or numbers equal a number, or each other, within a tolerance."""

    kind: Literal["within"]
    printed: Annotated[str, Field(pattern=rf"^{PRINTED.pattern}$", max_length=30)] | None = Field(
        None,
        description="the number as the study prints it; a difference of half a unit of its "
        "last digit is allowed",
    )
    of: float | None = Field(
        None,
        description="number to compare with; default: the lines or numbers are compared "
        "with each other",
    )
    tolerance: Annotated[float, Field(ge=0)] | None = Field(None, description="absolute tolerance")
    percent: Annotated[float, Field(gt=0, le=100)] | None = Field(
        None, description="tolerance in per cent of the number, or of the largest compared value"
    )
    holds: Holds = "everywhere"
    negated: bool = False

    @model_validator(mode="after")
    def _has_tolerance(self) -> Self:
        if [self.printed, self.tolerance, self.percent].count(None) != 2:
            raise ValueError("needs exactly one of printed, tolerance, percent")
        if self.printed is not None and self.of is not None:
            raise ValueError("printed is the number itself: `of` is too much")
        if self.percent is not None and self.of == 0:
            raise ValueError("no value is within per cent of 0: give a tolerance")
        return self

    @property
    def target(self) -> float | None:
        """The number with which the data are compared; None: data are compared with each other."""
        return float(self.printed) if self.printed is not None else self.of

    @property
    def allowed(self) -> float:
        """The absolute tolerance; for `percent` without a target, relative to the largest value."""
        if self.printed is not None:
            return half_unit(self.printed)
        if self.tolerance is not None:
            return self.tolerance
        assert self.percent is not None  # the schema requires printed, tolerance or percent
        return self.percent / 100 * (1.0 if self.of is None else abs(self.of))


class Monotone(Part):
    """Predicate: each selected line only rises, or each only falls."""

    kind: Literal["monotone"]
    direction: Literal["rising", "falling"]
    strict: bool = Field(False, description="true: neighbouring points must differ")
    negated: bool = False


class Crossing(Part):
    """Predicate: two lines cross in a range of x; a side for the first line can be required."""

    kind: Literal["crossing"]
    between: Limits | None = Field(
        None, description="range of x of the first crossing; default: anywhere"
    )
    side: Literal["above", "below"] | None = Field(
        None,
        description="side of the second line on which the first line is before the "
        "crossing; default: either",
    )
    negated: bool = False


class Extremum(Part):
    """Predicate: each selected line has its smallest (or largest) value in a range of x."""

    kind: Literal["extremum"]
    which: Literal["min", "max"]
    between: Limits
    negated: bool = False


Predicate = Annotated[
    Ordering | Bound | Ratio | Within | Monotone | Crossing | Extremum, Field(discriminator="kind")
]


Readings = dict[
    Evidence,
    Annotated[
        list[DataSelection],
        Field(min_length=1),
        BeforeValidator(lambda data: [data] if isinstance(data, dict) else data),
    ],
]
"""Data that a predicate compares, by the kind of evidence; a single selection becomes a list."""


class OpenSetting(Part):
    """Another choice for a setting that the study's text leaves open."""

    setting: Text = Field(description="description of this choice of settings")
    predicate: Predicate | None = Field(
        None, description="predicate; default: the predicate of the claim"
    )
    data: Readings = Field(default_factory=dict, description="data; default: the data of the claim")

    @model_validator(mode="after")
    def _differs(self) -> Self:
        if self.predicate is None and not self.data:
            raise ValueError("needs data or a predicate of its own")
        return self


class Former(Part):
    """The test of a claim before a change, as far as it can be evaluated on today's data."""

    predicate: Predicate | None = Field(
        None, description="the former predicate; default: today's predicate"
    )
    over: Limits | Literal["all"] | None = Field(
        None, description="the former range of x of all data, or all; default: today's range"
    )

    @model_validator(mode="after")
    def _differs(self) -> Self:
        if self.predicate is None and self.over is None:
            raise ValueError("needs the former predicate, or the former range")
        return self


class Change(Part):
    """A bound or a setting of a claim that was changed after its number was known."""

    was: Text = Field(description="the former predicate, setting or kind of evidence, in words")
    now: Text = Field(
        alias="is",
        description="what holds today: the predicate with its range of x, as `tcpgoodput check` "
        "words it; the setting; or `no` and the kind of evidence that was removed",
    )
    why: Text = Field(description="reason for the change")
    former: Former | None = Field(
        None,
        description="the former test, for the verdict before the change; default: the change "
        "cannot be undone on today's data",
    )


class Claim(Part):
    """One checkable statement of a study."""

    id: Identifier
    where: Text = Field(description="section, figure, equation or page of the study")
    statement: Text = Field(description="what the study says, in our words")
    figures: list[Name] = Field(
        default_factory=list, description="figures and tables on which the claim depends"
    )
    predicate: Predicate | None = None
    data: Readings = Field(
        default_factory=dict, description="data of the predicate, for each kind of evidence"
    )
    chosen: Text | None = Field(
        None, description="description of our choice for settings that the study's text leaves open"
    )
    open: list[OpenSetting] = Field(
        default_factory=list,
        description="the other choices of settings; the claim is contradicted only if it fails "
        "with every choice",
    )
    by_construction: dict[Evidence, Text] = Field(
        default_factory=dict,
        description="kinds of evidence with which this claim cannot fail, and why",
    )
    untestable: dict[Evidence, Text] = Field(
        default_factory=dict, description="kinds of evidence that cannot be obtained, and why"
    )
    erratum: Identifier | None = Field(
        None, description="id of the erratum that explains why the predicate fails"
    )
    changed: list[Change] = Field(
        default_factory=list,
        description="bounds and settings that were changed after the number was known",
    )
    note: Text | None = Field(None, description="what a reader must know about the test")

    @model_validator(mode="after")
    def _is_tested(self) -> Self:
        if (self.predicate is None) != (not self.data):
            raise ValueError("a predicate needs data, and data a predicate")
        if not self.data and not self.untestable:
            raise ValueError("needs a predicate with data, or untestable with a reason")
        if both := set(self.data) & set(self.untestable):
            raise ValueError(f"{', '.join(sorted(both))} cannot be tested and untestable at once")
        if (self.chosen is None) != (not self.open):
            raise ValueError("chosen names our choice, open the others: one needs the other")
        named = {*self.by_construction, *(e for other in self.open for e in other.data)}
        if more := named - set(self.data):
            raise ValueError(f"{', '.join(sorted(more))} is no evidence of the claim's data")
        return self

    def before(self, former: Former) -> Claim:
        """Return the claim with a former test in place of today's."""

        def ranged(data: Readings) -> Readings:
            if former.over is None:
                return data
            over = None if former.over == "all" else former.over
            return {
                evidence: [one.model_copy(update={"over": over}) for one in selections]
                for evidence, selections in data.items()
            }

        others = [one.model_copy(update={"data": ranged(one.data)}) for one in self.open]
        predicate = former.predicate or self.predicate
        changes = {"predicate": predicate, "data": ranged(self.data), "open": others}
        return self.model_copy(update=changes)

    def readings(self, evidence: Evidence) -> Iterator[tuple[str, Predicate, list[DataSelection]]]:
        """Yield description, predicate and data of each interpretation of the study's text.

        Our interpretation comes first; its description is empty if there is no other
        interpretation. An interpretation whose data do not include this kind of evidence is
        skipped.
        """
        assert self.predicate is not None  # the schema requires a predicate if there are data
        yield self.chosen or "", self.predicate, self.data[evidence]
        for other in self.open:
            if evidence in other.data or not other.data:
                readings = other.data.get(evidence, self.data[evidence])
                yield other.setting, other.predicate or self.predicate, readings


class ClaimsFile(Part):
    """Content of a file of claims: the checkable statements of one study."""

    source: Name = Field(description="short name of the study, as in its file of figures")
    claims: Annotated[list[Claim], Field(min_length=1)]


def half_unit(printed: str) -> float:
    """Return half a unit of the last digit of a printed number: 0.005 for 8.68, 50 for 1.4e3."""
    match = PRINTED.fullmatch(printed)
    assert match is not None  # the schema has checked that the text is a number
    decimals, exponent = len(match[2] or ""), int(match[3] or 0)
    return 0.5 * 10.0 ** (exponent - decimals)
