"""Data of a figure, and marks in its panels: lines, arrows, texts and areas."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import NDArray

from tcpgoodput.studies.expressions import evaluate, is_expression
from tcpgoodput.studies.schema import (
    Area,
    HorizontalArrow,
    HorizontalLine,
    Note,
    Panel,
    VerticalArrow,
    VerticalLine,
)
from tcpgoodput.style import Style


@dataclass(frozen=True)
class Points:
    """Points of lines and markers, as arrays of equal length; y_low and y_high may be NaN."""

    panel: NDArray[np.str_]
    series: NDArray[np.str_]
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    y_low: NDArray[np.float64]
    y_high: NDArray[np.float64]

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, str]]) -> Points:
        """Return the points from rows of a figure's table; empty fields become NaN."""
        names = [[row[name] for row in rows] for name in ("panel", "series")]
        numbers = [
            [float(row[name] or "nan") for row in rows] for name in ("x", "y", "y_low", "y_high")
        ]
        return cls(*(np.array(n, dtype=str) for n in names), *(np.array(n) for n in numbers))

    def chosen(self, mask: NDArray[np.bool_]) -> Points:
        """Return the points at which the mask is true."""
        return Points(*(column[mask] for column in vars(self).values()))


@dataclass(frozen=True)
class FigureData:
    """The table of a figure, and what else is drawn: landmarks, and ranges of x out of domain."""

    published: str
    """The figure's table of numbers, as CSV."""
    landmarks: dict[str, dict[str, float]]
    """Named positions on the curves of each panel, which marks may use."""
    outside: dict[str, dict[str, list[list[float]]]]
    """Ranges of x, as `[first, last]`, outside the domain of a series' model, by panel and key of
    the series."""

    def in_domain(self, panel: str, series: str, x: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return, for each value of x, whether the model of a series is in domain."""
        in_domain = np.ones(x.shape, dtype=bool)
        for first, last in self.outside.get(panel, {}).get(series, []):
            in_domain &= (x < first) | (x > last)
        return in_domain

    @cached_property
    def points(self) -> Points:
        """The points of all series, for a figure of lines and markers."""
        return Points.of(list(csv.DictReader(io.StringIO(self.published, newline=""))))

    @cached_property
    def rows(self) -> pd.DataFrame:
        """The data as a table, for figures without lines and markers."""
        return pd.read_csv(io.StringIO(self.published))


INK = "#444444"
_LINE = {"color": INK, "linewidth": 0.7, "linestyle": (0, (4, 3))}
_BESIDE = {"xytext": (3, 0), "textcoords": "offset points", "va": "center", "color": INK}
_ABOVE = {**_BESIDE, "xytext": (0, 2), "ha": "center", "va": "bottom"}
"""Matplotlib's arguments for a text to the right of a point (`_BESIDE`), or above it (`_ABOVE`)."""

_BOX = {"facecolor": "white", "edgecolor": "none", "pad": 0.8, "alpha": 0.85}
_ARROW = {"arrowstyle": "<->", "color": INK, "linewidth": 0.7, "shrinkA": 0, "shrinkB": 0}


def draw_marks(
    axes: Axes,
    panel: Panel,
    landmarks: Mapping[str, float],
    points: Points,
    style: Style,
    *,
    beside: bool = True,
) -> None:
    """Draw a panel's marks (lines, arrows, texts, areas) onto its axes.

    Positions of marks may use landmarks, in units of the axes. If not `beside`, horizontal lines
    lack their labels, which are to the right of the panel.
    """

    def at(position: float | str) -> float:
        if is_expression(position):
            return evaluate(str(position), landmarks)
        return float(position)

    for mark in panel.marks:
        match mark:
            case HorizontalLine():
                axes.axhline(at(mark.y), **_LINE)
                if mark.label and beside:
                    place = {"xycoords": axes.get_yaxis_transform(), "annotation_clip": False}
                    axes.annotate(mark.label, (1, at(mark.y)), **_BESIDE, **place)
            case VerticalLine():
                axes.axvline(at(mark.x), **_LINE)
                if mark.label:
                    place = {"xycoords": axes.get_xaxis_transform(), "annotation_clip": False}
                    axes.annotate(mark.label, (at(mark.x), 1), **_ABOVE, **place)
            case HorizontalArrow():
                start, stop, y = at(mark.start), at(mark.stop), at(mark.y)
                _double_arrow(axes, (start, y), (stop, y))
                axes.annotate(mark.label, (_middle(start, stop, axes.get_xscale()), y), **_ABOVE)
            case VerticalArrow():
                start, stop, x = at(mark.start), at(mark.stop), at(mark.x)
                _double_arrow(axes, (x, start), (x, stop))
                axes.annotate(mark.label, (x, _middle(start, stop, axes.get_yscale())), **_BESIDE)
            case Note():
                middle = {"ha": "center", "va": "center"}
                axes.text(at(mark.x), at(mark.y), mark.label, color=INK, bbox=_BOX, **middle)
            case Area():
                _area(axes, mark, panel, at, points, style)


def _double_arrow(axes: Axes, start: tuple[float, float], stop: tuple[float, float]) -> None:
    axes.annotate("", start, xytext=stop, arrowprops=_ARROW)


def _middle(start: float, stop: float, scale: str) -> float:
    return float(np.sqrt(start * stop)) if scale == "log" else (start + stop) / 2


def _area(
    axes: Axes,
    mark: Area,
    panel: Panel,
    at: Callable[[float | str], float],
    points: Points,
    style: Style,
) -> None:
    """Shade the area between a level and a series, up to a largest y."""
    start, stop, above = at(mark.start), at(mark.stop), at(mark.above)
    below = np.inf if mark.below is None else at(mark.below)
    series = next(s for s in panel.series if mark.series in (None, s.key))
    own = points.chosen((points.series == style.label(series)) & ~np.isnan(points.y))
    x, y = own.x, own.y
    # If the series jumps at `start` or `stop`, use the value inside the area.
    first, last = np.searchsorted(x, start, "right"), np.searchsorted(x, stop, "left")
    edge = [np.interp(start, x[first - 1 : first + 1], y[first - 1 : first + 1]) if first else y[0]]
    xs = np.concatenate([[start], x[first:last], [stop]])
    tail = slice(max(last - 1, 0), last + 1)
    ys = np.concatenate([edge, y[first:last], [np.interp(stop, x[tail], y[tail])]])
    ys = np.minimum(ys, below)
    axes.fill_between(xs, above, ys, color=style.look(series).colour, alpha=0.15, linewidth=0)
    if mark.label:
        fine = np.linspace(start, stop, 201)
        # height of the series above the lower edge of the filled region; negative below that edge
        height = np.interp(fine, xs, ys) - above
        if height.sum() != 0:
            centre_x = float((fine * height).sum() / height.sum())
            centre_y = above + float((height**2).sum() / 2 / height.sum())
            axes.text(centre_x, centre_y, mark.label, ha="center", va="center", color=INK)
