"""Ratios of the packet simulator to the referees, a row for each series of markers."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Picture
from matplotlib.ticker import FuncFormatter, NullFormatter

from tcpgoodput.figures.draw import theme
from tcpgoodput.figures.schema import Series
from tcpgoodput.style import Style

ROW_CM, HEAD_CM = 0.33, 2.2
WIDEST = 3.2
"""Ratio, and its inverse, at which markers are drawn that lie beyond."""

TICKS = (1 / 3, 0.5, 0.7, 1, 1.4, 2, 3)
SPREAD = 0.6
"""Part of a row over which its points are spread, so that intervals can be told apart."""


def draw(pairs: pd.DataFrame, style: Style) -> Picture:
    """Draw every pair's ratio with its interval; filled where the interval does not hold 1."""
    groups = list(pairs.groupby(["source", "figure", "engine", "series"], sort=False))
    picture = theme.new_picture(style, HEAD_CM + ROW_CM * len(groups))
    axes = picture.add_subplot()
    axes.axvline(1, color=theme.INK, linewidth=0.8)
    for row, ((_, _, engine, _), group) in enumerate(groups):
        look = style.look(Series(engine=engine))
        heights = row + SPREAD * (np.linspace(-0.5, 0.5, len(group) + 2)[1:-1])
        ratios = group["ratio"].clip(1 / WIDEST, WIDEST).to_numpy(float)
        ends = group[["ratio_low", "ratio_high"]].clip(1 / WIDEST, WIDEST).to_numpy(float)
        axes.hlines(heights, *ends.T, color=look.colour, linewidth=0.6)
        for agrees, face in ((True, "white"), (False, look.colour)):
            chosen = (group["agrees"] == agrees).to_numpy()
            axes.plot(
                ratios[chosen],
                heights[chosen],
                linestyle="",
                marker=style.marker(engine),
                markersize=2.6,
                markeredgewidth=0.6,
                color=look.colour,
                markerfacecolor=face,
            )
    axes.set_xscale("log")
    axes.set_xlim(0.95 / WIDEST, 1.05 * WIDEST)
    axes.set_xticks(TICKS)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.2g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_yticks(range(len(groups)), [name_of(*key) for key, _ in groups])
    axes.set_ylim(len(groups) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0, labelsize=6)
    axes.set_xlabel("Packet simulator's goodput over the referee's")
    axes.grid(visible=True, axis="x")
    axes.spines[["top", "right"]].set_visible(False)
    return picture


def name_of(source: str, figure: str, engine: str, series: str) -> str:
    """Return a row's name."""
    del engine  # the series' label names it
    number = figure.removeprefix("fig").lstrip("0")
    figure = f"Fig. {number}" if number.isdigit() else figure.replace("_", " ")
    return f"{source.replace('_', ' ')}, {figure}: {series}"
