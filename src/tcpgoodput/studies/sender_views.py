"""Curves that show a simulated sender over time, such as its cwnd, for figures."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.models.registry import TABLES, Curve, curve
from tcpgoodput.scenario import Scenario, random_stream
from tcpgoodput.simulator import ack_trace, ladder

SOURCE = "simulator"

for story in (
    ack_trace.ack_trace,
    ack_trace.recovery_rounds,
    ladder.ladder,
    ladder.late_packets,
    ladder.spread_late_packets,
):
    TABLES.add(f"{SOURCE}.{story.__name__}", story, __name__)


QUANTITIES = {"window": "cwnd", "ssthresh": "ssthresh", "queue": "queued", "flight": None}
"""For each quantity, the field of the simulator's events that contains it. `flight` (packets sent
and not yet acknowledged) is no such field, but computed from the packets sent."""
EVENTS = 2_000_000
"""Largest number of events at the sender to record for a curve. A longer curve is refused. The
number was chosen by hand."""

LONGEST_S = 1e6
"""Longest time to simulate for a distribution, in seconds. Chosen by hand."""


@curve(SOURCE)
def trajectory(
    scenario: Scenario,
    *,
    quantity: str,
    start_s: float,
    stop_s: float,
    points: int = 2000,
    seed: int = 1,
) -> Curve:
    """Return a quantity of a simulated connection over time.

    Landmarks: `start` and `stop` in seconds; `largest` and `last`, the quantity's largest and last
    value in packets.

    Args:
        scenario: the connection; periodic processes start with it.
        quantity: window (cwnd), ssthresh, queue, or flight (sent and not yet acknowledged).
        start_s: start of the shown time in seconds; the connection starts at 0.
        stop_s: end of the shown time in seconds.
        points: number of evenly spread times; each shows the state after the last event up to it.
        seed: seed of the simulation's random numbers.

    Raises:
        ValueError: the quantity is unknown, there are too few points, or the shown time has no
            events or too many.

    """
    from tcpgoodput.simulator.compiled import TICKS_PER_S
    from tcpgoodput.simulator.simulation import Simulation

    if quantity not in QUANTITIES:
        raise ValueError(f"quantity is {quantity!r}; choose one of {', '.join(QUANTITIES)}")
    if points < 2:
        raise ValueError(f"points is {points}; a curve needs two")
    simulation = Simulation(scenario, random_stream(scenario, seed, 0), phase=0.0)
    simulation.run(start_s)
    before = simulation.counts
    simulation.keep(EVENTS)
    simulation.run(stop_s)
    events, sent = simulation.events()
    if events.size == 0:
        raise ValueError(f"nothing happens between {start_s:g} and {stop_s:g} s")
    if events.size == EVENTS:
        raise ValueError(f"more than {EVENTS} events happen between {start_s:g} and {stop_s:g} s")
    times = np.linspace(start_s, stop_s, points)
    last = np.searchsorted(events["time"] / TICKS_PER_S, times, side="right") - 1
    field = QUANTITIES[quantity]
    if field is None:
        shown = _flight(events, sent, before.packets_sent - before.retransmissions)
    else:
        shown = events[field].astype(float)
    packets = shown[np.maximum(last, 0)]
    landmarks = {"start": start_s, "stop": stop_s}
    landmarks |= {"largest": float(packets.max()), "last": float(packets[-1])}
    return Curve(times, packets, "s", "packets", landmarks)


@curve(SOURCE)
def loss_windows(scenario: Scenario, *, largest: int, losses: int = 3000, seed: int = 1) -> Curve:
    """Return the distribution of the window at which a simulated sender detects a loss.

    The window is the number of packets sent and not yet acknowledged when the sender notices a loss
    event. Several losses in one window are one event. The first event is left out, because it ends
    the first slow start. A model's distribution is `packet_trains.loss_windows`.

    Landmarks: `at_largest`, the share of losses at a window of at least `largest` packets; `mean`,
    the mean window at a loss in packets.

    Args:
        scenario: the connection, which loses packets.
        largest: a window in packets, such as the largest that the path can hold.
        losses: number of loss events.
        seed: seed of the simulation's random numbers.

    Raises:
        ValueError: there is no loss event, or the connection ends before.

    """
    from tcpgoodput.simulator.simulation import Simulation

    if losses < 1:
        raise ValueError(f"losses is {losses}; the distribution needs one")
    simulation = Simulation(scenario, random_stream(scenario, seed, 0), phase=0.0)
    found = []
    for event in range(1, losses + 2):
        simulation.run(LONGEST_S, loss_events=event)
        if simulation.counts.loss_events < event:
            raise ValueError(f"the connection has {event - 1} loss events, {losses + 1} are needed")
        found.append(simulation.flight)
    windows = np.array(found[1:])
    sizes = np.arange(1, windows.max() + 1)
    shares = np.bincount(windows, minlength=sizes.size + 1)[1:] / losses
    landmarks = {"at_largest": float(np.mean(windows >= largest)), "mean": float(windows.mean())}
    return Curve(sizes.astype(float), shares, "packets", "1", landmarks)


def _flight(
    events: NDArray[np.void], sent: NDArray[np.void], new_before: int
) -> NDArray[np.float64]:
    """Return the packets in flight after each event; `new_before` were sent before the first."""
    highest = np.full(events.size, new_before - 1)  # -1 means no packet
    np.maximum.at(highest, sent["event"], sent["packet"])
    return (np.maximum.accumulate(highest) - events["ack"]).astype(float)
