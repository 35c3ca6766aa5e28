"""`tcpgoodput.plot`: pictures of sweeps."""

from __future__ import annotations

import math

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import EngFormatter

from tcpgoodput.comparison.answers import IN_DOMAIN
from tcpgoodput.drawing.theme import LINES, plain_log_ticks
from tcpgoodput.project.settings import style_at_hand
from tcpgoodput.style import Style


def plot(rows: pd.DataFrame) -> Axes:
    """Draw the rows of a sweep: models as lines, measurements as markers with their intervals.

    Args:
        rows: the rows of one panel, as `sweep` returns them. A sweep of several keys has several
            panels; draw each one by `plot(rows[rows["panel"] == panel])`.

    Returns:
        The axes, labelled with the swept key and the quantity, both with their units. An axis is
        logarithmic if its values are positive and further apart the larger they are. If the rows
        have lost the `attrs` of the sweep, for example in a CSV file, the labels are "swept key"
        and "value".

    Raises:
        ValueError: the rows have several panels, or do not come from a sweep.

    Example:
        >>> import tcpgoodput
        >>> link = "config/scenarios/s02-independent-1e-2.yaml"
        >>> swept = {"loss.probability": [0.01, 0.04]}
        >>> rows = tcpgoodput.sweep(link, swept, models=["mathis", "pftk"], simulate=False)
        >>> axes = tcpgoodput.plot(rows)
        >>> [line.get_label() for line in axes.get_lines() if line.get_label()[0] != "_"]
        ['Mathis', 'PFTK goodput']
        >>> axes.get_xlabel(), axes.get_ylabel()
        ('loss.probability', 'goodput [bit/s]')

    """
    if missing := [name for name in ("series", "origin", "panel", "x", "y") if name not in rows]:
        raise ValueError(f"these are no rows of a sweep: they lack {', '.join(missing)}")
    panels = list(rows["panel"].unique())
    if len(panels) != 1:
        example = 'plot(rows[rows["panel"] == panel])'
        raise ValueError(f"rows of {len(panels)} panels; draw one at a time: {example}")
    _, axes = plt.subplots()
    draw_sweep(axes, rows)
    x_unit, y_unit = rows["x_unit"].iloc[0], rows["y_unit"].iloc[0]
    key, quantity = rows.attrs.get("key", "swept key"), rows.attrs.get("quantity", "value")
    axes.set(title=panels[0], xlabel=_named(key, x_unit), ylabel=_named(quantity, y_unit))
    for name, axis, unit in (("x", axes.xaxis, x_unit), ("y", axes.yaxis, y_unit)):
        if _is_geometric(rows[name]):
            axes.set(**{f"{name}scale": "log"})
            plain_log_ticks(axes, name)
        if unit == "bit/s":  # 20 M rather than 2e7
            axis.set_major_formatter(EngFormatter(sep=" "))
    return axes


def _is_geometric(values: pd.Series[float]) -> bool:
    """Return whether positive values span a decade, and their median is near the geometric mean."""
    numbers = pd.to_numeric(values, errors="coerce").dropna()
    if numbers.empty or numbers.min() <= 0 or numbers.max() < 10 * numbers.min():
        return False
    arithmetic = (numbers.min() + numbers.max()) / 2
    geometric = math.sqrt(numbers.min() * numbers.max())
    return bool(numbers.median() < (arithmetic + geometric) / 2)


def _named(name: str, unit: str) -> str:
    return name if unit == "1" else f"{name} [{unit}]"


def draw_sweep(axes: Axes, rows: pd.DataFrame, style: Style | None = None) -> None:
    """Draw the rows of a sweep on given axes: models as lines, measurements as markers.

    The line of a model is faint where the scenario is out of the model's domain. A model without
    any value is left out. The axes are not labelled.

    Args:
        axes: the matplotlib axes to draw on.
        rows: the rows of one panel, as `sweep` returns them.
        style: titles, colours and markers. None: those of `config/style.yaml`, or defaults outside
            the project.

    """
    style = style or style_at_hand()
    for name, own in rows.groupby("series", sort=False):
        x, y = own["x"].to_numpy(float), own["y"].to_numpy(float)
        if not np.isfinite(y).any():
            continue
        if (own["origin"] == "model").all():
            look = style.model(str(name))
            shown = {"color": look.colour, "linestyle": LINES[look.line]}
            in_domain = own["status"].isin(IN_DOMAIN).to_numpy()
            axes.plot(x, y, alpha=0.35, **shown)
            axes.plot(x, np.where(in_domain, y, np.nan), label=look.label, **shown)
        else:
            look = style.palette.engines[str(name)]
            ends = [y - own["y_low"].to_numpy(float), own["y_high"].to_numpy(float) - y]
            axes.errorbar(
                x, y, yerr=ends, fmt=style.marker(str(name)), color=look.colour, label=look.label
            )
    axes.legend(frameon=False)
