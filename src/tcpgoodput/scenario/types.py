"""Base types of the scenario vocabulary: bounded numbers with units, groups of keys, and errors."""

from __future__ import annotations

import math
from typing import Annotated, Any, ClassVar, NamedTuple

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from tcpgoodput.configuration import ConfigurationError, refused
from tcpgoodput.configuration.mathematics import misplaced_markup
from tcpgoodput.configuration.validation import CONTROL_CHARACTERS

SMALLEST = 1e-100
"""Smallest positive number with a unit for which results are computed, because quotients of smaller
numbers may exceed the range of floating-point numbers. Probabilities may be smaller. Chosen by
hand."""


class Plausible(NamedTuple):
    """The plausible range of a key's values; a value outside it is valid, but causes a warning.

    The ranges are far wider than the values of real links and hosts, so that studies of extremes
    cause few false warnings. They were chosen by hand. The range of a distribution applies to all
    its durations, and the range of a list to each entry.
    """

    high: float = math.inf
    low: float = -math.inf
    high_bytes: float = math.inf
    """For a number of packets: the largest plausible number of bytes in them."""
    fits_path: bool = False
    """For a number of packets: whether the path limits the plausible number, too."""


class Part(BaseModel):
    """A group of keys of the vocabulary: immutable, strictly typed, without unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    JOINED_LATER: ClassVar[frozenset[str]] = frozenset()
    """Keys that were introduced after the first measurements. `scenario.content` leaves out those
    whose values do not change the earlier behaviour, so that earlier measurements stay valid."""

    def value_before(self, name: str) -> Any:
        """Return the value of a key with which the behaviour is as before the key was introduced.

        Unless a subclass overrides this method, it is the key's default value.
        """
        return type(self).model_fields[name].get_default()


def whole(value: Any) -> Any:
    """Return a float such as 2.0 or 1e3 as an integer, because both are common in YAML.

    Other values are returned unchanged.
    """
    return int(value) if isinstance(value, float) and value.is_integer() else value


Count = Annotated[int, Field(ge=1, le=10**12), BeforeValidator(whole)]
Bytes = Annotated[int, Field(ge=1, le=10**9), BeforeValidator(whole)]
BytesOrZero = Annotated[int, Field(ge=0, le=10**9), BeforeValidator(whole)]
Seconds = Annotated[float, Field(gt=0, le=1e9)]
SecondsOrZero = Annotated[float, Field(ge=0, le=1e9)]
BitsPerSecond = Annotated[float, Field(gt=0, le=1e15)]
BitsPerSecondOrZero = Annotated[float, Field(ge=0, le=1e15)]
Hertz = Annotated[float, Field(gt=0, le=1e9)]
Metres = Annotated[float, Field(gt=0, le=1e7)]
MetresPerSecond = Annotated[float, Field(gt=0, le=1e5)]
Decibel = Annotated[float, Field(gt=0, le=100)]
Probability = Annotated[float, Field(ge=0, le=1)]
ProbabilityBelowOne = Annotated[float, Field(ge=0, lt=1)]
Identifier = Annotated[str, Field(pattern=r"^[a-z0-9-]+$", max_length=80)]
PlainText = Annotated[
    str, Field(min_length=1, max_length=2000, pattern=rf"^[^{CONTROL_CHARACTERS}]*$")
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


def unsupported(file: str, name: str, word: object) -> ConfigurationError:
    """Return the error for a word of the scenario vocabulary that some function does not support.

    Args:
        file: the file with the function, relative to the package.
        name: the table or function that should support `word`.
        word: a TCP variant, or a part of a scenario such as a loss process or a distribution.

    """
    if not isinstance(word, str):
        word = next(
            (str(getattr(word, key)) for key in ("process", "distribution") if hasattr(word, key)),
            type(word).__name__,
        )
    message = f"does not know {word!r}, which the vocabulary has; docs/extending.md and "
    message += "config/README.md say what a new variant, process or distribution needs"
    return refused(f"src/tcpgoodput/{file}", name, message)


class Undefined(Exception):
    """A model or an engine has no value for the scenario; the message says why."""
