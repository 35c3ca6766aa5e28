"""Goodput over whole cycles of the window, if at most the phase of the capacity is random.

Without random loss the window grows until the buffer overflows, is reduced, and grows again. Such a
cycle can take a million packets, but a few whole cycles determine the goodput.

Replications differ only in the phase of the periodic capacity. If the capacity varies about as
slowly as the window, long and short cycles can alternate. Then the first cycles of all replications
have the same goodput, but it is not the mean goodput. A comparison of consecutive cycles detects
this. A replication can also settle in one of several patterns of cycles, which only a comparison of
several replications detects.

A stretch is a part of a simulation: a number of whole cycles, from one loss event to another, or a
number of whole periods of the capacity.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from tcpgoodput.engines.planning import (
    FEWEST_REPLICATIONS,
    LONGEST_MEASURED_S,
    PILOT,
    PILOT_PACKETS,
    SMALLEST_SSTHRESH,
    Budget,
    is_full,
    no_steady_state,
)
from tcpgoodput.engines.run import longest_s
from tcpgoodput.scenario import Scenario, random_streams
from tcpgoodput.scenario.capacity.of_time import coherence_s, period_s
from tcpgoodput.scenario.physics import impairments

if TYPE_CHECKING:
    import numpy as np

    from tcpgoodput.simulator.simulation import Counts, Simulation

FIRST_CLIMB = 1
"""Number of loss events before the first stretch, if consecutive stretches (parts of a simulation
with whole cycles of the window) are compared."""

SETTLING_EVENTS = 2
"""Number of loss events before the measured time, which end the window's first climb and the first
whole cycle."""

PROBED_ENDS = 3
"""Number of boundaries up to which a replication is simulated to compare two consecutive stretches
(parts with whole cycles of the window): the beginning of the first one, and the ends of both."""

SETTLED_END = SETTLING_EVENTS - FIRST_CLIMB
"""Number of stretches (parts with whole cycles of the window) that each replication simulates
before its measured time."""

UNLIKE_REPLICATIONS, MOST_REPLICATIONS = 5, 48
"""Smallest number of replications if the goodputs of the window's cycles differ, and largest number
if cycles are so short that the packets allow more. Both are chosen by hand."""

FEWEST_CYCLES, MOST_CYCLES = 2, 16
"""Smallest and largest number of measured stretches (parts with whole cycles of the window) in each
replication, if the goodputs of cycles differ. Both are chosen by hand."""

STRETCH = 0.25
"""Smallest number of packets in a stretch (a part with whole cycles of the window), relative to the
planned number of packets in a replication. Stretches are short, because many short replications
find a pattern of cycles that occurs for one phase of the capacity in ten."""

CUT = 0.002
"""Smallest half-width of the goodput's interval if the capacity varies, relative to the goodput.
The choice of the cycles' boundaries shifts the mean by up to this amount (`data/intervals.csv`)."""

CYCLES_EACH = 4
"""Assumed number of cycles of the window in a replication, from which the affordable number of
replications is computed. Chosen by hand."""

GOLDEN_RATIO = (math.sqrt(5) - 1) / 2

HORIZON_S = 2 * LONGEST_MEASURED_S


def repeats(scenario: Scenario) -> bool:
    """Return whether the only impairment, if any, is a capacity that varies periodically.

    A BBR sender does not repeat itself, because its gain cycle begins at a random phase.
    """
    if scenario.tcp.variant == "bbr":
        return False
    return impairments(scenario) <= {"varying capacity"} and coherence_s(scenario) == 0


def whole_cycles(
    scenario: Scenario, budget: Budget, seed: int, replication: int, cycles: int
) -> Counts:
    """Simulate up to the end of the window's first whole cycle, and then measure whole cycles.

    If cycles are shorter than a period of the capacity, measure over whole periods. If the window
    stays full, there are no cycles; then the number of measured packets depends on the budget only.

    Args:
        scenario: the scenario to simulate, in which at most the phase of the capacity is random.
        budget: the numbers of packets to simulate.
        seed: seed of random numbers.
        replication: number of the replication, which selects its random numbers.
        cycles: smallest number of measured cycles.

    Raises:
        Undefined: the packets that may be simulated do not contain enough cycles.

    """
    streams = random_streams(scenario, seed)
    ends = stretch_ends(scenario, budget, streams, replication, SETTLING_EVENTS, cycles)
    start, end = itertools.islice(ends, 2)
    return end - start


def stretch_ends(
    scenario: Scenario,
    budget: Budget,
    streams: Callable[[int], np.random.Generator],
    replication: int,
    settling_events: int = FIRST_CLIMB,
    cycles: int = 1,
) -> Iterator[Counts]:
    """Yield the counts at the beginning of the first stretch, and at the end of each stretch.

    The first stretch begins after `settling_events` loss events. A stretch has at least `cycles`
    cycles of the window, and at least `STRETCH` times the budget's number of packets. If the window
    stays full, only the number of packets matters. See `whole_cycles`.

    Cycles tend to end while the capacity is low. So if they are shorter than a period of the
    capacity, stretches are whole periods, wherever the cycles end. A few cycles from one loss event
    to another would contain more of some phases of the capacity than of others.
    """
    from tcpgoodput.simulator.simulation import Simulation

    simulation = Simulation(
        scenario,
        streams(replication),
        phase=spread_phase(streams, replication),
        ssthresh_packets=first_ssthresh_packets(scenario),
        horizon_s=HORIZON_S,
    )
    now, full = _settle(simulation, settling_events, budget)
    cycle_s = 0.0 if full else now.time_s / now.loss_events
    if full or cycle_s < period_s(scenario):
        yield from _after_equal_times(simulation, now, cycles * cycle_s, budget)
    else:
        yield from _at_loss_events(simulation, now, cycles, budget)


def _after_equal_times(
    simulation: Simulation, now: Counts, least_s: float, budget: Budget
) -> Iterator[Counts]:
    """Yield the counts after equal times: whole periods of the capacity, or else round trips."""
    # Packets of a full window arrive in one burst per round trip. Begin at a multiple of the unit,
    # so that the beginning does not depend on when loss events occur.
    scenario = simulation.scenario
    unit_s = period_s(scenario) or scenario.propagation_rtt_s + 1 / scenario.rate_pps
    mark_s = math.ceil(now.time_s / unit_s) * unit_s
    least_s = max(least_s, STRETCH * budget.packets / max(now.delivered, 1) * now.time_s)
    stretch_s = max(1, math.ceil(least_s / unit_s)) * unit_s
    if max(mark_s, stretch_s) > LONGEST_MEASURED_S:
        raise no_steady_state(now)
    simulation.run(mark_s)
    now = simulation.counts
    while mark_s + stretch_s <= HORIZON_S:
        yield now
        mark_s += stretch_s
        simulation.run(mark_s)
        before, now = now, simulation.counts
        if now.time_s == before.time_s:  # no event in this time: the sender waits for its timer
            break
    raise no_steady_state(now)


def _at_loss_events(
    simulation: Simulation, now: Counts, cycles: int, budget: Budget
) -> Iterator[Counts]:
    """Yield the counts at loss events that are at least `cycles` loss events apart."""
    full = False
    while not full:
        yield now
        events, packets = now.loss_events + cycles, now.delivered + STRETCH * budget.packets
        now, full = _reach(simulation, now, events, now.time_s, budget, packets)
    yield from _after_equal_times(simulation, now, 0.0, budget)


def spread_phase(streams: Callable[[int], np.random.Generator], replication: int) -> float:
    """Return the phase at which the capacity starts in a replication, in periods (0 to 1).

    Each phase is random, but the phases of the first n replications are evenly spread for any n:
    steps of the golden ratio leave no gap that is much larger than another gap. Independent random
    phases could miss a pattern of the window's cycles that occurs for one phase in ten.
    """
    first = streams(PILOT).random()
    return (first + replication * GOLDEN_RATIO) % 1


def rates_pps(replications: Iterable[Sequence[Counts]]) -> list[float]:
    """Return the goodputs in packets per second between consecutive counts of each replication.

    The result is one list: first all goodputs of the first replication, then of the next ones.
    """
    return [
        (end - start).goodput_pps
        for ends in replications
        for start, end in itertools.pairwise(ends)
    ]


def cycle_design(
    probed: Sequence[Sequence[Counts]], budget: Budget, count: int | None, alike: bool
) -> tuple[int, int]:
    """Return the numbers of replications, and of boundaries in each, that the budget allows.

    The beginning of a stretch is a boundary too, so that n stretches have n + 1 boundaries.

    Args:
        probed: for each replication simulated so far, the counts at its first three boundaries of
            stretches (parts with whole cycles of the window).
        budget: the limits of the numbers of packets.
        count: the number of replications; None: as many as the packets allow, within limits.
        alike: whether consecutive cycles have the same goodput, so that the first ones are enough.

    """
    both = [ends[-1] - ends[0] for ends in probed]
    packets = max(run.packets_sent for run in both) / 2
    if count is None:
        fewest = FEWEST_REPLICATIONS if alike else UNLIKE_REPLICATIONS
        affordable = int(budget.cycle_packets / (CYCLES_EACH * packets))
        count = min(max(affordable, fewest), MOST_REPLICATIONS)
    if alike:
        return count, PROBED_ENDS
    stretch_s = max(run.time_s for run in both) / 2
    sent = max(ends[-1].packets_sent for ends in probed)
    time_s = max(ends[-1].time_s for ends in probed)
    # Use only half of the remaining packets and time, because later cycles may be longer.
    possible = min(
        (budget.pilot_packets - sent) / packets, (LONGEST_MEASURED_S / 2 - time_s) / stretch_s
    )
    affordable = max(int(budget.cycle_packets / (count * packets)), FEWEST_CYCLES)
    stretches = min(affordable, MOST_CYCLES, int(possible / 2))
    return count, max(SETTLED_END + 1 + stretches, PROBED_ENDS)


def first_ssthresh_packets(scenario: Scenario) -> float:
    """Return the first slow start's ssthresh in packets: infinite, or too low for an overshoot.

    It is infinite if the largest window fits into the path and its buffer. Otherwise slow start
    could overshoot; then many loss events, and one cycle of double length, can precede the window's
    periodic cycles. If ssthresh is at most the buffer's size, the buffer can hold the bursts of
    slow start.
    """
    path, window = scenario.path, scenario.tcp.max_window_packets or math.inf
    peak_bps = getattr(scenario.capacity, "max_bps", path.rate_bps)
    product = peak_bps / scenario.packet_bits * scenario.propagation_rtt_s
    buffer = path.buffer_packets or math.inf
    room = product + buffer
    return math.inf if window <= room else max(min(room / 2, buffer), SMALLEST_SSTHRESH)


def _settle(simulation: Simulation, loss_events: int, budget: Budget) -> tuple[Counts, bool]:
    """Simulate as `_reach` does, from the start of a connection."""
    scenario = simulation.scenario
    begin_s = max(4 * scenario.propagation_rtt_s, PILOT_PACKETS / scenario.rate_pps) / 2
    if begin_s > LONGEST_MEASURED_S / 2:
        raise no_steady_state(simulation.counts)
    simulation.run(begin_s, loss_events=loss_events)
    if simulation.is_paused:
        return simulation.counts, False
    return _reach(simulation, simulation.counts, loss_events, begin_s, budget)


def _reach(
    simulation: Simulation,
    now: Counts,
    loss_events: int,
    since_s: float,
    budget: Budget,
    delivered: float = 0.0,
) -> tuple[Counts, bool]:
    """Simulate to a loss event, or until the window has long stayed full.

    The loss event is the first one at which there are `loss_events` of them and `delivered` packets
    since the start. Return the counts, and whether the window stays full. A window of one packet
    also counts as full if the sender resends the packet before its ACK can arrive; this error is
    accepted.
    """
    most_s = min(HORIZON_S, longest_s(simulation.scenario))
    while True:
        too_long = now.time_s >= LONGEST_MEASURED_S / 2 or 2 * since_s > most_s
        if now.packets_sent >= budget.pilot_packets or too_long:
            raise no_steady_state(now)
        following = max(loss_events, now.loss_events + 1)
        simulation.run(2 * since_s, loss_events=following, delivered=delivered)
        before, now = now, simulation.counts
        if simulation.is_paused:
            return now, False
        later = now - before
        steady = later.loss_events == 0 and now.delivered > 0
        if steady and is_full(simulation.scenario, later, since_s):
            return now, True
        since_s *= 2
