"""Goodput over whole cycles, for scenarios that draw no random number but a phase.

Without random loss a window grows until the buffer overflows, is cut, and grows again. Such a
cycle can take a million packets, and what it delivers is known after a few of them, if they are
whole ones. Replications differ in the capacity's phase alone; but a capacity that varies about as
slowly as the window can make a long cycle follow a short one, again and again, so that cycles of
the same number agree with each other and not with their mean. Whether they are alike, cycles that
follow one another tell; that phases lock into several courses, each of cycles that are alike, only
replications that happen to take another one do.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tcpgoodput.engines.planning import (
    FEWEST_REPLICATIONS,
    LONGEST_MEASURED_S,
    PILOT_PACKETS,
    SMALLEST_SSTHRESH,
    Effort,
    is_full,
    no_steady_state,
)
from tcpgoodput.engines.run import Run, longest_s
from tcpgoodput.scenario import Scenario, random_stream
from tcpgoodput.scenario.capacity.of_time import coherence_s, period_s
from tcpgoodput.scenario.physics import impairments

if TYPE_CHECKING:
    from tcpgoodput.simulator.simulation import Counts, Simulation

FIRST_CLIMB = 1
"""Loss events before the measured time, where each cycle is held against the next."""

SETTLING_EVENTS = 2
"""Where they are not alike: the end of the first climb, and that of a whole cycle."""

PROBED_MARKS = 3
"""Landmarks that two stretches lie between."""

SETTLED_MARK = SETTLING_EVENTS - FIRST_CLIMB
"""The landmark from which on it counts."""

UNLIKE_REPLICATIONS, MOST_REPLICATIONS = 5, 30
"""Where cycles are not alike, at least; and where they are short, at most."""

FEWEST_CYCLES, MOST_CYCLES = 2, 16
"""Measured in each replication, where they are not alike."""

CUT = 0.002
"""Half-width of an interval over whole cycles of a varying capacity, relative to the goodput, that
none is narrower than: where a cycle is cut shifts the mean by up to so much (`data/intervals.csv`).
"""

CYCLES_EACH = 4
"""That a replication is taken to need where it is asked how many are affordable."""

HORIZON_S = 2 * LONGEST_MEASURED_S


def repeats(scenario: Scenario) -> bool:
    """Tell whether nothing in a scenario is random but the phase of its capacity."""
    return impairments(scenario) <= {"varying capacity"} and coherence_s(scenario) == 0


def whole_cycles(
    scenario: Scenario, effort: Effort, seed: int, replication: int, cycles: int
) -> Run:
    """Simulate until the first cycle is over, and count from there over whole cycles.

    Where the capacity's period holds enough cycles, it is the period that is whole; where the
    window stays full there is no cycle.

    Raises:
        Undefined: there are not enough cycles within the packets that may be spent.

    """
    marks = landmarks(scenario, effort, seed, replication, SETTLING_EVENTS, cycles)
    start, end = itertools.islice(marks, 2)
    return Run.between(start, end)


def landmarks(
    scenario: Scenario,
    effort: Effort,
    seed: int,
    replication: int,
    settling_events: int = FIRST_CLIMB,
    cycles: int = 1,
) -> Iterator[Counts]:
    """Yield the counts after the first loss events, and after each further stretch of cycles.

    Where the window stays full, a stretch is as long as the effort asks for. See `whole_cycles`.
    """
    from tcpgoodput.simulator.simulation import Simulation

    stream = random_stream(scenario, seed, replication)
    simulation = Simulation(
        scenario, stream, ssthresh_packets=first_ssthresh_packets(scenario), horizon_s=HORIZON_S
    )
    now, full = _settle(simulation, settling_events, effort)
    whole_s = period_s(scenario)
    round_trip_s = scenario.propagation_rtt_s + 1 / scenario.rate_pps
    while True:
        before = now
        least_s = effort.packets / before.delivered * before.time_s if full else 0.0
        # A full window comes in clumps, one in a round trip.
        unit_s = whole_s or (round_trip_s if full else 0.0)
        if unit_s:
            least_s = max(1, math.ceil(least_s / unit_s)) * unit_s
        if least_s > LONGEST_MEASURED_S or before.time_s + least_s > HORIZON_S:
            raise no_steady_state(before)
        yield before
        simulation.run(before.time_s + least_s)
        now = simulation.counts
        wanted = before.delivered + effort.packets
        last = before.loss_events + cycles
        while not full and (now.loss_events < last or now.delivered < wanted):
            now, full = _reach(simulation, now, max(last, now.loss_events + 1), now.time_s, effort)
        if now.time_s == before.time_s:  # a timeout outlasts all of a full window's stretch
            raise no_steady_state(before)


def rates_pps(replications: Iterable[Sequence[Counts]]) -> list[float]:
    """Return the goodput of every stretch between landmarks."""
    return [
        Run.between(start, end).goodput_pps
        for marks in replications
        for start, end in itertools.pairwise(marks)
    ]


@dataclass(frozen=True)
class CycleDesign:
    """How many replications there are, and how many landmarks each passes."""

    count: int
    marks: int


def cycle_design(
    probed: Sequence[Sequence[Counts]], effort: Effort, count: int | None, alike: bool
) -> CycleDesign:
    """Return what the packets afford that `probed` replications tell a stretch to cost."""
    both = [Run.between(marks[0], marks[-1]) for marks in probed]
    packets = max(run.counts.packets_sent for run in both) / 2
    if count is None:
        fewest = FEWEST_REPLICATIONS if alike else UNLIKE_REPLICATIONS
        affordable = int(effort.cycle_packets / (CYCLES_EACH * packets))
        count = min(max(affordable, fewest), MOST_REPLICATIONS)
    if alike:
        return CycleDesign(count, PROBED_MARKS)
    stretch_s = max(run.duration_s for run in both) / 2
    sent = max(marks[-1].packets_sent for marks in probed)
    time_s = max(marks[-1].time_s for marks in probed)
    # Half of what is left before a simulation is given up: stretches are not equally long.
    possible = min(
        (effort.pilot_packets - sent) / packets, (LONGEST_MEASURED_S / 2 - time_s) / stretch_s
    )
    affordable = max(int(effort.cycle_packets / (count * packets)), FEWEST_CYCLES)
    stretches = min(affordable, MOST_CYCLES, int(possible / 2))
    return CycleDesign(count, max(SETTLED_MARK + 1 + stretches, PROBED_MARKS))


def first_ssthresh_packets(scenario: Scenario) -> float:
    """Return where the first slow start ends: with the receiver window, or before it overshoots.

    After an overshoot it can take many loss events, and a climb twice as long as the others, until
    the window saws. A slow start that stays below the buffer's size finds room for its bursts.
    """
    path, window = scenario.path, scenario.tcp.max_window_packets or math.inf
    peak_bps = getattr(scenario.capacity, "max_bps", path.rate_bps)
    product = peak_bps / scenario.packet_bits * scenario.propagation_rtt_s
    buffer = path.buffer_packets or math.inf
    room = product + buffer
    return math.inf if window <= room else max(min(room / 2, buffer), SMALLEST_SSTHRESH)


def _settle(simulation: Simulation, loss_events: int, effort: Effort) -> tuple[Counts, bool]:
    """Go on to one of the first loss events; tell whether the window stays full instead."""
    scenario = simulation.scenario
    begin_s = max(4 * scenario.propagation_rtt_s, PILOT_PACKETS / scenario.rate_pps) / 2
    if begin_s > LONGEST_MEASURED_S / 2:
        raise no_steady_state(simulation.counts)
    simulation.run(begin_s, loss_events=loss_events)
    return _reach(simulation, simulation.counts, loss_events, begin_s, effort)


def _reach(
    simulation: Simulation, now: Counts, loss_events: int, since_s: float, effort: Effort
) -> tuple[Counts, bool]:
    """Go on to a loss event; tell whether the window stays full instead for twice the time.

    A window is full, too, while its only packet is sent again and again before it can arrive: that
    says nothing. Counts are handed on: to ask for them takes as long as to simulate a hundred
    packets.
    """
    while now.loss_events < loss_events:
        before, now = now, _gone_on(simulation, now, 2 * since_s, loss_events, effort)
        later = now - before
        steady = later.loss_events == 0 and now.delivered > 0
        if steady and is_full(simulation.scenario, later, since_s):
            return now, True
        since_s *= 2
    return now, False


def _gone_on(
    simulation: Simulation, now: Counts, until_s: float, loss_events: int, effort: Effort
) -> Counts:
    """Go on to a time or to a loss event, unless too much was spent already."""
    most_s = min(HORIZON_S, longest_s(simulation.scenario))
    too_long = now.time_s >= LONGEST_MEASURED_S / 2 or until_s > most_s
    if now.packets_sent >= effort.pilot_packets or too_long:
        raise no_steady_state(now)
    simulation.run(until_s, loss_events=loss_events)
    return simulation.counts
