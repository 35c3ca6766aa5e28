"""Detection of hand-offs that keep a connection's retransmission timer backed off for ever.

By default a hand-off that loses packets loses the next new packets, however late they are sent
(`handoffs.within_s` limits this). Once the timer has backed off to its largest value, the sender
repeats one packet in each timeout. The ACK of this packet releases new packets, which are lost
because of the last hand-off. So no round-trip time is measured, and the timer stays at its largest
value. A connection delivers normally until it enters this state by chance. Its goodput therefore
falls with the measured time, and there is no steady state.
"""

from __future__ import annotations

from dataclasses import replace

from tcpgoodput.engines.base import Measurement
from tcpgoodput.engines.run import longest_s
from tcpgoodput.scenario import Scenario, random_stream
from tcpgoodput.scenario.vocabulary import Timeout

TRAPPED = "no steady state"
"""Prefix of a measurement's `reason` if hand-offs keep a connection's timer backed off for ever."""

FEW_PACKETS = 8
"""Largest number of packets that a connection sends per largest RTO (`max_s`) while hand-offs keep
its timer backed off. Chosen by hand."""

PROBED_TIMEOUTS = 10
"""Simulated time, in largest RTOs (`max_s`), of a connection whose timer is first made to back off.
If the timer stays backed off for this time, hand-offs can keep it backed off for ever. Chosen by
hand."""

STRIDE_TIMEOUTS = 8
"""Simulated time, in largest RTOs (`max_s`), between two checks whether a connection's timer is
still backed off. Chosen by hand."""

WATCHED = range(4)
"""Numbers of the replications that are simulated again for a longer time, to detect whether
hand-offs keep a timer backed off."""


def trapped_after_s(
    scenario: Scenario, seed: int, most_packets: int, most_s: float
) -> float | None:
    """Return the time in seconds from which hand-offs keep one connection's timer backed off.

    The result is None if this does not happen to any of the simulated connections.

    Args:
        scenario: the scenario to simulate.
        seed: seed of random numbers.
        most_packets: approximate number of packets of all simulated connections together.
        most_s: longest time for which each connection is simulated, in seconds.

    """
    handoffs, rto = scenario.handoffs, scenario.tcp.rto
    if handoffs is None or handoffs.fate != "lost" or rto.fixed_s is not None:
        return None
    if handoffs.within_s is not None and handoffs.within_s < rto.max_s:
        return None  # a packet sent after `max_s` is no longer affected by a hand-off
    most_s = min(most_s, longest_s(scenario))
    stride_s = STRIDE_TIMEOUTS * rto.max_s
    if not _holds(scenario, seed, most_s):
        return None
    from tcpgoodput.simulator.simulation import Simulation

    watched = [
        Simulation(scenario, random_stream(scenario, seed, number), horizon_s=most_s)
        for number in WATCHED
    ]
    before = [0] * len(watched)
    at_s = 0.0
    while at_s + stride_s <= most_s and sum(before) < most_packets:
        for place, simulation in enumerate(watched):
            simulation.run(at_s + stride_s)
            sent = simulation.counts.packets_sent
            if sent - before[place] <= FEW_PACKETS * STRIDE_TIMEOUTS:
                return at_s
            before[place] = sent
        at_s += stride_s
    return None


def with_trap(measurement: Measurement, trapped_s: float) -> Measurement:
    """Return the measurement with a reason: one connection's timer stays backed off for ever.

    Args:
        measurement: the measurement.
        trapped_s: the time from which the timer stays backed off, in seconds.

    """
    reason = (
        f"{TRAPPED}: after about {trapped_s:.2g} s hand-offs keep the timer backed off for ever; "
        f"the goodput is the mean over {measurement.measured_s:.3g} s and falls with this time"
    )
    return replace(measurement, reason=reason, is_steady=False)


def _holds(scenario: Scenario, seed: int, most_s: float) -> bool:
    """Whether a timer that is backed off at the start stays so for `PROBED_TIMEOUTS` largest RTOs.

    The result is also False if this time ends later than `most_s` seconds.
    """
    from tcpgoodput.simulator.simulation import Simulation

    rto, timeouts = scenario.tcp.rto, back_offs(scenario.tcp.rto)
    first_window = min(
        scenario.tcp.initial_window_packets,
        scenario.tcp.max_window_packets or scenario.tcp.initial_window_packets,
    )
    begin_s = sum(timeouts)
    end_s = begin_s + PROBED_TIMEOUTS * rto.max_s
    if end_s > most_s:
        return False
    # Lose the first window, and each retransmission until the timer has its largest value, so that
    # the timer is backed off at the start.
    lost = tuple(range(first_window + len(timeouts) - 1))
    stream = random_stream(scenario, seed, WATCHED[0])
    simulation = Simulation(scenario, stream, lose=lost, horizon_s=end_s)
    simulation.run(begin_s)
    before = simulation.counts
    for step in range(1, PROBED_TIMEOUTS + 1):
        simulation.run(begin_s + step * rto.max_s)
        if simulation.counts.packets_sent - before.packets_sent > FEW_PACKETS * PROBED_TIMEOUTS:
            return False
    return True


def back_offs(rto: Timeout) -> list[float]:
    """Return the RTOs of consecutive timeouts in seconds, doubling from initial to largest RTO."""
    found = [min(rto.initial_s, rto.max_s)]
    while found[-1] < rto.max_s:
        found.append(min(2 * found[-1], rto.max_s))
    return found
