"""A census from request to findings, job by job, and what its tables promise."""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from tcpgoodput.answers import Conditions
from tcpgoodput.census import answer, keep, measure
from tcpgoodput.census.chunks import Chunk
from tcpgoodput.census.draw import drawn
from tcpgoodput.census.evidence import CLOSE, read_evidence
from tcpgoodput.census.requests import space_of, to_measure
from tcpgoodput.census.table import join, origin_of, read_table
from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.models import MODELS
from tcpgoodput.models.predict import predict
from tcpgoodput.storage.files import as_json, write_text
from tests.census.spaces import space

MODELS_ASKED = ["mathis", "pftk", "handoffs"]
PRECISION = {"half_width": 0.2, "most_packets": 20_000, "replications": 3}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a small census, measured in chunks and answered."""
    folder = tmp_path_factory.mktemp("census")
    measured = to_measure(space(points=12, precision=PRECISION), 1)
    asked = {"measured": measured, "models": MODELS_ASKED, "equations": "corrected"}
    write_text(folder / "points.json", as_json(measured))
    write_text(folder / "answers.json", as_json({**asked, "code": {}, "files": []}))
    for chunk in (Chunk(0, 5), Chunk(5, 7), Chunk(0, 12)):
        tables = [folder / part / f"{chunk.name}.parquet" for part in ("measured", "answered")]
        measure.work(argparse.Namespace(request=folder / "points.json", table=tables[0]))
        answer.work(
            argparse.Namespace(request=folder / "answers.json", measured=tables[0], table=tables[1])
        )
    return folder


def request(folder: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((folder / "answers.json").read_text())
    return found


def test_chunks_change_no_number(folder: Path) -> None:
    origin = origin_of(answer.asked(request(folder)))
    names = ("00000000-00000004", "00000005-00000011")
    two = [folder / "answered" / f"{name}.parquet" for name in names]
    whole = [folder / "answered" / "00000000-00000011.parquet"]
    assert join(two, origin, folder / "two.parquet") == 12
    assert join(whole, origin, folder / "one.parquet") == 12
    assert (folder / "two.parquet").read_bytes() == (folder / "one.parquet").read_bytes()


@pytest.mark.parametrize("part", ["measured", "answered"])
def test_a_chunk_under_anothers_name_is_refused(folder: Path, tmp_path: Path, part: str) -> None:
    misplaced = tmp_path / "00000005-00000011.parquet"
    shutil.copy(folder / part / "00000000-00000004.parquet", misplaced)
    asked = folder / "answers.json"
    told = argparse.Namespace(request=asked, measured=misplaced, table=tmp_path / misplaced.name)
    origin = origin_of(answer.asked(request(folder)))
    with pytest.raises(ConfigurationError, match="has the points of another chunk"):
        answer.work(told) if part == "measured" else join([misplaced], origin, tmp_path / "one")


def test_models_say_what_they_say_elsewhere(folder: Path) -> None:
    rows = read_table(folder / "answered" / "00000000-00000011.parquet").to_pylist()
    conditions = Conditions(precision="draft", seed=1)
    for connection, row in zip(
        drawn(space_of(request(folder)["measured"]), Chunk(0, 12)), rows, strict=True
    ):
        for model in MODELS_ASKED:
            said = predict(MODELS[model], connection.scenario, conditions)
            assert row[answer.STATUS + model] == said.status
            assert row[answer.GOODPUT + model] == (
                said.goodput_pps if said.goodput_pps is None else np.float32(said.goodput_pps)
            )


def test_an_answer_wants_what_was_measured_for_it(folder: Path, tmp_path: Path) -> None:
    other = request(folder) | {"measured": to_measure(space(points=12, seed=2), 1)}
    write_text(tmp_path / "answers.json", as_json(other))
    name = "00000000-00000004.parquet"
    with pytest.raises(ConfigurationError, match="another configuration"):
        answer.work(
            argparse.Namespace(
                request=tmp_path / "answers.json",
                measured=folder / "measured" / name,
                table=tmp_path / name,
            )
        )
    assert not (tmp_path / name).exists()


def test_evidence_has_errors_of_families_by_the_best_status(folder: Path) -> None:
    table = folder / "answered" / "00000000-00000011.parquet"
    families = {"mathis": ["mathis", "pftk"], "handoffs": ["handoffs"]}
    found = read_evidence(table, families)
    assert len(found.drawn) == found.points == 12
    widths = found.connections["half_width"]
    closely = found.closely()
    assert len(closely.connections) == len(closely.errors) == (widths <= CLOSE).sum() < len(widths)
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


def test_a_kept_table_is_known_by_its_checksum(folder: Path, tmp_path: Path) -> None:
    table = folder / "answered" / "00000000-00000011.parquet"
    keep.work(
        argparse.Namespace(
            request=folder / "answers.json",
            table=table,
            folder=tmp_path / "data",
            note=tmp_path / "kept.json",
        )
    )
    record = tmp_path / "data" / "small.parquet"
    assert keep.verified(record)["connections"] == 12
    record.write_bytes(record.read_bytes()[:-1] + b"x")
    with pytest.raises(ConfigurationError, match="is damaged"):
        keep.verified(record)
