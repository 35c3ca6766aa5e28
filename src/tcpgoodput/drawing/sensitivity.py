"""What a change of the ACKs, the timeout or the buffer does to goodput, and what families say."""

from __future__ import annotations

import math
from collections.abc import Mapping
from textwrap import fill

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture
from matplotlib.patches import Rectangle

from tcpgoodput.comparison.answers import AT_HOME
from tcpgoodput.comparison.families import regimes, short_names
from tcpgoodput.drawing import sizes, theme
from tcpgoodput.drawing.matrix import shown
from tcpgoodput.style import Style

ROW_CM, HEAD_CM, FOOT_CM = 0.26, 2.2, 0.9
WIDE = 2.2
"""Width of the simulation's column, in those of the families."""
UNTOLD = "#9A9A9A"
TITLES = 80
"""Characters of labels that stand side by side: each block has its part of them."""


def draw(
    changes: pd.DataFrame,
    labels: Mapping[str, str],
    regime_of: Mapping[str, str],
    names: Mapping[str, str],
    style: Style,
) -> Picture:
    """Draw a block of columns for each variation: the simulated change, then the families'.

    Args:
        changes: what each variation changes, simulated and by each family.
        labels: the variations' headings.
        regime_of: the regime of each scenario.
        names: the families' labels.
        style: sizes.

    """
    told = changes[changes["status"].isin(AT_HOME)].dropna(subset="model_change")
    families = [family for family in names if (told["family"] == family).any()]
    there = list(changes["scenario"].unique())
    groups = {name: [s for s in there if regime_of[s] == name] for name in regimes()}
    lines = [line for name, own in groups.items() if own for line in (name, *own)]
    shown_labels = {n: label for n, label in labels.items() if (changes["variation"] == n).any()}
    picture = theme.new_picture(style, HEAD_CM + FOOT_CM + ROW_CM * len(lines))
    panels = picture.subplots(1, len(shown_labels), sharey=True, squeeze=False)[0]
    for axes, (name, label) in zip(panels, shown_labels.items(), strict=True):
        own = changes[changes["variation"] == name]
        _simulated(axes, own.drop_duplicates("scenario"), lines)
        for entry in told[told["variation"] == name].itertuples():
            place = (WIDE + families.index(entry.family), lines.index(entry.scenario))
            _box(axes, place, 1.0, float(entry.model_change))
        middles = [WIDE / 2, *(WIDE + column + 0.5 for column in range(len(families)))]
        headings = ["simulated", *(names[family] for family in families)]
        axes.xaxis.tick_top()
        axes.set_xticks(middles, headings, rotation=90, fontsize=5.5)
        axes.set_xlim(0, WIDE + len(families))
        axes.set_title(fill(label, TITLES // len(shown_labels)), fontsize=6.5, loc="left")
        axes.grid(visible=False)
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0, pad=1)
    short = short_names(there)
    words = [short.get(line, line.capitalize()) for line in lines]
    panels[0].set_yticks([row + 0.5 for row in range(len(lines))], words, fontsize=5.5)
    panels[0].set_ylim(len(lines), 0)
    for text, line in zip(panels[0].get_yticklabels(), lines, strict=True):
        if line not in short:
            text.set(weight="bold", fontsize=5.5)
    legend = {"loc": "outside lower center", "ncols": 7, "frameon": False, "fontsize": 5.5}
    picture.legend(handles=sizes.signed_handles(), **legend)
    return picture


def _simulated(axes: Axes, own: pd.DataFrame, lines: list[str]) -> None:
    """Draw the simulated changes with their numbers, grey where they are within the intervals."""
    for entry in own.dropna(subset="simulated_change").itertuples():
        change, y = float(entry.simulated_change), lines.index(entry.scenario)
        _box(axes, (0, y), WIDE, change)
        untold = abs(change) <= entry.half_width or math.isnan(entry.half_width)
        ink = UNTOLD if untold else sizes.SIGNED_INKS[sizes.signed_bin_of(change)]
        look = {"ha": "center", "va": "center", "fontsize": 5, "in_layout": False}
        axes.text(WIDE / 2, y + 0.53, shown(change), color=ink, **look)


def _box(axes: Axes, corner: tuple[float, float], width: float, change: float) -> None:
    face = sizes.SIGNED[sizes.signed_bin_of(change)]
    place = ((corner[0] + 0.06, corner[1] + 0.08), width - 0.12, 0.84)
    axes.add_patch(Rectangle(*place, facecolor=face, edgecolor="#CCCCCC", linewidth=0.3))
