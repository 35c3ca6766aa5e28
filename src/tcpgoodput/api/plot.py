"""`tcpgoodput.plot`: pictures of sweeps and of the window of a connection."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from tcpgoodput.comparison.answers import IN_DOMAIN
from tcpgoodput.drawing.theme import LINES
from tcpgoodput.project.settings import style_at_hand
from tcpgoodput.style import Style

# Import this only for the type checker: at run time it would load the engines, which is slow.
if TYPE_CHECKING:
    from tcpgoodput.api.simulate import Measurement


def plot(rows: pd.DataFrame) -> Axes:
    """Draw the rows of a sweep: models as lines, measurements as markers with their intervals.

    Args:
        rows: the rows of one panel, as `sweep` returns them. A sweep of several keys has several
            panels; draw each one by `plot(rows[rows["panel"] == panel])`.

    Returns:
        The axes, labelled with the swept key and the quantity, both with their units. If the rows
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
    return axes


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


def draw_window(axes: Axes, measured: Measurement, style: Style | None = None) -> None:
    """Draw the window of a traced connection over time, with its lost packets and timeouts.

    The window is the smaller of congestion window and receiver window, in packets.

    Args:
        axes: the matplotlib axes to draw on.
        measured: a measurement made with `trace=True`.
        style: colours. None: those of `config/style.yaml`, or defaults outside the project.

    Raises:
        ValueError: the measurement has no trace.

    """
    window, events = measured.window, measured.events
    if window is None or events is None:
        raise ValueError("the measurement has no trace: simulate with trace=True")
    style = style or style_at_hand()
    ink, accent, grey = (style.palette.lines[n].colour for n in ("neutral", "second", "level"))
    axes.step(window["time_s"], window["window_packets"], where="post", color=ink, lw=1)
    high = window["window_packets"].max()
    happened = {
        "packet lost": (events.loc[events["lost"], "time_s"], 1.05, "|", accent),
        "timeout": (events.loc[events["event"] == "timeout", "time_s"], 1.12, "v", grey),
    }
    for label, (times, level, marker, colour) in happened.items():
        if len(times):
            heights = np.full(len(times), level * high)
            axes.plot(times, heights, marker, color=colour, label=label)
    # Leave room above the markers for the legend: outside the axes, a saved picture would cut it.
    axes.set(xlabel="time [s]", ylabel="window [packets]", ylim=(0, 1.45 * high))
    if axes.get_legend_handles_labels()[1]:
        axes.legend(frameon=False, loc="upper right", ncols=len(happened))
