"""The engine `packet`: our simulator, replicated.

The design is fixed before the first random number that counts: a pilot run, whose results are
thrown away, tells how long the precision's packets take, then every replication lasts that long.
Nothing stops when it looks good, so that the interval covers what it says.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tcpgoodput.engines.base import Engine, Interval, Measurement, Report, silent
from tcpgoodput.models.base import Conditions, Precision, Undefined
from tcpgoodput.scenario import Scenario, random_stream
from tcpgoodput.scenario.vocabulary import Autoregressive, Shadowing, Sinusoid, Square, Trace

if TYPE_CHECKING:
    from tcpgoodput.simulator.simulation import Counts

PILOT = -1
"""The number of the replication whose results are thrown away."""

PILOT_PACKETS = 2_000
PILOT_CUTS = 8
"""Losses that its second half must have seen, or as many packets as a replication."""

WARM_UP = 0.2
"""Part of the measured time that passes before it, at least, and does not count."""

FEWEST_REPLICATIONS = 3
FEWEST_EVENTS = 3
"""In a replication; one suffices where the event is the period of a capacity."""

WARM_UP_EVENTS = 5
"""Events that pass before it, at least."""

LONGEST_MEASURED_S = 2e6
"""Of a replication. Far more packets than this have time for are never asked for."""


@dataclass(frozen=True)
class Effort:
    """How much is simulated at one precision."""

    replications: int
    packets: int
    """Delivered in each replication, about; or what the events below take, if that is more."""
    events: int
    """Losses, delay spikes, hand-offs, periods or coherence times in each replication, as far as
    `most_packets` allows."""
    most_packets: int
    """In all replications together, as far as that leaves each a few events."""
    transfers: int
    """Finite transfers in all."""
    half_width: float
    """The interval's half-width, relative to the goodput, above which it is called wide."""


EFFORTS: dict[Precision, Effort] = {
    "draft": Effort(6, 5_000, 12, 120_000, 40, 0.10),
    "paper": Effort(20, 150_000, 100, 3_000_000, 400, 0.02),
}


class Packet(Engine):
    """Discrete simulation of one connection, packet by packet."""

    name = "packet"
    title = "Packet simulator"

    def compile(self) -> None:
        """Compile the simulator, and the senders that are stepped by hand."""
        from tcpgoodput.simulator import simulation, stepped

        simulation.compile_all()
        stepped.compile_all()

    def measure(
        self,
        scenario: Scenario,
        conditions: Conditions,
        *,
        replications: int | None = None,
        duration_s: float | None = None,
        report: Report = silent,
    ) -> Measurement:
        """Simulate the replications on all cores; see `Engine.measure`."""
        effort = EFFORTS[conditions.precision]
        seed = conditions.seed
        if is_dead(scenario):
            raise Undefined("the delay spikes never leave the link a gap: nothing is delivered")
        if scenario.tcp.transfer_packets is not None:
            count = replications or effort.transfers
            runs, wall_s = _replicate(count, lambda n: transfer(scenario, seed, n), report)
        else:
            long = plan(scenario, effort, seed)
            if duration_s is not None:
                warm_up_s = max(long.warm_up_s, WARM_UP * duration_s)
                long = replace(long, warm_up_s=warm_up_s, measured_s=duration_s)
            count = replications or long.replications
            runs, wall_s = _replicate(count, lambda n: steady(scenario, seed, n, long), report)
        return _summary(scenario, runs, wall_s, effort)


@dataclass(frozen=True)
class Run:
    """What happened in one replication's measured time."""

    duration_s: float
    counts: Counts

    @property
    def goodput_pps(self) -> float:
        """Packets delivered per second."""
        return self.counts.delivered / self.duration_s


def steady(scenario: Scenario, seed: int, replication: int, long: Plan) -> Run:
    """Simulate a long-lived connection and count after its warm-up.

    The warm-up's length is random, so that what repeats is cut at any of its phases.
    """
    from tcpgoodput.simulator.simulation import Simulation

    stream = random_stream(scenario, seed, replication)
    begin_s = long.warm_up_s * (1 + stream.random())
    end_s = begin_s + long.measured_s
    simulation = Simulation(scenario, stream, horizon_s=end_s)
    simulation.run(begin_s)
    before = simulation.counts
    simulation.run(end_s)
    return Run(long.measured_s, simulation.counts - before)


def transfer(scenario: Scenario, seed: int, replication: int) -> Run:
    """Simulate a finite transfer from its first packet to the last one's acknowledgement.

    Raises:
        Undefined: it does not end within the longest time that is simulated.

    """
    from tcpgoodput.simulator.clock import LONGEST_S
    from tcpgoodput.simulator.simulation import Simulation

    simulation = Simulation(scenario, random_stream(scenario, seed, replication))
    if simulation.run(LONGEST_S):
        raise Undefined(f"the transfer does not end within {LONGEST_S:.2g} s")
    return Run(simulation.counts.time_s, simulation.counts)


@dataclass(frozen=True)
class Plan:
    """How many replications there are, and how long each lasts."""

    replications: int
    warm_up_s: float
    measured_s: float


def plan(scenario: Scenario, effort: Effort, seed: int) -> Plan:
    """Return how long replications must last for the effort, from a pilot run.

    The pilot tells the goodput and how often the window is cut; its first half, in which slow
    start may have overshot, is left out.
    """
    from tcpgoodput.simulator.simulation import Simulation

    own_s = seconds_per_event(scenario)
    stream = random_stream(scenario, seed, PILOT)
    simulation = Simulation(scenario, stream, horizon_s=LONGEST_MEASURED_S)
    half_s = max(50 * scenario.propagation_rtt_s, own_s, PILOT_PACKETS / scenario.rate_pps)
    half_s = min(half_s, LONGEST_MEASURED_S / 2)
    simulation.run(half_s)
    while True:
        before = simulation.counts
        simulation.run(2 * half_s)
        later = simulation.counts - before
        cuts = later.fast_retransmits + later.timeouts
        enough = later.delivered >= PILOT_PACKETS and cuts >= PILOT_CUTS
        enough = enough or later.delivered >= effort.packets
        if enough or 4 * half_s > LONGEST_MEASURED_S:
            break
        half_s *= 2
    return _affordable(scenario, effort, later.delivered / half_s, half_s / max(cuts, 1))


def _affordable(scenario: Scenario, effort: Effort, pps: float, cut_s: float) -> Plan:
    """Return the plan for a connection that delivers `pps` and is cut every `cut_s`."""
    pps = max(pps, 1 / LONGEST_MEASURED_S)
    own_s, period_s = seconds_per_event(scenario), period_of(scenario)
    event_s = max(own_s, cut_s)
    affordable_s = effort.most_packets / effort.replications / pps
    wanted_s = max(effort.packets / pps, effort.events * event_s)
    fewest_s = period_s or FEWEST_EVENTS * own_s
    measured_s = _two_digits(max(min(wanted_s, affordable_s), effort.packets / pps, fewest_s))
    if period_s:  # whole periods: no part of one counts twice
        measured_s = max(1, round(measured_s / period_s)) * period_s
    measured_s = min(measured_s, LONGEST_MEASURED_S)
    affordable = int(effort.most_packets / pps / measured_s)
    replications = min(effort.replications, max(affordable, FEWEST_REPLICATIONS))
    warm_up_s = min(WARM_UP_EVENTS * max(cut_s, min(own_s, measured_s / 5)), measured_s)
    return Plan(replications, _two_digits(max(WARM_UP * measured_s, warm_up_s)), measured_s)


def period_of(scenario: Scenario) -> float:
    """Return the period of the capacity, 0 if it has none."""
    if isinstance(scenario.capacity, Sinusoid | Square):
        return 1 / scenario.capacity.frequency_hz
    if isinstance(scenario.capacity, Trace):
        from tcpgoodput.scenario.capacity_trace import read_capacity_trace

        return float(read_capacity_trace(scenario.capacity.file)[0][-1])
    return 0.0


def seconds_per_event(scenario: Scenario) -> float:
    """Return the longest of the times after which the path's own processes repeat or forget."""
    times = [0.0]
    if scenario.spikes:
        times.append(scenario.spikes.interval.mean_s)
    if scenario.handoffs:
        times.append(scenario.handoffs.interval_s * max(1, len(scenario.handoffs.delay_steps_s)))
    times.append(period_of(scenario))
    match scenario.capacity:
        case Autoregressive():
            times.append(scenario.capacity.coherence_s)
        case Shadowing():
            from tcpgoodput.models.variable_capacity.radio import coherence_s

            times.append(coherence_s(scenario.capacity))
    return max(times)


def is_dead(scenario: Scenario) -> bool:
    """Tell whether each delay spike lasts at least until the next one begins."""
    if scenario.spikes is None:
        return False
    from tcpgoodput.scenario.distributions import longest_s, shortest_s

    return shortest_s(scenario.spikes.duration) >= longest_s(scenario.spikes.interval)


def _replicate(count: int, one: Callable[[int], Run], report: Report) -> tuple[list[Run], float]:
    """Run all replications on all cores; return them in order, with the seconds they took."""
    started = time.perf_counter()
    runs = []
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        try:
            for run in pool.map(one, range(count)):
                runs.append(run)
                report(len(runs), count)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return runs, time.perf_counter() - started


def _summary(scenario: Scenario, runs: list[Run], wall_s: float, effort: Effort) -> Measurement:
    goodput = Interval.of([run.goodput_pps for run in runs])
    total_s = math.fsum(run.duration_s for run in runs)
    samples = sum(run.counts.rtt_samples for run in runs)
    rtt_s = math.fsum(run.counts.rtt_sum_s for run in runs) / samples if samples else None
    reason = None
    if goodput.replications == 1:
        reason = "one replication has no interval"
    elif goodput.half_width > effort.half_width * goodput.mean:
        reason = f"the interval's half-width exceeds {100 * effort.half_width:g} % of the goodput"
    return Measurement(
        scenario,
        Packet.name,
        goodput,
        measured_s=total_s / len(runs),
        packets_sent=sum(run.counts.packets_sent for run in runs),
        retransmissions=sum(run.counts.retransmissions for run in runs),
        timeouts=sum(run.counts.timeouts for run in runs),
        fast_retransmits=sum(run.counts.fast_retransmits for run in runs),
        packets_lost=sum(run.counts.lost for run in runs),
        packets_dropped=sum(run.counts.dropped for run in runs),
        handoffs=sum(run.counts.handoffs for run in runs),
        mean_window_packets=math.fsum(run.counts.window_area for run in runs) / total_s,
        mean_rtt_s=rtt_s,
        wall_s=wall_s,
        each_pps=tuple(run.goodput_pps for run in runs),
        reason=reason,
    )


def _two_digits(value: float) -> float:
    """Return a duration with two significant digits: one that a reader can quote."""
    return float(f"{value:.2g}")
