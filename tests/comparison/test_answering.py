"""Simulations for the comparison of models: requests, and pairing of results with predictions."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tcpgoodput.answers import Conditions
from tcpgoodput.api.matrix import Matrix
from tcpgoodput.comparison.answers import IN_DOMAIN, failures, simulation_record
from tcpgoodput.comparison.files import Compared, load_comparison
from tcpgoodput.comparison.requests import map_points, scenario_points
from tcpgoodput.comparison.table import COLUMNS, Tables, publish
from tcpgoodput.engines.base import DEPENDS, Measurement
from tcpgoodput.engines.measurements import Request, measurements_csv
from tcpgoodput.models import MODELS
from tcpgoodput.models.predict import predict
from tcpgoodput.storage import read_rows, write_text
from tcpgoodput.style import load_style
from tests.folders import ROOT
from tests.scenarios import scenario

DRAFT = Conditions(precision="draft")


@pytest.fixture(scope="module")
def compared() -> Compared:
    return load_comparison(ROOT / "config" / "test" / "comparison.yaml")


def found(requests: Iterable[Request]) -> dict[str, Measurement]:
    """Return a synthetic measurement for each request by its key, with increasing goodputs.

    The second request has no goodput, and the third no steady state.
    """
    measured = {}
    for n, request in enumerate(requests):
        values: dict[str, Any] = {"goodput_pps": 100.0 + n, "half_width_pps": 1.0}
        values = {1: {"reason": "no reason"}, 2: values | {"reason": DEPENDS}}.get(n, values)
        one = Measurement(request.key, request.engine, str(request.setting), **values)
        measured[request.key] = one
    return measured


@pytest.fixture(scope="module")
def measured(compared: Compared) -> dict[str, Measurement]:
    """Return a synthetic measurement for each request of the comparison, by its key."""
    return found(r for stem in compared.scenarios for r in scenario_points(compared, stem, DRAFT))


@pytest.fixture(scope="module")
def answered(
    compared: Compared, measured: dict[str, Measurement], tmp_path_factory: pytest.TempPathFactory
) -> Matrix:
    """Return all models' predictions, paired with the synthetic measurements."""
    folder = tmp_path_factory.mktemp("measurements")
    tables = {"comparison": measured}
    for name in compared.settings.maps:
        tables[f"maps/{name}"] = found(map_points(compared, name, DRAFT))
    for name, rows in tables.items():
        write_text(folder / f"{name}.csv", measurements_csv(rows.values()))
    return Matrix(compared, load_style(ROOT / "config" / "style.yaml"), DRAFT, folder)


def test_requests_list_rows_before_sensitivities(compared: Compared) -> None:
    for stem in compared.scenarios:
        scenarios = [request.scenario for request in scenario_points(compared, stem, DRAFT)]
        assert scenarios == [*compared.rows(stem).values(), *compared.sensitivities(stem).values()]


def test_each_answer_is_paired_with_its_own_measurement(
    compared: Compared, measured: dict[str, Measurement], answered: Matrix
) -> None:
    assert list(answered.answers) == [*compared.scenarios]
    for stem, content in answered.answers.items():
        entries = [*content["rows"], *content["sensitivities"]]
        points = list(scenario_points(compared, stem, DRAFT))
        for entry, request in zip(entries, points, strict=True):
            row = measured[request.key]
            case = "-".join(filter(None, (entry["scenario"], entry["variation"])))
            assert case == request.scenario.id
            assert entry["reason"] == row.reason
            simulation = entry["simulation"]
            assert (simulation or {}).get("goodput_pps") == row.goodput_pps
            result = {record["name"]: record["goodput_pps"] for record in entry["models"]}
            assert set(result) == set(MODELS.names())
            prediction = predict(MODELS["mathis"], request.scenario, DRAFT)
            assert result["mathis"] == prediction.goodput_pps


def test_a_map_has_a_row_for_each_cell(compared: Compared, answered: Matrix) -> None:
    assert compared.mapped
    for name in compared.mapped:
        measured = found(map_points(compared, name, DRAFT))
        cells, rows = list(compared.cells(name, "draft")), answered.maps[name]
        assert list(rows["x"]) == pytest.approx([cell.x for cell in cells])
        assert list(rows["y"]) == pytest.approx([cell.y for cell in cells])
        goodputs = [m.goodput_pps or math.nan for m in measured.values()]
        goodputs[2] = math.nan
        assert list(rows["goodput_pps"]) == pytest.approx(goodputs, nan_ok=True)
        assert rows["reason"][1] == "no reason"
        message = [predict(MODELS["mathis"], cell.scenario, DRAFT).status for cell in cells]
        assert list(rows["mathis_status"]) == message
        models = [column for column in rows if column.endswith("_pps")][2:]
        assert models == [f"{model}_pps" for model in compared.drawn(name)]


def test_published_tables_have_every_row_and_status(
    compared: Compared, answered: Matrix, tmp_path: Path
) -> None:
    answered.save(tmp_path, None)
    rows = read_rows(tmp_path / "comparison.csv")
    assert list(rows[0]) == COLUMNS
    wanted = [
        (plain.id, variation)
        for stem, plain in compared.scenarios.items()
        for variation in compared.rows(stem)
    ]
    assert list(dict.fromkeys((row["scenario"], row["variation"]) for row in rows)) == wanted
    assert len(rows) == len(wanted) * len(MODELS.names())
    home = {row["model"] for row in rows if row["status"] in IN_DOMAIN and row["log_error"]}
    ranked = read_rows(tmp_path / "comparison" / "ranking.csv")
    assert ranked
    assert {row["family"] for row in ranked} <= home
    families = read_rows(tmp_path / "comparison" / "families.csv")
    assert len(families) == len(wanted) * len(compared.families)


def test_saved_scenarios_give_the_same_tables(
    compared: Compared, answered: Matrix, tmp_path: Path
) -> None:
    answered.save(tmp_path, None)
    saved = publish(Tables.read(compared, tmp_path / "comparison"))
    for path, table in publish(answered.tables).items():
        pd.testing.assert_frame_equal(saved[path], table, check_dtype=False)


def test_every_listed_picture_can_be_drawn_and_others_are_refused(answered: Matrix) -> None:
    assert {"matrix", "ranking", "sensitivity"} <= set(answered.pictures)
    for name in answered.pictures:
        assert answered.draw(name).axes
    assert answered.show("nowhere") is None
    with pytest.raises(ValueError, match="nowhere"):
        answered.draw("nowhere")


def test_a_simulation_record_has_bits_and_packets() -> None:
    one = scenario(path={"rate_bps": 1e7})
    row = Measurement("k", "packet", "", 125.0, 120.0, 130.0, 5.0, 20)
    simulation = simulation_record(one, row)["simulation"]
    assert (simulation["goodput_bps"], simulation["ci95_bps"]) == (1e6, 4e4)
    assert simulation["utilisation"] == pytest.approx(0.1)
    assert simulation["replications"] == 20
    nothing = simulation_record(one, Measurement("k", "packet", "", reason="it never ends"))
    assert (nothing["simulation"], nothing["reason"]) == (None, "it never ends")


def test_a_model_that_raises_an_exception_is_named(tmp_path: Path) -> None:
    names = [("mathis", "has no value"), ("mine", "failed: KeyError: 'p', at mine.py:7")]
    models = [{"name": name, "reason": reason} for name, reason in names]
    rows = [{"scenario": f"s{n}", "variation": "", "models": models} for n in (1, 2)]
    file = tmp_path / "s.json"
    write_text(file, json.dumps({"rows": rows}))
    (line,) = failures([file, tmp_path / "not made.json"])
    assert line == "model mine on 2 connections; first s1: failed: KeyError: 'p', at mine.py:7"
