"""A connection's window over time, thinned to what a picture can show, and what happened to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from tcpgoodput.api.trace import traced
from tcpgoodput.scenario import Scenario

EVENTS_SHOWN = 8
"""Loss events that a picture shows, about: more could not be told apart."""

ROUND_TRIPS_SHOWN = 60
"""At least, so that a window is seen to open."""

MOST_EVENTS = 20_000
"""At the sender, that are followed."""

BINS, MOST_MARKS = 500, 400
"""Of time, each drawn with its first, least, largest and last window; marks of each kind."""


def window_of(scenario: Scenario, seed: int, simulation: Mapping[str, Any]) -> dict[str, Any]:
    """Return a connection's window from its first packet on, and its marks.

    Args:
        scenario: the scenario.
        seed: of all random numbers.
        simulation: the record of its measurement, which tells how often something happens.

    Returns:
        `time_s` and `window_packets`; `marks`, the times of each kind: `lost` (a packet that never
        arrives), `repeat` and `needless repeat` (of a packet that was only late), `timeout`.

    """
    total_s = simulation["measured_s"] * simulation["replications"]
    event_s = total_s / max(simulation["loss_events"] or 0, simulation["handoffs"] or 0, 1)
    until_s = max(EVENTS_SHOWN * event_s, ROUND_TRIPS_SHOWN * scenario.propagation_rtt_s)
    window, events = traced(scenario, seed, min(until_s, total_s), MOST_EVENTS)
    times, packets = _thinned(window["time_s"].to_numpy(), window["window_packets"].to_numpy())
    return {
        "kind": "window",
        "time_s": [float(f"{time:.6g}") for time in times],
        "window_packets": [float(f"{size:.4g}") for size in packets],
        "marks": {name: _spread(found) for name, found in _marks(events).items()},
    }


def _marks(events: pd.DataFrame) -> dict[str, np.ndarray]:
    """Return the times of what a reader should see, by what it is."""
    time_s, what = events["time_s"].to_numpy(), events["event"]
    packet = events["packet"].to_numpy(dtype=float, na_value=np.nan)
    gone = (what.isin(("send", "resend")) & events["lost"]).to_numpy()
    resent = (what == "resend").to_numpy()
    needed = np.isin(packet, packet[gone])
    return {
        "lost": time_s[gone],
        "repeat": time_s[resent & needed],
        "needless repeat": time_s[resent & ~needed],
        "timeout": time_s[(what == "timeout").to_numpy()],
    }


def _spread(times: np.ndarray) -> list[float]:
    """Return times, some evenly chosen where there are too many."""
    step = -(-times.size // MOST_MARKS)
    return [float(f"{time:.6g}") for time in times[:: max(step, 1)]]


def _thinned(times: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a line that looks the same: of each bin its first, least, largest and last point."""
    if times.size <= 4 * BINS:
        return times, values
    edges = np.linspace(times[0], times[-1], BINS + 1)[1:-1]
    kept: set[int] = set()
    for part in np.split(np.arange(times.size), np.searchsorted(times, edges)):
        if part.size:
            own = values[part]
            kept |= {part[0], part[own.argmin()], part[own.argmax()], part[-1]}
    chosen = np.array(sorted(kept))
    return times[chosen], values[chosen]
