"""Pictures of what the public API returns, as notebooks draw them: sweeps and sample paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from tcpgoodput.drawing.theme import LINES
from tcpgoodput.style.looks import Style

if TYPE_CHECKING:  # pictures need no engine
    from tcpgoodput.public.simulate import Measurement

HOME = ("native", "reduced")


def draw_sweep(axes: Axes, rows: pd.DataFrame, style: Style) -> None:
    """Draw tidy rows of `tcpgoodput.sweep`: models as lines, measurements as markers.

    Where a model is out of its domain its line is faint; one without a value anywhere is left out.
    The axes' names are up to the caller.
    """
    for name, own in rows.groupby("series", sort=False):
        x, y = own["x"].to_numpy(float), own["y"].to_numpy(float)
        if not np.isfinite(y).any():
            continue
        if (own["origin"] == "model").all():
            look = style.model(str(name))
            shown = {"color": look.colour, "linestyle": LINES[look.line]}
            at_home = own["status"].isin(HOME).to_numpy()
            axes.plot(x, y, alpha=0.35, **shown)
            axes.plot(x, np.where(at_home, y, np.nan), label=look.label, **shown)
        else:
            look = style.palette.engines[str(name)]
            ends = [y - own["y_low"].to_numpy(float), own["y_high"].to_numpy(float) - y]
            axes.errorbar(
                x, y, yerr=ends, fmt=style.marker(str(name)), color=look.colour, label=look.label
            )
    axes.legend(frameon=False)


def draw_window(axes: Axes, measured: Measurement, style: Style) -> None:
    """Draw the window of a traced connection, the packets that it loses and its timeouts.

    It is the smaller of congestion window and receiver window.

    Raises:
        ValueError: the measurement has no trace.

    """
    window, events = measured.window, measured.events
    if window is None or events is None:
        raise ValueError("the measurement has no trace: simulate with trace=True")
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
    axes.set(xlabel="time [s]", ylabel="window [packets]", ylim=(0, 1.2 * high))
    if axes.get_legend_handles_labels()[1]:
        axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
