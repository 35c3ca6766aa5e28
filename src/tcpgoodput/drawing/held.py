"""Picture of the errors of every family on held-out connections, in domain and out of domain."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from matplotlib.figure import Figure as Picture

from tcpgoodput.comparison.answers import IN_DOMAIN
from tcpgoodput.comparison.errors import BOUNDS, per_cent
from tcpgoodput.drawing import theme
from tcpgoodput.drawing.dots import BLUE, GREY, INSIDE, LABEL, OUT_OF_DOMAIN
from tcpgoodput.style import Style

LINE_CM, FOOT_CM = 0.85, 1.9

LARGEST = 150.0
"""Largest error shown, in per cent; larger ones are drawn at the edge of the picture."""


def draw(rows: pd.DataFrame, names: Mapping[str, str], style: Style) -> Picture:
    """Draw the errors of each family in a line: all points, the median, and the central 80 %.

    Args:
        rows: a row for each family and connection, with `family`, `status` and `log_error`.
        names: labels of the families, by `family`.
        style: style of pictures, which gives the width.

    """
    import seaborn as sns

    valued = rows.dropna(subset="log_error")
    home = valued["status"].isin(IN_DOMAIN)
    table = pd.DataFrame(
        {
            "family": valued["family"].map(names),
            "error": per_cent(valued["log_error"].astype(float)).clip(-LARGEST, LARGEST),
            "place": home.map({True: INSIDE, False: OUT_OF_DOMAIN}),
        }
    )
    counted = table[home]["family"].value_counts()
    order = [name for name in names.values() if (table["family"] == name).any()]
    picture = theme.new_picture(style, LINE_CM * len(order) + FOOT_CM)
    axes = picture.add_subplot()
    shared = {
        "data": table,
        "x": "error",
        "y": "family",
        "order": order,
        "hue": "place",
        "hue_order": [INSIDE, OUT_OF_DOMAIN],
        "palette": {INSIDE: BLUE, OUT_OF_DOMAIN: GREY},
        "dodge": True,
        "ax": axes,
    }
    sns.stripplot(**shared, size=2.2, alpha=0.45, jitter=False, legend=False)
    middle = {"estimator": "median", "errorbar": ("pi", 80), "linestyle": "none", "capsize": 0.25}
    sns.pointplot(**{**shared, "dodge": 0.4}, **middle, marker="D", markersize=4, linewidth=1.4)
    for bound in BOUNDS:
        for sign in (-1, 1):
            axes.axvline(sign * per_cent(bound), color="#DDDDDD", linewidth=0.6, zorder=0)
    axes.axvline(0, color="#808080", linewidth=0.8, zorder=0)
    axes.set_yticks(range(len(order)), [f"{name} ({counted.get(name, 0)})" for name in order])
    axes.set_ylabel("")
    axes.set_xlabel(LABEL)
    shown = {"loc": "lower center", "bbox_to_anchor": (0.4, 1.0), "ncols": 2, "frameon": False}
    sns.move_legend(axes, **shown, title=None)
    return picture
