"""Schema of a file of claims, `config/claims/<source>.yaml`.

A claim is data: a statement of a source in our words, one predicate, and the data for each kind of
evidence. There are a few fixed kinds of predicates; a file cannot contain or name code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import Field, field_validator, model_validator

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
"""Kinds of evidence that are measured. The other kind, `model`, is the prediction of a study's
model."""
EVIDENCE = ("model", *MEASURED)
PARTS: dict[str, tuple[str, ...]] = {"Model": ("model",), "Measured": MEASURED}
"""Kinds of evidence in two groups, predictions of models and measurements, which are counted
separately."""
Evidence = Literal[EVIDENCE]  # type: ignore[valid-type]
Holds = Annotated[
    Literal["everywhere", "somewhere", "mostly"],
    Field(description="at which of the compared points; mostly: at more than half of them"),
]

PRINTED = re.compile(r"[-+]?(\d+)(?:\.(\d+))?(?:e([-+]?\d+))?")


class DataSelection(Reduction):
    """Data of a predicate: lines or numbers of figures, a model's value, or a landmark."""

    figure: Name | None = Field(None, description="a figure or table of the same source")
    series: Annotated[list[DottedName], Field(min_length=1)] | DottedName | None = Field(
        None, description="id of a series of the figure, or several ids: a reading each"
    )
    column: Name | None = Field(None, description="column of the table, row after row")
    rows: dict[Name, str | float] = Field(
        default_factory=dict, description="which rows of the table: column and value"
    )
    model: DottedName | None = Field(None, description="a model's name: its value at one point")
    curve: DottedName | None = Field(None, description="a curve's name, for one of its landmarks")
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
        None, description="of the model; default: the configuration's"
    )
    erratum: Identifier | None = Field(
        None, description="a registered erratum of the source: the effect that it computes"
    )
    form: Literal["printed", "corrected"] | None = Field(
        None, description="of the erratum's effect"
    )

    @model_validator(mode="after")
    def _names_one(self) -> Self:
        given = [x for x in (self.figure, self.model, self.curve, self.erratum) if x is not None]
        if len(given) != 1:
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
        """The ids of the selected series, in order."""
        if self.series is None:
            return []
        return [self.series] if isinstance(self.series, str) else list(self.series)

    @property
    def is_line(self) -> bool:
        """Whether this selects lines of a figure, not numbers."""
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
    strict: bool = Field(True, description="false: neighbours may be equal")
    above: float | None = Field(None, description="number that the last reading has to exceed, too")
    holds: Holds = "everywhere"
    negated: bool = Field(False, description="true: the statement is that it does not hold")


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
        None, description="the number as it is printed: half a unit of its last digit is allowed"
    )
    of: float | None = Field(
        None, description="the number; default: the readings are compared with each other"
    )
    tolerance: Annotated[float, Field(ge=0)] | None = Field(None, description="absolute")
    percent: Annotated[float, Field(gt=0, le=100)] | None = Field(
        None, description="tolerance in per cent of the number, or of the largest reading"
    )
    holds: Holds = "everywhere"
    negated: bool = False

    @model_validator(mode="after")
    def _has_tolerance(self) -> Self:
        if (self.printed is not None) + (self.tolerance is not None) + (
            self.percent is not None
        ) != 1:
            raise ValueError("needs exactly one of printed, tolerance, percent")
        if self.printed is not None and self.of is not None:
            raise ValueError("printed is the number itself: `of` is too much")
        return self

    @property
    def target(self) -> float | None:
        """The number with which the selected data are compared; None: with each other."""
        return float(self.printed) if self.printed is not None else self.of

    @property
    def allowed(self) -> float:
        """The absolute tolerance; None if it depends on the compared values."""
        if self.printed is not None:
            return half_unit(self.printed)
        if self.tolerance is not None:
            return self.tolerance
        assert self.percent is not None  # the schema requires one of the three
        return self.percent / 100 * abs(self.of or 1.0)


class Monotone(Part):
    """Predicate: each line only rises, or each only falls."""

    kind: Literal["monotone"]
    direction: Literal["rising", "falling"]
    strict: bool = Field(False, description="true: neighbours may not be equal")
    negated: bool = False


class Crossing(Part):
    """Predicate: two lines cross in a range of x; the first may have to start above or below."""

    kind: Literal["crossing"]
    between: Limits | None = Field(None, description="x of the first crossing; default: anywhere")
    side: Literal["above", "below"] | None = Field(
        None, description="where the first line is before they cross; default: either"
    )
    negated: bool = False


class Extremum(Part):
    """Predicate: each line has its smallest, or its largest, value in a range of x."""

    kind: Literal["extremum"]
    which: Literal["min", "max"]
    between: Limits
    negated: bool = False


Predicate = Annotated[
    Ordering | Bound | Ratio | Within | Monotone | Crossing | Extremum, Field(discriminator="kind")
]


Readings = dict[Evidence, Annotated[list[DataSelection], Field(min_length=1)]]
"""Data that a predicate uses, for each kind of evidence."""


class OpenSetting(Part):
    """Another choice for a setting that the text of a study leaves open."""

    setting: Text = Field(description="description of the different settings")
    predicate: Predicate | None = Field(None, description="default: the claim's")
    data: Readings = Field(default_factory=dict, description="data; default: those of the claim")

    @field_validator("data", mode="before")
    @classmethod
    def _listed(cls, data: Any) -> Any:
        return listed(data)

    @model_validator(mode="after")
    def _differs(self) -> Self:
        if self.predicate is None and not self.data:
            raise ValueError("needs data or a predicate of its own")
        return self


class Claim(Part):
    """One checkable statement of a source."""

    id: Identifier
    where: Text = Field(description="section, figure, equation or page of the source")
    statement: Text = Field(description="what the source says, in our words")
    figures: list[Name] = Field(
        default_factory=list, description="the figures and tables that it depends on"
    )
    predicate: Predicate | None = None
    data: Readings = Field(
        default_factory=dict, description="data of the predicate, for each kind of evidence"
    )
    chosen: Text | None = Field(
        None, description="description of our choice for settings that the text leaves open"
    )
    open: list[OpenSetting] = Field(
        default_factory=list,
        description="the other choices: the claim is contradicted only if it fails with all",
    )
    by_construction: dict[Evidence, Text] = Field(
        default_factory=dict, description="evidence that could not fail here, and why"
    )
    untestable: dict[Evidence, Text] = Field(
        default_factory=dict, description="evidence that cannot be had, and why"
    )
    erratum: Identifier | None = Field(
        None, description="the registered erratum that explains why the predicate fails"
    )
    note: Text | None = Field(None, description="what a reader must know of the test")

    @field_validator("data", mode="before")
    @classmethod
    def _listed(cls, data: Any) -> Any:
        return listed(data)

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

    def readings(self, evidence: Evidence) -> Iterator[tuple[str, Predicate, list[DataSelection]]]:
        """Yield description, predicate and data selections of each interpretation of the text.

        Our interpretation comes first. Its description is empty if there is no other. Another
        interpretation with data of its own is skipped if it has no data for this evidence.
        """
        assert self.predicate is not None  # the schema requires a predicate if there are data
        yield self.chosen or "", self.predicate, self.data[evidence]
        for other in self.open:
            if evidence in other.data or not other.data:
                readings = other.data.get(evidence, self.data[evidence])
                yield other.setting, other.predicate or self.predicate, readings


class ClaimsFile(Part):
    """Content of a file of claims: the checkable statements of one source."""

    source: Name = Field(description="the source, as its file of figures names it")
    claims: Annotated[list[Claim], Field(min_length=1)]


def listed(data: Any) -> Any:
    """Return a claim's data with each single data selection replaced by a list of it."""
    if isinstance(data, dict):
        return {k: [v] if isinstance(v, dict) else v for k, v in data.items()}
    return data


def half_unit(printed: str) -> float:
    """Return half a unit of the last digit of a printed number: 0.005 for 8.68, 50 for 1.4e3."""
    match = PRINTED.fullmatch(printed)
    assert match is not None  # the schema checked the pattern
    decimals, exponent = len(match[2] or ""), int(match[3] or 0)
    return 0.5 * 10.0 ** (exponent - decimals)
