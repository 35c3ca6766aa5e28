"""Which files of the project are pages of the site, and where."""

from __future__ import annotations

from pathlib import Path

from tcpgoodput.models.references import REFERENCES

DOCS = Path("docs")

ELSEWHERE = {
    "README.md": "start.md",
    "CHANGELOG.md": "changelog.md",
    "config/README.md": "configuration.md",
    "paper/matrix.png": "pictures/matrix.png",
}
"""Files that are pages, or on pages, and where; facts have one place."""


def own_files() -> list[str]:
    """Return the project's own files that the site shows, or makes its models' pages of."""
    docs = [file for file in DOCS.rglob("*") if file.is_file() and file.suffix != ".pyc"]
    scenarios = Path("config/scenarios").rglob("*.yaml")
    return sorted([*map(str, docs), *map(str, scenarios), str(REFERENCES), *ELSEWHERE])
