"""A census that asks few models is read as any other."""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd
import pytest

from tcpgoodput.census import answer, join, measure, read
from tcpgoodput.census.looks import to_read
from tcpgoodput.census.requests import to_measure
from tcpgoodput.project.settings import load_configuration
from tcpgoodput.storage.files import as_json, write_text
from tests.census.spaces import space
from tests.folders import ROOT

CHUNK = "00000000-00000031.parquet"


@pytest.mark.parametrize("models", [["mathis"], ["mathis", "pftk", "handoffs"]])
def test_findings_are_those_of_the_models_that_were_asked(
    tmp_path: Path, models: list[str]
) -> None:
    precision = {"half_width": 0.2, "most_packets": 20_000, "replications": 3}
    drawn = space(points=32, precision=precision, models=models)
    measured = to_measure(drawn, 1)
    asked = {"measured": measured, "models": models, "equations": "corrected"}
    ours = load_configuration(ROOT / "config/config.yaml")
    looks = to_read(drawn, ours.families, ours.style)
    for name, content in {
        "points": measured,
        "answers": {**asked, "code": {}, "files": []},
        "looks": looks,
    }.items():
        write_text(tmp_path / f"{name}.json", as_json(content))
    tables = [tmp_path / part / CHUNK for part in ("measured", "answered")]
    measure.work(argparse.Namespace(request=tmp_path / "points.json", table=tables[0]))
    told = {"request": tmp_path / "answers.json", "measured": tables[0], "table": tables[1]}
    answer.work(argparse.Namespace(**told))
    whole = tmp_path / "whole.parquet"
    told = {"request": tmp_path / "answers.json", "table": whole, "chunks": [tables[1]]}
    join.work(argparse.Namespace(**told))
    told = {"looks": tmp_path / "looks.json", "table": whole, "folder": tmp_path / "found"}
    read.work(argparse.Namespace(**told))
    errors = pd.read_csv(tmp_path / "found" / "errors.csv")
    assert set(errors["family"]) <= set(looks["families"])
    assert sorted(m for members in looks["families"].values() for m in members) == sorted(models)
    assert len(pd.read_csv(tmp_path / "found" / "tree.csv")) >= 1
