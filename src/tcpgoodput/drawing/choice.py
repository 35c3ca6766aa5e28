"""Which model to use when: a chart from what happens to a connection to the nearest model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from tcpgoodput.comparison.table import Standing
from tcpgoodput.drawing import theme
from tcpgoodput.drawing.style import Style

ROW, HEAD, WIDTH = 1.35, 0.7, 16.0
ROOT, REGIME, ADVICE = 0.05, 2.35, 5.15
"""Left edges of the boxes, in centimetres."""
GAP = 0.45
NEUTRAL, NOBODY = "#F2F2F2", "#AAAAAA"
MOST_CHARACTERS = 38


def draw(
    standings: Sequence[Standing],
    regimes: Sequence[str],
    columns: Mapping[str, str],
    style: Style,
) -> Picture:
    """Draw a row for each regime: the models of the first rank, and how near they are.

    Args:
        standings: of every regime and variation.
        regimes: the rows.
        columns: the variations with their headings.
        style: names and colours.

    """
    height = HEAD + ROW * len(regimes)
    picture = theme.new_picture(style, height)
    axes = picture.add_subplot()
    axes.set(xlim=(0, WIDTH), ylim=(height, 0))
    axes.axis("off")
    middle = HEAD + ROW * len(regimes) / 2
    _box(axes, ROOT, middle, 1.8, "What happens\nto the\nconnection?", NEUTRAL)
    width = (WIDTH - ADVICE - GAP * (len(columns) - 1) - 0.1) / len(columns)
    for number, heading in enumerate(columns.values()):
        x = ADVICE + number * (width + GAP) + width / 2
        axes.text(x, 0.35, heading, ha="center", va="center", fontsize=7, style="italic")
    for row, name in enumerate(regimes):
        y = HEAD + ROW * (row + 0.5)
        _arrow(axes, (ROOT + 1.8, middle), (REGIME - 0.03, y))
        _box(axes, REGIME, y, 2.35, name, NEUTRAL)
        _arrow(axes, (REGIME + 2.4, y), (ADVICE - 0.03, y))
        for number, variation in enumerate(columns):
            own = [s for s in standings if (s.regime, s.variation) == (name, variation)]
            best = _best(own)
            colour = style.model(best[0].model).colour if best else NOBODY
            x = ADVICE + number * (width + GAP)
            _box(axes, x, y, width, _advice(best, style), "#FFFFFF", colour)
    return picture


def _best(standings: Sequence[Standing]) -> list[Standing]:
    """Return the models of the first rank, or the nearest where none is at home often enough."""
    first = [s for s in standings if s.rank == 1]
    return first or list(standings[:1])


def _advice(best: Sequence[Standing], style: Style) -> str:
    if not best:
        return "no model is at home: simulate"
    names = [style.model(s.model).label for s in best]
    fitting = next(n for n in (3, 2, 1) if n == 1 or len(", ".join(names[:n])) <= MOST_CHARACTERS)
    more = len(names) - fitting
    shown = ", ".join(names[:fitting]) + (f" and {more} more" if more > 0 else "")
    typical, worst = (max(100 * math.expm1(abs(e)) for e in es) for es in _errors(best))
    home, of = min(s.at_home for s in best), best[0].of
    rest = f"at home in {home} of {of}" + ("" if home == of else ", else simulate")
    return f"{shown}\n{typical:.2g} % off typically, {worst:.2g} % at worst\n{rest}"


def _errors(best: Sequence[Standing]) -> tuple[list[float], list[float]]:
    return [s.typical for s in best], [s.worst for s in best]


def _box(
    axes: Axes, x: float, y: float, width: float, text: str, face: str, edge: str = "#555555"
) -> None:
    shape = "round,pad=0,rounding_size=0.12"
    axes.add_patch(
        FancyBboxPatch(
            (x, y - 0.55),
            width,
            1.1,
            boxstyle=shape,
            facecolor=face,
            edgecolor=edge,
            linewidth=1.1,
        )
    )
    axes.text(x + width / 2, y, text, ha="center", va="center", fontsize=5.8, linespacing=1.4)


def _arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    axes.add_patch(
        FancyArrowPatch(
            start, end, arrowstyle="-|>", mutation_scale=6, color="#555555", linewidth=0.7
        )
    )
