"""The matrix of errors: scenarios down, models across, colour for ln(model / simulated)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter

from tcpgoodput.comparison.compare import AT_HOME
from tcpgoodput.drawing import theme
from tcpgoodput.drawing.style import Style

WIDEST = math.log(2)
"""Error from which on the colour is the strongest: a factor of two."""

ROW_CM, HEAD_CM = 0.42, 4.6
AWAY = "#DDDDDD"


def draw(rows: pd.DataFrame, style: Style) -> Picture:
    """Draw the errors in per cent of the simulated goodput; grey where a model is not at home."""
    scenarios, models = list(rows["scenario"].unique()), list(rows["model"].unique())
    cells = rows.set_index(["scenario", "model"])
    picture = theme.new_picture(style, HEAD_CM + ROW_CM * len(scenarios))
    axes = picture.add_subplot()
    errors = np.full((len(scenarios), len(models)), np.nan)
    axes.set_facecolor("white")
    for i, scenario in enumerate(scenarios):
        for j, model in enumerate(models):
            cell = cells.loc[(scenario, model)]
            error = cell["log_error"]
            if error is None or math.isnan(error):
                _write(axes, j, i, "·", fontsize=6, color="#999999")
                continue
            home = cell["status"] in AT_HOME
            if home:
                errors[i, j] = error
            else:
                axes.add_patch(_tile(j, i))
            strong = home and abs(error) > 0.6 * WIDEST
            colour = "white" if strong else "black" if home else "#777777"
            weight = "bold" if cell["status"] == "native" else "normal"
            label = per_cent(error)
            _write(axes, j, i, label, fontsize=5.2, color=colour, weight=weight)
    image = axes.imshow(
        errors,
        cmap=sns.color_palette("vlag", as_cmap=True),
        vmin=-WIDEST,
        vmax=WIDEST,
        aspect="auto",
        interpolation="nearest",
        zorder=0,
    )
    axes.grid(visible=False)
    axes.xaxis.tick_top()
    axes.set_xticks(
        range(len(models)),
        [style.model(m).label for m in models],
        rotation=55,
        ha="left",
        va="bottom",
        rotation_mode="anchor",
    )
    axes.set_yticks(range(len(scenarios)), scenarios)
    axes.tick_params(length=0, labelsize=6)
    bar = picture.colorbar(image, ax=axes, location="bottom", fraction=0.02, aspect=50, pad=0.01)
    bar.set_ticks([math.log(r) for r in (0.5, 0.7, 0.85, 1, 1.18, 1.4, 2)])
    bar.ax.xaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{100 * math.expm1(v):+.0f}"))
    bar.ax.tick_params(labelsize=6)
    bar.set_label("Model against simulated goodput [%]", fontsize=7)
    return picture


def per_cent(log_error: float) -> str:
    """Return ln(model / simulated) as a rounded percentage with its sign."""
    value = 100 * math.expm1(log_error)
    return f"{value:+.0f}" if abs(value) < 1000 else f"{value:+.0e}".replace("e+0", "e")


def _write(axes: Axes, column: int, row: int, text: str, **look: Any) -> None:
    """Write into a cell; the layout need not ask for its size."""
    axes.text(column, row, text, ha="center", va="center", in_layout=False, **look)


def _tile(column: int, row: int) -> Rectangle:
    return Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=AWAY, edgecolor="white", lw=0.4)
