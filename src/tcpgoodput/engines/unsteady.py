"""Detection of connections without a steady state, whose goodput falls with the measured time.

**Trapped by hand-offs.** By default a hand-off that loses packets loses the next new packets,
however late they are sent (`handoffs.within_s` limits this). Once the timer has backed off to its
largest value, the sender repeats one packet in each timeout. The ACK of this packet releases new
packets, which are lost because of the last hand-off. So no round-trip time is measured, and the
timer stays at its largest value. A connection delivers normally until it enters this state by
chance. Its goodput therefore falls with the measured time, and there is no steady state.

**Stalled.** A sender with a scoreboard by RFC 6675 notices only by a timeout that a retransmission
is lost. Until then it sends new packets, as many as the receiver's window allows. If the timer is
backed off to a minute, these are thousands of packets, and hundreds of them are missing. The sender
then retransmits about one missing packet per round trip, and waits for a timeout if this packet is
lost again. No new packet is sent meanwhile, so by Karn's rule no round trip is measured and the
timer stays backed off. A connection delivers normally until it enters this state by chance. It
stays in it for hours, so its goodput falls with the simulated time. A receiver's window bounds the
number of outstanding packets, and so the duration of the state.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tcpgoodput.engines.base import STALLED, TRAPPED
from tcpgoodput.engines.run import longest_s
from tcpgoodput.scenario import Scenario, random_stream
from tcpgoodput.scenario.vocabulary import Timeout

if TYPE_CHECKING:
    from tcpgoodput.simulator.simulation import Counts

LARGEST_SHARE = 10
"""Largest mean number of outstanding packets beyond the usual number, relative to the mean window,
that does not count as a stall. Chosen by hand: without a receiver's window and with 10 % loss,
CUBIC reaches hundreds and SACK 70; with a window of 100 packets and up to 20 % loss they stay below
5."""


def stall_reason(scenario: Scenario, runs: Sequence[Counts]) -> str | None:
    """Return the reason of a measurement whose sender has far more packets outstanding than usual.

    It has if the mean number of outstanding packets beyond the usual number
    (`simulation.Counts.stalled_area`) is above `LARGEST_SHARE` times the mean window. Otherwise the
    result is None.

    Args:
        scenario: the scenario.
        runs: the counts of its replications.

    """
    stalled = math.fsum(run.stalled_area for run in runs)
    if stalled <= LARGEST_SHARE * math.fsum(run.window_area for run in runs):
        return None
    total_s = math.fsum(run.time_s for run in runs)
    limit = scenario.tcp.max_window_packets
    window = "no receiver window" if limit is None else f"a receiver window of {limit} packets"
    return (
        f"{STALLED} ({total_s / len(runs):.3g} s) and on the receiver window: with {window} "
        f"(tcp.max_window_packets) the sender waits for timeouts after lost retransmissions, with "
        f"{stalled / total_s:.0f} more packets outstanding than usual in the mean"
    )


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


def trap_reason(trapped_s: float, measured_s: float) -> str:
    """Return the reason of a measurement: one connection's timer stays backed off for ever.

    Args:
        trapped_s: the time from which the timer stays backed off, in seconds.
        measured_s: the measured time of a replication, in seconds.

    """
    return (
        f"{TRAPPED}: after about {trapped_s:.2g} s hand-offs keep the timer backed off for ever; "
        f"the goodput is the mean over {measured_s:.3g} s and falls with this time"
    )


def _holds(scenario: Scenario, seed: int, most_s: float) -> bool:
    """Whether a timer that is backed off at the start stays so for `PROBED_TIMEOUTS` RTOs."""
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
