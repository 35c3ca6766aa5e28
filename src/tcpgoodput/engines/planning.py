"""Duration and number of replications of the packet simulator, fixed before the measurement.

A pilot run, whose results are discarded, estimates the goodput and the rate of loss events. These
estimates and the precision determine the warm-up, the measured time and the number of replications.
The plan does not change while it is measured. But `closeness.measured_closely` continues or repeats
measurements until the interval is narrow. By simulation, such an interval contains the true goodput
in 94 % of cases with 20 replications, and in 93 % with 12. Scenarios without randomness are
measured over whole cycles of the window; see `cycles`.
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
from tcpgoodput.scenario.loss import MarkovChannel
from tcpgoodput.scenario.physics import differing_impairments
from tcpgoodput.scenario.vocabulary import Trace

if TYPE_CHECKING:
    from tcpgoodput.simulator.simulation import Counts, Simulation

PILOT = -1
"""Replication number of the pilot run, whose results are discarded. Measured replications have
numbers from 0 on; the number selects the random numbers."""

SMALLEST_SSTHRESH = 2
"""Smallest ssthresh of the first slow start in packets. With it, the window grows in congestion
avoidance almost from the start.

An unbounded slow start could overshoot a thousandfold on a path with a large buffer. If window
reductions are rare, they would need a long time to reduce such a window.
"""

PILOT_PACKETS = 2_000
PILOT_EVENTS = 4
"""Number of loss events that the second half of the pilot run must contain. In the first half the
window grows to its usual size. Chosen by hand."""

FULL = 0.99
"""Smallest mean window at which the window counts as always full, relative to the receiver's
window; and smallest goodput at which a link that repeats frames at random counts as always busy,
relative to its mean rate. Chosen by hand."""

SATURATED = 0.9999
"""Smallest goodput at which a link with an unlimited buffer counts as always busy, relative to its
rate. Chosen by hand."""

WARM_UP = 0.1
"""Smallest duration of the warm-up, relative to the measured time. Chosen by hand."""

WARM_UP_EVENTS = 8
"""Smallest number of loss events in the warm-up; each loss event halves the distance of the window
from its mean. If the path's own events, such as spikes, are rarer than loss events, the path's
events are counted instead. In this case the warm-up need not exceed the measured time."""

FEWEST_REPLICATIONS = 3
FEWEST_EVENTS = 3
"""Smallest number of events (such as loss events, delay spikes or hand-offs) in the measured time
of a replication. Of the periods of a capacity, one is enough. Chosen by hand."""

BBR_PERIOD_S = 10.2
"""Time in seconds from one PROBE_RTT of a BBR sender to the next: ten seconds, and 200 ms for the
probing itself."""

LONGEST_MEASURED_S = 2e6
"""Longest measured time of a replication in simulated seconds (23 days). Chosen by hand."""


CYCLE_FACTOR = 5
"""Largest number of packets of a measurement over whole cycles of the window that differ, relative
to `Budget.most_packets`. It is larger because replications must contain whole cycles. Chosen by
hand."""


@dataclass(frozen=True)
class Budget:
    """Numbers of packets, events and transfers to simulate at one precision."""

    replications: int
    packets: int
    """Approximate number of packets delivered in each replication; more if `events` requires it."""
    events: int
    """Number of the rarest events in each replication, as far as `most_packets` allows: loss
    events, delay spikes, hand-offs, or periods or coherence times of the capacity."""
    most_packets: int
    """Largest number of packets in all replications, unless they would then have too few events."""
    alike: float
    """Largest difference between the goodputs of cycles of the window with which the cycles count
    as alike, relative to the goodput."""
    cycles: int
    """Number of whole cycles of the window in each replication of a reference implementation,
    which cannot compare cycles."""
    pilot_packets: int
    """Approximate largest number of packets of a pilot run. If these packets show no steady state,
    the scenario is not measured."""
    transfers: int
    """Largest number of finite transfers to simulate, as far as `most_packets` allows."""
    fewest_transfers: int
    """Smallest number of finite transfers to simulate, however many packets they have."""
    half_width: float
    """Half-width of the interval, relative to the goodput, above which a measurement is called
    wide."""

    def of(self, most_packets: int) -> Budget:
        """Return this budget with its packets and events scaled to a total of `most_packets`."""
        share = most_packets / self.most_packets
        packets, events = round(self.packets * share), round(self.events * share)
        return replace(self, packets=packets, events=events, most_packets=most_packets)

    @property
    def cycle_packets(self) -> int:
        """Number of packets in all replications if the window's cycles are not alike.

        More packets are simulated if this number does not contain two cycles in each replication.
        """
        return CYCLE_FACTOR * self.most_packets

    def transfers_of(self, packets: int) -> int:
        """Return the number of finite transfers to simulate if each has `packets` packets."""
        affordable = self.most_packets // packets
        return min(self.transfers, max(affordable, self.fewest_transfers))


BUDGETS: dict[Precision, Budget] = {
    "draft": Budget(
        replications=6,
        packets=5_000,
        events=12,
        most_packets=120_000,
        alike=0.03,
        cycles=2,
        pilot_packets=30_000_000,
        transfers=40,
        fewest_transfers=10,
        half_width=0.10,
    ),
    "paper": Budget(
        replications=20,
        packets=50_000,
        events=100,
        most_packets=1_000_000,
        alike=0.01,
        cycles=4,
        pilot_packets=300_000_000,
        transfers=400,
        fewest_transfers=50,
        half_width=0.02,
    ),
}


LONGER_WARM_UP = 10
"""Factor by which the warm-up is longer after an unbounded slow start. A sender that undoes its
window reductions keeps the large window of its slow start for long: for up to three minutes, if
hand-offs make packets late every two seconds."""

PHASES = 8
"""Largest number of replications if replications differ only in the phases of periodic processes.
Measurements over whole cycles of the window have their own limit; see `cycles`."""

LONG_WARM_UPS = 10
"""Largest number of replications if each needs a long warm-up (`LONGER_WARM_UP`), because with
more of them most of the computing time is that of warm-ups. Chosen by hand."""


def opening_ssthresh_packets(scenario: Scenario) -> float:
    """Return the ssthresh of the first slow start in packets: `SMALLEST_SSTHRESH` or infinite.

    If the path loses no packets at random, the goodput of a sender that undoes unnecessary window
    reductions depends on its start for ever. The first slow start of such a sender is therefore
    unbounded. BBR has no slow start.
    """
    if scenario.tcp.variant == "bbr":
        return SMALLEST_SSTHRESH
    loses = scenario.loss.impairment is not None
    return SMALLEST_SSTHRESH if loses or not scenario.tcp.is_todays else math.inf


@dataclass(frozen=True)
class Plan:
    """Number of replications, and the durations of the warm-up and the measured time."""

    replications: int
    warm_up_s: float
    phase_s: float
    """Range of the random time between the end of the warm-up and the measurement, in seconds."""
    measured_s: float
    ssthresh_packets: float = SMALLEST_SSTHRESH
    """ssthresh of the first slow start, in packets."""
    longest_s: float = LONGEST_MEASURED_S
    """Longest allowed warm-up in seconds, and longest measured time unless a user requests more."""

    def with_longer_warm_up(self, factor: float) -> Plan:
        """Return the plan with its warm-up lengthened by a factor, up to `longest_s`."""
        longest_s = max(self.warm_up_s, self.longest_s)
        return replace(self, warm_up_s=min(factor * self.warm_up_s, longest_s))


@dataclass(frozen=True)
class Pace:
    """Results of the second half of a pilot run.

    They are the goodput, the mean time between loss events, and the mean window in packets.
    """

    pps: float
    event_s: float
    window_packets: float


def plan(scenario: Scenario, budget: Budget, seed: int) -> Plan:
    """Plan the durations of replications for the budget, from a pilot run.

    Raises:
        Undefined: no steady state appears within the packets of a pilot run.

    """
    pace = _pilot(scenario, budget, seed)
    pps = max(pace.pps, 1 / LONGEST_MEASURED_S)
    own_s, whole_s, rarest_s = seconds_per_event(scenario), period_s(scenario), _rarest_s(scenario)
    event_s = max(own_s, pace.event_s)
    wanted = most_replications(scenario, budget.replications)
    affordable_s = budget.most_packets / wanted / pps
    wanted_s = max(budget.packets / pps, budget.events * event_s)
    fewest_s = max(FEWEST_EVENTS * max(pace.event_s, rarest_s), whole_s)
    measured_s = _two_digits(max(min(wanted_s, affordable_s), budget.packets / pps, fewest_s))
    # Measure for whole periods, so that all phases of a period have the same weight, and for one
    # more if the rounding has lost an event.
    if cycle_s := whole_s or _handoff_cycle_s(scenario):
        measured_s = max(1, round(measured_s / cycle_s)) * cycle_s
        if measured_s < FEWEST_EVENTS * rarest_s:
            measured_s += cycle_s
    measured_s = min(measured_s, LONGEST_MEASURED_S, longest_s(scenario) / 4)
    affordable = int(budget.most_packets / pps / measured_s)
    replications = min(wanted, max(affordable, FEWEST_REPLICATIONS))
    settled_s = WARM_UP_EVENTS * max(pace.event_s, min(own_s, measured_s / WARM_UP_EVENTS))
    opening = opening_ssthresh_packets(scenario)
    if math.isinf(opening):
        settled_s *= LONGER_WARM_UP
    else:  # let slow start end at the mean window of the pilot run, without overshoot
        opening = max(opening, pace.window_packets)
    most_s = min(LONGEST_MEASURED_S, longest_s(scenario) / 4)
    warm_up_s = _two_digits(min(max(WARM_UP * measured_s, settled_s), most_s))
    return Plan(replications, warm_up_s, min(event_s, most_s), measured_s, opening, most_s)


def _pilot(scenario: Scenario, budget: Budget, seed: int) -> Pace:
    """Simulate until the run's second half has enough packets and loss events; return its pace.

    Loss events are not needed if the window is full, or if the sender is BBR. The simulation may
    also end because the longest time is reached.
    """
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
        marks.append(_mark(simulation, factor * end_s, budget))
    while True:
        marks.append(_mark(simulation, end_s, budget))
        later, half_s = marks[-1] - marks[-3], end_s / 2
        events = later.loss_events
        needs_none = scenario.tcp.variant == "bbr" or is_full(scenario, later, half_s)
        known = events >= PILOT_EVENTS or needs_none
        if later.delivered >= PILOT_PACKETS and known:
            break
        if marks[-1].packets_sent >= budget.pilot_packets:
            raise no_steady_state(marks[-1])
        if math.sqrt(2) * end_s > LONGEST_MEASURED_S:
            break
        end_s *= math.sqrt(2)
    return Pace(later.delivered / half_s, half_s / max(events, 1), later.window_area / half_s)


def _mark(simulation: Simulation, until_s: float, budget: Budget) -> Counts:
    """Simulate up to a time, and return the counts since the start of the connection."""
    if not spend(simulation, until_s, budget.pilot_packets):
        raise no_steady_state(simulation.counts)
    return simulation.counts


def no_steady_state(counts: Counts) -> Undefined:
    """Return the error that a simulation cannot find a steady state."""
    return Undefined(
        f"no steady state: {counts.loss_events} loss events in {counts.packets_sent} packets are "
        "too few to find the window's steady state"
    )


def is_full(scenario: Scenario, counts: Counts, duration_s: float) -> bool:
    """Whether the window is always full, or a larger window would not increase the goodput.

    Args:
        scenario: the scenario, which has the receiver's window and the link.
        counts: the counts in the time to judge.
        duration_s: the duration of this time in seconds.

    """
    limit = scenario.tcp.max_window_packets
    if limit is not None and counts.window_area >= FULL * limit * duration_s:
        return True
    if scenario.path.buffer_packets is not None or scenario.capacity is not None:
        return False
    if scenario.arq is None:
        return counts.delivered >= SATURATED * scenario.rate_pps * duration_s
    carried_pps = (1 - scenario.arq.error_share) * scenario.rate_pps
    return counts.delivered >= FULL * carried_pps * duration_s


def differences(scenario: Scenario) -> frozenset[str]:
    """Return the names of what can differ between replications.

    These are impairments, and BBR's gain cycle, which begins at a random phase.
    """
    own = {"gain cycle"} if scenario.tcp.variant == "bbr" else set()
    return differing_impairments(scenario) | own


def most_replications(scenario: Scenario, wanted: int) -> int:
    """Return the number of replications: `wanted`, or at most `PHASES` or `LONG_WARM_UPS`.

    It is at most `PHASES` if only phases are random: losses are not random, there are no delay
    spikes, the capacity, if it varies, is periodic, and the sender is not BBR, whose gain cycle is
    random. It is at most `LONG_WARM_UPS` if the first slow start is unbounded, unless the
    connection is a finite transfer, which has no warm-up.
    """
    periodic = differences(scenario) <= {"hand-offs", "varying capacity", "varying delay"}
    if periodic and coherence_s(scenario) == 0:
        return min(wanted, PHASES)
    unbounded = math.isinf(opening_ssthresh_packets(scenario))
    has_warm_up = scenario.tcp.transfer_packets is None
    return min(wanted, LONG_WARM_UPS) if unbounded and has_warm_up else wanted


def seconds_per_event(scenario: Scenario) -> float:
    """Return the longest period or correlation time of the path's own processes, in seconds.

    These are delay spikes, hand-offs, losses and errors in time slots, and varying capacity and
    delay. A BBR sender has a period of its own, `BBR_PERIOD_S`. The result is 0 if there is none of
    them.
    """
    return max(_rarest_s(scenario), period_s(scenario), _delay_period_s(scenario))


def _rarest_s(scenario: Scenario) -> float:
    """Return `seconds_per_event` without the period of capacity (and delay), as one is enough."""
    times = [BBR_PERIOD_S if scenario.tcp.variant == "bbr" else 0.0, coherence_s(scenario)]
    if scenario.spikes:
        times.append(scenario.spikes.interval.mean_s)
    if scenario.handoffs:
        times.append(_handoff_cycle_s(scenario))
    if not isinstance(scenario.capacity, Trace):
        times.append(_delay_period_s(scenario))
    for process in (scenario.loss, scenario.arq and scenario.arq.error):
        if isinstance(process, MarkovChannel) and process.clock == "slot" and process.impairment:
            times.append(process.steps_per_run / scenario.rate_pps)
    return max(times)


def _delay_period_s(scenario: Scenario) -> float:
    """Return the period of a recorded delay in seconds; 0 if there is none."""
    return float(read_delay_trace(scenario.delay.file)[0][-1]) if scenario.delay else 0.0


def _handoff_cycle_s(scenario: Scenario) -> float:
    """Return the time in which hand-offs set each delay of their list once; 0 without hand-offs."""
    if scenario.handoffs is None:
        return 0.0
    return scenario.handoffs.interval_s * max(1, len(scenario.handoffs.delay_steps_s))


def _two_digits(value: float) -> float:
    """Return a duration rounded to two significant digits, which are easy to quote."""
    return float(f"{value:.2g}")
