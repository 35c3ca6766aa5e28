"""Types of numbers with units and bounds, for the scenario vocabulary and the figures."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from tcpgoodput.configuration.mathematics import misplaced_markup

SMALLEST = 1e-100
"""Smallest number with a unit, because quotients of smaller numbers may exceed the range of
floating-point numbers. Probabilities may be smaller."""


class Part(BaseModel):
    """A part of the vocabulary: immutable, strictly typed, without unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    JOINED_LATER: ClassVar[frozenset[str]] = frozenset()
    """Keys that were introduced after measurements had been recorded; see `scenario.content`."""

    def value_before(self, name: str) -> Any:
        """Return the value of a key that stands for the behaviour before the key was introduced.

        By default this is the key's default value.
        """
        return type(self).model_fields[name].get_default()


def whole(value: Any) -> Any:
    """Accept 2.0 and 1e3 as whole numbers, because both are common in YAML."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Count = Annotated[int, Field(ge=1, le=10**12), BeforeValidator(whole)]
Bytes = Annotated[int, Field(ge=1, le=10**9), BeforeValidator(whole)]
BytesOrZero = Annotated[int, Field(ge=0, le=10**9), BeforeValidator(whole)]
Seconds = Annotated[float, Field(gt=0, le=1e9)]
SecondsOrZero = Annotated[float, Field(ge=0, le=1e9)]
BitsPerSecond = Annotated[float, Field(gt=0, le=1e15)]
Hertz = Annotated[float, Field(gt=0, le=1e9)]
MetresPerSecond = Annotated[float, Field(gt=0, le=1e5)]
Decibel = Annotated[float, Field(gt=0, le=100)]
Probability = Annotated[float, Field(ge=0, le=1)]
ProbabilityBelowOne = Annotated[float, Field(ge=0, lt=1)]
Identifier = Annotated[str, Field(pattern=r"^[a-z0-9-]+$", max_length=80)]
PlainText = Annotated[
    str, Field(min_length=1, max_length=2000, pattern=r"^[^\x00-\x08\x0b-\x1f\x7f]*$")
]
"""Type of a path or another name that is never typeset."""


def _printable(text: str) -> str:
    """Return a text unchanged; raise ValueError if its mathematics cannot be typeset."""
    if wrong := misplaced_markup(text):
        raise ValueError(wrong)
    return text


PRINTABLE = AfterValidator(_printable)
Text = Annotated[PlainText, PRINTABLE]
"""Type of a text for readers, with mathematics between $ signs."""
