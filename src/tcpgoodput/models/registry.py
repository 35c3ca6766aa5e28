"""Registers of all models, curves, tables and errata, by name.

A module registers its contents when it is imported. All modules are imported when a register is
first used; see `discovery`. Figures, checks of the studies' claims and the command line look up
models in the registers. So a new model needs one module and no other change.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.configuration.problems import alternatives, nearest
from tcpgoodput.models.base import Condition, Model
from tcpgoodput.scenario.content import scenario_keys

if TYPE_CHECKING:  # predictions do not need pandas; its import takes half a second
    import pandas as pd

T = TypeVar("T")


@dataclass(frozen=True)
class Curve:
    """A curve of a figure, computed or read from a table of results, with the units of its axes."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    x_unit: str
    y_unit: str
    landmarks: Mapping[str, float] = field(default_factory=dict)
    """Named positions (times, levels) that a figure can mark."""
    y_low: NDArray[np.float64] | None = None
    y_high: NDArray[np.float64] | None = None
    """Upper end of the 95 % interval of y; `y_low` is the lower end. None: y has no interval."""
    n: NDArray[np.int64] | None = None
    """Number of simulation runs whose mean each y is; None counts as 1."""


@dataclass(frozen=True)
class Effect:
    """Numerical effect of an erratum: a quantity by the printed and by the corrected form."""

    quantity: str
    unit: str
    point: str
    """Parameters at which the quantity is computed, as text."""
    printed: float | None
    """Value of the quantity by the printed form; None if the printed form gives no value."""
    corrected: float


ErratumClass = Literal["misprint seen in the text", "error of reasoning proved", "our assumption"]
"""Class of an erratum, by the evidence for it.

A misprint is legible in our copy of the study, and other text of the study contradicts it. An error
of reasoning is a step that does not follow, with a proof. All others are assumptions: our copy is
unclear or may have lost a character, or the study's text is silent, approximate or ambiguous.
"""


@dataclass(frozen=True)
class Erratum:
    """A place where a study's text is wrong or silent, and the form that is used instead."""

    id: str
    source: str
    where: str
    printed: str
    """The printed form in our copy of the study's text, as LaTeX."""
    corrected: str
    """The form that is used unless `equations: printed` is set, as LaTeX."""
    proof: str
    """Proof or reasons that the printed form is wrong or unclear, as LaTeX."""
    evidence: ErratumClass
    effect: Callable[[], Effect]


class NameTaken(ValueError):
    """Two registered objects of the same kind have the same name."""


class NoModel(TypeError):
    """A class is to be registered as a model, but lacks something that every model needs."""


class Register(Generic[T]):
    """Register of objects of one kind by name.

    The register imports all modules before it lists names or reports that a name is missing.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._things: dict[str, T] = {}
        self._modules: dict[str, str] = {}

    def add(self, name: str, thing: T, module: str) -> None:
        """Register an object that `module` defines, under a name that is not used yet."""
        if name in self._things:
            first = self._modules[name]
            place = getattr(sys.modules.get(first), "__file__", None) or first
            raise NameTaken(f"another {self.kind} is called {name} ({place}): choose another name")
        self._things[name] = thing
        self._modules[name] = module

    def __getitem__(self, name: str) -> T:
        if name not in self._things:
            _complete()
        try:
            return self._things[name]
        except KeyError:
            names = self.names()
            raise LookupError(
                f"no {self.kind} is called {name!r}{alternatives(name, names)}"
            ) from None

    def __contains__(self, name: object) -> bool:
        _complete()
        return name in self._things

    def names(self) -> list[str]:
        """Return the names of all registered objects, as sorted by `sort`."""
        _complete()
        return list(self._things)

    def values(self) -> list[T]:
        """Return all registered objects, as sorted by `sort`."""
        _complete()
        return list(self._things.values())

    def module_of(self, name: str) -> str:
        """Return the name of the module that registered an object."""
        self[name]
        return self._modules[name]

    def of_package(self, package: str) -> list[str]:
        """Return the names of all objects that modules of a top-level package have registered.

        Modules that have not been imported yet are not imported.
        """
        return [n for n, module in self._modules.items() if module.partition(".")[0] == package]

    def sort(self, key: Callable[[T, str], Any]) -> None:
        """Sort the objects by `key`, a function of an object and its module's name.

        Objects with equal keys keep their order.
        """
        items = sorted(self._things.items(), key=lambda item: key(item[1], self._modules[item[0]]))
        self._things = dict(items)

    def forget(self, package: str) -> None:
        """Remove all objects that a top-level package registered."""
        for name in self.of_package(package):
            del self._things[name], self._modules[name]


def complete_by(load: Callable[[], None]) -> None:
    """Set the function that imports all modules; a register calls it before it lists names."""
    global _complete
    _complete = load


def _complete() -> None:
    """Import all modules; does nothing until `complete_by` replaces this function."""


MODELS: Register[Model] = Register("model")
CURVES: Register[Callable[..., Curve]] = Register("curve")
COSTLY_CURVES: Register[Callable[..., Curve]] = Register("costly curve")
TABLES: Register[Callable[..., pd.DataFrame]] = Register("table")
ERRATA: Register[Erratum] = Register("erratum")
REGISTERS: tuple[Register[Any], ...] = (MODELS, CURVES, COSTLY_CURVES, TABLES, ERRATA)

NAME = re.compile(r"[a-z0-9_.]+")
STATED = ("name", "title", "source", "citation", "inputs", "domain")
"""Attributes that every model's class must define."""


def register(model: type[Model]) -> type[Model]:
    """Register the decorated class as a model, by its name.

    Raises:
        NoModel: the class is no model; the message says what it lacks.
        NameTaken: another model has its name.

    """
    if fault := _fault(model):
        raise NoModel(f"{getattr(model, '__name__', model)} {fault}")
    MODELS.add(model.name, model(), model.__module__)
    return model


def _fault(model: Any) -> str | None:
    """Return why an object is not a valid model class, or None if it is."""
    if not (isinstance(model, type) and issubclass(model, Model)):
        return "is no model: it must be a class derived from tcpgoodput.models.Model"
    if missing := [name for name in STATED if not hasattr(model, name)]:
        return f"does not state its {', '.join(missing)} (every model has {', '.join(STATED)})"
    for name in STATED:
        value = getattr(model, name)
        if name == "inputs":
            if not isinstance(value, tuple) or not all(isinstance(key, str) for key in value):
                return "must state its inputs as a tuple of keys of the scenario"
            if strange := [key for key in value if key not in scenario_keys()]:
                hint = nearest(strange[0], sorted(scenario_keys()))
                return f"has the input {strange[0]!r}, which is no key of a scenario{hint}"
        elif not isinstance(value, str) or not value.strip() or not value.isprintable():
            return f"must state its {name} as a line of text, not {value!r}"
    if not NAME.fullmatch(model.name):
        return f"is called {model.name!r}: a name has lower-case letters, digits, _ and . alone"
    for name in ("handles", "reduces"):
        if not isinstance(getattr(model, name), frozenset):
            return f"must state what it {name} as a frozenset"
    if not isinstance(model.conditions, tuple) or not all(
        isinstance(condition, Condition) for condition in model.conditions
    ):
        return "must state its conditions as a tuple of tcpgoodput.models.Condition"
    if lacking := sorted(model.__abstractmethods__):
        return f"does not define {', '.join(lacking)}"
    return None


def curve(
    source: str, *, costly: bool = False
) -> Callable[[Callable[..., Curve]], Callable[..., Curve]]:
    """Register the decorated function as the curve `source.function_name`.

    A costly curve takes seconds to compute; checks of the configuration do not compute it.
    """

    def add(function: Callable[..., Curve]) -> Callable[..., Curve]:
        name = f"{source}.{function.__name__}"
        for register in (CURVES, COSTLY_CURVES) if costly else (CURVES,):
            register.add(name, function, function.__module__)
        return function

    return add


def table(source: str) -> Callable[[Callable[..., pd.DataFrame]], Callable[..., pd.DataFrame]]:
    """Register the decorated function as the table `source.function_name`."""

    def add(function: Callable[..., pd.DataFrame]) -> Callable[..., pd.DataFrame]:
        TABLES.add(f"{source}.{function.__name__}", function, function.__module__)
        return function

    return add


def erratum(**entry: Any) -> Callable[[Callable[[], Effect]], Callable[[], Effect]]:
    """Register an erratum whose effect the decorated function computes.

    `entry` gives the other fields of `Erratum`. `source` is by default the name of the function's
    package, such as `handoffs`.
    """

    def add(effect: Callable[[], Effect]) -> Callable[[], Effect]:
        package = effect.__module__.split(".")[-2:][0]
        entered = Erratum(**{"source": package, "effect": effect, **entry})
        ERRATA.add(f"{entered.source}.{entered.id}", entered, effect.__module__)
        return effect

    return add
