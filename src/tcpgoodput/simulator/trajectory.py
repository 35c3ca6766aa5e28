"""Sample paths of a simulated connection."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.scenario import Scenario, random_stream

QUANTITIES = {"window": "cwnd", "ssthresh": "ssthresh", "queue": "queued"}
EVENTS = 2_000_000
"""That a shown time may have."""


def trajectory(
    scenario: Scenario,
    *,
    quantity: str,
    start_s: float,
    stop_s: float,
    points: int = 2000,
    seed: int = 1,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return times in seconds, and a quantity of a simulated connection in packets at each.

    Args:
        scenario: the connection; what is periodic begins with it.
        quantity: window (cwnd), ssthresh or queue, in packets.
        start_s: beginning of the shown time; the connection starts at 0.
        stop_s: its end.
        points: as many as this, evenly spread: each shows the last event before it.
        seed: of the random numbers.

    """
    from tcpgoodput.simulator.clock import TICKS_PER_S
    from tcpgoodput.simulator.simulation import Simulation

    if quantity not in QUANTITIES:
        raise ValueError(f"quantity is {quantity!r}; choose one of {', '.join(QUANTITIES)}")
    if points < 2:
        raise ValueError(f"points is {points}; a curve needs two")
    simulation = Simulation(scenario, random_stream(scenario, seed, 0), phases=False)
    simulation.run(start_s)
    simulation.keep(EVENTS)
    simulation.run(stop_s)
    told, _ = simulation.events()
    if told.size == 0:
        raise ValueError(f"nothing happens between {start_s:g} and {stop_s:g} s")
    if told.size == EVENTS:
        raise ValueError(f"more than {EVENTS} events happen between {start_s:g} and {stop_s:g} s")
    times = np.linspace(start_s, stop_s, points)
    last = np.searchsorted(told["time"] / TICKS_PER_S, times, side="right") - 1
    return times, told[QUANTITIES[quantity]].astype(float)[np.maximum(last, 0)]
