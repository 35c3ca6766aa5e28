"""Panels of lines (models) and markers (engines), with marks for what a schematic explains."""

from __future__ import annotations

import math
import re
from string import ascii_lowercase

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import NDArray

from tcpgoodput.drawing import theme
from tcpgoodput.drawing.data import FigureData, Points
from tcpgoodput.drawing.marks import draw_marks
from tcpgoodput.drawing.style import Style
from tcpgoodput.studies.schema import LineFigure, Panel, Series

LEGEND_ROW_CM = 0.42
PALE, PALE_WIDTH = 0.45, 0.9
"""Opacity, and width in points, of a line where its model is outside its domain."""
SINGLE_WIDTH = 0.68
"""Part of the text's width that a single panel takes."""


def draw(figure: LineFigure, data: FigureData, style: Style) -> Picture:
    """Draw all panels and one legend below them, or one in each."""
    columns = min(figure.columns, len(figure.panels))
    rows = math.ceil(len(figure.panels) / columns)
    entries = _legend_entries(figure, data, style)
    legend_columns = _legend_columns([label for label, _ in entries], 110 if columns > 1 else 82)
    legend_rows = math.ceil(len(entries) / legend_columns) if figure.legend == "figure" else 0
    height_cm = rows * figure.panel_height_cm + legend_rows * LEGEND_ROW_CM
    width_cm = style.palette.text_width_cm * (1 if columns > 1 else SINGLE_WIDTH)
    picture = theme.new_picture(style, height_cm, width_cm)
    grid = picture.subplots(rows, columns, squeeze=False, sharey=figure.share_y)
    for letter, axes, (name, panel) in zip(
        ascii_lowercase, grid.flat, figure.panels.items(), strict=False
    ):
        points = data.points.chosen(data.points.panel == name)
        _draw_panel(axes, name, panel, points, data, style)
        draw_marks(axes, panel, data.landmarks.get(name, {}), points, style)
        axes.set_title(_title(panel.title or "", letter if len(figure.panels) > 1 else None))
        if figure.legend == "panel" and len(axes.get_legend_handles_labels()[1]) > 1:
            axes.legend(frameon=False)
    for axes in grid.flat[len(figure.panels) :]:
        axes.set_axis_off()
    if figure.legend == "figure" and len(entries) > 1:
        picture.legend(
            [handle for _, handle in entries],
            [label for label, _ in entries],
            loc="outside lower center",
            ncols=legend_columns,
            frameon=False,
            handlelength=2.8,
        )
    return picture


def _draw_panel(
    axes: Axes, name: str, panel: Panel, points: Points, data: FigureData, style: Style
) -> None:
    for series in panel.series:
        own = points.chosen(points.series == style.label(series))
        if own.x.size:
            _draw_series(axes, series, own, data.at_home(name, series.key, own.x), style)
    theme.set_axis(axes, "x", panel.x)
    theme.set_axis(axes, "y", panel.y)
    if not panel.frame:
        axes.grid(False)
        if panel.x.ticks is None:
            axes.set_xticks([])
        if panel.y.ticks is None:
            axes.set_yticks([])
    axes.spines[["top", "right"]].set_visible(False)


def _draw_series(
    axes: Axes, series: Series, points: Points, at_home: NDArray[np.bool_], style: Style
) -> None:
    look = style.look(series)
    label = style.label(series)
    x, y, low, high = points.x, points.y, points.y_low, points.y_high
    if series.engine:
        axes.errorbar(
            x,
            y,
            yerr=np.vstack([y - low, high - y]),
            fmt=style.marker(series.engine),
            color=look.colour,
            markerfacecolor=style.face(series.engine, look.colour),
            elinewidth=0.8,
            capsize=1.5,
            label=label,
        )
        return
    line = theme.LINES[series.line or look.line]
    if not at_home.all():
        axes.plot(x, y, color=look.colour, linestyle=line, linewidth=PALE_WIDTH, alpha=PALE)
    axes.plot(x, np.where(at_home, y, np.nan), color=look.colour, linestyle=line, label=label)
    if np.isfinite(low).any():
        axes.fill_between(x, low, high, color=look.colour, alpha=0.2, linewidth=0)


def _title(title: str, letter: str | None) -> str:
    """Return a panel's title after the letter that captions call it by, which may be in it."""
    if letter is None or title.startswith(f"({letter})"):
        return title
    return f"({letter}) {title}".rstrip()


def _legend_entries(
    figure: LineFigure, data: FigureData, style: Style
) -> list[tuple[str, Line2D | Patch]]:
    """Return each label once, in the order of the panels."""
    drawn = set(data.points.series)
    entries: dict[str, Line2D | Patch] = {}
    for panel in figure.panels.values():
        for series in panel.series:
            label, look = style.label(series), style.look(series)
            if label not in drawn or label in entries:
                continue
            if series.engine:
                entries[label] = Line2D(
                    [],
                    [],
                    color=look.colour,
                    marker=style.marker(series.engine),
                    mfc=style.face(series.engine, look.colour),
                    linestyle="",
                )
            else:
                line = theme.LINES[series.line or look.line]
                entries[label] = Line2D([], [], color=look.colour, linestyle=line)
    return list(entries.items())


def _legend_columns(labels: list[str], characters: int) -> int:
    """Return how many entries fit side by side below the panels."""
    widest = max((_shown_length(label) for label in labels), default=1)
    return max(1, min(len(labels), characters // (widest + 8)))


def _shown_length(label: str) -> int:
    """Return about how many characters of a label are seen: a command is one, braces are none."""
    return len(re.sub(r"[${}_^]|\\,", "", re.sub(r"\\[A-Za-z]+", "x", label)))
