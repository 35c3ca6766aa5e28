"""Families of models by regime: how far off each is in every scenario in which it is at home."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.figure import Figure as Picture

from tcpgoodput.comparison.answers import AT_HOME
from tcpgoodput.comparison.errors import per_cent
from tcpgoodput.comparison.families import short_names
from tcpgoodput.comparison.table import Standing
from tcpgoodput.drawing import dots, theme
from tcpgoodput.style import Style

LINE_CM, FOOT_CM = 0.6, 1.8


def draw(
    standings: Sequence[Standing],
    rows: pd.DataFrame,
    regime_of: Mapping[str, str],
    names: Mapping[str, str],
    style: Style,
) -> Picture:
    """Draw a line of dots for each family in each regime, by its rank, and its typical size.

    Args:
        standings: of every regime and variation.
        rows: every family on the scenarios as they are.
        regime_of: the regime of each scenario.
        names: the families' labels.
        style: sizes.

    """
    plain = [standing for standing in standings if not standing.variation]
    home = rows[rows["status"].isin(AT_HOME)]
    home = home.assign(regime=home["scenario"].map(regime_of))
    short, told, headings = short_names(rows["scenario"]), [], []
    lines = [s for name in _regimes(plain) for s in (name, *(p for p in plain if p.regime == name))]
    picture = theme.new_picture(style, LINE_CM * len(lines) + FOOT_CM)
    axes = picture.add_subplot()
    dots.prepare(axes)
    for row, line in enumerate(lines):
        if isinstance(line, str):
            headings.append(row)
            told.append(f"{line.capitalize()} ({_scenarios(plain, line)})")
            axes.axhline(row - 0.5, color="#BBBBBB", linewidth=0.5)
            continue
        own = home[(home["family"] == line.family) & (home["regime"] == line.regime)]
        dots.draw(axes, row, own, short)
        size = f"{per_cent(line.typical):.2g} %"
        axes.text(1.01, row, size, transform=axes.get_yaxis_transform(), va="center", fontsize=6.5)
        rank = "" if line.rank is None else f"{line.rank}. "
        told.append(f"{rank}{names[line.family]} ({line.at_home})")
    axes.set_yticks(range(len(lines)), told, fontsize=6.5)
    for row in headings:
        axes.get_yticklabels()[row].set(weight="bold", fontsize=7)
    axes.set_ylim(len(lines) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("Error, 100 ln(model / simulated) [%]", fontsize=7)
    legend = {"loc": "outside lower center", "ncols": 4, "frameon": False, "fontsize": 6.5}
    picture.legend(handles=dots.handles()[:-1], **legend)
    return picture


def _regimes(standings: Sequence[Standing]) -> list[str]:
    return list(dict.fromkeys(standing.regime for standing in standings))


def _scenarios(standings: Sequence[Standing], regime: str) -> int:
    return next(standing.of for standing in standings if standing.regime == regime)
