"""The matrix of errors: scenarios down, models across, colour for ln(model / simulated)."""

from __future__ import annotations

import math

import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture
from matplotlib.ticker import FuncFormatter

from tcpgoodput.comparison.answers import AT_HOME
from tcpgoodput.drawing import theme
from tcpgoodput.drawing.style import Style

WIDEST = math.log(2)
"""Error from which on the colour is the strongest: a factor of two."""

ROW_CM, HEAD_CM = 0.42, 4.6

NATIVE = {"cmap": "vlag", "weight": "bold"}
REDUCED = {"cmap": "vlag"}
AWAY = {"cmap": ["#DDDDDD"], "color": "#777777"}
SILENT = {"cmap": ["white"], "color": "#999999"}
"""How cells look: their colours, and their text where it is not seaborn's choice."""


def draw(rows: pd.DataFrame, style: Style) -> Picture:
    """Draw the errors in per cent of the simulated goodput; grey where a model is not at home."""
    cells = rows.set_index(["scenario", "model"]).unstack(sort=False)
    errors, status = cells["log_error"].astype(float), cells["status"]
    silent, home = errors.isna(), status.isin(AT_HOME) & errors.notna()
    native = home & (status == "native")
    picture = theme.new_picture(style, HEAD_CM + ROW_CM * len(errors))
    axes = picture.add_subplot()
    _draw_cells(axes, errors, native, **NATIVE)
    _draw_cells(axes, errors, home & ~native, **REDUCED)
    _draw_cells(axes, errors, ~home & ~silent, **AWAY)
    _draw_cells(axes, errors, silent, **SILENT)
    axes.grid(visible=False)
    axes.spines[:].set_visible(True)
    axes.set(xlabel="", ylabel="")
    axes.xaxis.tick_top()
    axes.set_xticks(
        [column + 0.5 for column in range(len(errors.columns))],
        [style.model(m).label for m in errors.columns],
        rotation=55,
        ha="left",
        va="bottom",
        rotation_mode="anchor",
    )
    axes.set_yticks([row + 0.5 for row in range(len(errors))], errors.index)
    axes.tick_params(length=0, labelsize=6)
    image = axes.collections[0]
    bar = picture.colorbar(image, ax=axes, location="bottom", fraction=0.02, aspect=50, pad=0.01)
    bar.set_ticks([math.log(r) for r in (0.5, 0.7, 0.85, 1, 1.18, 1.4, 2)])
    bar.ax.xaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{100 * math.expm1(v):+.0f}"))
    bar.ax.tick_params(labelsize=6)
    bar.set_label("Model against simulated goodput [%]", fontsize=7)
    return picture


def _draw_cells(
    axes: Axes, errors: pd.DataFrame, chosen: pd.DataFrame, cmap: str | list[str], **text: str
) -> None:
    """Draw and label some of the cells."""
    sns.heatmap(
        errors.fillna(0),  # or seaborn would label no cell without an error
        mask=~chosen,
        cmap=cmap,
        vmin=-WIDEST,
        vmax=WIDEST,
        annot=errors.map(per_cent),
        fmt="",
        annot_kws={"size": 5.2, "in_layout": False, **text},  # the layout need not ask for its size
        linewidths=0.3,
        cbar=False,
        xticklabels=False,
        yticklabels=False,
        ax=axes,
    )


def per_cent(log_error: float) -> str:
    """Return ln(model / simulated) as a rounded percentage with its sign."""
    if math.isnan(log_error):
        return "·"
    value = 100 * math.expm1(log_error)
    return f"{value:+.0f}" if abs(value) < 1000 else f"{value:+.0e}".replace("e+0", "e")
