"""The comparison's scenarios before the referees: what is asked, and how the answers compare."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pandas as pd
import pytest

from tcpgoodput.comparison.files import Compared, load_comparison
from tcpgoodput.drawing.referees import by_scenario
from tcpgoodput.engines.referees import REFEREES
from tcpgoodput.project.settings import load_configuration
from tcpgoodput.referees import agreement
from tcpgoodput.referees.agreement import pairs
from tcpgoodput.referees.points import COMPARISON, compared_asked, compared_points, key_of
from tcpgoodput.referees.records import Records
from tcpgoodput.report import referees

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def compared() -> Compared:
    return load_comparison(ROOT / "config" / "comparison.yaml")


def test_every_row_of_the_matrix_is_asked_of_each_referee(compared: Compared) -> None:
    rows = {scenario.id for stem in compared.scenarios for scenario in compared.rows(stem)}
    keys = set()
    for engine in REFEREES:
        points = compared_points(compared, engine)
        assert {point.scenario.id for point in points} == rows
        assert {point.figure for point in points} == set(compared.scenarios)
        keys |= {point.key for point in points}
    assert len(keys) == len(rows) * len(REFEREES)


def test_a_pair_holds_both_intervals(
    compared: Compared, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stem = next(iter(compared.scenarios))
    asked = next(compared_asked(compared, stem, "ns2"))
    runs = {key_of(asked): [_run("ns2", goodput) for goodput in (99.0, 100.0, 101.0)]}
    monkeypatch.setattr(agreement.Records, "of", lambda study: Records(runs))
    _write_simulations(compared, tmp_path)
    configuration = load_configuration(ROOT / "config" / "config.yaml")
    configuration.sources.clear()
    (pair,) = pairs(configuration, tmp_path)
    assert (pair.source, pair.figure, pair.panel) == (COMPARISON, stem, asked.scenario.id)
    assert pair.ratio == pytest.approx(1.1)
    # Student's half-width of three runs one apart is 4.302653 / √3.
    theirs = 4.302653 / math.sqrt(3) / 100
    down = math.hypot(math.log(110 / 104.5), math.log1p(theirs))
    assert pair.low == pytest.approx(1.1 * math.exp(-down), rel=1e-6)
    assert not pair.agrees


def test_nothing_delivered_is_no_pair(
    compared: Compared, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stem = next(iter(compared.scenarios))
    asked = next(compared_asked(compared, stem, "linux"))
    runs = {key_of(asked): [_run("linux", 0.0) for _ in range(6)]}
    monkeypatch.setattr(agreement.Records, "of", lambda study: Records(runs))
    _write_simulations(compared, tmp_path)
    configuration = load_configuration(ROOT / "config" / "config.yaml")
    configuration.sources.clear()
    assert pairs(configuration, tmp_path) == []


def test_rows_stand_together_whoever_measured_them() -> None:
    rows = [("s01", "ns2", 0.0), ("s01", "ns2", 1.0), ("s01", "linux", 0.0), ("s02", "ns2", 0.0)]
    frame = pd.DataFrame(rows, columns=["figure", "engine", "x"])
    (name, group), (other, _) = by_scenario(frame)
    assert (name, other) == ("s01", "s02")
    assert list(zip(group["engine"], group["x"], strict=True)) == [
        ("ns2", 0.0),
        ("linux", 0.0),
        ("ns2", 1.0),
    ]


def test_the_text_counts_scenarios_apart_from_figures() -> None:
    rows = [
        (COMPARISON, "ns2", "", "a", 0.0, 1.02, True),
        (COMPARISON, "ns2", "", "b", 0.0, 1.20, False),
        (COMPARISON, "linux", "modern", "c", 0.0, 0.5, False),
        (COMPARISON, "linux", "modern", "e", 1.0, 1.0, True),
        ("mathis", "ns2", "", "d", 0.1, 1.0, True),
        ("mathis", "ns2", "", "d", 0.1, 1.0, True),
    ]
    columns = ["source", "engine", "setting", "key", "x", "ratio", "agrees"]
    frame = pd.DataFrame(rows, columns=columns)
    numbers = {number.name: number.value for number in referees.quoted(frame)}
    assert numbers["RefereeScenariosNsPairs"] == 2
    assert numbers["RefereeScenariosNsClosePercent"] == 50
    assert numbers["RefereeScenariosLinuxPairs"] == 1
    assert numbers["RefereeScenariosLinuxAgainClosePercent"] == 100
    assert numbers["RefereeNsPairs"] == 1
    assert "compared_referees" in referees.compared_tex(frame)
    assert "compared_referees" not in referees.compared_tex(frame[frame["source"] == "mathis"])


def _write_simulations(compared: Compared, results: Path) -> None:
    simulation = {"goodput_pps": 110.0, "goodput_bps": 880.0, "ci95_bps": 44.0}
    for name in compared.scenarios:
        rows = [{"simulation": simulation} for _ in compared.rows(name)]
        file = results / "comparison" / "scenarios" / f"{name}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({"rows": rows}), encoding="utf-8")


def _run(engine: str, goodput_pps: float) -> dict[str, str]:
    return {
        "engine": engine,
        "goodput_pps": str(goodput_pps),
        "measured_s": "1000",
        "packets_sent": "100000",
        "fast_retransmits": "0",
    }
