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
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tcpgoodput.project.settings import (
    DEFAULT_PATH,
    Configuration,
    Settings,
    load_configuration,
    load_settings,
)
from tcpgoodput.storage import write_bytes, write_text

CACHE = Path(".cache/configuration")
MOST_KEPT = 16
FILES = ("figures", "claims", "printed", "style", "comparison", "census", "inputs")
"""Keys of the settings that name a file or a folder."""
IGNORED_KEYS = {"run", "sentences", "referee_points"}
"""Keys of the settings that do not influence whether the configuration is valid."""
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
    kept = CACHE / f"{_digest(path, settings)}.pickle"
    with contextlib.suppress(OSError, ValueError, EOFError, AttributeError, pickle.PickleError):
        return replace(pickle.loads(kept.read_bytes()), settings=settings)
    found = load_configuration(path, changes)
    with contextlib.suppress(OSError):  # if the cache cannot be written, the next job checks again
        write_bytes(kept, pickle.dumps(found))
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
    kept = CACHE / f"{_digest(path, load_settings(path, changes))}.{name}.json"
    with contextlib.suppress(OSError, ValueError):
        return json.loads(kept.read_bytes())
    found = compute(checked(path, changes))
    with contextlib.suppress(OSError):
        write_text(kept, json.dumps(found))
    return found


def add_configuration(parser: argparse.ArgumentParser) -> None:
    """Add the options for the settings to a job's parser; `configuration_of` reads them."""
    parser.add_argument("--configuration", type=Path, default=DEFAULT_PATH)
    parser.add_argument("--changes", type=json.loads, default={}, metavar="JSON")


def configuration_of(arguments: argparse.Namespace) -> Configuration:
    """Return the configuration that a job's command line names."""
    return checked(arguments.configuration, arguments.changes)


def _digest(path: Path, settings: Settings) -> str:
    """Return a digest of the settings, and of names, sizes and times of all files to check."""
    stated = settings.model_dump(mode="json", exclude=IGNORED_KEYS)
    found = hashlib.sha256(json.dumps([str(path), stated, sys.version]).encode())
    for file in dict.fromkeys(_read(path, settings)):
        stat = file.stat()
        found.update(f"{file} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return found.hexdigest()[:16]


def _read(path: Path, settings: Settings) -> Iterator[Path]:
    """Yield every file that a check may read: configuration, links, references, code."""
    for named in (*(getattr(settings, key) for key in FILES), *settings.models):
        if named is not None:
            yield from _within(path.parent / named)
    yield from _within(path.parent)
    yield from _within(Path("data/links"))
    yield from _within(Path("paper"), "*.bib")
    yield from _within(PACKAGE, "*.py")


def _within(folder: Path, pattern: str = "*") -> list[Path]:
    """Return the files in a folder, sorted; of the project's folder without those of outputs."""
    within = [folder]
    if folder == Path():
        within = [d for d in folder.iterdir() if d.name not in OUTPUT_FOLDERS and d.name[0] != "."]
    files = [file for part in within for file in (part, *part.rglob(pattern)) if file.is_file()]
    return sorted(files)
