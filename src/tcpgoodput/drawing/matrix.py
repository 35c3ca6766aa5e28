"""The matrix of errors: scenarios by regime down, families across, colour for the size."""

from __future__ import annotations

import math
from collections.abc import Mapping
from textwrap import fill

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture
from matplotlib.patches import Patch, Rectangle

from tcpgoodput.comparison.answers import AT_HOME
from tcpgoodput.comparison.errors import per_cent
from tcpgoodput.comparison.families import regimes, short_names
from tcpgoodput.drawing import sizes, theme
from tcpgoodput.style import Style

ROW_CM, HEAD_CM, FOOT_CM = 0.43, 2.1, 1.25
WIDTH, GAP, HEIGHT = 0.7, 0.04, 0.84
"""Of a cell, beside which its twins share what is left of the column."""
TWIN_HEIGHT = 0.5
AWAY, NOTHING = "#8A8A8A", "#B0B0B0"
MOST_SHOWN = 999
"""Errors in per cent beyond which the number is a power of ten."""
NUMBER_PT, FEW = (6.3, 5.0), 3
"""Sizes of numbers of few characters, and of more."""
CHARACTERS = 76
"""In a line of a title."""
NOTE_COLUMNS = 110
"""Characters in a line of the note on narrow boxes."""


def draw(
    rows: pd.DataFrame,
    again: Mapping[str, pd.DataFrame],
    regime_of: Mapping[str, str],
    titles: Mapping[str, str],
    names: Mapping[str, str],
    style: Style,
) -> Picture:
    """Draw the errors in per cent; filled where a family is at home, hollow where it is not.

    Args:
        rows: every family on every scenario.
        again: by its heading, every family on a variation of them, under the same names.
        regime_of: the regime of each scenario.
        titles: what each scenario is, in words.
        names: the families' labels.
        style: sizes.

    """
    valued = rows.dropna(subset="log_error")["family"].unique()
    families = [family for family in names if family in valued]
    lines = _lines(list(rows["scenario"].unique()), regime_of)
    picture = theme.new_picture(style, HEAD_CM + FOOT_CM + ROW_CM * len(lines))
    axes = picture.add_subplot()
    axes.grid(visible=False)
    axes.set(xlim=(0, len(families)), ylim=(len(lines), 0))
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    places = {(line, f): (x, y) for y, line in enumerate(lines) for x, f in enumerate(families)}
    for entry in rows[rows["family"].isin(families)].itertuples():
        _cell(axes, places[entry.scenario, entry.family], float(entry.log_error), entry.status)
    for number, twin in enumerate(again.values()):
        width = (1 - WIDTH - 3 * GAP) / len(again)
        for entry in twin[twin["family"].isin(families)].dropna(subset="log_error").itertuples():
            x, y = places[entry.scenario, entry.family]
            corner = (x + 2 * GAP + WIDTH + number * width, y + (1 - TWIN_HEIGHT) / 2)
            _box(axes, corner, width, TWIN_HEIGHT, float(entry.log_error), entry.status)
    _headings(axes, lines, families, titles, names)
    handles: list[Patch] = [*sizes.handles(), sizes.hollow(AWAY)]
    narrow = f"Narrow boxes: {', then '.join(again)}." if again else ""
    legend = picture.legend(
        handles=handles,
        loc="outside lower center",
        ncols=5,
        frameon=False,
        fontsize=6,
        title=fill(narrow, NOTE_COLUMNS) or None,
    )
    legend.get_title().set(fontsize=6, multialignment="center")
    return picture


def _lines(scenarios: list[str], regime_of: Mapping[str, str]) -> list[str]:
    """Return what stands in each line: a regime, then its scenarios."""
    groups = {name: [s for s in scenarios if regime_of[s] == name] for name in regimes()}
    return [line for name, own in groups.items() if own for line in (name, *own)]


def _headings(
    axes: Axes,
    lines: list[str],
    families: list[str],
    titles: Mapping[str, str],
    names: Mapping[str, str],
) -> None:
    """Name the columns above, and the lines beside them."""
    axes.xaxis.tick_top()
    across = [column + 0.5 for column in range(len(families))]
    axes.set_xticks(across, [names[f] for f in families], rotation=35, ha="left", fontsize=7)
    for label in axes.get_xticklabels():
        label.set_rotation_mode("anchor")
    short = short_names(line for line in lines if line in titles)
    told = [
        fill(f"{short[line]}  {titles[line]}", CHARACTERS) if line in short else line.capitalize()
        for line in lines
    ]
    axes.set_yticks([row + 0.5 for row in range(len(lines))], told, fontsize=5.6, linespacing=0.92)
    for label, line in zip(axes.get_yticklabels(), lines, strict=True):
        if line not in short:
            label.set(weight="bold", fontsize=7)


def _cell(axes: Axes, place: tuple[int, int], error: float, status: str) -> None:
    x, y = place
    text = {"ha": "center", "va": "center", "in_layout": False}
    if math.isnan(error):
        axes.text(x + GAP + WIDTH / 2, y + 0.5, "·", fontsize=6, color=NOTHING, **text)
        return
    _box(axes, (x + GAP, y + (1 - HEIGHT) / 2), WIDTH, HEIGHT, error, status)
    weight = "bold" if status == "native" else "normal"
    ink = sizes.INKS[sizes.bin_of(error)] if status in AT_HOME else AWAY
    told = shown(error)
    look = {"fontsize": NUMBER_PT[len(told) > FEW], "weight": weight, "color": ink}
    axes.text(x + GAP + WIDTH / 2, y + 0.53, told, **look, **text)


def _box(
    axes: Axes, corner: tuple[float, float], width: float, height: float, error: float, status: str
) -> None:
    """Draw a box in the colour of its error, hollow where the family is not at home."""
    home = status in AT_HOME
    face, edge = (sizes.COLOURS[sizes.bin_of(error)], "none") if home else ("white", NOTHING)
    axes.add_patch(Rectangle(corner, width, height, facecolor=face, edgecolor=edge, linewidth=0.5))


def shown(error: float) -> str:
    """Return an error as a rounded percentage with its sign."""
    value = per_cent(error)
    if abs(value) > MOST_SHOWN:
        return f"{value:+.0e}".replace("e+0", "e").replace("-", "−")
    return f"{value:+.0f}".replace("-", "−") if round(value) else "0"
