"""Models by regime: how far off each is where it is at home, typically and at worst."""

from __future__ import annotations

import math
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture

from tcpgoodput.comparison.table import Standing
from tcpgoodput.drawing import theme
from tcpgoodput.drawing.style import Style

LOW, HIGH = 0.1, 200
"""Errors in per cent, from the left edge to the right one."""


def draw(standings: Sequence[Standing], style: Style) -> Picture:
    """Draw a panel for each regime: dots for typical errors, lines to the worst."""
    names = list(dict.fromkeys(s.regime for s in standings))
    groups = {name: [s for s in standings if s.regime == name] for name in names}
    rows = math.ceil(len(names) / 2)
    pairs = [names[2 * i : 2 * i + 2] for i in range(rows)]
    lines = [max(len(groups[n]) for n in pair) for pair in pairs]
    heights = [count + 2.4 for count in lines]
    picture = theme.new_picture(style, 0.36 * sum(heights) + 1.0)
    grid = picture.add_gridspec(rows, 2, height_ratios=heights)
    for position, name in enumerate(names):
        axes = picture.add_subplot(grid[position // 2, position % 2])
        _panel(axes, groups[name], lines[position // 2], style)
        axes.set_title(f"{name} ({groups[name][0].of})", fontsize=7.5, loc="left")
        if position >= len(names) - 2:
            axes.set_xlabel("Error where at home [%]")
    return picture


def _panel(axes: Axes, standings: Sequence[Standing], lines: int, style: Style) -> None:
    """Draw one regime, its lines as far apart as the longest neighbour's."""
    for row, standing in enumerate(standings):
        colour = "#999999" if standing.rank is None else style.model(standing.model).colour
        typical, worst = (_clipped(100 * math.expm1(abs(e))) for e in _errors(standing))
        axes.plot([typical, worst], [row, row], color=colour, linewidth=1, alpha=0.6)
        first = standing.rank == 1
        axes.plot(typical, row, "*" if first else "o", color=colour, markersize=7 if first else 4)
        axes.plot(worst, row, "|", color=colour, markersize=5)
    labels = [
        f"{'' if s.rank is None else f'{s.rank}. '}{style.model(s.model).label} ({s.at_home})"
        for s in standings
    ]
    axes.set_yticks(range(len(standings)), labels, fontsize=6)
    axes.set_ylim(lines - 0.4, -0.6)
    axes.set_xscale("log")
    axes.set_xlim(LOW, HIGH)
    axes.set_xticks([0.1, 1, 10, 100], ["0.1", "1", "10", "100"], fontsize=6)
    axes.tick_params(axis="y", length=0)


def _errors(standing: Standing) -> tuple[float, float]:
    return standing.typical, standing.worst


def _clipped(value: float) -> float:
    return min(max(value, LOW), HIGH)
