"""Figures with lines and markers: each value is drawn at its x and y in its series' style."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Picture
from matplotlib.lines import Line2D

from tcpgoodput.drawing import legends, lines
from tcpgoodput.drawing.marks import FigureData, Points
from tcpgoodput.storage import csv_text
from tcpgoodput.studies.open_settings import as_drawn
from tcpgoodput.studies.schema import LineFigure
from tcpgoodput.style import Style
from tests import shipped

ROOT = Path(__file__).parents[2]
X = [1.0, 2.0, 4.0]
VALUES = {"Reno": [10.0, 8.0, 6.0], "SACK": [20.0, 10.0, 6.0]}
"""Values of y of the models' lines at `X`. Simulated values are half as large, and those of ns-2
twice as large."""

SENDERS = [
    {"id": "reno", "model": "mathis", "label": "Reno", "style": "reno"},
    {"id": "sack", "model": "mathis", "label": "SACK", "style": "sack"},
    {"id": "reno_simulated", "engine": "packet", "label": "Reno, simulated", "style": "reno"},
    {"id": "sack_simulated", "engine": "packet", "label": "SACK, simulated", "style": "sack"},
    {"id": "sack_ns2", "engine": "ns2", "label": "SACK, ns-2", "style": "sack"},
]


def figure(series: Sequence[dict[str, Any]] = SENDERS, **options: Any) -> LineFigure:
    panel = {
        "scenario": "any",
        "quantity": "goodput_pps",
        "sweep": {"variable": "x", "values": {"listed": X}},
        "x": {"label": "X", "limits": [1, 4]},
        "y": {"label": "Y"},
        "series": list(series),
        **options.pop("panel", {}),
    }
    result = {"kind": "lines", "title": "T", "caption": "C", "panels": {"a": panel}}
    return LineFigure.model_validate({**result, **options})


@pytest.fixture
def data() -> FigureData:
    rows: list[dict[str, Any]] = []
    for sender, values in VALUES.items():
        for x, y in zip(X, values, strict=True):
            rows.append({"series": sender, "x": x, "y": y})
            for factor, kind in ((0.5, "simulated"), (2, "ns-2")):
                found = {"x": x, "y": factor * y, "y_low": 0.9 * factor * y}
                rows.append({"series": f"{sender}, {kind}", **found, "y_high": 1.1 * factor * y})
    columns = ["panel", "series", "x", "y", "y_low", "y_high"]
    return FigureData(csv_text(columns, [{"panel": "a", **row} for row in rows]), {}, {})


def drawn(request: LineFigure, data: FigureData, style: Style) -> Picture:
    """Draw a figure, compute the positions of its elements, and return the picture."""
    picture = lines.draw(request, data, style)
    FigureCanvasAgg(picture).draw()
    return picture


def words(picture: Picture) -> list[str]:
    return [text.get_text() for legend in picture.legends for text in legend.get_texts()]


def coloured(axes: Axes) -> set[str]:
    """Return the labels of the series that are drawn in colour, not in grey."""
    return {line.get_label() for line in axes.lines if not line.get_label().startswith("_")}


def by_label(axes: Axes, label: str) -> Line2D:
    return next(line for line in axes.lines if line.get_label() == label)


def test_the_legend_has_an_entry_for_each_colour_and_marker(style: Style, data: FigureData) -> None:
    assert words(drawn(figure(), data, style)) == [s["label"] for s in SENDERS]
    series = [{**SENDERS[0], "group": "by Reno"}, *SENDERS[1:]]
    result = words(drawn(figure(series, legend="colours"), data, style))
    assert result == ["by Reno", "SACK", "Model", "Packet simulator", "ns-2"]


def test_a_legend_has_no_more_columns_than_fit(style: Style) -> None:
    """The legend has the most columns that fit; here each entry has three samples of lines."""
    handle = tuple(Line2D([], []) for _ in range(3))
    entries = dict.fromkeys(["no loss", "2 %", "5 %", "Model", "ns-2", "Packet simulator"], handle)
    count = legends.columns(entries, 11)
    assert legends.width_of(entries, count) <= 11
    assert legends.width_of(entries, count + 1) > 11
    assert legends.rows(entries, 11) == -(-len(entries) // count)
    assert legends.columns(entries, 1) == 1


def test_markers_without_a_line_have_the_label_of_their_style(style: Style) -> None:
    shown = figure(SENDERS[2:]).panels["a"].series
    entries = legends.by_colour(shown, style)
    assert list(entries) == ["Reno", "SACK", "Packet simulator", "ns-2"]
    assert len(entries["SACK"]) == 2  # type: ignore[arg-type]


def test_cross_traffic_has_a_marker_of_its_own(style: Style) -> None:
    crossed = {"id": "crossed", "engine": "ns2", "capacity_as": "cross-traffic", "style": "sack"}
    shown = figure([*SENDERS, {**crossed, "label": "SACK, crossed"}]).panels["a"].series
    entries = legends.by_colour(shown, style)
    assert list(entries)[-2:] == ["ns-2", "ns-2, cross-traffic"]
    link, cross = (entries[label] for label in list(entries)[-2:])
    assert link.get_marker() != cross.get_marker()  # type: ignore[union-attr]
    assert Style(style.of_models([])).marker("ns2-unknown") == style.marker("ns2")


def test_facets_show_models_and_each_engine_in_panels_of_their_own(
    style: Style, data: FigureData
) -> None:
    picture = drawn(figure(facets=True, legend="names", columns=3), data, style)
    models, simulated, ns2 = picture.axes
    titles = [axes.get_title() for axes in picture.axes]
    assert titles == ["Model", "Packet simulator", "ns-2"]
    assert coloured(models) == {"Reno", "SACK"}
    assert coloured(simulated) == {"Reno, simulated", "SACK, simulated"}
    assert coloured(ns2) == {"SACK, ns-2"}
    assert models.get_ylim() == simulated.get_ylim() == ns2.get_ylim()
    joined = [line for line in simulated.lines if line.get_linewidth() == lines.JOINED_WIDTH]
    assert [list(line.get_ydata()) for line in joined] == [[5, 4, 3], [10, 5, 3]]
    upper, *_, lower = drawn(figure(facets=True, columns=1), data, style).axes
    assert (upper.get_xlabel(), lower.get_xlabel()) == ("", "X")
    assert words(picture) == []


def test_facets_have_the_heading_of_their_panel(style: Style) -> None:
    one = figure(panel={"title": "one"}).panels["a"]
    both = figure(facets=True).model_copy(update={"panels": {"a": one, "b": one}})
    cells = list(lines.cells(both, style))
    assert [cell.title for cell in cells] == ["Model", "Packet simulator", "ns-2"] * 2
    assert [cell.heading for cell in cells] == ["(a) one", "", "", "(b) one", "", ""]


def test_only_the_last_facet_labels_horizontal_lines(style: Style, data: FigureData) -> None:
    marks = [{"kind": "hline", "y": 10, "label": "ten"}]
    *others, last = drawn(figure(facets=True, columns=3, panel={"marks": marks}), data, style).axes
    assert [[text.get_text() for text in axes.texts] for axes in others] == [[], []]
    assert [text.get_text() for text in last.texts] == ["ten"]


def test_the_legend_explains_pale_lines(style: Style, data: FigureData) -> None:
    assert "Model out of domain" not in words(drawn(figure(), data, style))
    outside = {"a": {"sack": [[1.5, 3.0]]}}
    pale = FigureData(data.published, {}, outside)
    assert words(drawn(figure(), pale, style))[-1] == "Model out of domain"
    assert words(drawn(figure(legend="none"), pale, style)) == ["Model out of domain"]


def test_a_strip_shows_differences_in_per_cent(style: Style, data: FigureData) -> None:
    series = [*SENDERS[:3], {**SENDERS[3], "against": "sack"}]
    panel, strip = drawn(figure(series), data, style).axes
    assert coloured(panel) == {s["label"] for s in series}
    assert coloured(strip) == {"SACK, simulated"}
    assert by_label(strip, "SACK, simulated").get_ydata() == pytest.approx([-50.0] * 3)
    assert panel.get_xlabel() == ""
    assert strip.get_xlabel() == "X"
    assert strip.get_ylabel() == "Difference\n[%]"


def test_differences_are_to_the_interpolated_reference() -> None:
    def points(x: Sequence[float], y: Sequence[float], half: float = 0.0) -> Points:
        places, values = np.array(x), np.array(y)
        names = np.full(len(x), "any")
        return Points(names, names, places, values, values - half, values + half)

    reference = points([1, 100, 1000], [1, 3, 0])
    measured = points([0.5, 10, 100, 1000], [1, 3, 3, 3], half=1)
    found = lines.off_reference(measured, reference, "log")
    assert found.y == pytest.approx([np.nan, 50, 0, np.nan], nan_ok=True)
    assert found.y_low[1:3] == pytest.approx([0, -100 / 3])
    assert found.y_high[1:3] == pytest.approx([100, 100 / 3])
    straight = lines.off_reference(measured, reference, "linear")
    assert straight.y[1] == pytest.approx(100 * (3 / (1 + 2 * 9 / 99) - 1))


def test_markers_on_the_edge_are_not_clipped_and_none_lies_beyond(
    style: Style, data: FigureData
) -> None:
    (axes,) = drawn(figure(panel={"x": {"label": "X", "limits": [1, 2]}}), data, style).axes
    markers = by_label(axes, "Reno, simulated")
    assert list(markers.get_xdata()) == [1.0, 2.0]
    assert not markers.get_clip_on()


@pytest.mark.parametrize("side_by_side", [False, True])
def test_side_by_side_separates_markers(side_by_side: bool, style: Style, data: FigureData) -> None:
    (axes,) = drawn(figure(side_by_side=side_by_side), data, style).axes
    shown = [by_label(axes, f"{s}, simulated") for s in VALUES]
    places = [line.get_transform().transform((2.0, 1.0))[0] for line in shown]
    apart_pt = (places[1] - places[0]) * 72 / axes.figure.dpi
    assert apart_pt == pytest.approx(lines.STEP_PT if side_by_side else 0.0)
    low, high = axes.get_ylim()  # the y axis contains all markers, 3 to 40, in both cases
    assert low < 3
    assert 40 < high < 60


def test_what_is_not_shown_is_in_no_picture_and_no_legend(style: Style, data: FigureData) -> None:
    hidden = [{**SENDERS[0], "shown": False}, *SENDERS[1:]]
    picture = drawn(figure(hidden), data, style)
    assert coloured(picture.axes[0]) == {s["label"] for s in SENDERS[1:]}
    assert SENDERS[0]["label"] not in words(picture)
    shown = figure().panels["a"]
    one = shown.model_copy(update={"shown": False})
    both = figure().model_copy(update={"panels": {"a": one, "b": shown}})
    assert [(cell.name, cell.title) for cell in lines.cells(both, style)] == [("b", "")]


def test_names_need_no_legend_unless_a_colour_has_two_kinds(style: Style, data: FigureData) -> None:
    assert words(drawn(figure(legend="names"), data, style)) != []
    assert words(drawn(figure(SENDERS[:2], legend="names"), data, style)) == []


@pytest.mark.parametrize("study", [f.stem for f in sorted(ROOT.glob("config/figures/*.yaml"))])
def test_no_two_series_of_a_panel_look_alike(study: str, style: Style) -> None:
    result = shipped.configuration().sources[study].figures
    for name, one in as_drawn(result).items():
        for letter, panel in one.panels.items() if isinstance(one, LineFigure) else ():
            seen = [
                (style.look(s).colour, s.marker or s.line or style.look(s).line)
                for s in panel.series
                if s.shown
            ]
            assert len(set(seen)) == len(seen), (name, letter)


def test_a_panel_may_have_its_own_legend(style: Style, data: FigureData) -> None:
    picture = drawn(figure(panel={"legend": True}), data, style)
    assert not words(picture)
    inside = picture.axes[0].get_legend()
    assert inside is not None
    assert len(inside.get_texts()) == len(SENDERS)
