"""Picture of errors by what is known of the link."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, NullFormatter

from tcpgoodput.drawing import theme
from tcpgoodput.engines.base import ENGINE_NAMES
from tcpgoodput.style import Style

PREDICTORS = {
    "formula": ("best formula", "#D55E00"),
    "fluid": ("fluid model", "#0072B2"),
    "simulation": ("simulation", "#333333"),
}
"""Label and colour of each way to predict. Colour-blind readers can tell the colours apart."""

LEVEL_CM, HEAD_CM, FOOT_CM = 1.08, 1.5, 1.1
LIMITS = (0.5, 300.0)
TICKS = (1, 3, 10, 30, 100, 300)
HEADINGS = ("random connections", "recorded links")
"""What the levels of each part of the picture are about."""
MARKER_PT, SPAN = 4.2, 0.8
"""Size of markers in points, and the share of a level's height that its markers use."""


def draw(errors: pd.DataFrame, parts: Sequence[Mapping[str, str]], style: Style) -> Picture:
    """Draw the size of errors by level: median, its interval, and 90th percentile.

    Args:
        errors: statistics of `errors_by` for each `judge`, `case` (level) and `predictor`.
        parts: for each part of the picture, from top to bottom, labels by level.
        style: style of pictures.

    """
    shown = [p for p in parts if errors["case"].isin(list(p)).any()]
    if not shown:
        return theme.message("no errors at any level", style)
    heights = [len(part) for part in shown]
    picture = theme.new_picture(style, HEAD_CM + FOOT_CM + LEVEL_CM * sum(heights))
    rows = picture.subplots(
        len(shown), 1, sharex=True, height_ratios=heights, squeeze=False
    ).flatten()
    judges = [j for j in ENGINE_NAMES if (errors["judge"] == j).any()]
    for axes, part, heading in zip(rows, shown, HEADINGS, strict=False):
        _levels(axes, errors, part, judges, style)
        axes.set_ylabel(heading)
    rows[-1].set_xlabel("Size of the error, 100 |ln(prediction / measured)| [%]")
    _legend(rows[0], judges, style)
    return picture


def _levels(
    axes: Axes, errors: pd.DataFrame, labels: Mapping[str, str], judges: list[str], style: Style
) -> None:
    lines = [(predictor, judge) for predictor in PREDICTORS for judge in judges]
    step = SPAN / max(len(lines) - 1, 1)
    table = errors.set_index(["case", "predictor", "judge"])
    for row, case in enumerate(labels):
        for number, (predictor, judge) in enumerate(lines):
            if (case, predictor, judge) not in table.index:
                continue
            found = table.loc[case, predictor, judge]
            _mark(axes, found, row - SPAN / 2 + number * step, _look(predictor, judge, style))
        if row:
            axes.axhline(row - 0.5, color="#BBBBBB", linewidth=0.5)
    axes.set_xscale("log")
    axes.set(xlim=LIMITS, ylim=(len(labels) - 0.5, -0.5))
    axes.set_xticks(TICKS, [f"{tick:g}" for tick in TICKS])
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set_yticks(range(len(labels)), list(labels.values()))
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")


def _look(predictor: str, judge: str, style: Style) -> dict[str, Any]:
    colour = PREDICTORS[predictor][1]
    return {"color": colour, "marker": style.marker(judge), "markersize": MARKER_PT}


def _mark(axes: Axes, found: pd.Series, y: float, look: Mapping[str, Any]) -> None:
    """Draw a median with its interval, and a thin line up to the 90th percentile."""
    median, most = (max(float(found[f"{name}_%"]), LIMITS[0]) for name in ("median", "q90"))
    low, high = (found[f"median_{end}_%"] for end in ("low", "high"))
    colour = look["color"]
    axes.plot([median, most], [y, y], color=colour, linewidth=0.6, alpha=0.6)
    axes.plot([low, high], [y, y], color=colour, linewidth=1.8, solid_capstyle="butt")
    axes.plot([median], [y], linestyle="none", markerfacecolor="white", **look)


def _legend(axes: Axes, judges: list[str], style: Style) -> None:
    colours = [
        Line2D([], [], color=colour, linewidth=2, label=label)
        for label, colour in PREDICTORS.values()
    ]
    markers = [
        Line2D(
            [],
            [],
            color="#333333",
            marker=style.marker(judge),
            linestyle="none",
            markerfacecolor="white",
            markersize=MARKER_PT,
            label=f"against {ENGINE_NAMES[judge]}",
        )
        for judge in judges
    ]
    look = {"frameon": False, "loc": "lower left", "bbox_to_anchor": (-0.25, 1.0)}
    axes.legend(handles=[*colours, *markers], ncols=3, columnspacing=1.2, **look)
