"""Maps: how far off each model is over two parameters, a small panel for each."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.figure import Figure as Picture
from matplotlib.patches import Patch
from numpy.typing import NDArray

from tcpgoodput.comparison.answers import errors_of
from tcpgoodput.comparison.schema import Map, MapAxis
from tcpgoodput.drawing import sizes, theme
from tcpgoodput.style import Style

COLUMNS, PANEL_CM, FOOT_CM = 3, 3.4, 1.9
"""At most so many panels beside each other; heights of a line of them and of the rest."""
NOTHING = "#DDDDDD"
BEYOND = 10.0
"""Errors (logarithms) from which on nothing is told apart."""
Array = NDArray[np.float64]


def draw(region: Map, models: Sequence[str], rows: pd.DataFrame, style: Style) -> Picture:
    """Draw a panel for each model that is at home somewhere; hatched where it is not.

    Args:
        region: the map.
        models: those that it may draw.
        rows: what was measured and answered at its points.
        style: names and sizes.

    """
    found = {model: errors_of(rows, model) for model in models}
    shown = {model: own for model, own in found.items() if own["at_home"].any()} or found
    columns = min(COLUMNS, len(shown))
    lines = math.ceil(len(shown) / columns)
    picture = theme.new_picture(style, PANEL_CM * lines + FOOT_CM)
    panels = picture.subplots(lines, columns, sharex=True, sharey=True, squeeze=False)
    for axes, (model, own) in zip(panels.flat, shown.items(), strict=False):
        _panel(axes, region, own)
        home = 100 * own["at_home"].mean()
        title = f"{style.model(model).label}, at home in {home:.0f} %"
        axes.set_title(title, fontsize=6.5, loc="left")
    for axes in panels.flat[len(shown) :]:
        axes.set_visible(False)
    for column in range(columns):
        last = (len(shown) - 1 - column) // columns
        panels[last, column].tick_params(labelbottom=True)
        panels[last, column].set_xlabel(_label(region.x), fontsize=7)
    picture.supylabel(_label(region.y), fontsize=7)
    legend = {"loc": "outside lower center", "ncols": 5, "frameon": False, "fontsize": 6}
    picture.legend(handles=_handles(), **legend)
    return picture


def _panel(axes: Axes, region: Map, own: pd.DataFrame) -> None:
    x_scale, y_scale = region.x.values.scale, region.y.values.scale
    xs, ys = np.sort(own["x"].unique()), np.sort(own["y"].unique())
    x_edges, y_edges = edges(xs, x_scale), edges(ys, y_scale)
    error = own.pivot(index="y", columns="x", values="log_error").to_numpy(float)
    away = ~own.pivot(index="y", columns="x", values="at_home").to_numpy(bool)
    axes.grid(visible=False)
    axes.set_facecolor(NOTHING)
    colours, ends = ListedColormap(sizes.SIGNED), (-BEYOND, *sizes.SIGNED_BOUNDS, BEYOND)
    clipped, norm = np.clip(error, -BEYOND, BEYOND), BoundaryNorm(ends, colours.N, clip=True)
    axes.pcolormesh(x_edges, y_edges, clipped, cmap=colours, norm=norm, rasterized=True)
    if away.any():
        mask = np.repeat(np.repeat(away.astype(float), 2, axis=0), 2, axis=1)
        steps = (np.repeat(edge, 2)[1:-1] for edge in (x_edges, y_edges))
        hatched = axes.contourf(*steps, mask, levels=[0.5, 1.5], colors="none", hatches=["/////"])
        hatched.set(edgecolor=sizes.EDGE, linewidth=0)
    axes.set(xscale=x_scale, yscale=y_scale, xlim=x_edges[[0, -1]], ylim=y_edges[[0, -1]])
    for name, axis in (("x", region.x), ("y", region.y)):
        if axis.values.scale == "log":
            theme.plain_log_ticks(axes, name)
    axes.tick_params(labelsize=6)


def edges(values: Array, scale: str) -> Array:
    """Return the edges of the cells around grid values."""
    v = np.log(values) if scale == "log" else values
    middle = (v[1:] + v[:-1]) / 2
    outer = np.concatenate([[2 * v[0] - middle[0]], middle, [2 * v[-1] - middle[-1]]])
    return np.exp(outer) if scale == "log" else outer


def _handles() -> list[Patch]:
    away = Patch(facecolor="white", edgecolor=sizes.EDGE, hatch="/////", label="outside its domain")
    return [*sizes.signed_handles(), away, Patch(color=NOTHING, label="no value")]


def _label(axis: MapAxis) -> str:
    return f"{axis.label} [{axis.unit}]" if axis.unit else axis.label
