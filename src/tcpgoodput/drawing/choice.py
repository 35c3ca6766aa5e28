"""Which family to use when: a tree of measurable quantities, judged by the held-out scenarios."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from tcpgoodput.comparison.errors import per_cent, typical, worst
from tcpgoodput.comparison.tree import TREE, Candidate
from tcpgoodput.drawing import legends, theme
from tcpgoodput.drawing.matrix import shown
from tcpgoodput.drawing.style import Style

ROW, GAP, WIDTH = 1.3, 0.3, 16.0
"""Heights of a candidate and between regimes, and the picture's width, in centimetres."""
REGIME, CHECKS, ADVICE = 0.05, 2.55, 12.15
"""Left edges of the boxes."""
REGIME_WIDTH, CHECKS_WIDTH, ADVICE_WIDTH = 2.1, 8.9, 3.8
HALF = 0.49
"""Of a box's height."""
WORD, QUESTIONS = 15, 68
"""Characters in a line of a regime's name, and at most in a line of questions."""
FONT, SMALL_FONT = 6.2, 5.8
"""Sizes in points within boxes and beside arrows."""
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
            last = number + 1 == len(candidates)
            _no(axes, at, f"no: simulate ({len(lost)} held out)" if last else "no")
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
    lines = _lines([check.asks for check in candidate.checks])
    _box(axes, CHECKS, y, CHECKS_WIDTH, ",\n".join(lines), "white")
    _arrow(axes, (CHECKS + CHECKS_WIDTH, y), (ADVICE, y), "yes")
    look = style.model(candidate.family)
    told = f"{names.get(candidate.family, look.label)}\n{_outcome(errors)}"
    _box(axes, ADVICE, y, ADVICE_WIDTH, told, "white", look.colour)


def _lines(asked: Sequence[str]) -> list[str]:
    """Return questions side by side, in as many lines of about one length as they take."""
    lengths = [legends.shown_length(question) for question in asked]
    length = sum(lengths) / math.ceil(sum(lengths) / QUESTIONS)
    ends = np.cumsum(lengths) - np.array(lengths) / 2
    lines: dict[int, list[str]] = {}
    for question, middle in zip(asked, ends, strict=True):
        lines.setdefault(int(middle // length), []).append(question)
    return [",  ".join(line) for line in lines.values()]


def _outcome(errors: Sequence[float]) -> str:
    """Return how far off the advice was."""
    if not errors:
        return "none held out came here"
    if len(errors) == 1:
        return f"1 held out: {shown(errors[0])} % off"
    size = per_cent(typical(errors))
    return f"{len(errors)} held out: {size:.1f} % off, worst {shown(worst(errors))}"


def _simulate(axes: Axes, y: float, count: int) -> None:
    _arrow(axes, (REGIME + REGIME_WIDTH, y), (CHECKS, y))
    _box(axes, CHECKS, y, CHECKS_WIDTH, f"simulate ({count} held out)", "white", SIMULATE)


def _no(axes: Axes, y: float, words: str) -> None:
    """Draw the way down from a candidate, and what it leads to."""
    x = CHECKS + 0.6
    _arrow(axes, (x, y + HALF), (x, y + ROW - HALF))
    axes.text(x + 0.15, y + ROW / 2, words, va="center", fontsize=SMALL_FONT, style="italic")


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
    axes.text(x + width / 2, y, text, ha="center", va="center", fontsize=FONT, linespacing=1.3)


def _arrow(
    axes: Axes, start: tuple[float, float], end: tuple[float, float], word: str = ""
) -> None:
    look = {"arrowstyle": "-|>", "mutation_scale": 5, "color": EDGE, "linewidth": 0.7}
    axes.add_patch(FancyArrowPatch(start, end, shrinkA=0, shrinkB=0, **look))
    x, y = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2 - 0.1
    axes.text(x, y, word, ha="center", va="bottom", fontsize=SMALL_FONT, style="italic")
