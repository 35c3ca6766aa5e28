"""Write the manifest of a run, what its files say, and the meaning of the tables' columns.

python -m tcpgoodput.project.publish ROOT RESULTS [--configuration FILE] [--changes JSON]

Standard input is a JSON object. For each rule of the workflow, it contains a digest of the rule's
`code`, and the output `files` of the rule as paths below the folder of the run.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import platform
import re
import sys
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import yaml

from tcpgoodput.jobs import digest_of, imported_packages, job_parser, run_job, versions_of
from tcpgoodput.models import CURVES, ERRATA, MODELS, TABLES
from tcpgoodput.project.changes import as_data
from tcpgoodput.project.checked import IGNORED_KEYS, add_configuration, configuration_of
from tcpgoodput.project.manifest import (
    CELLS,
    DATAPACKAGE,
    KINDS,
    NAME,
    Manifest,
    Origin,
    Published,
    is_readable,
    read_csv,
    sha256_of,
    write_contents,
)
from tcpgoodput.project.settings import Configuration
from tcpgoodput.storage import as_json, as_lines, write_text

PACKAGE = "tcpgoodput."
DRAWING = ("tcpgoodput.api.study", "tcpgoodput.api.matrix")
"""Modules that draw pictures. The manifest has the versions of the packages that they import."""


def work(arguments: argparse.Namespace) -> None:
    """Write the manifest, what its files say, and the Data Package into the results."""
    made, configuration = json.load(sys.stdin), configuration_of(arguments)
    root, results = arguments.root, arguments.results
    rules = {
        path: rule
        for rule, entry in made.items()
        for path in entry["files"]
        if path.endswith(KINDS)
    }
    tables = [path for path in sorted(rules) if path.endswith(".csv")]
    columns = Columns(Path("workflow/columns.yaml"))
    of_figures = {
        f"results/{study}/{name}.csv": figure.title
        for study, source in configuration.sources.items()
        for name, figure in source.figures.figures.items()
    }
    titles = {path: of_figures.get(path, Path(path).stem) for path in tables}
    content = package("Results of tcpgoodput", titles, root, columns)
    write_text(results / DATAPACKAGE, as_json(content))
    cells = results / CELLS
    write_contents(filter(is_readable, sorted(rules)), root, cells)
    manifest = Manifest(
        origin=_origin(configuration, made),
        python=platform.python_version(),
        processor=_processor(),
        cells=sha256_of(cells),
        files=[
            Published(path=path, sha256=sha256_of(file), size=file.stat().st_size, rule=rule)
            for path, rule in sorted(rules.items())
            for file in [root / path]
        ],
    )
    write_text(results / NAME, as_json(manifest.model_dump(mode="json")))


def _origin(configuration: Configuration, made: Mapping[str, Mapping[str, Any]]) -> Origin:
    """Return the settings, the digests of code and the package versions of a run."""
    settings = configuration.settings
    registers = (CURVES, ERRATA, MODELS, TABLES)
    every = {register.module_of(name) for register in registers for name in register.names()}
    ours = sorted(module for module in every if module.startswith(PACKAGE))
    others = {
        module: sha256_of(Path(str(sys.modules[module].__file__))) for module in every - {*ours}
    }
    whole = as_data(configuration)
    whole["settings"] = settings.model_dump(mode="json", exclude=IGNORED_KEYS)
    return Origin(
        version=version("tcpgoodput"),
        run=settings.run_name,
        configuration=_sha256(as_lines(whole)),
        code={rule: _sha256(entry["code"]) for rule, entry in made.items()},
        modules={module: digest_of(module) for module in ours} | others,
        packages=versions_of(imported_packages(*ours, *DRAWING)),
        **settings.model_dump(include={"precision", "equations", "seed"}),
    )


def _processor() -> str:
    """Return the architecture, and the features for which numpy has code: both set last digits."""
    info = np.show_config(mode="dicts")["SIMD Extensions"]
    return " ".join([platform.machine(), *info["baseline"], *info["found"]])


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


PROFILE = "https://datapackage.org/profiles/2.0/datapackage.json"

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

    The titles are by path below `root`. All paths begin with the name of the same folder, which
    also names the package.
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
    values = {cell for cell in cells if cell}
    fitting = (n for n, pattern in TYPES.items() if all(map(pattern.fullmatch, values)))
    kind = next(fitting, "string") if values else "any"
    field: Record = {"name": name, "type": kind}
    if kind == "boolean":
        field |= {"trueValues": ["True"], "falseValues": ["False"]}
    if meaning:
        unit, description = meaning
        field |= {"description": description, **({"unit": unit} if unit else {})}
    return field


if __name__ == "__main__":
    parser = job_parser(__spec__.name, "root", "results")
    add_configuration(parser)
    sys.exit(run_job(parser, work))
