"""Maps: which model is nearest where, and how near it is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap, LogNorm
from matplotlib.figure import Figure as Picture
from matplotlib.patches import Patch
from numpy.typing import NDArray

from tcpgoodput.comparison.regions import Nearest, nearest
from tcpgoodput.comparison.schema import Map, MapAxis
from tcpgoodput.drawing import theme
from tcpgoodput.drawing.style import Style

NOBODY = "#E4E4E4"
LOW, HIGH = 1.0, 100.0
"""Errors in per cent between which colours change."""


def draw(region: Map, models: Sequence[str], rows: pd.DataFrame, style: Style) -> Picture:
    """Draw the nearest of the models at home on the left, and its error on the right."""
    xs, ys = np.sort(rows["x"].unique()), np.sort(rows["y"].unique())
    found = nearest(rows, models)
    picture = theme.new_picture(style, 8.6)
    left, right = picture.subplots(1, 2, sharey=True)
    x_edges, y_edges = edges(xs, region.x.values.scale), edges(ys, region.y.values.scale)
    number = _grid(found, xs, ys, lambda n: math.nan if n.model is None else n.index)
    colours = [style.model(m).colour for m in models]
    left.set_facecolor(NOBODY)
    left.pcolormesh(
        x_edges,
        y_edges,
        number,
        cmap=ListedColormap(colours),
        vmin=-0.5,
        vmax=len(colours) - 0.5,
    )
    tied = [n for n in found if n.tied]
    left.plot([n.x for n in tied], [n.y for n in tied], "x", color="white", markersize=2.5, mew=0.7)
    error = _grid(found, xs, ys, lambda n: 100 * math.expm1(abs(n.error)))
    right.set_facecolor(NOBODY)
    image = right.pcolormesh(
        x_edges, y_edges, np.clip(error, LOW, HIGH), cmap="cividis_r", norm=LogNorm(LOW, HIGH)
    )
    bar = picture.colorbar(image, ax=right, fraction=0.05, pad=0.02)
    bar.set_ticks([1, 3, 10, 30, 100], labels=["1", "3", "10", "30", "100"])
    bar.set_label("Error of the nearest model [%]", fontsize=7)
    for axes in (left, right):
        _axes(axes, region, label_y=axes is left)
    left.set_title("Nearest model at home", fontsize=7.5, loc="left")
    right.set_title("How near it is", fontsize=7.5, loc="left")
    present = {n.model for n in found}
    handles = [
        Patch(color=c, label=style.model(m).label)
        for m, c in zip(models, colours, strict=True)
        if m in present
    ]
    handles.append(Patch(color=NOBODY, label="none at home"))
    picture.legend(handles=handles, loc="outside lower center", ncols=4, frameon=False, fontsize=7)
    return picture


def edges(values: NDArray[np.float64], scale: str) -> NDArray[np.float64]:
    """Return the edges of the cells around grid values."""
    v = np.log(values) if scale == "log" else values
    middle = (v[1:] + v[:-1]) / 2
    outer = np.concatenate([[2 * v[0] - middle[0]], middle, [2 * v[-1] - middle[-1]]])
    return np.exp(outer) if scale == "log" else outer


def _grid(found: Sequence[Nearest], xs: Any, ys: Any, value: Any) -> NDArray[np.float64]:
    grid = np.full((len(ys), len(xs)), np.nan)
    for n in found:
        grid[np.searchsorted(ys, n.y), np.searchsorted(xs, n.x)] = value(n)
    return grid


def _axes(axes: Axes, region: Map, *, label_y: bool) -> None:
    axes.grid(visible=False)
    axes.set_xscale(region.x.values.scale)
    axes.set_yscale(region.y.values.scale)
    for name, axis in (("x", region.x), ("y", region.y)):
        if axis.values.scale == "log":
            theme.plain_log_ticks(axes, name)
    axes.set_xlabel(_label(region.x))
    if label_y:
        axes.set_ylabel(_label(region.y))


def _label(axis: MapAxis) -> str:
    return f"{axis.label} [{axis.unit}]" if axis.unit else axis.label
