"""One table of the errors on all sets of connections, read from the tables of a run."""

from __future__ import annotations

import math
from pathlib import Path

import pandas as pd
import pytest

import tcpgoodput


def written(folder: Path, path: str, rows: list[dict[str, object]]) -> None:
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    pd.DataFrame(rows).to_csv(file, index=False)


def answer(scenario: str, family: str, error: float | None, **more: object) -> dict[str, object]:
    own = {"scenario": scenario, "variation": "", "regime": "bursts", "family": family}
    goodputs = {"simulated_bps": 1e6, "ci95_bps": 2e4}
    return {**own, "model": family, "status": "native", "log_error": error, **goodputs, **more}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Return a folder of made-up results: two scenarios, one also measured by ns-2."""
    rows = [
        answer("s1", "pftk", 0.1),
        answer("s1", "pftk", 0.2, variation="b2"),
        answer("s2", "pftk", None),
        answer("s2", "mathis", -0.3, status="out-of-domain"),
    ]
    written(tmp_path, "comparison/families.csv", rows)
    pair = {"source": "comparison", "panel": "s1", "variation": "", "engine": "ns2", "sender": ""}
    ends = {"ratio": 1.1, "ratio_low": 1.0, "ratio_high": 1.21}
    other = {**pair, "source": "mathis", "panel": "a"}
    written(tmp_path, "referees.csv", [{**pair, **ends}, {**other, **ends}])
    return tmp_path


def test_scenarios_are_judged_by_the_simulator_and_by_the_references(run: Path) -> None:
    table = tcpgoodput.errors(run, ["scenarios"])
    rows = table.set_index(["engine", "connection", "variation", "model"])["log_error"]
    assert rows["packet", "s1", "", "pftk"] == pytest.approx(0.1)
    assert rows["packet", "s1", "b2", "pftk"] == pytest.approx(0.2)
    # The simulation is 10 % above ns-2, so the model's error against ns-2 is larger by ln 1.1.
    assert rows["ns2", "s1", "", "pftk"] == pytest.approx(0.1 + math.log(1.1))
    assert rows["ns2", "s1", "", "packet"] == pytest.approx(math.log(1.1))
    assert len(rows) == 5  # a family without a value has no row
    own = table[table["engine"] == "packet"]
    assert own["half_width"].tolist() == pytest.approx([0.02] * 3)
    found = tcpgoodput.errors_by(table, ["engine", "model"], cluster="connection")
    assert found.set_index(["engine", "model"]).loc[("packet", "pftk"), "n"] == 2


def test_a_map_has_a_row_for_each_point_and_model_with_a_value(tmp_path: Path) -> None:
    point = {"x": 1, "y": 2, "goodput_pps": 100.0, "half_width_pps": 1.0, "reason": ""}
    models = {"a_pps": 110.0, "a_status": "reduced", "b_pps": None, "b_status": "undefined"}
    written(tmp_path, "comparison/maps/loss.csv", [{**point, **models}])
    (row,) = tcpgoodput.errors(tmp_path, ["maps"]).to_dict("records")
    assert (row["model"], row["connection"], row["status"]) == ("a", "loss 1 2", "reduced")
    assert row["log_error"] == pytest.approx(math.log(1.1))


def test_an_unknown_set_and_a_missing_table_are_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"no set of connections is called 'heldou'.*heldout"):
        tcpgoodput.errors(tmp_path, ["heldou"])
    with pytest.raises(FileNotFoundError, match=r"families\.csv.*snakemake"):
        tcpgoodput.errors(tmp_path, ["scenarios"])
