"""Schema of a file of a study's printed numbers, `config/printed/<source>.yaml`.

An entry is a number or a statement of size that the study's text prints, with its place in the
text. It says what in a run is compared with the number: the value that a claim tests, selected
data of figures, or a setting of a figure's scenario. A few numbers are only quoted.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Self

from pydantic import Field, field_validator, model_validator

from tcpgoodput.comparison.claims.schema import Bound, Readings, Within, listed
from tcpgoodput.configuration.problems import WrongKey
from tcpgoodput.scenario.types import Identifier, Part, Text
from tcpgoodput.studies.schema import DottedName, Name, Unit

NUMBER = r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
SIGNS = {"<": "below", ">": "above", "≤": "at_most", "≥": "at_least"}
"""Signs before a printed number that is a limit, with the key of the predicate `bound`."""

ONE = re.compile(rf"≈? ?({NUMBER})")
LIMIT = re.compile(rf"([<>≤≥]) ?({NUMBER})")
RANGE = re.compile(rf"({NUMBER}) to ({NUMBER})")
FRACTION = re.compile(r"(\d+)/(\d+)")
SEVERAL = re.compile(rf"{NUMBER}(?:, {NUMBER})+")
FORMS = (
    "a number, ≈ a number, a fraction (2/3), a limit (< 30), a range (10 to 100), or numbers "
    "with ', ' between"
)
ROUNDING = 1e-6
"""Relative difference up to which a recomputed number equals a printed fraction, which is exact."""


class SettingOf(Part):
    """A setting of a run that is compared with a printed one: a key of a figure's scenario."""

    figure: Name = Field(description="name of a figure of the same study")
    panel: Name | None = Field(None, description="name of the panel; default: the first one")
    series: DottedName | None = Field(
        None, description="id of the series with the setting; default: the first of each engine"
    )
    key: DottedName = Field(
        description="key of the scenario, such as path.rate_bps; a quantity of the scenario: "
        "propagation_rtt_s, rtt_with_packet_s, product_packets, mean_capacity_bps, spike_s (mean "
        "length), largest_good_to_bad or smallest_bad_to_good (conditions of packet trains); "
        "sweep.KEY: a key of the panel's sweep; "
        "with.KEY: an argument of the series' curve"
    )
    times: float = Field(1.0, description="factor, e.g. 0.001 for kbit/s")


class PrintedNumber(Part):
    """One number or statement of size that the study's text prints."""

    what: Text = Field(description="what the number is, in our words")
    where: Text = Field(description="section, figure, equation or page of the study")
    printed: Text | None = Field(
        None,
        description=f"the number as the text prints it: {FORMS}; or words, with a claim or "
        "untested; default, with a claim: the number that the claim tests",
    )
    unit: Unit = Field("", description="unit of the number; '' for a pure number")
    claim: Identifier | None = Field(None, description="id of a claim that tests this number")
    times: float = Field(
        1.0, description="with a claim: factor from the value that the claim tests to this unit"
    )
    plus: float = Field(0.0, description="with a claim: number to add after the factor")
    data: Readings = Field(
        default_factory=dict,
        description="data that are compared with the number, for each kind of evidence",
    )
    setting: SettingOf | None = None
    untested: Text | None = Field(
        None, description="why nothing is recomputed, e.g. because the number is quoted"
    )
    tolerance: Annotated[float, Field(ge=0)] | None = Field(
        None, description="absolute tolerance; default: half a unit of the last printed digit"
    )
    erratum: Identifier | None = Field(
        None, description="id of the erratum that explains why the numbers differ"
    )
    note: Text | None = Field(None, description="what a reader must know about the comparison")

    @field_validator("data", mode="before")
    @classmethod
    def _listed(cls, data: Any) -> Any:
        return listed(data)

    @model_validator(mode="after")
    def _is_compared(self) -> Self:
        given = [self.claim is not None, bool(self.data), self.setting is not None]
        if sum([*given, self.untested is not None]) != 1:
            raise ValueError("names exactly one of claim, data, setting, untested")
        if self.claim is None and self.printed is None:
            raise ValueError("needs printed, unless a claim has the number")
        if (self.data or self.setting) and not self.is_number:
            raise WrongKey(("printed",), f"must be {FORMS}; is {self.printed!r}")
        lower, upper = self.limits.get("at_least"), self.limits.get("at_most")
        if lower is not None and upper is not None and lower >= upper:
            raise WrongKey(("printed",), "the first end of the range must be below the second")
        if self.claim is None and (self.times != 1.0 or self.plus != 0.0):
            raise ValueError("times and plus go with claim: a selection of data has its own times")
        if self.tolerance is not None and (self.claim or self.untested or self.limits):
            raise ValueError("tolerance is for a printed number that data or a setting are near")
        return self

    @property
    def is_number(self) -> bool:
        """Whether `printed` has one of the forms that can be compared with numbers."""
        forms = (ONE, FRACTION, LIMIT, RANGE, SEVERAL)
        return any(form.fullmatch(self.printed or "") for form in forms)

    @property
    def limits(self) -> dict[str, float]:
        """The limits of a printed limit or range, as keys of the predicate `bound`; else empty."""
        text = self.printed or ""
        if limit := LIMIT.fullmatch(text):
            return {SIGNS[limit[1]]: float(limit[2])}
        if ends := RANGE.fullmatch(text):
            return {"at_least": float(ends[1]), "at_most": float(ends[2])}
        return {}

    @property
    def predicates(self) -> list[Bound | Within]:
        """The predicate of each printed number: within its tolerance, or within printed limits."""
        if self.limits:
            return [Bound(kind="bound", **self.limits)]
        if fraction := FRACTION.fullmatch(self.printed or ""):
            exact = float(fraction[1]) / float(fraction[2])
            allowed = ROUNDING * exact if self.tolerance is None else self.tolerance
            return [Within(kind="within", of=exact, tolerance=allowed)]
        numbers = (self.printed or "").removeprefix("≈").strip().split(", ")
        if self.tolerance is None:
            return [Within(kind="within", printed=number) for number in numbers]
        return [
            Within(kind="within", of=float(number), tolerance=self.tolerance) for number in numbers
        ]


class PrintedFile(Part):
    """Content of a file of printed numbers: those of one study, in the order of its text."""

    source: Name = Field(description="short name of the study, as in its file of figures")
    printed: Annotated[list[PrintedNumber], Field(min_length=1)]
