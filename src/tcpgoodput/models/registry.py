"""Registers of all models, curves, tables and errata, by name.

A module registers its contents when it is imported. All modules below this package, and those of
installed packages, are imported when a register is first used. Modules whose name begins with an
underscore are skipped, because they register nothing and take long to load. Figures, checks of the
studies' claims and the command line look up models in the registers. So a new model needs one
module and no other change.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from pathlib import Path
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

    All modules are imported before it lists names or reports that a name is missing.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._entries: dict[str, tuple[T, str]] = {}  # each object with the name of its module

    def add(self, name: str, thing: T, module: str) -> None:
        """Register an object that `module` defines, under a name that is not used yet."""
        if name in self._entries:
            first = self._entries[name][1]
            place = getattr(sys.modules.get(first), "__file__", None) or first
            raise NameTaken(f"another {self.kind} is called {name} ({place}): choose another name")
        self._entries[name] = thing, module

    def __getitem__(self, name: str) -> T:
        if name not in self._entries and name not in self:
            hint = alternatives(name, self.names())
            raise LookupError(f"no {self.kind} is called {name!r}{hint}")
        return self._entries[name][0]

    def __contains__(self, name: object) -> bool:
        load()
        return name in self._entries

    def names(self) -> list[str]:
        """Return the names of all registered objects, in the order that `load` gives them."""
        load()
        return list(self._entries)

    def values(self) -> list[T]:
        """Return all registered objects, in the order of their names."""
        load()
        return [thing for thing, _ in self._entries.values()]

    def module_of(self, name: str) -> str:
        """Return the name of the module that registered an object."""
        self[name]
        return self._entries[name][1]

    def of_package(self, package: str) -> list[str]:
        """Return the names of what the imported modules of a top-level package have registered."""
        return [n for n, (_, module) in self._entries.items() if module.split(".")[0] == package]

    def sort(self, key: Callable[[T, str], Any]) -> None:
        """Sort the objects by `key`, a function of an object and its module's name; stable."""
        self._entries = dict(sorted(self._entries.items(), key=lambda item: key(*item[1])))

    def forget(self, package: str) -> None:
        """Remove all objects that a top-level package registered."""
        for name in self.of_package(package):
            del self._entries[name]


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
    return _adding(source, CURVES, COSTLY_CURVES) if costly else _adding(source, CURVES)


def table(source: str) -> Callable[[Callable[..., pd.DataFrame]], Callable[..., pd.DataFrame]]:
    """Register the decorated function as the table `source.function_name`."""
    return _adding(source, TABLES)


def _adding(source: str, *registers: Register[T]) -> Callable[[T], T]:
    def add(function: T) -> T:
        for register in registers:
            register.add(f"{source}.{function.__name__}", function, function.__module__)
        return function

    return add


def erratum(
    *,
    where: str,
    printed: str,
    corrected: str,
    proof: str,
    evidence: ErratumClass = "our assumption",
) -> Callable[[Callable[[], Effect]], Callable[[], Effect]]:
    """Register an erratum whose effect the decorated function computes.

    The arguments are fields of `Erratum`. The function's package is the source, and its name gives
    the id: `_letter_p` of the package `handoffs` is the erratum `handoffs.letter-p`.
    """

    def add(effect: Callable[[], Effect]) -> Callable[[], Effect]:
        source, name = effect.__module__.split(".")[-2], effect.__name__
        id_ = name.removeprefix("_").replace("_", "-")
        entered = Erratum(id_, source, where, printed, corrected, proof, evidence, effect)
        ERRATA.add(f"{source}.{id_}", entered, effect.__module__)
        return effect

    return add


PACKAGE = "tcpgoodput.models"
"""This package, and the group of entry points by which an installed package provides models."""

SOURCES = ("delay_spikes", "packet_trains", "mathis", "handoffs", "variable_capacity", "literature")
"""Order of the studies (`source` of a model) in lists of models. Of two models that are equally
suitable, the one of the earlier study is recommended."""

LISTED = (
    "delay_spikes",
    "handoffs",
    "literature.altman",
    "literature.pftk",
    "literature",
    "variable_capacity",
    "mathis",
    "packet_trains",
)
"""Order of packages and modules in lists of errata, of curves, and of the models of one study.

All others come last. Modules of the same entry are sorted by name, so the order of imports has no
effect.
"""

_lock = threading.RLock()  # reentrant, because a module may call `load` during its import
_begun = False


def load() -> None:
    """Import all modules that register something, once, and sort the registers."""
    global _begun
    with _lock:
        if _begun:
            return
        _begun = True
        try:
            for module in _modules(PACKAGE, [str(Path(__file__).parent)]):
                importlib.import_module(module)
            for register in REGISTERS:
                register.sort(_rank)
            MODELS.sort(lambda model, _: [*SOURCES, model.source].index(model.source))
            if brought := entry_points(group=PACKAGE):
                # imported by name, because the module imports this one
                importlib.import_module(f"{PACKAGE}.outside").add_entry_points(brought)
        except BaseException:
            _begun = False
            raise


def _modules(package: str, folders: Iterable[str]) -> Iterator[str]:
    """Yield full names of all modules of a package and its subpackages, except `_private` ones."""
    for found in pkgutil.iter_modules(folders):
        if found.name.startswith("_"):
            continue
        name = f"{package}.{found.name}"
        yield name
        if found.ispkg:
            yield from _modules(name, importlib.import_module(name).__path__)


def _rank(_: Any, module: str) -> tuple[int, str]:
    own = module.removeprefix(f"{PACKAGE}.")
    named = (own == name or own.startswith(f"{name}.") for name in LISTED)
    return next((i for i, is_named in enumerate(named) if is_named), len(LISTED)), module
