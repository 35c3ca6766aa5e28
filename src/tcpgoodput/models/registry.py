"""Everything that a model's package offers by name: models, curves, tables and errata.

A package registers itself when it is imported; `tcpgoodput.models` imports all of them. Figures,
claims and the command line ask here, so that a new model needs one module and no other change.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.configuration.problems import choices, nearest
from tcpgoodput.models.base import Model

if TYPE_CHECKING:  # half a second that a prediction does not need
    import pandas as pd

T = TypeVar("T")


@dataclass(frozen=True)
class Curve:
    """A line computed from a model's equations: a sample path, a cycle, a function."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    x_unit: str
    y_unit: str
    landmarks: Mapping[str, float] = field(default_factory=dict)
    """Named positions (times, levels) that a figure can mark."""


@dataclass(frozen=True)
class Effect:
    """What an erratum changes, in numbers, at a point where the two forms differ."""

    quantity: str
    unit: str
    point: str
    printed: float | None
    """None where the printed form has no value."""
    corrected: float


@dataclass(frozen=True)
class Erratum:
    """A place where a source's text is wrong or silent, and what we use instead."""

    id: str
    source: str
    where: str
    printed: str
    """As our copy of the text has it; LaTeX."""
    corrected: str
    """What is used unless `equations: printed` is asked for; LaTeX."""
    proof: str
    """Why; LaTeX."""
    evidence: Literal["seen", "inferred"]
    """Seen: legible in our copy. Inferred: the copy is garbled there, or it is a silence."""
    effect: Callable[[], Effect]

    @property
    def verdict(self) -> str:
        """Only what was seen is called a misprint."""
        return "misprint" if self.evidence == "seen" else "reading"


class Register(Generic[T]):
    """Things of one kind by name."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._things: dict[str, T] = {}

    def add(self, name: str, thing: T) -> None:
        """Register a thing under a name that must be new."""
        if name in self._things:
            raise ValueError(f"two of the kind {self.kind} are called {name}")
        self._things[name] = thing

    def __getitem__(self, name: str) -> T:
        try:
            return self._things[name]
        except KeyError:
            names = self.names()
            raise LookupError(
                f"no {self.kind} is called {name!r}{nearest(name, names)} ({choices(names)})"
            ) from None

    def sort(self, key: Callable[[T], int]) -> None:
        """Put the things in an order, those of one rank in that of their registration."""
        self._things = dict(sorted(self._things.items(), key=lambda item: key(item[1])))

    def names(self) -> list[str]:
        """Return all names, in their order."""
        return list(self._things)

    def values(self) -> list[T]:
        """Return all things, in their order."""
        return list(self._things.values())


MODELS: Register[Model] = Register("model")
CURVES: Register[Callable[..., Curve]] = Register("curve")
TABLES: Register[Callable[..., pd.DataFrame]] = Register("table")
ERRATA: Register[Erratum] = Register("erratum")
COSTLY_CURVES: set[str] = set()


def register(model: type[Model]) -> type[Model]:
    """Make the decorated class known as a model, by its name."""
    MODELS.add(model.name, model())
    return model


def curve(
    source: str, *, costly: bool = False
) -> Callable[[Callable[..., Curve]], Callable[..., Curve]]:
    """Make the decorated function known as the curve `source.function_name`.

    A costly one takes seconds: the workflow gives its figures jobs of their own.
    """

    def add(function: Callable[..., Curve]) -> Callable[..., Curve]:
        name = f"{source}.{function.__name__}"
        CURVES.add(name, function)
        if costly:
            COSTLY_CURVES.add(name)
        return function

    return add


def table(source: str) -> Callable[[Callable[..., pd.DataFrame]], Callable[..., pd.DataFrame]]:
    """Make the decorated function known as the table `source.function_name`."""

    def add(function: Callable[..., pd.DataFrame]) -> Callable[..., pd.DataFrame]:
        TABLES.add(f"{source}.{function.__name__}", function)
        return function

    return add


def erratum(**entry: Any) -> Callable[[Callable[[], Effect]], Callable[[], Effect]]:
    """Register an erratum whose effect the decorated function computes."""

    def add(effect: Callable[[], Effect]) -> Callable[[], Effect]:
        entered = Erratum(effect=effect, **entry)
        ERRATA.add(f"{entered.source}.{entered.id}", entered)
        return effect

    return add
