"""Paths of the project's files on the web site."""

from __future__ import annotations

from os.path import relpath
from pathlib import Path

from tcpgoodput.models.references import REFERENCES

DOCS = Path("docs")

ELSEWHERE = {
    "README.md": "start.md",
    "CHANGELOG.md": "changelog.md",
    "config/README.md": "configuration.md",
    "paper/matrix.png": "pictures/matrix.png",
}
"""Files outside `docs/` that are pages of the site or parts of pages, with their paths on the
site."""


def own_files() -> list[str]:
    """Return the paths of the project's files from which the site is made.

    The site shows docstrings, so the modules of the package are among these files.
    """
    modules = Path(__file__).parents[2].rglob("*.py")
    docs = [file for file in DOCS.rglob("*") if file.is_file() and file.suffix != ".pyc"]
    scenarios = Path("config/scenarios").rglob("*.yaml")
    found = [*map(str, docs), *map(str, scenarios), *map(relpath, modules)]
    return sorted([*found, str(REFERENCES), *ELSEWHERE])
