"""Every column of the project's tables has a description, and the Data Package is valid."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tcpgoodput.api import referees as agreement
from tcpgoodput.api.matrix import MAP_COLUMNS
from tcpgoodput.comparison import agreement as lines
from tcpgoodput.comparison import baselines, table, validation
from tcpgoodput.comparison.census import read
from tcpgoodput.comparison.claims import verdicts
from tcpgoodput.comparison.errors import STATISTICS
from tcpgoodput.engines import measurements
from tcpgoodput.project.publish import Columns, package
from tcpgoodput.simulator import ladder
from tcpgoodput.studies.answering import PUBLISHED
from tcpgoodput.studies.topology import ELEMENT_COLUMNS
from tests.folders import ROOT

COLUMNS = Columns(ROOT / "workflow/columns.yaml")

FIELD = {
    "type": "object",
    "required": ["name", "type"],
    "properties": {
        "name": {"type": "string", "minLength": 1},
        "type": {"enum": ["any", "boolean", "integer", "number", "string"]},
        "description": {"type": "string", "minLength": 1},
        "unit": {"type": "string", "minLength": 1},
    },
}
RESOURCE = {
    "type": "object",
    "required": ["name", "path", "format", "mediatype", "encoding", "bytes", "hash"],
    "properties": {
        "name": {"type": "string", "pattern": "^[a-z0-9._/-]+$"},
        "path": {"type": "string", "pattern": r"^(?!/)(?!.*\.\.).+\.csv$"},
        "bytes": {"type": "integer"},
        "hash": {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"},
        "schema": {
            "type": "object",
            "required": ["fields"],
            "properties": {"fields": {"type": "array", "minItems": 1, "items": FIELD}},
        },
    },
}
PACKAGE = {
    "type": "object",
    "required": ["$schema", "name", "resources", "licenses"],
    "properties": {
        "name": {"type": "string", "pattern": "^[a-z0-9._/-]+$"},
        "resources": {"type": "array", "minItems": 1, "items": RESOURCE},
    },
}
"""JSON schema of those keys of the Data Package standard, version 2, that the project uses."""


def is_a_package(content: dict[str, Any]) -> None:
    jsonschema.validate(content, PACKAGE)
    names = [resource["name"] for resource in content["resources"]]
    assert len(set(names)) == len(names)
    result = [
        (resource["path"], field["name"])
        for resource in content["resources"]
        for field in resource.get("schema", {}).get("fields", [])
        if "description" not in field
    ]
    assert result == []


SAMPLES = ["sample", "judge", "group", "predictor", "answered_%", "median_of_answers_%"]


@pytest.mark.parametrize(
    ("table", "columns"),
    [
        ("any", PUBLISHED),
        ("any", ELEMENT_COLUMNS),
        ("any", MAP_COLUMNS),
        ("any", measurements.COLUMNS),
        ("any", verdicts.COLUMNS),
        ("any", verdicts.READING_COLUMNS),
        ("any", agreement.COLUMNS),
        ("any", ladder.COLUMNS),
        ("any", table.COLUMNS),
        ("any", table.OF_FAMILIES),
        ("any", table.RANKING_COLUMNS),
        ("any", STATISTICS),
        ("any", lines.COLUMNS),
        ("any", ["group", "clusters", "drawn", "left_out", "quantity", *read.IMPORTANCE_COLUMNS]),
        ("heldout/pairs", validation.PAIR_COLUMNS),
        ("heldout/samples", [*SAMPLES, *STATISTICS]),
        ("heldout/predictions", baselines.COLUMNS),
        ("heldout/engines", validation.ENGINE_COLUMNS),
    ],
)
def test_every_column_has_a_meaning(table: str, columns: list[str]) -> None:
    path = f"results/{table}.csv"
    assert [column for column in columns if COLUMNS.of(path, column) is None] == []


def test_a_column_without_a_meaning_is_reported(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    (tmp_path / "results/a.csv").write_text("x,wonder\n1,2\n", encoding="utf-8")
    content = package("A", {"results/a.csv": "a"}, tmp_path, COLUMNS)
    with pytest.raises(AssertionError, match="wonder"):
        is_a_package(content)


def test_the_data_package_of_records_is_up_to_date() -> None:
    """`data/datapackage.json`, which describes the recorded tables, is up to date.

    If new measurements are recorded, renew it by `python workflow/scripts/describe_data.py`.
    """
    text = (ROOT / "data/datapackage.json").read_text(encoding="utf-8")
    is_a_package(json.loads(text))
    assert runpy.run_path(str(ROOT / "workflow/scripts/describe_data.py"))["text"]() == text


def test_the_type_of_a_column_fits_all_cells(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    text = "row,x,ours,value,note\n1,1e-3,True,7,\n2,,False,none,\n"
    (tmp_path / "results/a.csv").write_text(text, encoding="utf-8")
    (tmp_path / "results/empty.csv").touch()
    content = package("A", {"results/a.csv": "a", "results/empty.csv": "b"}, tmp_path, COLUMNS)
    table, empty = content["resources"]
    types = [field["type"] for field in table["schema"]["fields"]]
    assert types == ["integer", "number", "boolean", "string", "any"]
    assert "schema" not in empty
    is_a_package(content)
