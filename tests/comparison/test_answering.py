"""The comparison's jobs: what is asked, and that each answer stands beside its own measurement."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tcpgoodput.answers import Conditions
from tcpgoodput.comparison.answer import map_rows, scenarios
from tcpgoodput.comparison.answers import AT_HOME, simulation_record
from tcpgoodput.comparison.files import Compared, load_comparison
from tcpgoodput.comparison.misjudged import misjudged as misjudged_of
from tcpgoodput.comparison.notebook import of_scenarios
from tcpgoodput.comparison.publish import publish
from tcpgoodput.comparison.requests import (
    map_points,
    scenario_points,
    to_answer,
    to_answer_map,
)
from tcpgoodput.comparison.table import COLUMNS, Tables
from tcpgoodput.engines.measurements import Measured, Request
from tcpgoodput.models import MODELS
from tcpgoodput.models.predict import predict
from tcpgoodput.project.settings import load_configuration
from tcpgoodput.storage.files import as_lines
from tcpgoodput.storage.tables import read_rows
from tests.scenarios import scenario

ROOT = Path(__file__).parents[2]
DRAFT = Conditions(precision="draft")


@pytest.fixture(scope="module")
def compared() -> Compared:
    return load_comparison(ROOT / "config" / "test" / "comparison.yaml")


def found(requests: Iterator[Request]) -> dict[str, Measured]:
    """Return something measured for each request, each a little more than the one before."""
    return {
        asked.key: Measured.none(asked, "no reason")
        if n == 1
        else replace(
            Measured.none(asked, ""), goodput_pps=100.0 + n, half_width_pps=1.0, reason=None
        )
        for n, asked in enumerate(requests)
    }


def measured_of(compared: Compared) -> dict[str, Measured]:
    stems = (*compared.scenarios, *compared.held)
    every = (r for stem in stems for r in scenario_points(compared, stem, DRAFT))
    return found(every)


def test_rows_are_asked_first_and_sensitivities_after_them(compared: Compared) -> None:
    for stem in compared.scenarios:
        asked = [request.scenario for request in scenario_points(compared, stem, DRAFT)]
        assert asked == [*compared.rows(stem), *compared.sensitivities(stem)]


def test_each_answer_stands_beside_its_own_measurement(compared: Compared, tmp_path: Path) -> None:
    request = json.loads(as_lines(to_answer(compared, DRAFT)))
    measured = measured_of(compared)
    scenarios(request, measured, tmp_path)
    for stem in compared.scenarios:
        content = json.loads((tmp_path / f"{stem}.json").read_text(encoding="utf-8"))
        entries = [*content["rows"], *content["sensitivities"]]
        asked = list(scenario_points(compared, stem, DRAFT))
        for entry, request in zip(entries, asked, strict=True):
            row = measured[request.key]
            assert entry["scenario"] == request.scenario.id
            assert entry["reason"] == row.reason
            simulation = entry["simulation"]
            assert (simulation or {}).get("goodput_pps") == row.goodput_pps
            told = {record["name"]: record["goodput_pps"] for record in entry["models"]}
            assert set(told) == set(MODELS.names())
            prediction = predict(MODELS["mathis"], request.scenario, DRAFT)
            assert told["mathis"] == prediction.goodput_pps


def test_a_map_has_a_row_for_each_cell(compared: Compared, tmp_path: Path) -> None:
    for name in compared.mapped:
        models = ["pftk", "mathis"]
        asked = {**to_answer_map(compared, name, DRAFT), "models": models}
        measured = found(map_points(compared, name, DRAFT))
        path = tmp_path / f"{name}.csv"
        map_rows(json.loads(as_lines(asked)), measured, path)
        cells = list(compared.cells(name, "draft"))
        rows = read_rows(path)
        assert [float(row["x"]) for row in rows] == pytest.approx([cell.x for cell in cells])
        assert [float(row["y"]) for row in rows] == pytest.approx([cell.y for cell in cells])
        goodputs = [f"{m.goodput_pps:g}" if m.goodput_pps else "" for m in measured.values()]
        assert [row["goodput_pps"] for row in rows] == goodputs
        assert rows[1]["reason"] == "no reason"
        for row, cell in zip(rows, cells, strict=True):
            prediction = predict(MODELS["mathis"], cell.scenario, DRAFT)
            assert row["mathis_status"] == prediction.status
        assert [name for name in rows[0] if name.endswith("_pps")][2:] == [
            f"{m}_pps" for m in models
        ]


def test_what_is_published_has_every_row_and_who_is_at_home(
    compared: Compared, tmp_path: Path
) -> None:
    folder = tmp_path / "comparison"
    request = json.loads(as_lines(to_answer(compared, DRAFT)))
    scenarios(request, measured_of(compared), folder / "scenarios")
    tiny = load_configuration(ROOT / "config" / "test" / "config.yaml")
    looks = of_scenarios(compared, tiny.style)
    tables = Tables.read(looks, folder)
    publish(tables, tmp_path)
    rows = read_rows(tmp_path / "comparison.csv")
    assert list(rows[0]) == COLUMNS
    wanted = [s.id for stem in compared.scenarios for s in compared.rows(stem)]
    assert list(dict.fromkeys(row["scenario"] for row in rows)) == wanted
    assert len(rows) == len(wanted) * len(MODELS.names())
    home = {row["model"] for row in rows if row["status"] in AT_HOME and row["log_error"]}
    ranked = read_rows(tmp_path / "comparison" / "ranking.csv")
    assert ranked
    assert {row["family"] for row in ranked} <= home
    families = read_rows(tmp_path / "comparison" / "families.csv")
    assert len(families) == len(wanted) * len(compared.families)
    held = read_rows(tmp_path / "comparison" / "held.csv")
    assert {row["scenario"] for row in held} == {"judge"}
    judges = tables.settings.model_copy(update={"judges": ["lossy"]})
    judged = replace(tables, settings=judges)
    assert set(judged.held["scenario"]) == {"lossy", "judge"}
    assert {s.regime for s in tables.standings} > {s.regime for s in judged.standings}
    misjudged = read_rows(tmp_path / "comparison" / "misjudged.csv")
    assert {row["misjudged"] for row in misjudged} <= {*misjudged_of(compared.held["judge"])}


def test_a_simulation_is_told_in_bits_and_packets() -> None:
    one = scenario(path={"rate_bps": 1e7})
    row = Measured("k", "packet", "", 125.0, 120.0, 130.0, 5.0, 20)
    simulation = simulation_record(one, row)["simulation"]
    assert (simulation["goodput_bps"], simulation["ci95_bps"]) == (1e6, 4e4)
    assert simulation["utilisation"] == pytest.approx(0.1)
    assert simulation["replications"] == 20
    nothing = simulation_record(one, Measured("k", "packet", "", reason="it never ends"))
    assert (nothing["simulation"], nothing["reason"]) == (None, "it never ends")
