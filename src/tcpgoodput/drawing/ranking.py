"""Picture of the errors of model families by regime, on all scenarios of their domains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.figure import Figure as Picture

from tcpgoodput.comparison.answers import IN_DOMAIN
from tcpgoodput.comparison.errors import per_cent
from tcpgoodput.comparison.families import short_names
from tcpgoodput.comparison.table import FamilyRank
from tcpgoodput.drawing import dots, theme
from tcpgoodput.style import Style

LINE_CM, FOOT_CM = 0.66, 1.2


def draw(
    standings: Sequence[FamilyRank],
    rows: pd.DataFrame,
    regime_of: Mapping[str, str],
    names: Mapping[str, str],
    style: Style,
) -> Picture:
    """Draw the errors of each family in each regime as a line of dots, with rank and median size.

    Args:
        standings: errors and ranks of the families; those on variations are left out.
        rows: a row for each family and unchanged scenario; see `Tables.rows_of`.
        regime_of: the regime of each scenario, by id.
        names: labels of the families, by `family`.
        style: style of pictures, which gives the width.

    """
    plain = [standing for standing in standings if not standing.variation]
    sizes: dict[str, str] = {}
    lines: dict[str, str] = {}
    for one in plain:
        lines.setdefault(one.regime, f"{one.regime.capitalize()} ({one.of})")
        rank = "" if one.rank is None else f"{one.rank}. "
        lines[_line(one.regime, one.family)] = f"{rank}{names[one.family]} ({one.in_domain})"
        sizes[_line(one.regime, one.family)] = f"{per_cent(one.typical):.2g} %"
    home = rows[rows["status"].isin(IN_DOMAIN)].dropna(subset="log_error")
    home = home.assign(line=_line(home["scenario"].map(regime_of), home["family"]))
    picture = theme.new_picture(style, LINE_CM * len(lines) + FOOT_CM)
    axes = picture.add_subplot()
    dots.draw(axes, home, lines, short_names(rows["scenario"]))
    for row, (line, text) in enumerate(zip(lines, axes.get_yticklabels(), strict=True)):
        if line in sizes:
            place = {"transform": axes.get_yaxis_transform(), "va": "center"}
            axes.text(1.01, row, sizes[line], **place)
        else:
            text.set_weight("bold")
            axes.axhline(row - 0.5, color="#BBBBBB", linewidth=0.5)
    axes.set_ylim(len(lines) - 0.4, -0.6)
    return picture


def _line(regime: Any, family: Any) -> Any:
    """Return the name of a line of dots; both arguments are texts, or columns of texts."""
    return regime + ": " + family
