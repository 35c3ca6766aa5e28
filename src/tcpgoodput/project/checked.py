"""Cache of the checked configuration, so that jobs need not check it again.

Reading and checking all files takes seconds, and a run has dozens of jobs. Therefore a valid
configuration is stored in `.cache/`, under a digest of its files and of the code. Other jobs with
the same configuration load the stored configuration.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import pickle
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tcpgoodput.jobs import installed
from tcpgoodput.project.changes import as_data, named_files, yaml_files
from tcpgoodput.project.settings import (
    DEFAULT_PATH,
    FILES,
    Configuration,
    Settings,
    load_configuration,
    load_settings,
)
from tcpgoodput.storage import write_bytes, write_text

CACHE = Path(".cache/configuration")
MOST_KEPT = 16
IGNORED_KEYS = {"run", "sentences", "referee_points"}
"""Keys of the settings that influence neither the check of the configuration nor the notebooks."""
OUTPUT_FOLDERS = {"figures", "logs", "results", "runs"}
"""Names of the project's folders that contain only outputs of runs."""
PACKAGE = Path(__file__).parents[1]


def checked(
    path: Path | str = DEFAULT_PATH, changes: Mapping[str, Any] | None = None
) -> Configuration:
    """Return a checked configuration, and register the models that its settings name.

    If the same files were checked before, the result comes from the cache.

    Args:
        path: the settings file.
        changes: keys of the settings with values that override the values in the file.

    Raises:
        ConfigurationError: a file is invalid; the message lists every problem of all files.

    """
    path, changes = Path(path), dict(changes or {})
    settings = load_settings(path, changes)
    beginning = _beginning(path, settings)
    # The file may be missing or damaged, and its classes may have changed. Any error means: check.
    with contextlib.suppress(Exception):
        kept = _kept(beginning, "pickle").read_bytes()
        return replace(pickle.loads(kept), settings=settings)
    found = load_configuration(path, changes)
    with contextlib.suppress(OSError):  # if the cache cannot be written, the next job checks again
        write_text(_listing(beginning), json.dumps(_named(found)))
        write_bytes(_kept(beginning, "pickle"), pickle.dumps(found))
        by_age = sorted(CACHE.glob("*.*"), key=lambda file: -file.stat().st_mtime)
        for old in by_age[MOST_KEPT:]:
            old.unlink(missing_ok=True)
    return found


def derived(
    name: str,
    compute: Callable[[Configuration], Any],
    path: Path | str = DEFAULT_PATH,
    changes: Mapping[str, Any] | None = None,
) -> Any:
    """Return plain data computed from a configuration, from the cache if they were computed before.

    The name of the data must be different for each `compute`, whose result JSON can represent.
    """
    path, changes = Path(path), dict(changes or {})
    beginning = _beginning(path, load_settings(path, changes))
    with contextlib.suppress(OSError, ValueError):
        return json.loads(_kept(beginning, f"{name}.json").read_bytes())
    found = compute(checked(path, changes))
    with contextlib.suppress(OSError):
        write_text(_kept(beginning, f"{name}.json"), json.dumps(found))
    return found


def add_configuration(parser: argparse.ArgumentParser) -> None:
    """Add the options for the settings to a job's parser; `configuration_of` reads them."""
    parser.add_argument("--configuration", type=Path, default=DEFAULT_PATH)
    parser.add_argument("--changes", type=json.loads, default={}, metavar="JSON")


def configuration_of(arguments: argparse.Namespace) -> Configuration:
    """Return the configuration that a job's command line names."""
    return checked(arguments.configuration, arguments.changes)


def _kept(beginning: str, ending: str) -> Path:
    """Return the place of what is kept of a configuration with the given `_beginning`.

    OSError: it was not checked yet, or a file that it named is gone.
    """
    named = json.loads(_listing(beginning).read_bytes())
    return CACHE / f"{_digest(beginning + _stamps(map(Path, named)))}.{ending}"


def _listing(beginning: str) -> Path:
    """Return the place of the list of files that the last check read besides those of `_read`."""
    return CACHE / f"{_digest(beginning)}.files"


def _beginning(path: Path, settings: Settings) -> str:
    """Return what is known before the check: the settings, Python, packages, and files to read."""
    stated = settings.model_dump(mode="json", exclude=IGNORED_KEYS)
    known = json.dumps([str(path), stated, sys.version, installed()])
    return known + _stamps(dict.fromkeys(_read(path, settings)))


def _stamps(files: Iterable[Path]) -> str:
    """Return the names, sizes and times of files and folders."""
    stats = ((file, file.stat()) for file in files)
    return "".join(f"\n{file} {stat.st_size} {stat.st_mtime_ns}" for file, stat in stats)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _read(path: Path, settings: Settings) -> Iterator[Path]:
    """Yield the files that a check reads as far as the settings tell: also links, references, code.

    `_named` returns the others.
    """
    for named in (*(getattr(settings, key) for key in FILES), *settings.models):
        if named is not None:
            yield from _within(path.parent / named)
    yield from _within(path.parent)
    yield from _within(Path("data/links"))
    yield from _within(Path("paper"), "*.bib")
    yield from _within(PACKAGE, "*.py")


def _named(configuration: Configuration) -> list[str]:
    """Return the files of a configuration, their folders, and the files with data they name."""
    files = list(yaml_files(configuration))
    # A folder has a new time if a file is added. `_read` covers the folder of the settings.
    folders = {file.parent for file in files} - {configuration.path.parent}
    return sorted({*map(str, [*files, *folders]), *named_files(as_data(configuration))})


def _within(folder: Path, pattern: str = "*") -> list[Path]:
    """Return the files in a folder, sorted; of the project's folder without those of outputs."""
    within = [folder]
    if folder == Path():
        within = [d for d in folder.iterdir() if d.name not in OUTPUT_FOLDERS and d.name[0] != "."]
    files = [file for part in within for file in (part, *part.rglob(pattern)) if file.is_file()]
    return sorted(files)
