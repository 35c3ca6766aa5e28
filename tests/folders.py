"""Folders for tests: a folder name with special characters, and copies of the project."""

from __future__ import annotations

import shutil
from pathlib import Path

ROOT = Path(__file__).parents[1]

ODD = 'it\'s a $mine of "ours", 5 % {gewöhnlich} & #1; (~x\\y'
"""Folder name with characters that are special in a shell, TeX, a URL or a format string."""

WORKFLOW = (
    "Snakefile",
    "CITATION.cff",
    "config",
    "data",
    "notebooks",
    "paper",
    "profiles",
    "workflow",
)
"""Files that a run of the workflow reads, except the package, which is installed."""


def copy_with_caches(folder: Path, *further: str) -> None:
    """Copy the project to a folder, and mark its caches of compiled code as filled.

    So a run in the folder does not fill them first. `further` are additional files to copy.
    """
    copy_project(folder, *further)
    warm = folder / ".cache" / "warm"
    warm.parent.mkdir(parents=True)
    warm.touch()


def copy_project(folder: Path, *further: str) -> None:
    """Copy the files that the workflow reads, and further given files, to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    ignored = shutil.ignore_patterns("__pycache__", "report.pdf")
    for part in (*WORKFLOW, *further):
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, folder / part, ignore=ignored)
        else:
            shutil.copy(source, folder / part)
