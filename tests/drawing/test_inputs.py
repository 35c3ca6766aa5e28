"""The picture of errors by what is known of the link."""

from __future__ import annotations

import itertools

import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from tcpgoodput.drawing.inputs import LIMITS, PREDICTORS, draw
from tcpgoodput.style import Style

LEVELS = [{"less": "lost packets", "more": "all inputs"}, {"past": "trace of the past"}]
COLUMNS = ["judge", "case", "predictor", "median_%", "median_low_%", "median_high_%", "q90_%"]


def errors(median: float = 20.0) -> pd.DataFrame:
    cases = itertools.product(("packet", "linux"), ("less", "more", "past"), PREDICTORS)
    rows = [(*case, median, median / 2, 2 * median, 3 * median) for case in cases]
    return pd.DataFrame(rows, columns=COLUMNS)


def marks_of(axes: Axes) -> list[Line2D]:
    return [line for line in axes.lines if line.get_marker() not in ("", "None")]


def test_each_level_predictor_and_judge_has_a_marker_at_its_median(style: Style) -> None:
    picture = draw(errors(), LEVELS, style)
    first, second = picture.axes
    found = marks_of(first) + marks_of(second)
    assert len(found) == 3 * len(PREDICTORS) * 2
    assert {float(line.get_xdata()[0]) for line in found} == {20.0}
    assert [label.get_text() for label in first.get_yticklabels()] == ["lost packets", "all inputs"]


@pytest.mark.parametrize("median", [0.0, 1e-4])
def test_a_tiny_error_stays_on_the_axis(median: float, style: Style) -> None:
    picture = draw(errors(median), LEVELS, style)
    marks = marks_of(picture.axes[0])
    assert {float(line.get_xdata()[0]) for line in marks} == {LIMITS[0]}


def test_no_errors_are_a_message(style: Style) -> None:
    picture = draw(errors().iloc[:0], LEVELS, style)
    assert "no errors" in picture.axes[0].texts[0].get_text()


def test_a_single_judge_of_each_part_is_named_in_its_title(style: Style) -> None:
    rows = errors()
    one = rows[(rows["judge"] == "linux") == (rows["case"] != "past")]
    for found, titles, entries in (
        (one, ["against Linux", "against the packet simulator"], len(PREDICTORS)),
        (rows, ["random connections", "recorded links"], 2 * len(PREDICTORS)),
    ):
        picture = draw(found, LEVELS, style)
        for axes, title in zip(picture.axes, titles, strict=True):
            assert axes.get_title().endswith(title)
        assert len(picture.legends[0].get_texts()) == entries
