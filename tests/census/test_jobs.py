"""A random sample of connections (census): from separately measured chunks to tables of results.

A chunk is a range of connections that one job measures.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tcpgoodput.answers import Conditions
from tcpgoodput.comparison.census.design import Chunk, drawn
from tcpgoodput.comparison.census.evidence import NARROW, read_evidence
from tcpgoodput.comparison.census.measure import (
    GOODPUT,
    STATUS,
    join_chunks,
    measure_chunk,
    read_table,
    verified,
)
from tcpgoodput.comparison.census.record import write_record
from tcpgoodput.comparison.census.space import Space
from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.models import MODELS
from tcpgoodput.models.predict import predict
from tests.census.spaces import space

MODELS_ASKED = ["mathis", "pftk", "handoffs"]
PRECISION = {"half_width": 0.2, "most_packets": 20_000, "replications": 3}
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
    names = ("00000000-00000004", "00000005-00000011")
    two = [folder / f"{name}.parquet" for name in names]
    whole = [folder / "00000000-00000011.parquet"]
    assert join_chunks(SPACE, CONDITIONS, two, folder / "two.parquet") == 12
    assert join_chunks(SPACE, CONDITIONS, whole, folder / "one.parquet") == 12
    assert (folder / "two.parquet").read_bytes() == (folder / "one.parquet").read_bytes()


def test_a_chunk_with_another_chunks_name_is_refused(folder: Path, tmp_path: Path) -> None:
    misplaced = tmp_path / "00000005-00000011.parquet"
    shutil.copy(folder / "00000000-00000004.parquet", misplaced)
    to = tmp_path / "one.parquet"
    with pytest.raises(ConfigurationError, match="has the points of another chunk"):
        join_chunks(SPACE, CONDITIONS, [misplaced], to)
    assert not to.exists()


def test_models_give_the_same_goodput_as_predict(folder: Path) -> None:
    rows = read_table(folder / "00000000-00000011.parquet").to_pylist()
    for connection, row in zip(drawn(SPACE, Chunk(0, 12)), rows, strict=True):
        for model in MODELS_ASKED:
            message = predict(MODELS[model], connection.scenario, CONDITIONS)
            assert row[STATUS + model] == message.status
            assert row[GOODPUT + model] == (
                message.goodput_pps
                if message.goodput_pps is None
                else np.float32(message.goodput_pps)
            )


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
    chunk = folder / "00000000-00000011.parquet"
    with pytest.raises(ConfigurationError, match="another configuration"):
        join_chunks(drawn_space, conditions, [chunk], tmp_path / "one.parquet")
    assert not (tmp_path / "one.parquet").exists()


def test_evidence_has_errors_of_families_by_the_best_status(folder: Path) -> None:
    table = folder / "00000000-00000011.parquet"
    families = {"mathis": ["mathis", "pftk"], "handoffs": ["handoffs"]}
    found = read_evidence(table, families)
    assert len(found.drawn) == found.points == 12
    widths = found.connections["half_width"]
    narrow = found.with_narrow_intervals()
    assert len(narrow.connections) == len(narrow.errors) == (widths <= NARROW).sum() < len(widths)
    rows = {row["point"]: row for row in read_table(table).to_pylist()}
    for index, point in enumerate(found.connections["point"]):
        row = rows[point]
        ranks = [
            ("native", "reduced", "out-of-domain", "undefined").index(row[f"status:{m}"])
            for m in families["mathis"]
        ]
        chosen = families["mathis"][ranks.index(min(ranks))]
        goodput = row[f"goodput:{chosen}"]
        error = found.errors["mathis"][index]
        if goodput is None:
            assert np.isnan(error)
        else:
            assert error == pytest.approx(np.log(goodput / row["goodput_pps"]), abs=1e-6)


def test_a_recorded_table_is_verified_by_its_checksum(folder: Path, tmp_path: Path) -> None:
    chunk = folder / "00000000-00000011.parquet"
    write_record(SPACE, CONDITIONS, chunk, tmp_path)
    record = tmp_path / "small.parquet"
    assert verified(record)["connections"] == 12
    record.write_bytes(record.read_bytes()[:-1] + b"x")
    with pytest.raises(ConfigurationError, match="is damaged"):
        verified(record)
