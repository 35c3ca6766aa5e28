"""Pictures of the comparison of models show the numbers of its tables."""

from __future__ import annotations

import math
from bisect import bisect_right
from itertools import pairwise
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import PathCollection, QuadMesh
from matplotlib.figure import Figure as Picture
from matplotlib.text import Text

from tcpgoodput.comparison.errors import BOUNDS
from tcpgoodput.drawing import comparison, matrix, scales
from tcpgoodput.style import Style
from tests import shipped

NAMES = {"a": "Family A", "b": "Family B", "silent": "Family C"}
REGIMES = {"s1-x": "hand-offs", "s2-y": "delay spikes"}
TITLES = {"s1-x": "A hand-off", "s2-y": "A spike"}


def rows(**errors: float) -> pd.DataFrame:
    """Return a table of errors of three model families on two scenarios.

    Family `a` is in domain, `b` is not, and `silent` has no values. `errors` are logarithmic errors
    by family that replace the default ones.
    """
    known = {"a": 0.02, "b": -0.3, "silent": math.nan, **errors}
    statuses = {"a": "native", "b": "out-of-domain", "silent": "undefined"}
    data = [(s, f, e, statuses[f]) for s in REGIMES for f, e in known.items()]
    columns = ["scenario", "family", "log_error", "status"]
    return pd.DataFrame(data, columns=columns).assign(simulated_bps=1e6)


def texts(picture: Picture) -> list[str]:
    return [text.get_text() for text in picture.findobj(Text) if text.get_text()]


def faces(picture: Picture) -> list[str]:
    """Return the colours (#RRGGBB) of all cells with a value in a picture's heat maps."""
    found = []
    for mesh in picture.axes[0].findobj(QuadMesh):
        there = ~np.ma.getmaskarray(mesh.get_array()).ravel()
        found += [mpl.colors.to_hex(face).upper() for face in mesh.get_facecolors()[there]]
    return found


def test_colours_of_bins_differ_in_lightness() -> None:
    lightness = [sum(mpl.colors.to_rgb(c)) for c in scales.COLOURS]
    assert all(abs(one - other) > 0.1 for one, other in pairwise(lightness))


def test_a_heat_map_has_the_colours_of_the_bins() -> None:
    axes = Picture().add_subplot()
    errors = [0.0, 0.049, 0.05, -0.2, 3.0]
    scales.heat(axes, pd.DataFrame([errors]))
    scales.heat(axes, pd.DataFrame([[-9.0, 0.0, 9.0]]), colours=scales.SIGNED)
    axes.figure.draw_without_rendering()
    bins, signed = (mesh.get_facecolors() for mesh in axes.collections)
    expected = [scales.COLOURS[bisect_right(BOUNDS, abs(error))] for error in errors]
    assert [mpl.colors.to_hex(face).upper() for face in bins] == expected
    assert [mpl.colors.to_hex(face).upper() for face in signed] == list(scales.SIGNED[::3])


@pytest.mark.parametrize(
    ("error", "text"), [(0.1234, "+12"), (-0.06, "−6"), (0.001, "0"), (-0.001, "0"), (20.0, "+2e3")]
)
def test_errors_are_shown_as_whole_per_cent(error: float, text: str) -> None:
    assert scales.shown(error) == text


def test_the_matrix_marks_scenarios_without_a_steady_state(style: Style) -> None:
    table = rows()
    unsteady = table["scenario"].iloc[0]
    table.loc[table["scenario"] == unsteady, "log_error"] = math.nan
    titles = {s: f"of {s}" for s in REGIMES}
    message = texts(matrix.draw(table, REGIMES, titles, NAMES, style))
    assert message.count(matrix.NOTE) == 1


def test_the_matrix_colours_only_cells_in_domain(style: Style) -> None:
    picture = matrix.draw(rows(), REGIMES, TITLES, NAMES, style)
    picture.draw_without_rendering()
    message = texts(picture)
    assert message.count("+2") == message.count("−30") == 2
    assert "Family C" not in message
    assert {"Hand-offs", "s1  A hand-off"} <= set(message)
    assert faces(picture).count(scales.COLOURS[0]) == 2
    assert scales.COLOURS[3] not in faces(picture)  # family B is out of domain, so not coloured
    assert faces(picture).count("#FFFFFF") == 2


def test_variations_show_only_families_in_domain(style: Style) -> None:
    silent = rows().assign(status="undefined")
    picture = matrix.draw_again({"again": rows(a=0.2), "none": silent}, NAMES, style)
    picture.draw_without_rendering()
    assert faces(picture) == [scales.COLOURS[2]] * 2
    assert {"again", "Family A", "+20", "s1", "s2"} <= set(texts(picture))
    assert not {"none", "Family B"} & set(texts(picture))


def test_an_empty_picture_has_a_message(style: Style) -> None:
    silent = rows().assign(status="undefined", log_error=math.nan)
    assert texts(matrix.draw(silent, REGIMES, TITLES, NAMES, style)) == ["no family has a value"]
    assert "no family" in texts(matrix.draw_again({"none": silent}, NAMES, style))[0]


def test_the_ranking_has_a_line_for_each_family_with_its_median(style: Style) -> None:
    standing = {"variation": "", "regime": "hand-offs", "family": "a", "n": 1, "of": 1}
    ranking = pd.DataFrame([{**standing, "median_%": 2.1, "rank": 1}])
    shown = rows()
    shown["regime"] = shown["scenario"].map(REGIMES)
    picture = comparison.draw_ranking(ranking, shown, NAMES, style)
    assert {"Hand-offs (1)", "1. Family A (1)", "2.1 %", "s1"} <= set(texts(picture))
    nobody = comparison.draw_ranking(ranking[:0], shown, NAMES, style)
    assert texts(nobody) == ["no family is in domain on a scenario"]


def test_held_out_errors_are_in_domain_or_out_of_domain(style: Style) -> None:
    inside, outside = comparison.draw_held(rows(), NAMES, style).axes
    assert (inside.get_title(), outside.get_title()) == ("in domain", "out of domain")
    assert [label.get_text() for label in inside.get_yticklabels()] == ["Family A", "Family B"]
    assert [[text.get_text() for text in axes.texts] for axes in (inside, outside)] == [["2"]] * 2


def test_a_map_hatches_areas_outside_and_omits_models_never_in_domain(style: Style) -> None:
    region = shipped.comparison().settings.maps["loss_rtt"]
    grid = pd.DataFrame([{"x": x, "y": y} for y in (0.01, 0.1, 1.0) for x in (1e-4, 1e-3, 1e-2)])
    measured = grid.assign(goodput_pps=100.0, half_width_pps=1.0)
    result = measured.assign(mathis_pps=130.0, mathis_status=["native", *["out-of-domain"] * 8])
    result = result.assign(pftk_pps=np.nan, pftk_status="undefined")
    picture = matrix.draw_map(region, ["mathis", "pftk"], result, style)
    titles = [axes.get_title(loc="left") for axes in picture.axes]
    assert titles[0] == "Mathis (11 %)"
    assert "PFTK" not in "".join(titles)
    hatched = [c for c in picture.axes[0].collections if getattr(c, "hatches", None)]
    assert hatched


@pytest.mark.parametrize(
    ("values", "scale", "numbers"),
    [
        ([0.001, 0.01, 0.1, 1.0], "log", ["0.001", "0.01", "0.1", "1"]),
        ([0.1, 1.0], "log", ["0.1", "0.2", "0.5", "1"]),
        ([1.0, 11.0, 21.0], "linear", ["5", "10", "15", "20"]),
    ],
)
def test_ticks_of_maps_are_round(values: list[float], scale: str, numbers: list[str]) -> None:
    places, result = matrix.ticks_of(np.array(values), scale)
    assert result == numbers
    assert list(places) == sorted(places)
    assert 0.5 <= places[0] < places[-1] <= len(values) - 0.5


def test_sensitivities_show_only_families_in_domain(style: Style) -> None:
    data: list[dict[str, Any]] = [
        {"scenario": s, "variation": "b2", "family": f, "status": status, "model_change": -0.3}
        for s in REGIMES
        for f, status in (("a", "reduced"), ("b", "out-of-domain"))
    ]
    changes = pd.DataFrame(data).assign(simulated_change=-0.07, half_width=0.01)
    picture = comparison.draw_sensitivity(changes, {"b2": "two", "none": "silent"}, NAMES, style)
    (axes,) = picture.axes
    assert axes.get_title(loc="left") == "two"
    points = next(c for c in axes.collections if isinstance(c, PathCollection))
    assert np.asarray(points.get_offsets()) == pytest.approx(np.array([[-7, -30]] * 2))
    assert [t.get_text() for t in picture.legends[0].get_texts()] == ["Family A"]
