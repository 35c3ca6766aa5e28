"""Scenarios as dots along an axis of signed errors, with their names where they do not touch."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from tcpgoodput.comparison.answers import AT_HOME
from tcpgoodput.comparison.errors import BOUNDS, per_cent
from tcpgoodput.drawing import sizes

LINEAR, WIDEST = 5.0, 250.0
"""Errors in per cent up to which the axis is linear, and at its ends."""
TICKS = (-100, -25, -10, -5, 0, 5, 10, 25, 100)
CHARACTER = 0.05
"""Width of a name's character, in units of the axis; see `_place`."""
MOST_NAMES = 4
NAME_PT = 5.5
EDGE = "#444444"


def prepare(axes: Axes) -> None:
    """Make the axis of errors: linear about zero, logarithmic beyond."""
    axes.set_xscale("symlog", linthresh=LINEAR)
    axes.set_xlim(-WIDEST, WIDEST)
    axes.set_xticks(TICKS, [f"{tick:+g}".replace("-", "−") if tick else "0" for tick in TICKS])
    axes.minorticks_off()
    axes.tick_params(axis="x", labelsize=6.5)
    axes.grid(visible=False)
    for bound in (0.0, *BOUNDS):
        for side in (-1, 1):
            axes.axvline(side * per_cent(bound), color="#E0E0E0", linewidth=0.5, zorder=0)


def draw(axes: Axes, row: float, entries: pd.DataFrame, short: Mapping[str, str]) -> None:
    """Draw a line of dots: filled where at home, hollow where not."""
    named: list[tuple[float, str]] = []
    for entry in entries.dropna(subset="log_error").itertuples():
        error = float(entry.log_error)
        x = max(-WIDEST, min(WIDEST, per_cent(error)))
        home = entry.status in AT_HOME
        face = sizes.COLOURS[sizes.bin_of(error)] if home else "white"
        edge, size = (EDGE, 4.2) if home else ("#AAAAAA", 3.2)
        place = {"markersize": size, "markeredgewidth": 0.6, "zorder": 4 if home else 3}
        axes.plot(x, row, "o", color=face, markeredgecolor=edge, clip_on=False, **place)
        if home:
            named.append((x, short[str(entry.scenario)]))
    for x, text in _joined(sorted(named)):
        offset = {"textcoords": "offset points", "xytext": (0, 3.2), "in_layout": False}
        axes.annotate(text, (x, row), ha="center", va="bottom", fontsize=NAME_PT, **offset)


def _joined(named: list[tuple[float, str]]) -> list[tuple[float, str]]:
    """Return names with their places, those that would touch in one text."""
    groups = [[dot] for dot in named]
    for _ in named:
        apart: list[list[tuple[float, str]]] = []
        for group in groups:
            if apart and _ends(group)[0] < _ends(apart[-1])[1]:
                apart[-1] += group
            else:
                apart.append(group)
        groups = apart
    return [(_middle(group), _text(group)) for group in groups]


def _text(group: list[tuple[float, str]]) -> str:
    names = [name for _, name in group[:MOST_NAMES]]
    more = f" +{len(group) - MOST_NAMES}" if len(group) > MOST_NAMES else ""
    return ", ".join(names) + more


def _middle(group: list[tuple[float, str]]) -> float:
    return sum(x for x, _ in group) / len(group)


def _ends(group: list[tuple[float, str]]) -> tuple[float, float]:
    """Return where a group's text begins and ends on the axis."""
    place, half = _place(_middle(group)), CHARACTER * (len(_text(group)) + 1) / 2
    return place - half, place + half


def _place(x: float) -> float:
    """Return a place on the axis: a unit for its linear half, and for each decade beyond."""
    size = abs(x)
    beyond = math.log10(size / LINEAR) if size > LINEAR else 0.0
    return math.copysign(min(size, LINEAR) / LINEAR + beyond, x)


def handles() -> list[Line2D]:
    """Return the legend of the dots."""
    look = {"marker": "o", "linestyle": "", "markeredgewidth": 0.6}
    bins = [
        Line2D([], [], color=colour, markeredgecolor=EDGE, markersize=4.2, label=word, **look)
        for colour, word in zip(sizes.COLOURS, sizes.words(), strict=True)
    ]
    away = {"color": "white", "markeredgecolor": "#AAAAAA", "markersize": 3.2}
    return [*bins, Line2D([], [], label="outside its domain", **away, **look)]
