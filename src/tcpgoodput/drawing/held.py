"""The held-out scenarios: each a dot for each family, in its domain above the others."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from matplotlib.figure import Figure as Picture

from tcpgoodput.comparison.answers import AT_HOME
from tcpgoodput.comparison.families import short_names
from tcpgoodput.drawing import dots, theme
from tcpgoodput.style import Style

LINE_CM, FOOT_CM = 1.05, 1.9


def draw(rows: pd.DataFrame, names: Mapping[str, str], style: Style) -> Picture:
    """Draw a line for each family that has a value somewhere.

    Args:
        rows: every family on every scenario that judges.
        names: the families' labels.
        style: sizes.

    """
    valued = rows.dropna(subset="log_error")
    own = valued.groupby("family")["status"]
    there = own.agg(lambda status: f"({status.isin(AT_HOME).sum()} of {len(status)})")
    lines = {family: f"{names[family]} {there[family]}" for family in names if family in there}
    picture = theme.new_picture(style, LINE_CM * len(lines) + FOOT_CM)
    axes = picture.add_subplot()
    dots.draw(axes, valued.assign(line=valued["family"]), lines, short_names(rows["scenario"]))
    for row in range(1, len(lines)):
        axes.axhline(row - 0.5, color="#E0E0E0", linewidth=0.5)
    axes.set_ylim(len(lines) - 0.5, -0.7)
    picture.legend(handles=dots.handles(), loc="outside lower center", ncols=2, frameon=False)
    return picture
