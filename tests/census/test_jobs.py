"""A random sample of connections (census): from separately measured chunks to tables of results.

A chunk is a range of connections that one job measures.
"""

from __future__ import annotations

import runpy
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tcpgoodput.answers import Conditions
from tcpgoodput.api.sample import Sample
from tcpgoodput.comparison.census import record as records
from tcpgoodput.comparison.census.design import (
    FINDINGS,
    RECORDED_SAMPLES,
    Chunk,
    Space,
    drawn,
    record_of,
)
from tcpgoodput.comparison.census.evidence import NARROW, read_evidence
from tcpgoodput.comparison.census.files import load_census
from tcpgoodput.comparison.census.measure import (
    GOODPUT,
    STATUS,
    join_chunks,
    measure_chunk,
    read_table,
    verified,
)
from tcpgoodput.comparison.census.read import to_read
from tcpgoodput.comparison.census.record import write_record
from tcpgoodput.comparison.errors import errors_by
from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.drawing import OF_SAMPLES
from tcpgoodput.models import MODELS
from tcpgoodput.models.predict import predict
from tcpgoodput.project import checked
from tests import shipped
from tests.census.spaces import space
from tests.folders import ROOT

MODELS_ASKED = ["mathis", "pftk", "handoffs"]
PRECISION = {"half_width": 0.2, "most_packets": 20_000, "replications": 3}
WHOLE = "00000000-00000011"
"""Name of the chunk with all points of `SPACE`."""
SPACE = space(points=12, precision=PRECISION, models=MODELS_ASKED)
CONDITIONS = Conditions(precision="draft", seed=1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a sample of twelve connections, measured in one chunk and in two."""
    folder = tmp_path_factory.mktemp("census")
    for chunk in (Chunk(0, 5), Chunk(5, 7), Chunk(0, 12)):
        measure_chunk(SPACE, CONDITIONS, folder / f"{chunk.name}.parquet")
    return folder


def test_result_does_not_depend_on_chunks(folder: Path) -> None:
    chunks = {"two": ("00000000-00000004", "00000005-00000011"), "one": (WHOLE,)}
    for to, names in chunks.items():
        files = [folder / f"{name}.parquet" for name in names]
        assert join_chunks(SPACE, CONDITIONS, files, folder / f"{to}.parquet") == 12
    assert (folder / "two.parquet").read_bytes() == (folder / "one.parquet").read_bytes()


def test_a_chunk_with_another_chunks_name_is_refused(folder: Path, tmp_path: Path) -> None:
    misplaced = tmp_path / "00000005-00000011.parquet"
    shutil.copy(folder / "00000000-00000004.parquet", misplaced)
    to = tmp_path / "one.parquet"
    with pytest.raises(ConfigurationError, match="has the points of another chunk"):
        join_chunks(SPACE, CONDITIONS, [misplaced], to)
    assert not to.exists()


def test_models_give_the_same_goodput_as_predict(folder: Path) -> None:
    rows = read_table(folder / f"{WHOLE}.parquet").to_pylist()
    for connection, row in zip(drawn(SPACE, Chunk(0, 12)), rows, strict=True):
        for model in MODELS_ASKED:
            message = predict(MODELS[model], connection.scenario, CONDITIONS)
            assert row[STATUS + model] == message.status
            pps = message.goodput_pps
            assert row[GOODPUT + model] == (None if pps is None else np.float32(pps))


@pytest.mark.parametrize(
    ("drawn_space", "conditions"),
    [
        (space(points=12, seed=2, models=MODELS_ASKED), CONDITIONS),
        (SPACE, replace(CONDITIONS, seed=2)),
        (SPACE, replace(CONDITIONS, equations="printed")),
    ],
    ids=["space", "seed", "equations"],
)
def test_join_refuses_chunks_of_another_request(
    folder: Path, tmp_path: Path, drawn_space: Space, conditions: Conditions
) -> None:
    chunk = folder / f"{WHOLE}.parquet"
    with pytest.raises(ConfigurationError, match="another configuration"):
        join_chunks(drawn_space, conditions, [chunk], tmp_path / "one.parquet")
    assert not (tmp_path / "one.parquet").exists()


def test_evidence_has_errors_of_families_by_the_best_status(folder: Path) -> None:
    table = folder / f"{WHOLE}.parquet"
    families = {"mathis": ["mathis", "pftk"], "handoffs": ["handoffs"]}
    found = read_evidence(table, families)
    assert len(found.drawn) == found.points == 12
    widths = found.connections["half_width"]
    narrow = found.with_narrow_intervals()
    assert len(narrow.connections) == len(narrow.errors) == (widths <= NARROW).sum() < len(widths)
    rows = {row["point"]: row for row in read_table(table).to_pylist()}
    best = ("native", "reduced", "out-of-domain", "undefined")
    for index, point in enumerate(found.connections["point"]):
        row = rows[point]
        chosen = min(families["mathis"], key=lambda m: best.index(row[f"status:{m}"]))
        goodput = row[f"goodput:{chosen}"]
        error = np.nan if goodput is None else np.log(goodput / row["goodput_pps"])
        assert found.errors["mathis"][index] == pytest.approx(error, abs=1e-6, nan_ok=True)


def test_a_recorded_table_is_verified_by_its_checksum(folder: Path, tmp_path: Path) -> None:
    write_record(SPACE, CONDITIONS, folder / f"{WHOLE}.parquet", tmp_path)
    record = tmp_path / "small.parquet"
    assert verified(record)["connections"] == 12
    record.write_bytes(record.read_bytes()[:-1] + b"x")
    with pytest.raises(ConfigurationError, match="is damaged"):
        verified(record)


def test_the_job_with_record_writes_the_recorded_table(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = folder / f"{WHOLE}.parquet"
    settings = SimpleNamespace(conditions=CONDITIONS)
    found = SimpleNamespace(censuses={SPACE.name: SPACE}, settings=settings)
    monkeypatch.setattr(checked, "configuration_of", lambda _: found)
    monkeypatch.setattr("sys.argv", ["census", SPACE.name, str(table), "--record"])
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("tcpgoodput.project.census", run_name="__main__")
    assert ended.value.code == 0
    record = tmp_path / RECORDED_SAMPLES / f"{SPACE.name}.parquet"
    assert record.read_bytes() == table.read_bytes()
    assert verified(record)["connections"] == 12


def test_evaluating_the_same_models_again_keeps_the_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = load_census(ROOT / "config/test/census/tiny.yaml")
    monkeypatch.chdir(tmp_path)
    # With ten connections at a time, the evaluation needs several pieces, the last one shorter.
    monkeypatch.setattr(records, "POINTS", 10)
    with pytest.raises(ConfigurationError, match="record_census"):
        next(records.answer_again(space))
    chunk = f"{Chunk(0, space.census.points).name}.parquet"
    measure_chunk(space, CONDITIONS, tmp_path / chunk)
    joined = tmp_path / "joined.parquet"
    join_chunks(space, CONDITIONS, [tmp_path / chunk], joined)
    write_record(space, CONDITIONS, joined, RECORDED_SAMPLES)
    record = record_of(space.name)
    before, note = record.read_bytes(), verified(record)
    assert list(records.answer_again(space))[-1] == (3, 3)
    assert record.read_bytes() == before
    assert verified(record) == note
    assert read_table(record).num_rows == note["connections"] > 0


def sampled(folder: Path, models: list[str]) -> Sample:
    """Measure a small random sample of connections, and evaluate the given models on it."""
    drawn = space(points=32, precision=PRECISION, models=models)
    table = folder / f"{Chunk(0, 32).name}.parquet"
    measure_chunk(drawn, Conditions(), table)
    ours = shipped.configuration()
    looks = to_read(drawn, ours.families, ours.style)
    return Sample("small", table, looks, ours.style, drawn, Conditions())


@pytest.mark.parametrize("models", [["mathis"], ["mathis", "pftk", "handoffs"]])
def test_findings_cover_only_the_evaluated_models(tmp_path: Path, models: list[str]) -> None:
    sample = sampled(tmp_path, models)
    families = sample.looks["families"]
    assert sorted(m for members in families.values() for m in members) == sorted(models)
    assert set(sample.errors["family"]) <= set(families)
    rows = sample.errors.astype({"status": str, "group": str})
    errors = errors_by(rows.assign(group="all"), ["family", "group", "status"])
    tables = {
        "errors": errors,
        "calibration": errors_by(sample.errors_of_models, ["model", "status"]),
        "importance": sample.findings["importance"],
    }
    for name, table in tables.items():
        sample.show(name, table)
    sample.save(tmp_path / "found", tmp_path / "drawn", **tables)
    assert {file.stem for file in (tmp_path / "found").iterdir()} == set(FINDINGS)
    assert {file.stem for file in (tmp_path / "drawn").iterdir()} == {*OF_SAMPLES}


def test_a_sample_is_paired_with_one_of_fewer_models(tmp_path: Path) -> None:
    own = sampled(tmp_path / "own", ["mathis", "pftk"])
    other = sampled(tmp_path / "other", ["mathis"])
    gains = own.gains_over(other)
    assert len(gains) == len(own.close.connections)
    assert set(gains["gain"]) == {0.0}  # both samples have equal connections and goodputs
