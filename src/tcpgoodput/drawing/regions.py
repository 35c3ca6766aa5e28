"""Maps of each model's errors over two parameters, a small panel for each model."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from tcpgoodput.comparison.answers import errors_of
from tcpgoodput.comparison.schema import Map, MapAxis
from tcpgoodput.drawing import sizes, theme
from tcpgoodput.style import Style

COLUMNS, PANEL_CM, FOOT_CM = 3, 3.9, 2.6
"""Largest number of panels in a row; heights of a row, and of colour bar and legend, in cm. All
were chosen by hand."""
NOTHING = "#DDDDDD"
LABEL_PT = 8.2
EDGE = "#888888"
FEWEST_TICKS = 3
"""If fewer powers of ten than this number lie on a logarithmic axis, its ticks are at 1, 2 and 5
times each power of ten. Chosen by hand."""
Array = NDArray[np.float64]


def draw(region: Map, models: Sequence[str], rows: pd.DataFrame, style: Style) -> Picture:
    """Draw a map of errors for each model; points out of the model's domain are hatched.

    Models that are out of domain at all points are left out. If all models are out of domain at all
    points, all models are drawn.

    Args:
        region: the map.
        models: names of the models that may be drawn.
        rows: a row for each point of the map; see `comparison.answers.errors_of`.
        style: labels of the models, and font sizes.

    """
    found = {model: errors_of(rows, model) for model in models}
    shown = {model: own for model, own in found.items() if own["in_domain"].any()} or found
    columns = min(COLUMNS, len(shown))
    lines = math.ceil(len(shown) / columns)
    picture = theme.new_picture(style, PANEL_CM * lines + FOOT_CM)
    panels = picture.subplots(lines, columns, sharex=True, sharey=True, squeeze=False)
    for axes, (model, own) in zip(panels.flat, shown.items(), strict=False):
        _panel(axes, region, own)
        share = 100 * own["in_domain"].mean()
        title = f"{style.model(model).label} ({share:.0f} %)"
        axes.set_title(title, loc="left")
    for axes in panels.flat[len(shown) :]:
        axes.remove()
    for column in range(columns):
        last = (len(shown) - 1 - column) // columns
        panels[last, column].tick_params(labelbottom=True)
        panels[last, column].set_xlabel(_label(region.x), fontsize=LABEL_PT)
    picture.supylabel(_label(region.y), fontsize=style.palette.font_size_pt)
    sizes.bar(picture, signed=True)
    picture.legend(handles=_handles(), loc="outside lower center", ncols=2, frameon=False)
    return picture


def _panel(axes: Axes, region: Map, own: pd.DataFrame) -> None:
    errors, in_domain = (
        own.pivot(index="y", columns="x", values=values) for values in ("log_error", "in_domain")
    )
    axes.set_facecolor(NOTHING)
    sizes.heat(axes, errors, colours=sizes.SIGNED, linewidths=0, rasterized=True)
    # Repeat each cell as 2 × 2 points, so that the contours follow the edges of cells.
    out_of_domain = np.kron(~in_domain.to_numpy(bool), np.ones((2, 2)))
    if out_of_domain.any():
        steps = (np.repeat(np.arange(n + 1), 2)[1:-1] for n in errors.T.shape)
        hatched = axes.contourf(
            *steps, out_of_domain, levels=[0.5, 1.5], colors="none", hatches=["/////"]
        )
        hatched.set(edgecolor=EDGE, linewidth=0)
    axes.invert_yaxis()
    axes.spines[:].set_visible(True)
    axes.tick_params(length=3)
    for along, axis, values in (
        (axes.xaxis, region.x, errors.columns),
        (axes.yaxis, region.y, errors.index),
    ):
        ticks, texts = ticks_of(values.to_numpy(float), axis.values.scale)
        along.set_ticks(ticks, texts, rotation=0)


def ticks_of(values: Array, scale: str) -> tuple[Array, list[str]]:
    """Return the positions and texts of ticks at round numbers along an axis of a heat map.

    Args:
        values: the values of the cells along the axis, ascending.
        scale: spacing of the values, `linear` or `log`.

    Returns:
        Positions along the axis, where the width of a cell is 1 and the first cell begins at 0, and
        the texts of the ticks.

    """
    low, high = values[[0, -1]]
    if scale == "log":
        decades = 10.0 ** np.arange(math.floor(math.log10(low)), math.log10(high) + 1)
        close = np.count_nonzero((decades >= low) & (decades <= high)) < FEWEST_TICKS
        numbers = np.outer(decades, [1, 2, 5] if close else [1]).ravel()
    else:
        numbers = MaxNLocator(4).tick_values(low, high)
    shown = numbers[(numbers >= low * (1 - 1e-9)) & (numbers <= high * (1 + 1e-9))]
    along = np.log if scale == "log" else np.asarray
    places = np.interp(along(shown), along(values), np.arange(values.size) + 0.5)
    return places, [f"{number:g}" for number in shown]


def _handles() -> list[Patch]:
    out_of_domain = Patch(
        facecolor="white",
        edgecolor=EDGE,
        hatch="/////",
        label="out of domain (in brackets: the part in domain)",
    )
    return [out_of_domain, Patch(color=NOTHING, label="no value")]


def _label(axis: MapAxis) -> str:
    return f"{axis.label} [{axis.unit}]" if axis.unit else axis.label
