"""What a figure answers: a row of each series at each x, under the series' id."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tcpgoodput.answers import Conditions
from tcpgoodput.engines.measurements import (
    Measured,
    Request,
    connection_of,
    measurements_csv,
)
from tcpgoodput.models import MODELS
from tcpgoodput.models.predict import predict
from tcpgoodput.storage.files import as_lines
from tcpgoodput.storage.tables import csv_text, read_rows
from tcpgoodput.studies.answer import points_in
from tcpgoodput.studies.answering import COLUMNS, answers
from tcpgoodput.studies.asking import to_draw, to_publish
from tcpgoodput.studies.requests import figure_of, scenarios_in
from tcpgoodput.studies.schema import LineFigure, SourceFigures
from tcpgoodput.studies.source import Source
from tcpgoodput.style.looks import Style, load_style
from tests.scenarios import scenario
from tests.studies.asked import points_of, request_of

ROOT = Path(__file__).parents[2]
DRAFT = Conditions(precision="draft")
LOSSY = scenario(id="lossy", loss={"process": "bernoulli", "probability": 0.01})
PANEL: dict[str, Any] = {
    "scenario": "lossy",
    "quantity": "goodput_kbps",
    "sweep": {
        "variable": "p",
        "values": {"listed": [0.01, 0.4]},
        "set": {"loss.probability": "= p"},
    },
    "x": {"label": "Loss"},
    "y": {"label": "Goodput", "unit": "kbit/s"},
    "series": [
        {"model": "mathis"},
        {"id": "half", "model": "mathis", "label": "half as fast", "set": {"path.rate_bps": 5e8}},
        {"engine": "packet"},
    ],
}
SLOWER = {**PANEL, "set": {"path.forward_delay_s": 0.1}}


@pytest.fixture(scope="module")
def style() -> Style:
    return load_style(ROOT / "config" / "style.yaml")


def source(**panels: dict[str, Any]) -> Source:
    figure = {"kind": "lines", "title": "T", "caption": "C", "panels": panels or {"a": PANEL}}
    study = {"source": "study", "title": "Study", "citation": "none", "scenarios": {}}
    figures = SourceFigures.model_validate({**study, "figures": {"one": figure}})
    return Source(figures, {"lossy": LOSSY, "unused": scenario(id="unused")})


def figure_in(one: Source) -> LineFigure:
    figure = one.figures.figures["one"]
    assert isinstance(figure, LineFigure)
    return figure


def found(one: Source, goodput_pps: float = 100.0) -> dict[str, Measured]:
    """Return something measured at every point, one packet per second more at each."""
    return {
        point.key: Measured(point.key, point.engine, "how", goodput_pps + n, replications=8)
        for n, point in enumerate(points_of(one, figure_in(one), DRAFT))
    }


def test_series_go_by_their_ids_and_never_by_their_labels() -> None:
    one = source()
    rows = answers(
        one.scenarios, figure_in(one), DRAFT, points_of(one, figure_in(one), DRAFT), found(one)
    ).rows
    assert {row["series"] for row in rows} == {"mathis", "half", "packet"}
    assert all(set(row) <= set(COLUMNS) for row in rows)


def test_models_say_where_they_are_at_home() -> None:
    one = source()
    rows = answers(one.scenarios, figure_in(one), DRAFT).rows
    assert [row["series"] for row in rows] == 2 * ["mathis"] + 2 * ["half"]
    for row in rows:
        swept = scenario(
            path={"rate_bps": 1e9 if row["series"] == "mathis" else 5e8},
            loss={"process": "bernoulli", "probability": row["x"]},
        )
        prediction = predict(MODELS["mathis"], swept, DRAFT)
        assert (row["status"], row["reason"]) == (prediction.status, prediction.reason)
        assert prediction.goodput_bps is not None
        assert row["y"] == pytest.approx(prediction.goodput_bps / 1e3)


def test_a_measurement_is_found_by_its_key_and_says_which_it_is() -> None:
    one = source()
    points, measured = points_of(one, figure_in(one), DRAFT), found(one)
    rows = answers(one.scenarios, figure_in(one), DRAFT, points, measured).rows
    markers = [row for row in rows if row["origin"] == "packet"]
    assert [row["key"] for row in markers] == list(measured)
    assert [row["y"] for row in markers] == pytest.approx([8 * 100.0, 8 * 101.0])
    assert {(row["setting"], row["n"]) for row in markers} == {("how", 8)}
    for row in markers:
        lossy = scenario(loss={"process": "bernoulli", "probability": row["x"]})
        assert row["connection"] == connection_of(lossy)


def test_panels_do_not_show_each_others_measurements() -> None:
    one = source(a=PANEL, b=SLOWER)
    points, measured = points_of(one, figure_in(one), DRAFT), found(one)
    rows = answers(one.scenarios, figure_in(one), DRAFT, points, measured).rows
    shown = {row["key"]: row["panel"] for row in rows if row["origin"] == "packet"}
    assert shown == {point.key: point.panel for point in points}
    assert list(shown.values()) == ["a", "a", "b", "b"]


def test_series_of_one_engine_keep_their_own_measurements() -> None:
    again = {"id": "slower", "engine": "packet", "set": {"path.rate_bps": 1e7}, "label": "slower"}
    one = source(a={**PANEL, "series": [*PANEL["series"], again]})
    points, measured = points_of(one, figure_in(one), DRAFT), found(one)
    rows = answers(one.scenarios, figure_in(one), DRAFT, points, measured).rows
    markers = [(row["series"], row["key"]) for row in rows if row["origin"] == "packet"]
    assert markers == [(point.series, point.key) for point in points]
    assert [series for series, _ in markers] == ["packet", "packet", "slower", "slower"]


def test_without_a_goodput_a_measurement_is_a_row_with_its_reason() -> None:
    one = source()
    first, second = points_of(one, figure_in(one), DRAFT)
    measured = {first.key: Measured(first.key, "packet", "how", reason="it never ends")}
    rows = answers(one.scenarios, figure_in(one), DRAFT, [first, second], measured).rows
    (marker,) = [row for row in rows if row["origin"] == "packet"]  # nothing of the second
    assert (marker.get("y"), marker["reason"]) == (None, "it never ends")


def test_a_point_is_asked_under_the_key_that_is_measured() -> None:
    one = source()
    for point in points_of(one, figure_in(one), DRAFT):
        setting = json.dumps({"precision": "draft", "seed": 1})
        assert point.key == Request("packet", setting, point.scenario).key


def test_looks_are_no_part_of_what_is_asked() -> None:
    plain = source()
    words = {"title": "Title", "frame": False, "x": {"label": "Another", "scale": "log"}}
    words |= {"legend": True, "off_limits": [0, 1]}
    series = [{**s, "label": f"label {n}", "line": "dotted"} for n, s in enumerate(PANEL["series"])]
    series[1]["against"] = "mathis"
    dressed = source(a={**PANEL, **words, "series": series})
    laid_out = {"facets": True, "side_by_side": True, "legend": "colours", "columns": 1}
    dressed.figures.figures["one"] = figure_in(dressed).model_copy(update=laid_out)
    asked = [request_of(one, figure_in(one), DRAFT) for one in (plain, dressed)]
    assert as_lines(asked[0]) == as_lines(asked[1])
    assert set(asked[0]["scenarios"]) == {"lossy"}


@pytest.mark.parametrize(
    "change",
    [
        {"quantity": "goodput_pps"},
        {"set": {"path.rate_bps": 2e9}},
        {"series": PANEL["series"][1:]},
        {"y": {"label": "Goodput", "unit": "bit/s"}},
    ],
)
def test_all_else_is_part_of_what_is_asked(change: dict[str, Any]) -> None:
    one, other = source(), source(a={**PANEL, **change})
    asked = [request_of(each, figure_in(each), DRAFT) for each in (one, other)]
    assert as_lines(asked[0]) != as_lines(asked[1])


def test_conditions_are_part_of_what_is_asked() -> None:
    one = source()
    every = [Conditions(), DRAFT, Conditions(seed=2), Conditions(equations="printed")]
    assert len({as_lines(request_of(one, figure_in(one), c)) for c in every}) == len(every)


def test_labels_are_given_when_publishing(style: Style) -> None:
    one = source()
    label = style.palette.models["mathis"].label
    simulated = style.palette.engines["packet"].label
    assert to_publish(figure_in(one), style) == {
        "a": {"mathis": label, "half": "half as fast", "packet": simulated}
    }


def test_a_picture_knows_the_looks_of_what_it_shows_and_of_no_other_model(style: Style) -> None:
    one = source()
    looks = to_draw(figure_in(one), style)["style"]
    assert set(looks["models"]) == {"mathis"}
    for name, same in (("pftk", True), ("mathis", False)):
        changed = style.palette.models[name].model_copy(update={"colour": "#123456"})
        models = {**style.palette.models, name: changed}
        recoloured = Style(style.palette.model_copy(update={"models": models}))
        drawn = to_draw(figure_in(one), recoloured)
        assert (drawn == to_draw(figure_in(one), style)) is same


def test_from_its_request_a_figure_is_answered_as_from_the_configuration() -> None:
    one = source(a=PANEL, b=SLOWER)
    request = json.loads(as_lines(request_of(one, figure_in(one), DRAFT)))
    points, measured = points_in(request), found(one)
    assert points == points_of(one, figure_in(one), DRAFT)
    again = answers(scenarios_in(request), figure_of(request), DRAFT, points, measured)
    first = answers(one.scenarios, figure_in(one), DRAFT, points, measured)
    assert csv_text(again.columns, again.rows) == csv_text(first.columns, first.rows)


def test_the_job_answers_from_files_alone(tmp_path: Path) -> None:
    one = source()
    where = {"file": "study.yaml", "recorded": None, "code": {}, "files": []}
    request, table, to = (tmp_path / name for name in ("one.json", "table.csv", "out/one.csv"))
    asked = {**where, **request_of(one, figure_in(one), DRAFT)}
    asked["code"] = {MODELS.module_of("mathis"): "digest"}
    request.write_text(as_lines(asked), encoding="utf-8")
    table.write_text(measurements_csv(found(one).values()), encoding="utf-8")
    job = [sys.executable, "-m", "tcpgoodput.studies.answer", request, to, table]
    subprocess.run(job, cwd=tmp_path, check=True, capture_output=True)
    points = points_of(one, figure_in(one), DRAFT)
    computed = answers(one.scenarios, figure_in(one), DRAFT, points, found(one))
    assert to.read_text(encoding="utf-8") == csv_text(COLUMNS, computed.rows)
    assert len(read_rows(to)) == 6


def test_the_job_tells_which_mark_is_wrong(tmp_path: Path) -> None:
    marked = {**PANEL, "marks": [{"kind": "hline", "y": "= nowhere"}]}
    one = source(a=marked)
    code = {MODELS.module_of("mathis"): "digest"}
    where = {"file": "study.yaml", "recorded": None, "code": code, "files": []}
    request, table = tmp_path / "one.json", tmp_path / "table.csv"
    request.write_text(as_lines({**where, **request_of(one, figure_in(one), DRAFT)}))
    table.write_text(measurements_csv(found(one).values()), encoding="utf-8")
    job = [sys.executable, "-m", "tcpgoodput.studies.answer", request, tmp_path / "o.csv", table]
    done = subprocess.run(job, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert "study.yaml" in done.stderr
    assert "panel a, mark 0" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "o.csv").exists()
