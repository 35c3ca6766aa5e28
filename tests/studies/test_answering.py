"""The computed data of a figure have a row for each series and each x."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tcpgoodput.answers import Conditions
from tcpgoodput.api.study import Study
from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.engines.measurements import Measurement, Request, connection_of
from tcpgoodput.models import MODELS
from tcpgoodput.models.predict import predict
from tcpgoodput.storage import csv_text, read_rows
from tcpgoodput.studies.answering import COLUMNS, answers
from tcpgoodput.studies.schema import LineFigure, Source, SourceFigures
from tcpgoodput.studies.topology import elements
from tcpgoodput.style import Style, load_style
from tests.folders import ROOT
from tests.scenarios import scenario
from tests.studies.points import points_of

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


def found(one: Source, goodput_pps: float = 100.0) -> dict[str, Measurement]:
    """Return a synthetic measurement for every measured point of the figure, by its key.

    The goodputs increase by 1 packet/s from `goodput_pps` on.
    """
    return {
        key: Measurement(key, point.engine, "how", goodput_pps + n, replications=8)
        for n, (key, point) in enumerate(points_of(one, figure_in(one), DRAFT).items())
    }


def test_rows_of_models_have_a_status() -> None:
    one = source()
    rows = answers(one.scenarios, figure_in(one), DRAFT).rows
    # Rows name series by id and not by label.
    assert [row["series"] for row in rows] == 2 * ["mathis"] + 2 * ["half"]
    for row in rows:
        assert set(row) <= set(COLUMNS)
        swept = scenario(
            path={"rate_bps": 1e9 if row["series"] == "mathis" else 5e8},
            loss={"process": "bernoulli", "probability": row["x"]},
        )
        prediction = predict(MODELS["mathis"], swept, DRAFT)
        assert (row["status"], row["reason"]) == (prediction.status, prediction.reason)
        assert prediction.goodput_bps is not None
        assert row["y"] == pytest.approx(prediction.goodput_bps / 1e3)


def test_a_measurement_is_found_by_its_key() -> None:
    one = source()
    measured = found(one)
    rows = answers(one.scenarios, figure_in(one), DRAFT, measured).rows
    markers = [row for row in rows if row["origin"] == "packet"]
    assert [row["key"] for row in markers] == list(measured)
    assert [row["y"] for row in markers] == pytest.approx([8 * 100.0, 8 * 101.0])
    assert {(row["setting"], row["n"]) for row in markers} == {("how", 8)}
    for row in markers:
        assert (row["series"], set(row) <= set(COLUMNS)) == ("packet", True)
        lossy = scenario(loss={"process": "bernoulli", "probability": row["x"]})
        assert row["connection"] == connection_of(lossy)


AGAIN = {"id": "slower", "engine": "packet", "set": {"path.rate_bps": 1e7}, "label": "slower"}


@pytest.mark.parametrize(
    ("panels", "places"),
    [
        ({"a": PANEL, "b": SLOWER}, [("a", "packet"), ("b", "packet")]),
        ({"a": {**PANEL, "series": [*PANEL["series"], AGAIN]}}, [("a", "packet"), ("a", "slower")]),
    ],
)
def test_panels_and_series_show_only_their_own_measurements(
    panels: dict[str, Any], places: list[tuple[str, str]]
) -> None:
    one = source(**panels)
    rows = answers(one.scenarios, figure_in(one), DRAFT, found(one)).rows
    shown = {r["key"]: (r["panel"], r["series"]) for r in rows if r["origin"] == "packet"}
    points = points_of(one, figure_in(one), DRAFT)
    assert shown == {key: (point.panel, point.series) for key, point in points.items()}
    assert list(shown.values()) == [place for place in places for _ in range(2)]


def test_a_measurement_without_goodput_is_a_row_with_its_reason() -> None:
    one = source()
    first, _ = points_of(one, figure_in(one), DRAFT)
    measured = {first: Measurement(first, "packet", "how", reason="it never ends")}
    rows = answers(one.scenarios, figure_in(one), DRAFT, measured).rows
    # The other point is not measured, so it has no row.
    (marker,) = [row for row in rows if row["origin"] == "packet"]
    assert (marker.get("y"), marker["reason"]) == (None, "it never ends")


def test_a_point_has_the_key_of_its_measurement() -> None:
    one = source()
    for key, point in points_of(one, figure_in(one), DRAFT).items():
        setting = json.dumps({"precision": "draft", "seed": 1})
        assert key == Request("packet", setting, point.scenario).key


def test_changed_styles_need_no_new_measurement(style: Style) -> None:
    plain = source()
    words = {"title": "Title", "frame": False, "x": {"label": "Another", "scale": "log"}}
    words |= {"legend": True, "off_limits": [0, 1]}
    series = [{**s, "label": f"label {n}", "line": "dotted"} for n, s in enumerate(PANEL["series"])]
    series[1]["against"] = "mathis"
    dressed = source(a={**PANEL, **words, "series": series})
    laid_out = {"facets": True, "side_by_side": True, "legend": "colours", "columns": 1}
    dressed.figures.figures["one"] = figure_in(dressed).model_copy(update=laid_out)
    first, second = (study(one, style) for one in (plain, dressed))
    assert keys_of(first) == keys_of(second)
    answered = [each.figure("one").computed.rows for each in (first, second)]
    assert csv_text(COLUMNS, answered[0]) == csv_text(COLUMNS, answered[1])


def test_precision_and_seed_change_the_keys_and_equations_do_not(style: Style) -> None:
    every = [Conditions(), DRAFT, Conditions(seed=2)]
    keys = [keys_of(study(source(), style, conditions)) for conditions in every]
    assert len(set().union(*keys)) == sum(map(len, keys)) == 6
    assert keys_of(study(source(), style, Conditions(equations="printed"))) == keys[0]


def study(
    one: Source,
    style: Style,
    conditions: Conditions = DRAFT,
    measured: Mapping[str, Measurement] | None = None,
) -> Study:
    return Study(one, style, conditions, measured or {}, "study.yaml")


def keys_of(one: Study) -> list[str]:
    return [request.key for request in one.requests]


def test_a_study_counts_missing_measurements(style: Style) -> None:
    one = source()
    measured = found(one)
    first, _ = measured
    for known, missing in (({}, 2), ({first: measured[first]}, 1), (measured, 0)):
        half = study(one, style, measured=known)
        table = half.figure("one").table
        assert half.missing == missing
        assert len(table) == 4 + len(known)
        assert (table["origin"] == "packet").sum() == len(known)


def test_published_series_have_the_labels_of_the_style(style: Style) -> None:
    label = style.palette.models["mathis"].label
    simulated = style.palette.engines["packet"].label
    published = study(source(), style, measured=found(source())).figure("one").table
    assert list(dict.fromkeys(published["series"])) == [label, "half as fast", simulated]


def test_a_saved_figure_has_the_computed_answers(style: Style, tmp_path: Path) -> None:
    one = source()
    figure = study(one, style, measured=found(one)).figure("one")
    figure.save(tmp_path / "results", tmp_path / "figures")
    computed = answers(one.scenarios, figure_in(one), DRAFT, found(one))
    saved = tmp_path / "results" / "study" / "answers" / "one.csv"
    assert saved.read_text(encoding="utf-8") == csv_text(COLUMNS, computed.rows)
    assert len(read_rows(saved)) == 6
    published = tmp_path / "results" / "study" / "one.csv"
    assert published.read_text(encoding="utf-8") == figure.csv
    drawn = {file.name for file in (tmp_path / "figures" / "study").iterdir()}
    assert drawn == {"one.pdf", "one.png"}


def test_nothing_is_saved_without_a_folder(
    style: Style, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    study(source(), style).figure("one").save(None, None)
    assert not list(tmp_path.iterdir())


def test_an_unknown_figure_is_refused_with_the_nearest_name(style: Style) -> None:
    with pytest.raises(ValueError, match="'on'; did you mean one"):
        study(source(), style).figure("on")


def test_an_invalid_mark_is_reported_with_its_place(style: Style) -> None:
    marked = source(a={**PANEL, "marks": [{"kind": "hline", "y": "= nowhere"}]})
    with pytest.raises(ConfigurationError) as refused:
        study(marked, style).figure("one")
    (problem,) = refused.value.problems
    assert (problem.file, problem.key) == ("study.yaml", "figures.one")
    assert "panel a, mark 0" in problem.message


@pytest.mark.parametrize(
    ("variant", "name"), [("bbr", "TCP BBR"), ("newreno", "TCP NewReno"), ("reno", "TCP Reno")]
)
def test_a_diagram_names_the_sender(variant: str, name: str) -> None:
    (sender, *_) = elements(scenario(tcp={"variant": variant}), "link", "server")
    assert sender["label"] == f"sender\n{name}"
