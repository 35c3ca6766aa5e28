"""Import all models: every module below this package, and those of installed packages.

Modules whose name begins with an underscore are skipped, because they register nothing and take
long to load.
"""

from __future__ import annotations

import importlib
import pkgutil
import threading
from collections.abc import Iterable, Iterator
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from tcpgoodput.models.registry import MODELS, REGISTERS, complete_by

ENTRY_POINTS = "tcpgoodput.models"
"""Group of entry points by which an installed package provides models."""

OUTSIDE = "tcpgoodput.models.outside"
"""Module that loads the models of installed packages. The module is imported late, by name, because
it imports `discovery` itself."""

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

Modules that do not belong to any of these come last. Modules of the same entry are sorted by name,
so the order of imports has no effect.
"""

_PACKAGE = __name__.rpartition(".")[0]
_lock = threading.RLock()  # reentrant, because a module may call `load` during its import
_begun = False


def load() -> None:
    """Import all modules that register models, curves, tables or errata; sort the registers.

    Further calls have no effect.

    Raises:
        ConfigurationError: an installed package provides invalid models.

    """
    global _begun
    with _lock:
        if _begun:
            return
        _begun = True
        try:
            for module in _modules(_PACKAGE, [str(Path(__file__).parent)]):
                importlib.import_module(module)
            for register in REGISTERS:
                register.sort(_rank)
            MODELS.sort(lambda model, _: _index(SOURCES, model.source))
            if brought := entry_points(group=ENTRY_POINTS):
                importlib.import_module(OUTSIDE).add_entry_points(brought)
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
    own = module.removeprefix(f"{_PACKAGE}.")
    named = (own if own == name or own.startswith(f"{name}.") else None for name in LISTED)
    return next((i for i, name in enumerate(named) if name), len(LISTED)), module


def _index(order: tuple[str, ...], name: str) -> int:
    return order.index(name) if name in order else len(order)


complete_by(load)
