"""Picture of errors by what is known of the link."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from textwrap import fill
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

from tcpgoodput.drawing import theme
from tcpgoodput.engines.base import ENGINE_NAMES
from tcpgoodput.style import Style

PREDICTORS = {
    "formula": ("best formula", "second"),
    "regression": ("regression, no model", "fourth"),
    "fluid": ("fluid model", "variable_capacity.fluid"),
    "simulation": ("simulation", "packet"),
}
"""Label of each way to predict, and the name of its colour in the style file."""

LEVEL_CM, HEAD_CM, FOOT_CM = 0.85, 1.9, 1.1

LABEL = 16
"""Largest number of characters in a line of a level's label."""

LIMITS = (1.0, 300.0)
"""Ends of the axis in per cent; smaller errors are drawn at its lower end."""
TICKS = (1, 3, 10, 30, 100, 300)
SPREAD = "Marker: median.  Thick line: its 95 % interval.  Thin line: to the 90th percentile."
HEADINGS = ("random connections", "recorded links")
"""What the levels of each part of the picture are about."""
MARKER_PT, SPAN = 4.0, 0.6
"""Size of markers in points, and the share of a level's height that its markers use."""


def draw(errors: pd.DataFrame, parts: Sequence[Mapping[str, str]], style: Style) -> Picture:
    """Draw the size of errors by level: median, its interval, and 90th percentile.

    The statistics of `errors_by` are for each `judge`, `case` (level) and `predictor`. Each of the
    parts, from left to right, has labels by level.
    """
    shown = [p for p in parts if errors["case"].isin(list(p)).any()]
    if not shown:
        return theme.message("no errors at any level", style)
    most = max(len(part) for part in shown)
    picture = theme.new_picture(style, HEAD_CM + FOOT_CM + LEVEL_CM * most)
    columns = picture.subplots(1, len(shown), squeeze=False).flatten()
    judges = [j for j in ENGINE_NAMES if (errors["judge"] == j).any()]
    parts_errors = [errors[errors["case"].isin(list(part))] for part in shown]
    judges_of = [[j for j in judges if (own["judge"] == j).any()] for own in parts_errors]
    has_one = all(len(own) == 1 for own in judges_of)
    # Where the titles name the judges, a marker says nothing about them.
    markers = {judge: "o" if has_one else style.marker(judge) for judge in judges}
    for axes, part, own, its_judges, heading in zip(
        columns, shown, parts_errors, judges_of, HEADINGS, strict=False
    ):
        _levels(axes, own, part, {judge: markers[judge] for judge in its_judges}, style)
        axes.set_title(f"{heading}\nagainst {ENGINE_NAMES[its_judges[0]]}" if has_one else heading)
    picture.supxlabel("size of the error, 100 |ln(prediction / measured)| [%]", fontsize="medium")
    _legend(picture, [] if has_one else judges, style)
    return picture


def _levels(
    axes: Axes,
    errors: pd.DataFrame,
    labels: Mapping[str, str],
    markers: Mapping[str, str],
    style: Style,
) -> None:
    """Draw a part of the picture; `markers` has the marker of each of its judges."""
    lines = [(predictor, judge) for predictor in PREDICTORS for judge in markers]
    step = SPAN / max(len(lines) - 1, 1)
    table = errors.set_index(["case", "predictor", "judge"])
    for row, case in enumerate(labels):
        for number, (predictor, judge) in enumerate(lines):
            if (case, predictor, judge) not in table.index:
                continue
            found = table.loc[case, predictor, judge]
            colour = style.colour(PREDICTORS[predictor][1])
            look = {"color": colour, "marker": markers[judge], "markersize": MARKER_PT}
            _mark(axes, found, row - SPAN / 2 + number * step, look)
        if row:
            axes.axhline(row - 0.5, color="#BBBBBB", linewidth=0.5)
    axes.set_xscale("log")
    axes.set(xlim=LIMITS, ylim=(len(labels) - 0.5, -0.5))
    axes.set_xticks(TICKS, [f"{tick:g}" for tick in TICKS])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_yticks(range(len(labels)), [fill(text, LABEL) for text in labels.values()])
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")


def _mark(axes: Axes, found: pd.Series, y: float, look: Mapping[str, Any]) -> None:
    """Draw a median with its interval, and a thin line up to the 90th percentile."""
    median, most = (max(float(found[f"{name}_%"]), LIMITS[0]) for name in ("median", "q90"))
    low, high = (found[f"median_{end}_%"] for end in ("low", "high"))
    colour = look["color"]
    axes.plot([median, most], [y, y], color=colour, linewidth=0.6, alpha=0.6)
    axes.plot([low, high], [y, y], color=colour, linewidth=1.8, solid_capstyle="butt")
    axes.plot([median], [y], linestyle="none", markerfacecolor="white", **look)


def _legend(picture: Picture, judges: list[str], style: Style) -> None:
    """Draw the legend of predictors, and of judges if the titles do not name them."""
    colours = [
        Line2D([], [], color=style.colour(name), linewidth=2, label=label)
        for label, name in PREDICTORS.values()
    ]
    look: dict[str, Any] = {"linestyle": "none", "markerfacecolor": "white"}
    look |= {"color": "#333333", "markersize": MARKER_PT}
    markers = [
        Line2D([], [], marker=style.marker(judge), label=f"against {ENGINE_NAMES[judge]}", **look)
        for judge in judges
    ]
    place = {"loc": "outside upper center", "frameon": False, "columnspacing": 1.2}
    # A legend is filled column by column: predictors are in the first row, judges in the second.
    empty = Line2D([], [], linestyle="none", label=" ")
    pairs = zip_longest(colours, markers, fillvalue=empty) if markers else [colours]
    handles = [handle for pair in pairs for handle in pair]
    picture.legend(handles=handles, ncols=len(colours), title=SPREAD, **place)
