"""What a change of the timeout, of the ACKs or of the buffer does to goodput."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Picture
from matplotlib.lines import Line2D

from tcpgoodput.comparison.answers import AT_HOME
from tcpgoodput.drawing import theme
from tcpgoodput.drawing.style import Style


def draw(changes: pd.DataFrame, labels: Mapping[str, str], style: Style) -> Picture:
    """Draw a panel for each variation: measured changes as markers, models as dashes."""
    shown = {n: label for n, label in labels.items() if (changes["variation"] == n).any()}
    picture = theme.new_picture(style, 4.6 * len(shown) + 2.6)
    panels = picture.subplots(len(shown), 1, sharex=True, squeeze=False)[:, 0]
    scenarios = list(changes["scenario"].unique())
    engine = style.palette.engines["packet"]
    seen: dict[str, str] = {}
    for axes, (name, label) in zip(panels, shown.items(), strict=True):
        own = changes[changes["variation"] == name]
        for model, part in own[own["status"].isin(AT_HOME)].groupby("model", sort=False):
            look = style.model(str(model))
            x = [scenarios.index(s) for s in part["scenario"]]
            y = [_per_cent(c) for c in part["model_change"]]
            axes.plot(x, y, "_", color=look.colour, markersize=9, markeredgewidth=1.2)
            seen.setdefault(look.label, look.colour)
        measured = own.drop_duplicates("scenario").dropna(subset="simulated_change")
        x = [scenarios.index(s) for s in measured["scenario"]]
        y = np.array([_per_cent(c) for c in measured["simulated_change"]])
        spread = 100 * measured["half_width"].to_numpy(float)
        axes.errorbar(
            x,
            y,
            spread,
            fmt=engine.marker or "o",
            color=engine.colour,
            markersize=3.2,
            elinewidth=0.7,
        )
        axes.axhline(0, color="#777777", linewidth=0.7)
        axes.set_title(label, loc="left", fontsize=7.5)
        axes.set_ylabel("Change of goodput [%]")
    panels[-1].set_xticks(range(len(scenarios)), scenarios, rotation=60, fontsize=5.5)
    for label in panels[-1].get_xticklabels():
        label.set_horizontalalignment("right")
        label.set_rotation_mode("anchor")
    handles = [Line2D([], [], marker="_", ls="", color=c, label=n) for n, c in seen.items()]
    handles.append(
        Line2D([], [], marker=engine.marker, ls="", color=engine.colour, label=engine.label)
    )
    picture.legend(
        handles=handles, loc="outside lower center", ncols=4, frameon=False, fontsize=5.5
    )
    return picture


def _per_cent(change: float) -> float:
    return math.nan if math.isnan(change) else 100 * math.expm1(change)
