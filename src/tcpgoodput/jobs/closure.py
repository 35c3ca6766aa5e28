"""Which source files a module's answers depend on: its own, and those that it imports.

Imports are read from the text of each file and none is executed, so that asking about a module
costs milliseconds whatever it loads. Those within functions count, those for the type checker
alone do not. What is looked up by name, in a register, is invisible here: who depends on a thing
imports it.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from tcpgoodput.jobs.sources import said_by

PACKAGE = __name__.partition(".")[0]

READING = f"{PACKAGE}.project"
"""The package that reads the configuration: what it reads decides a job, not how it reads it."""


def imported_files(*modules: str) -> list[Path]:
    """Return the files of modules and of all that they import, directly or not, in their order.

    Of other people's packages only those of the modules themselves are followed: what is installed
    beside the project has its version, not its text, as its identity (`imported_packages`).

    Raises:
        ModuleNotFoundError: there is no such module, or it has no source file.

    """
    found, _ = _reached(modules)
    return sorted(file for name in found if (file := _file(name)))


def imported_packages(*modules: str) -> list[str]:
    """Return what modules and all that they import name of other people's packages, sorted.

    Raises:
        ModuleNotFoundError: there is no such module, or it has no source file.

    """
    _, foreign = _reached(modules)
    return sorted(foreign - sys.stdlib_module_names)


@cache
def _reached(modules: tuple[str, ...]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the modules that are reached, and the packages beside them that these import."""
    for module in modules:
        if _file(module) is None:
            raise ModuleNotFoundError(f"no source file of a module {module}", name=module)
    own = {PACKAGE, *(module.partition(".")[0] for module in modules)}
    found: set[str] = set()
    foreign: set[str] = set()
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        package = name.partition(".")[0]
        if package not in own:
            foreign.add(package)
        elif name not in found and not name.startswith(READING) and _file(name) is not None:
            found.add(name)
            waiting += _parents(name)
            waiting += _imports(name)
    return frozenset(found), frozenset(foreign)


def _parents(module: str) -> list[str]:
    """Return the packages that are imported before a module is."""
    parts = module.split(".")
    return [".".join(parts[:length]) for length in range(1, len(parts))]


@cache
def _file(module: str) -> Path | None:
    """Return a module's source file, or None if there is no such module or it has none."""
    package, _, name = module.rpartition(".")
    if not package:
        spec = find_spec(module)
        origin = Path(spec.origin) if spec and spec.origin else None
        return origin if origin and origin.suffix == ".py" and origin.is_file() else None
    init = _file(package)
    if init is None or init.name != "__init__.py":
        return None
    candidates = (init.parent / name / "__init__.py", init.parent / f"{name}.py")
    return next((file for file in candidates if file.is_file()), None)


@cache
def _imports(module: str) -> tuple[str, ...]:
    """Return what a module's text imports: modules, and names that may be modules."""
    file = _file(module)
    assert file is not None  # or nobody would ask
    package = module if file.name == "__init__.py" else module.rpartition(".")[0]
    names: list[str] = []
    for base, level, imported in said_by(file).imports:
        if base is None:
            names += imported
            continue
        if level:
            above = package.split(".")[: len(package.split(".")) - level + 1]
            base = ".".join([*above, *([base] if base else [])])
        names += [base, *(f"{base}.{name}" for name in imported)]
    return tuple(dict.fromkeys(names))
