"""JSON schemas with which editors complete, explain and check the configuration files."""

from __future__ import annotations

import copy
import json
import os
import runpy
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from tcpgoodput.configuration import read
from tcpgoodput.project.settings import kind_of
from tests.folders import ROOT

FOLDER = ROOT / "config" / "schemas"
FILES = [*sorted((ROOT / "config").rglob("*.yaml")), ROOT / "paper" / "numbers.yaml"]
NAMES = [str(file.relative_to(ROOT)) for file in FILES]


def problems(data: Any, kind: str) -> list[str]:
    schema = json.loads((FOLDER / f"{kind}.json").read_text(encoding="utf-8"))
    return [error.message for error in Draft7Validator(schema).iter_errors(data)]


def test_the_schemas_are_those_of_the_code() -> None:
    script = runpy.run_path(str(ROOT / "workflow" / "scripts" / "document_configuration.py"))
    written = {file.name: file.read_text(encoding="utf-8") for file in FOLDER.iterdir()}
    assert written == script["schemas"](), "run python workflow/scripts/document_configuration.py"


@pytest.mark.parametrize("name", NAMES)
def test_each_file_names_a_schema_that_accepts_it_and_finds_a_misspelt_key(name: str) -> None:
    document = read(ROOT / name)
    kind = kind_of(document)
    relative = Path(os.path.relpath(FOLDER / f"{kind}.json", (ROOT / name).parent)).as_posix()
    first = (ROOT / name).read_text(encoding="utf-8").splitlines()[0]
    assert first == f"# yaml-language-server: $schema={relative}"
    assert problems(document.data, kind) == []
    misspelt = {**document.data, "titel": "a key that no file has"}
    assert len(problems(misspelt, kind)) == 1


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("tcp", "variant"), "renoo"),
        (("tcp", "mss_byte"), 1448),
        (("path", "rate_bps"), -1),
        (("path", "rate_bps"), "fast"),
    ],
)
def test_an_editor_finds_a_wrong_value_in_a_scenario(place: tuple[str, str], value: Any) -> None:
    data = copy.deepcopy(read(ROOT / "config" / "scenarios" / "s18-satellite.yaml").data)
    assert problems(data, "scenario") == []
    data[place[0]][place[1]] = value
    assert problems(data, "scenario") != []


def test_a_figure_like_another_needs_only_what_differs() -> None:
    data = {"figures": {"one": {"like": "two", "title": "Another title", "legend": None}}}
    assert problems(data, "figures") == []
    assert problems({"figures": {"one": {"like": "two", "titel": "a"}}}, "figures") != []
