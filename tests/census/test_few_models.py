"""A sample of connections (census) on which only one or three models are evaluated.

All tables and pictures of results are complete.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tcpgoodput.answers import Conditions
from tcpgoodput.api.sample import Sample
from tcpgoodput.comparison.census.design import FINDINGS, Chunk
from tcpgoodput.comparison.census.measure import measure_chunk
from tcpgoodput.comparison.census.read import to_read
from tcpgoodput.comparison.errors import errors_by
from tcpgoodput.drawing import OF_SAMPLES
from tests import shipped
from tests.census.spaces import space

CONDITIONS = Conditions()


def sampled(folder: Path, models: list[str]) -> Sample:
    """Measure a small random sample of connections, and evaluate the given models on it."""
    precision = {"half_width": 0.2, "most_packets": 20_000, "replications": 3}
    drawn = space(points=32, precision=precision, models=models)
    table = folder / f"{Chunk(0, 32).name}.parquet"
    measure_chunk(drawn, CONDITIONS, table)
    ours = shipped.configuration()
    looks = to_read(drawn, ours.families, ours.style)
    return Sample("small", table, looks, ours.style, drawn, CONDITIONS)


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
