"""Description of a run's tables as a Data Package: meaning, unit and type of every column."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from tcpgoodput.project.contents import read_csv
from tcpgoodput.project.manifest import sha256_of

PROFILE = "https://datapackage.org/profiles/2.0/datapackage.json"
NAME = "datapackage.json"

TYPES = {
    "integer": re.compile(r"[+-]?\d+"),
    "number": re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"),
    "boolean": re.compile(r"True|False"),
}
"""Types of columns, each with a pattern that all cells of the column must match unless they are
empty. Other columns have the type `string`."""

Record = dict[str, Any]
Meaning = tuple[str, str]
"""Unit of a column, and its meaning in words."""


class Columns:
    """Units and meanings of the columns of a run's tables, from a YAML file."""

    def __init__(self, file: Path) -> None:
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
        self._everywhere: Mapping[str, Meaning] = content["columns"]
        self._tables: Mapping[str, Mapping[str, Meaning]] = content["tables"]

    def of(self, table: str, column: str) -> Meaning | None:
        """Return unit and meaning of a table's column, or None if they are not defined.

        Definitions for certain tables have priority over those for all tables.

        Args:
            table: path of the table, such as `results/links.csv`.
            column: name of the column.

        """
        for pattern, own in self._tables.items():
            if column in own and fnmatchcase(table, pattern):
                return own[column]
        if column in self._everywhere:
            return self._everywhere[column]
        names = (name for name in self._everywhere if name.startswith("*"))
        return next((self._everywhere[name] for name in names if fnmatchcase(column, name)), None)


def package(title: str, titles: Mapping[str, str], root: Path, columns: Columns) -> Record:
    """Return the Data Package (a description of tables and columns for JSON) for some tables.

    Args:
        title: the title of the package.
        titles: the title of each table, by its path below `root`. All paths begin with the name of
            the same folder, which also names the package.
        root: the folder that contains this folder.
        columns: the meanings of the columns.

    """
    return {
        "$schema": PROFILE,
        "name": f"tcpgoodput-{next(iter(titles)).partition('/')[0]}",
        "title": title,
        "version": version("tcpgoodput"),
        "licenses": [{"name": "MIT", "title": "MIT License"}],
        "resources": [_resource(root, path, titles[path], columns) for path in sorted(titles)],
    }


def _resource(root: Path, path: str, title: str, columns: Columns) -> Record:
    inside = PurePosixPath(*PurePosixPath(path).parts[1:])
    table = read_csv(root / path)
    found = {
        "name": re.sub(r"[^a-z0-9_./-]", "-", str(inside.with_suffix("")).lower()),
        "title": title,
        "path": str(inside),
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "bytes": (root / path).stat().st_size,
        "hash": f"sha256:{sha256_of(root / path)}",
    }
    if not table:
        return found
    fields = [_field(name, cells, columns.of(path, name)) for name, cells in table.items()]
    return {**found, "type": "table", "schema": {"fields": fields, "missingValues": [""]}}


def _field(name: str, cells: Sequence[str], meaning: Meaning | None) -> Record:
    kind = _type_of({cell for cell in cells if cell})
    field: Record = {"name": name, "type": kind}
    if kind == "boolean":
        field |= {"trueValues": ["True"], "falseValues": ["False"]}
    if meaning:
        unit, description = meaning
        field |= {"description": description, **({"unit": unit} if unit else {})}
    return field


def _type_of(cells: Iterable[str]) -> str:
    values = list(cells)
    if not values:
        return "any"
    return next((n for n, p in TYPES.items() if all(map(p.fullmatch, values))), "string")
