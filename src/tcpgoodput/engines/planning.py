"""How long the engine `packet` simulates: a design that is fixed before a number counts.

A pilot run, whose results are thrown away, tells how fast the connection delivers and how often
its window is cut; from these and the precision follow the warm-up, the measured time and the
number of replications. Nothing stops when it looks good, so that the interval covers what it says.
What only repeats is measured otherwise: see `cycles`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tcpgoodput.answers import Precision, Undefined
from tcpgoodput.engines.run import longest_s, spend
from tcpgoodput.scenario import Scenario, random_stream
from tcpgoodput.scenario.capacity.of_time import coherence_s, period_s
from tcpgoodput.scenario.capacity.trace import read_delay_trace
from tcpgoodput.scenario.physics import impairments
from tcpgoodput.scenario.vocabulary import GilbertElliott

if TYPE_CHECKING:
    from tcpgoodput.simulator.simulation import Counts, Simulation

PILOT = -1
"""The number of the replication whose results are thrown away."""

SMALLEST_SSTHRESH = 2
"""Where the first slow start ends if chance rules: the window opens in congestion avoidance.

Slow start would overshoot, on a path with much room a thousandfold, and a window that is halved
now and then takes long to forget that."""

PILOT_PACKETS = 2_000
PILOT_EVENTS = 4
"""What the pilot's second half must have seen; in its first half the window opens."""

FULL = 0.99
"""Part of the receiver window from which on a mean window counts as full."""

SATURATED = 0.9999
"""Part of a constant rate from which on a link with an endless buffer counts as busy."""

WARM_UP = 0.2
"""Part of the measured time that passes before it, at least, and does not count."""

WARM_UP_EVENTS = 8
"""Events that pass before it, at least: each halves how far the window is from where it settles."""

FEWEST_REPLICATIONS = 3
FEWEST_EVENTS = 3
"""In a replication; one suffices where the event is the period of a capacity."""

LONGEST_MEASURED_S = 2e6
"""Of a replication. Far more packets than this have time for are never asked for."""


@dataclass(frozen=True)
class Effort:
    """How much is simulated at one precision."""

    replications: int
    packets: int
    """Delivered in each replication, about; or what the events below take, if that is more."""
    events: int
    """Loss events, delay spikes, hand-offs, periods or coherence times in each replication, as
    far as `most_packets` allows."""
    most_packets: int
    """In all replications together, as far as that leaves each a few events."""
    alike: float
    """Part of the goodput by which cycles may differ and still count as alike."""
    cycle_packets: int
    """In all replications together, where cycles are not alike, as far as that affords some."""
    cycles: int
    """Whole cycles that each replication of a referee measures, who cannot hold them together."""
    pilot_packets: int
    """That may pass before a steady state must have shown itself."""
    transfers: int
    """Finite transfers in all."""
    half_width: float
    """The interval's half-width, relative to the goodput, above which it is called wide."""

    def of(self, most_packets: int) -> Effort:
        """Return the same effort with another number of packets."""
        share = most_packets / self.most_packets
        each, cycles = round(self.packets * share), round(self.cycle_packets * share)
        return replace(self, packets=each, most_packets=most_packets, cycle_packets=cycles)


EFFORTS: dict[Precision, Effort] = {
    "draft": Effort(
        replications=6,
        packets=5_000,
        events=12,
        most_packets=120_000,
        alike=0.03,
        cycle_packets=500_000,
        cycles=2,
        pilot_packets=30_000_000,
        transfers=40,
        half_width=0.10,
    ),
    "paper": Effort(
        replications=20,
        packets=50_000,
        events=100,
        most_packets=1_000_000,
        alike=0.01,
        cycle_packets=5_000_000,
        cycles=4,
        pilot_packets=300_000_000,
        transfers=400,
        half_width=0.02,
    ),
}


FORGETTING = 2
"""A window that has begun with an unbounded slow start settles after so many times the events."""


def opening_ssthresh_packets(scenario: Scenario) -> float:
    """Return where the first slow start ends.

    A sender that undoes needless reductions keeps its start for ever where nothing is lost: it has
    to begin with its own slow start.
    """
    loses = impairments(scenario) & {"independent loss", "bursty loss"}
    return SMALLEST_SSTHRESH if loses or not scenario.tcp.is_todays else math.inf


@dataclass(frozen=True)
class Plan:
    """How many replications there are, and how long each lasts."""

    replications: int
    warm_up_s: float
    phase_s: float
    """The counting begins at a random time from the warm-up's end to so much later."""
    measured_s: float
    ssthresh_packets: float = SMALLEST_SSTHRESH
    """Where the first slow start ends."""
    longest_s: float = LONGEST_MEASURED_S
    """That the warm-up may take."""

    def with_longer_warm_up(self, factor: float) -> Plan:
        """Return the plan with a warm-up so many times as long, as far as it may be."""
        longest_s = max(self.warm_up_s, self.longest_s)
        return replace(self, warm_up_s=min(factor * self.warm_up_s, longest_s))


@dataclass(frozen=True)
class Pace:
    """What the pilot tells: packets per second, seconds between loss events, the mean window."""

    pps: float
    event_s: float
    window_packets: float


def plan(scenario: Scenario, effort: Effort, seed: int) -> Plan:
    """Return how long replications must last for the effort, from a pilot run.

    Raises:
        Undefined: no steady state shows itself within the packets that a pilot may take.

    """
    return _affordable(scenario, effort, _pilot(scenario, effort, seed))


def _pilot(scenario: Scenario, effort: Effort, seed: int) -> Pace:
    """Simulate until the second half of the time has seen enough, and return what it saw."""
    from tcpgoodput.simulator.simulation import Simulation

    own_s = seconds_per_event(scenario)
    stream = random_stream(scenario, seed, PILOT)
    simulation = Simulation(
        scenario,
        stream,
        ssthresh_packets=opening_ssthresh_packets(scenario),
        horizon_s=LONGEST_MEASURED_S,
    )
    end_s = 2 * max(50 * scenario.propagation_rtt_s, own_s, PILOT_PACKETS / scenario.rate_pps)
    end_s = min(end_s, LONGEST_MEASURED_S)
    marks = []
    for factor in (0.5, math.sqrt(0.5)):
        marks.append(_mark(simulation, factor * end_s, effort))
    while True:
        marks.append(_mark(simulation, end_s, effort))
        later, half_s = marks[-1] - marks[-3], end_s / 2
        events = later.loss_events
        known = events >= PILOT_EVENTS or is_full(scenario, later, half_s)
        if later.delivered >= PILOT_PACKETS and known:
            break
        if marks[-1].packets_sent >= effort.pilot_packets:
            raise no_steady_state(marks[-1])
        if math.sqrt(2) * end_s > LONGEST_MEASURED_S:
            break
        end_s *= math.sqrt(2)
    return Pace(later.delivered / half_s, half_s / max(events, 1), later.window_area / half_s)


def _mark(simulation: Simulation, until_s: float, effort: Effort) -> Counts:
    """Go on to a time and return what has happened until then."""
    if not spend(simulation, until_s, effort.pilot_packets):
        raise no_steady_state(simulation.counts)
    return simulation.counts


def no_steady_state(counts: Counts) -> Undefined:
    """Return the refusal to guess a goodput from what has happened so far."""
    return Undefined(
        f"no steady state: {counts.packets_sent} packets saw {counts.loss_events} loss events, "
        "too few to tell where the window settles"
    )


def is_full(scenario: Scenario, counts: Counts, duration_s: float) -> bool:
    """Tell whether the window cannot open any further, or would win nothing if it did."""
    limit = scenario.tcp.max_window_packets
    if limit is not None and counts.window_area >= FULL * limit * duration_s:
        return True
    endless = scenario.path.buffer_packets is None and scenario.capacity is None
    return endless and counts.delivered >= SATURATED * scenario.rate_pps * duration_s


def _affordable(scenario: Scenario, effort: Effort, pace: Pace) -> Plan:
    """Return the plan for a connection of a known pace."""
    pps = max(pace.pps, 1 / LONGEST_MEASURED_S)
    own_s, whole_s = seconds_per_event(scenario), period_s(scenario)
    event_s = max(own_s, pace.event_s)
    affordable_s = effort.most_packets / effort.replications / pps
    wanted_s = max(effort.packets / pps, effort.events * event_s)
    fewest_s = max(FEWEST_EVENTS * pace.event_s, whole_s or FEWEST_EVENTS * own_s)
    measured_s = _two_digits(max(min(wanted_s, affordable_s), effort.packets / pps, fewest_s))
    if whole_s:  # whole periods: no part of one counts twice
        measured_s = max(1, round(measured_s / whole_s)) * whole_s
    measured_s = min(measured_s, LONGEST_MEASURED_S, longest_s(scenario) / 4)
    affordable = int(effort.most_packets / pps / measured_s)
    replications = min(effort.replications, max(affordable, FEWEST_REPLICATIONS))
    settled_s = WARM_UP_EVENTS * max(pace.event_s, min(own_s, measured_s / WARM_UP_EVENTS))
    opening = opening_ssthresh_packets(scenario)
    if math.isinf(opening):
        settled_s *= FORGETTING
    else:  # what the pilot had in the end is nearer than nothing, and no overshoot
        opening = max(opening, pace.window_packets)
    most_s = min(LONGEST_MEASURED_S, longest_s(scenario) / 4)
    warm_up_s = _two_digits(min(max(WARM_UP * measured_s, settled_s), most_s))
    return Plan(replications, warm_up_s, min(event_s, most_s), measured_s, opening, most_s)


def seconds_per_event(scenario: Scenario) -> float:
    """Return the longest of the times after which the path's own processes repeat or forget."""
    times = [0.0]
    if scenario.spikes:
        times.append(scenario.spikes.interval.mean_s)
    if scenario.handoffs:
        times.append(scenario.handoffs.interval_s * max(1, len(scenario.handoffs.delay_steps_s)))
    if scenario.delay:
        times.append(float(read_delay_trace(scenario.delay.file)[0][-1]))
    loss = scenario.loss
    if isinstance(loss, GilbertElliott) and loss.clock == "slot" and loss.good_to_bad > 0:
        slots = 1 / loss.good_to_bad + 1 / loss.bad_to_good
        times.append(slots / scenario.rate_pps)
    times += [period_s(scenario), coherence_s(scenario)]
    return max(times)


def _two_digits(value: float) -> float:
    """Return a duration with two significant digits: one that a reader can quote."""
    return float(f"{value:.2g}")
