"""What code each kind of job depends on: the import closure of its entry point, file by file."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import packages_distributions, version
from pathlib import Path

from tcpgoodput.jobs.closure import imported_files, imported_packages

PACKAGE = Path(__file__).parents[1]

PUBLIC = (
    "tcpgoodput.models.listing",
    "tcpgoodput.public.compare",
    "tcpgoodput.public.load",
    "tcpgoodput.public.predict",
    "tcpgoodput.public.simulate",
    "tcpgoodput.public.sweep",
    "tcpgoodput.public.trace",
)
"""What the package's own names import only when they are used."""

ENTRY_POINTS: dict[str, tuple[str, ...]] = {
    "measure": ("tcpgoodput.engines.measure",),
    "answer": ("tcpgoodput.studies.answer",),
    "publish": ("tcpgoodput.studies.publish",),
    "draw": ("tcpgoodput.drawing.figure",),
    "show": (
        "tcpgoodput.workflow.show",
        "tcpgoodput.drawing.exhibits",
        "tcpgoodput.drawing.sketches",
        *PUBLIC,
    ),
    "answer_comparison": ("tcpgoodput.comparison.answer",),
    "publish_comparison": ("tcpgoodput.comparison.publish",),
    "draw_comparison": ("tcpgoodput.drawing.comparison",),
    "show_comparison": ("tcpgoodput.comparison.notebook", "tcpgoodput.comparison.view"),
    "census_measure": ("tcpgoodput.census.measure",),
    "census_answer": ("tcpgoodput.census.answer",),
    "census_join": ("tcpgoodput.census.join",),
    "census_read": ("tcpgoodput.census.read",),
    "draw_census": ("tcpgoodput.drawing.census",),
    "claims": ("tcpgoodput.ledger.__main__",),
    "agreement": ("tcpgoodput.referees.notebook",),
    "answer_explorer": ("tcpgoodput.explorer.answer",),
    "explorer": ("tcpgoodput.explorer.twin",),
    "report_parts": ("tcpgoodput.report.__main__",),
    "report": ("tcpgoodput.report.typeset",),
    "manifest": ("tcpgoodput.keeping.make",),
    "describe": ("tcpgoodput.keeping.describe",),
    "crate": ("tcpgoodput.keeping.crate",),
    "site": (
        "tcpgoodput.site.__main__",
        "tcpgoodput.site.docstrings",
        "tcpgoodput.site.mathml",
        *PUBLIC,
    ),
}
"""Of the jobs that the workflow runs, what their notebooks import included (a test compares), and
what the site documents; what a job looks up by name, its request names."""

Digests = dict[str, str]


def digests_of(*modules: str) -> Digests:
    """Return the digest of each file in the import closure of some modules.

    Of the packages that these import, their versions.
    """
    digests = {_named(file): _digest(file) for file in imported_files(*modules)}
    return digests | versions_of(imported_packages(*modules))


def versions_of(packages: Iterable[str]) -> Digests:
    """Return the versions of what is installed of some packages, by their distributions' names."""
    known = _distributions()
    names = {name for package in packages for name in known.get(package, ())}
    return {name: version(name) for name in sorted(names)}


def installed() -> list[str]:
    """Return names with versions of all that is installed, in milliseconds: no file is opened."""
    folders = (Path(path) for path in sys.path if path)
    return sorted(file.name for folder in folders for file in folder.glob("*.dist-info"))


@cache
def _distributions() -> Mapping[str, list[str]]:
    return packages_distributions()


@cache
def digest_of(module: str) -> str:
    """Return one digest of the closure of a module."""
    return hashlib.sha256(repr(sorted(digests_of(module).items())).encode()).hexdigest()[:16]


def _named(file: Path) -> str:
    """Return a file's name, the same wherever the project stands."""
    return str(file.relative_to(PACKAGE)) if file.is_relative_to(PACKAGE) else file.name


@cache
def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()[:16]
