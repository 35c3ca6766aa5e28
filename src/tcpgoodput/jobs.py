"""Command lines of the workflow's jobs, and digests of the code on which each job depends.

A job depends on its module and on all modules that it imports, directly or not. Imports within
functions count. Imports only for the type checker do not count. A dependency that is looked up by
name in a register is not detected, so the module that needs it must import it. Imports and code are
read from the text of the files; nothing is executed.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import hashlib
import json
import sys
from collections.abc import Callable, Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.storage import write_text

if TYPE_CHECKING:
    from grimp import ImportGraph

PACKAGE = __name__.partition(".")[0]
FOLDER = Path(__file__).parent

READING = tuple(f"{PACKAGE}.project.{name}" for name in ("checked", "run", "settings"))
"""Modules that read the configuration. They are left out of the code on which jobs depend, because
jobs depend on the values that they read, not on how they read them."""

DISTRIBUTIONS = {"PIL": "pillow", "sklearn": "scikit-learn", "yaml": "pyyaml"}
"""Names of distributions on PyPI, by the import names of their packages, where both differ."""

PARSED = Path(".cache/code.json")
"""File, relative to the project, that caches the digests of source files. Parsing all source files
takes a second."""


def job_parser(program: str, *files: str) -> argparse.ArgumentParser:
    """Return the parser of a job's command line.

    Args:
        program: name of the module that runs the job, such as `tcpgoodput.report`.
        files: names of the positional arguments, in order; each is the path of a file or folder.

    """
    parser = argparse.ArgumentParser(prog=f"python -m {program}")
    for name in files:
        parser.add_argument(name, type=Path)
    return parser


def run_job(parser: argparse.ArgumentParser, work: Callable[[argparse.Namespace], None]) -> int:
    """Parse the command line, run a job with it, and return the exit status.

    Args:
        parser: the parser of the command line.
        work: function that does the job, given the parsed arguments.

    Returns:
        0 for success; 2 if the configuration was refused, after printing the reasons.

    """
    arguments = parser.parse_args()
    try:
        work(arguments)
    except ConfigurationError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def imported_files(*modules: str) -> list[Path]:
    """Return the source files of some modules and of the project's modules that they import.

    Indirect imports are included. The files are sorted by path.

    Raises:
        ModuleNotFoundError: the project has no such module.

    """
    return sorted(_file(name) for name in _reached(modules) if _is_ours(name))


def imported_packages(*modules: str) -> list[str]:
    """Return the third-party packages that modules import, directly or indirectly, sorted.

    Raises:
        ModuleNotFoundError: the project has no such module.

    """
    foreign = {name for name in _reached(modules) if not _is_ours(name)}
    return sorted(foreign - sys.stdlib_module_names)


def digests_of(*modules: str) -> dict[str, str]:
    """Return the digests of the code that modules depend on, and the versions of packages.

    Keys are the paths of source files in this package, and the names of distributions. A package in
    `modules` includes all of its modules, because registered modules (such as models) are looked up
    by name and not imported.
    """
    modules = (*modules, *sorted(set().union(*map(_graph().find_descendants, modules))))
    known = len(_parsed())
    files = imported_files(*modules)
    digests = {str(file.relative_to(FOLDER)): _code(file) for file in files}
    if len(_parsed()) > known:
        with contextlib.suppress(OSError):  # if it cannot be written, the next process parses again
            write_text(PARSED, json.dumps(_parsed()))
    return digests | versions_of(imported_packages(*modules))


@cache
def digest_of(*modules: str) -> str:
    """Return one digest of all code and package versions on which modules depend."""
    return hashlib.sha256(repr(sorted(digests_of(*modules).items())).encode()).hexdigest()[:16]


def versions_of(packages: Iterable[str]) -> dict[str, str]:
    """Return the versions of packages by distribution, without packages that are not installed.

    Args:
        packages: names under which the packages are imported, such as `yaml`.

    """
    found = {}
    for name in sorted(DISTRIBUTIONS.get(package, package) for package in packages):
        with contextlib.suppress(PackageNotFoundError):
            found[name] = _version(name)
    return found


_version = cache(version)


def installed() -> list[str]:
    """Return the names of all installed distributions' folders, such as `numpy-2.1.dist-info`."""
    folders = (Path(path) for path in sys.path if path)
    return sorted(file.name for folder in folders for file in folder.glob("*.dist-info"))


@cache
def _graph() -> ImportGraph:
    import grimp

    return grimp.build_graph(
        PACKAGE,
        include_external_packages=True,
        exclude_type_checking_imports=True,
        cache_dir=".cache/grimp",
    )


@cache
def _reached(modules: tuple[str, ...]) -> frozenset[str]:
    """Return the given modules, all modules that they import, and the packages that contain them.

    Indirect imports and third-party packages are included. The modules `READING`, and what only
    these import, are left out.
    """
    graph, found, waiting = _graph(), set[str](), list(modules)
    for module in modules:
        if module not in graph.modules:
            raise ModuleNotFoundError(f"no source file of a module {module}", name=module)
    while waiting:
        name = waiting.pop()
        if name in found or name in READING:
            continue
        found.add(name)
        if _is_ours(name):
            waiting += graph.find_modules_directly_imported_by(name)
            waiting += [name.rpartition(".")[0]] if "." in name else []
    return frozenset(found)


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] == PACKAGE


def _file(module: str) -> Path:
    path = FOLDER.joinpath(*module.split(".")[1:])
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@cache
def _code(file: Path) -> str:
    """Return a digest of a source file that changes with its code, not with its documentation.

    Docstrings do not count, because no job of a run reads them; only the site does.
    """
    text = file.read_bytes()
    key = hashlib.sha256(f"{sys.version}, code alone".encode() + text).hexdigest()
    if key not in (parsed := _parsed()):
        module = _without_docstrings(ast.parse(text, file))
        parsed[key] = hashlib.sha256(ast.dump(module).encode()).hexdigest()[:16]
    return parsed[key]


def _without_docstrings(module: ast.Module) -> ast.Module:
    """Remove all statements that are only a string, such as docstrings, and return the module."""
    for node in ast.walk(module):
        if isinstance(body := getattr(node, "body", None), list):
            node.body = [part for part in body if not _is_text(part)]  # type: ignore[attr-defined]
    return module


def _is_text(part: ast.stmt) -> bool:
    value = part.value if isinstance(part, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


@cache
def _parsed() -> dict[str, str]:
    try:
        kept = json.loads(PARSED.read_bytes())
        return {str(key): str(code) for key, code in kept.items()}
    except (OSError, ValueError, AttributeError):  # no cache yet, or it is damaged
        return {}
