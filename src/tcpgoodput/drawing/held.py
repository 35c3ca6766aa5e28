"""The held-out scenarios: every one a dot for each family, filled where it is at home."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from matplotlib.figure import Figure as Picture

from tcpgoodput.comparison.answers import AT_HOME
from tcpgoodput.comparison.families import short_names
from tcpgoodput.drawing import dots, theme
from tcpgoodput.style import Style

LINE_CM, FOOT_CM = 0.95, 1.8
APART = 0.16
"""Of a line's height, by which what is at home stands above what is not."""


def draw(rows: pd.DataFrame, names: Mapping[str, str], style: Style) -> Picture:
    """Draw a line for each family that has a value somewhere.

    Args:
        rows: every family on every scenario that judges.
        names: the families' labels.
        style: sizes.

    """
    valued = rows.dropna(subset="log_error")
    families = [family for family in names if (valued["family"] == family).any()]
    picture = theme.new_picture(style, LINE_CM * len(families) + FOOT_CM)
    axes = picture.add_subplot()
    dots.prepare(axes)
    short, told = short_names(rows["scenario"]), []
    for row, family in enumerate(families):
        own = valued[valued["family"] == family]
        home = own["status"].isin(AT_HOME)
        dots.draw(axes, row + APART, own[~home], short)
        dots.draw(axes, row - APART, own[home], short)
        axes.axhline(row + 0.5, color="#E0E0E0", linewidth=0.5)
        told.append(f"{names[family]} ({home.sum()} of {len(own)})")
    axes.set_yticks(range(len(families)), told, fontsize=7)
    axes.set_ylim(len(families) - 0.5, -0.7)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("Error, 100 ln(model / simulated) [%]", fontsize=7)
    legend = {"loc": "outside lower center", "ncols": 5, "frameon": False, "fontsize": 6.5}
    picture.legend(handles=dots.handles(), **legend)
    return picture
