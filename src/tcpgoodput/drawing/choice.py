"""Which family to use when: a tree of measurable quantities, judged by the held-out scenarios."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from tcpgoodput.comparison.errors import per_cent, typical, worst
from tcpgoodput.comparison.tree import TREE, Candidate
from tcpgoodput.drawing import theme
from tcpgoodput.drawing.matrix import shown
from tcpgoodput.drawing.style import Style

ROW, GAP, WIDTH = 0.98, 0.2, 16.0
"""Heights of a candidate and between regimes, and the picture's width, in centimetres."""
REGIME, CHECKS, ADVICE = 0.05, 2.55, 12.35
"""Left edges of the boxes."""
REGIME_WIDTH, CHECKS_WIDTH, ADVICE_WIDTH = 2.1, 9.0, 3.55
HALF = 0.41
"""Of a box's height."""
WORD, MOST_ASKED = 16, 4
"""Characters in a line of a regime's name, questions in a line of a candidate's."""
NEUTRAL, EDGE, SIMULATE = "#F2F2F2", "#555555", "#AAAAAA"


def draw(
    walks: Mapping[str, Mapping[str, Any]],
    rows: pd.DataFrame,
    names: Mapping[str, str],
    style: Style,
) -> Picture:
    """Draw a row for each candidate; on its right who is advised, and how far off it was.

    Args:
        walks: the way of each judging scenario; see `comparison.tree`.
        rows: every family on every scenario that judges.
        names: the families' labels.
        style: names and colours.

    """
    errors = rows.set_index(["scenario", "family"])["log_error"]
    advised = {name: way["family"] for name, way in walks.items()}
    height = sum(ROW * max(1, len(own)) + GAP for own in TREE.values()) + 0.2
    picture = theme.new_picture(style, height)
    axes = picture.add_subplot()
    axes.set(xlim=(0, WIDTH), ylim=(height, 0))
    axes.axis("off")
    y = GAP
    for regime, candidates in TREE.items():
        here = [name for name, way in walks.items() if way["regime"] == regime]
        lost = [name for name in here if advised[name] is None]
        middle = y + ROW * max(1, len(candidates)) / 2
        _box(
            axes,
            REGIME,
            middle,
            REGIME_WIDTH,
            f"{fill(regime, WORD)}\n{len(here)} held out",
            NEUTRAL,
        )
        if not candidates:
            _simulate(axes, middle, len(lost))
        for number, candidate in enumerate(candidates):
            at = y + ROW * (number + 0.5)
            came = [name for name in here if advised[name] == candidate.family]
            _candidate(
                axes, at, candidate, [errors[n, candidate.family] for n in came], names, style
            )
            if number == 0:
                _arrow(axes, (REGIME + REGIME_WIDTH, middle), (CHECKS, at))
            if number + 1 < len(candidates):
                _no(axes, at)
            else:
                words = f"no: simulate ({len(lost)} held out)"
                place = {"ha": "right", "va": "center", "fontsize": 5, "style": "italic"}
                axes.text(CHECKS + CHECKS_WIDTH, at + ROW / 2 + 0.02, words, **place)
        y += ROW * max(1, len(candidates)) + GAP
    return picture


def _candidate(
    axes: Axes,
    y: float,
    candidate: Candidate,
    errors: Sequence[float],
    names: Mapping[str, str],
    style: Style,
) -> None:
    """Draw a candidate's questions and its name."""
    asked = [check.asks for check in candidate.checks]
    count = math.ceil(len(asked) / MOST_ASKED)
    each = math.ceil(len(asked) / count)
    lines = [",  ".join(asked[start : start + each]) for start in range(0, len(asked), each)]
    _box(axes, CHECKS, y, CHECKS_WIDTH, ",\n".join(lines), "white")
    _arrow(axes, (CHECKS + CHECKS_WIDTH, y), (ADVICE, y), "yes")
    look = style.model(candidate.family)
    told = f"{names.get(candidate.family, look.label)}\n{_outcome(errors)}"
    _box(axes, ADVICE, y, ADVICE_WIDTH, told, "white", look.colour)


def _outcome(errors: Sequence[float]) -> str:
    """Return how far off the advice was."""
    if not errors:
        return "no scenario held out came here"
    if len(errors) == 1:
        return f"1 held out: {shown(errors[0])} % off"
    size = per_cent(typical(errors))
    return f"{len(errors)} held out: {size:.1f} % off, worst {shown(worst(errors))}"


def _simulate(axes: Axes, y: float, count: int) -> None:
    _arrow(axes, (REGIME + REGIME_WIDTH, y), (CHECKS, y))
    _box(axes, CHECKS, y, CHECKS_WIDTH, f"simulate ({count} held out)", "white", SIMULATE)


def _no(axes: Axes, y: float) -> None:
    x = CHECKS + 0.6
    _arrow(axes, (x, y + HALF), (x, y + ROW - HALF))
    axes.text(x + 0.12, y + ROW / 2, "no", va="center", fontsize=5, style="italic")


def _box(
    axes: Axes, x: float, y: float, width: float, text: str, face: str, edge: str = EDGE
) -> None:
    shape = FancyBboxPatch(
        (x, y - HALF),
        width,
        2 * HALF,
        boxstyle="round,pad=0,rounding_size=0.1",
        facecolor=face,
        edgecolor=edge,
        linewidth=1.0,
    )
    axes.add_patch(shape)
    axes.text(x + width / 2, y, text, ha="center", va="center", fontsize=5.4, linespacing=1.35)


def _arrow(
    axes: Axes, start: tuple[float, float], end: tuple[float, float], word: str = ""
) -> None:
    look = {"arrowstyle": "-|>", "mutation_scale": 5, "color": EDGE, "linewidth": 0.7}
    axes.add_patch(FancyArrowPatch(start, end, shrinkA=0, shrinkB=0, **look))
    x, y = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2 - 0.1
    axes.text(x, y, word, ha="center", va="bottom", fontsize=5, style="italic")
