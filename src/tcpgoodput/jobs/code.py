"""What code a job depends on: the import closure of its entry point, file by file."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import packages_distributions, version
from pathlib import Path

from tcpgoodput.jobs.closure import imported_files, imported_packages
from tcpgoodput.jobs.sources import keep, said_by

PACKAGE = Path(__file__).parents[1]

Digests = dict[str, str]


def digests_of(*modules: str) -> Digests:
    """Return the digest of the code of each file in the import closure of some modules.

    Of the packages that these import, their versions.
    """
    digests = {_named(file): said_by(file).code for file in imported_files(*modules)}
    keep()
    return digests | versions_of(imported_packages(*modules))


def versions_of(packages: Iterable[str]) -> Digests:
    """Return the versions of what is installed of some packages, by their distributions' names."""
    known = _distributions()
    names = {name for package in packages for name in known.get(package, ())}
    return {name: _version(name) for name in sorted(names)}


def installed() -> list[str]:
    """Return names with versions of all that is installed, in milliseconds: no file is opened."""
    folders = (Path(path) for path in sys.path if path)
    return sorted(file.name for folder in folders for file in folder.glob("*.dist-info"))


_version = cache(version)


@cache
def _distributions() -> Mapping[str, list[str]]:
    return packages_distributions()


@cache
def digest_of(*modules: str) -> str:
    """Return one digest of the closure of some modules."""
    return hashlib.sha256(repr(sorted(digests_of(*modules).items())).encode()).hexdigest()[:16]


def _named(file: Path) -> str:
    """Return a file's name, the same wherever the project stands."""
    return str(file.relative_to(PACKAGE)) if file.is_relative_to(PACKAGE) else file.name
