"""Models evaluated again on a recorded sample of connections (census) give equal predictions.

No simulation is needed.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tcpgoodput.answers import Conditions
from tcpgoodput.comparison.census import measure
from tcpgoodput.comparison.census import record as records
from tcpgoodput.comparison.census.design import RECORDED_SAMPLES, Chunk, record_of
from tcpgoodput.comparison.census.files import load_census
from tcpgoodput.comparison.census.measure import read_table, verified
from tcpgoodput.comparison.census.record import write_record
from tcpgoodput.configuration import ConfigurationError
from tests.folders import ROOT

CONDITIONS = Conditions(precision="draft")


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
    measure.measure_chunk(space, CONDITIONS, tmp_path / chunk)
    joined = tmp_path / "joined.parquet"
    measure.join_chunks(space, CONDITIONS, [tmp_path / chunk], joined)
    write_record(space, CONDITIONS, joined, RECORDED_SAMPLES)
    record = record_of(space.name)
    before, note = record.read_bytes(), verified(record)
    assert list(records.answer_again(space))[-1] == (3, 3)
    assert record.read_bytes() == before
    assert verified(record) == note
    assert read_table(record).num_rows == note["connections"] > 0
