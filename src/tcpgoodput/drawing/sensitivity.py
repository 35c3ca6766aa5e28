"""Effect of the ACKs, the timeout or the buffer on goodput, simulated and predicted."""

from __future__ import annotations

import math
from collections.abc import Mapping
from textwrap import fill

import pandas as pd
from matplotlib.figure import Figure as Picture

from tcpgoodput.comparison.answers import IN_DOMAIN
from tcpgoodput.comparison.errors import per_cent
from tcpgoodput.drawing import dots, legends, theme
from tcpgoodput.style import Style

COLUMNS, PANEL_CM, FOOT_CM = 3, 5.6, 1.4
TICKS = (-100, -10, 0, 10, 100)
CHARACTERS = 28
"""Largest number of characters in a line of a panel's title."""
SIMULATED, PREDICTED = "Simulated change [%]", "Change in the model [%]"


def draw(
    changes: pd.DataFrame, labels: Mapping[str, str], names: Mapping[str, str], style: Style
) -> Picture:
    """Draw the change that families in domain predict against the simulated change.

    A point is a scenario and a family. On the diagonal, both changes are equal.

    Args:
        changes: a row for each scenario, variation and family; see `Tables.changes`.
        labels: labels of the variations, by `variation`.
        names: labels of the families, by `family`.
        style: style of pictures, which gives the width.

    """
    import seaborn as sns

    home = changes[changes["status"].isin(IN_DOMAIN)]
    home = home.dropna(subset=["model_change", "simulated_change"])
    predicted_percent, ends = home["model_change"].map(per_cent), home["half_width"].map(per_cent)
    simulated = home["simulated_change"].map(per_cent)
    points = pd.DataFrame(
        {
            "family": home["family"].map(names),
            "variation": home["variation"].map(labels),
            **{SIMULATED: simulated, PREDICTED: predicted_percent},
            **{"low": simulated - ends, "high": simulated + ends},
        }
    )
    shown = [label for label in labels.values() if (points["variation"] == label).any()]
    families = [name for name in names.values() if (points["family"] == name).any()]
    if not shown:
        return theme.message("no family is in domain on a variation", style)
    lines, columns = math.ceil(len(shown) / COLUMNS), min(COLUMNS, len(shown))
    picture = theme.new_picture(style, PANEL_CM * lines + FOOT_CM)
    panels = picture.subplots(lines, columns, sharex=True, sharey=True, squeeze=False).flat
    look = {"hue": "family", "hue_order": families, "style": "family", "style_order": families}
    for axes, label in zip(panels, shown, strict=False):
        own = points[points["variation"] == label]
        axes.hlines(own[PREDICTED], own["low"], own["high"], color=dots.GREY, linewidth=0.6)
        sns.scatterplot(own, x=SIMULATED, y=PREDICTED, ax=axes, s=22, alpha=0.8, **look)
        dots.prepare(axes, "xy", ticks=TICKS)
        axes.axline((0, 0), (1, 1), color=dots.GREY, linewidth=0.8, zorder=0)
        axes.set_title(fill(label, CHARACTERS), loc="left")
        handles = axes.get_legend_handles_labels()
        axes.get_legend().remove()
    for axes in panels:
        axes.remove()
    entries = dict(zip(handles[1], handles[0], strict=True))
    ncols = legends.columns(entries, style.palette.text_width_cm)
    picture.legend(*handles, loc="outside lower center", ncols=ncols, frameon=False)
    return picture
