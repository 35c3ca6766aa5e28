"""Engine `packet`: runs the replications that `planning` plans in the simulator, on all cores."""

from __future__ import annotations

import itertools
import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from tcpgoodput.answers import Conditions, Undefined
from tcpgoodput.engines.base import Engine, Measurement, Report, reason_of, silent
from tcpgoodput.engines.controls import controls
from tcpgoodput.engines.cycles import (
    CUT,
    PROBED_ENDS,
    SETTLED_END,
    cycle_design,
    rates_pps,
    repeats,
    stretch_ends,
)
from tcpgoodput.engines.planning import (
    CYCLE_FACTOR,
    EFFORTS,
    FEWEST_REPLICATIONS,
    LONGEST_MEASURED_S,
    Effort,
    Plan,
    plan,
)
from tcpgoodput.engines.replications import Replications
from tcpgoodput.engines.run import MOST_STEPS, Run, longest_s, spend
from tcpgoodput.engines.stalls import with_stalls
from tcpgoodput.engines.starts import Settled, Steady, settled
from tcpgoodput.engines.traps import trapped_after_s, with_trap
from tcpgoodput.scenario import Scenario, random_streams
from tcpgoodput.scenario.distributions import longest_s as longest_of
from tcpgoodput.scenario.distributions import shortest_s
from tcpgoodput.scenario.loss import GilbertElliott
from tcpgoodput.scenario.physics import differing_impairments
from tcpgoodput.statistics import Interval

if TYPE_CHECKING:
    import numpy as np

    from tcpgoodput.simulator.simulation import Counts

T = TypeVar("T")

FEWEST_ROUND_TRIPS = 10_000
"""Smallest number of round trips in `MOST_STEPS` steps of a varying capacity, which are the most
that can be simulated. A scenario with fewer round trips is refused. Chosen by hand."""

CHANCE_OUTAGES = 3
"""Mean number of outages with which the probability to see none is about 5 % (e⁻³, by Poisson's
distribution)."""

LEAST_CHANCE = 1e-12
"""Lower limit of the probability that a packet ends a burst of losses (`bad_to_good`). It keeps the
computed mean duration of an outage finite."""

MOST_SENT = 20_000_000
"""Largest number of packets sent in a simulated finite transfer, retransmissions included. The
simulation takes a second or two per replication."""


class Packet(Engine):
    """Engine that simulates one connection packet by packet."""

    name = "packet"
    title = "Packet simulator"

    def __init__(self, threads: int | None = None) -> None:
        """Set the number of threads that simulate replications; None: the number of cores."""
        self._threads = threads or len(os.sched_getaffinity(0))

    def compile(self) -> None:
        """Compile the simulator, and the senders for step-by-step simulation."""
        from tcpgoodput.simulator import simulation, stepped

        simulation.compile_all()
        stepped.compile_all()

    def measure(
        self,
        scenario: Scenario,
        conditions: Conditions,
        *,
        packets: int | None = None,
        replications: int | None = None,
        duration_s: float | None = None,
        report: Report = silent,
        continued: Replications | None = None,
    ) -> Measurement:
        """Simulate the replications on all cores; see `Engine.measure`.

        If `continued` contains the replications of a shorter measurement of the same scenario with
        the same seed, the simulations of that measurement go on instead of starting again.
        """
        effort = EFFORTS[conditions.precision]
        size = scenario.tcp.transfer_packets
        in_cycles = size is None and duration_s is None and repeats(scenario)
        if packets and conditions.precision == "paper":
            effort = effort.of(round(packets / CYCLE_FACTOR) if in_cycles else packets)
        seed, doubt_pps, dependence, trapped_s = conditions.seed, 0.0, None, None
        if reason := out_of_reach(scenario):
            raise Undefined(reason)
        if size is not None:
            alike = not differing_impairments(scenario)
            count = replications or (FEWEST_REPLICATIONS if alike else effort.transfers_of(size))
            streams = random_streams(scenario, seed)
            runs, wall_s = self._replicate(count, lambda n: transfer(scenario, streams(n)), report)
        elif in_cycles:
            runs, wall_s, doubt_pps = self._cycles(scenario, effort, seed, replications, report)
        else:
            continued = continued or Replications(scenario, seed)
            long = plan(scenario, effort, seed)
            if duration_s is not None:
                long = replace(long, measured_s=duration_s)
            count = replications or long.replications
            found, wall_s = self._settled(effort, continued, long, count, report)
            runs, dependence = found.runs, found.dependence
            if dependence is None:
                trapped_s = trapped_after_s(scenario, seed, effort.most_packets, LONGEST_MEASURED_S)
        summary = _summary(scenario, runs, wall_s, effort, doubt_pps)
        if size is None:
            summary = with_stalls(summary, runs)
        if dependence and summary.is_steady:
            return dependence.applied_to(summary)
        return summary if trapped_s is None else with_trap(summary, trapped_s)

    def _settled(
        self, effort: Effort, replicated: Replications, long: Plan, count: int, report: Report
    ) -> tuple[Settled, float]:
        """Simulate replications whose goodput does not depend on their start, as far as possible.

        Args:
            effort: the effort; its half-width is the smallest relevant relative difference.
            replicated: the simulations, which an earlier measurement may have begun.
            long: the planned durations of a replication.
            count: number of replications.
            report: function that is called with the numbers of finished and of all replications.

        Returns:
            The replications, and the elapsed computing time in seconds.

        """
        wall_s = 0.0

        def simulate(planned: Plan, numbers: Sequence[int]) -> list[Steady]:
            nonlocal wall_s
            found, took_s = self._replicate(
                len(numbers),
                lambda n: replicated.simulated(numbers[n], planned),
                report if numbers[0] == 0 else silent,
            )
            wall_s += took_s
            return found

        found = settled(replicated.continuing(long), count, effort.half_width, simulate)
        replicated.settled_with(found.plan)
        return found, wall_s

    def _cycles(
        self, scenario: Scenario, effort: Effort, seed: int, count: int | None, report: Report
    ) -> tuple[list[Run], float, float]:
        """Simulate whole cycles of the window: few if their goodputs agree, otherwise many.

        Returns:
            The replications, the elapsed computing time in seconds, and a lower limit of the
            half-width of the goodput's interval, in packets per second. The limit is at least half
            of the range of the cycles' goodputs if the cycles count as alike, and at least `CUT` of
            the goodput if the capacity varies.

        """
        probed = count or FEWEST_REPLICATIONS
        streams = random_streams(scenario, seed)
        replications = [stretch_ends(scenario, effort, streams, n) for n in range(probed)]
        found, wall_s = self._replicate(
            probed, lambda n: _next(replications[n], PROBED_ENDS), report
        )
        rates = rates_pps(found)
        doubt_pps = (max(rates) - min(rates)) / 2
        alike = 2 * doubt_pps <= effort.alike * min(rates)
        design = cycle_design(found, effort, count, alike)
        rest = range(probed, design.count)
        replications += [stretch_ends(scenario, effort, streams, n) for n in rest]
        found += [[] for _ in rest]

        def go_on(n: int) -> Run:
            ends = found[n] + _next(replications[n], design.ends - len(found[n]))
            return Run.between(ends[SETTLED_END], ends[-1])

        again, again_s = self._replicate(design.count, go_on, report)
        least_pps = CUT * min(rates) if scenario.capacity else 0.0
        return again, wall_s + again_s, max(least_pps, doubt_pps if alike else 0.0)

    def _replicate(
        self, count: int, one: Callable[[int], T], report: Report
    ) -> tuple[list[T], float]:
        """Run all replications in parallel; return them in order, with the elapsed seconds.

        Args:
            count: number of replications.
            one: function that simulates the replication with the given number, from 0.
            report: function that is called with the numbers of finished and of all replications.

        """
        started = time.perf_counter()
        runs = []
        pool = ThreadPoolExecutor(self._threads)
        # With one core, passing replications to another thread would add a tenth to the run time.
        each = map if self._threads == 1 else pool.map
        try:
            for run in each(one, range(count)):
                runs.append(run)
                report(len(runs), count)
        except BaseException as error:
            # After an interrupt, do not wait for running replications.
            pool.shutdown(wait=not isinstance(error, KeyboardInterrupt), cancel_futures=True)
            raise
        pool.shutdown()
        return runs, time.perf_counter() - started


def transfer(scenario: Scenario, stream: np.random.Generator) -> Run:
    """Simulate a finite transfer from its first packet to the last acknowledgement.

    Raises:
        Undefined: the transfer does not end within `MOST_SENT` packets or the longest simulated
            time.

    """
    from tcpgoodput.simulator.compiled import LONGEST_S
    from tcpgoodput.simulator.simulation import Simulation

    # At a very low capacity, even a single packet may take more steps of the varying capacity than
    # can be simulated.
    horizon_s = min(LONGEST_S, longest_s(scenario))
    simulation = Simulation(scenario, stream, horizon_s=horizon_s)
    if not spend(simulation, LONGEST_S, MOST_SENT):
        raise Undefined(f"the transfer is not complete after {MOST_SENT:.2g} sent packets")
    if simulation.run(horizon_s):
        raise Undefined(f"the transfer is not complete after {LONGEST_S:.2g} s")
    counts = simulation.counts
    return Run(counts.time_s, counts)


def out_of_reach(scenario: Scenario) -> str | None:
    """Return why a simulation cannot find the goodput of a scenario, or None if it can."""
    spikes = scenario.spikes
    steps_s = scenario.handoffs.delay_steps_s if scenario.handoffs else []
    # Do not use 1 / rate_pps: for the smallest rates, rate_pps underflows to 0.
    packet_s = scenario.packet_bits / scenario.path.rate_bps
    round_trip_s = max(scenario.propagation_rtt_s, *steps_s, 0.0) + packet_s
    if round_trip_s > LONGEST_MEASURED_S:
        return (
            f"a packet's round trip takes {round_trip_s:.2g} s (path, handoffs.delay_steps_s), and "
            f"at most {LONGEST_MEASURED_S:.2g} s are simulated"
        )
    if round_trip_s > longest_s(scenario) / FEWEST_ROUND_TRIPS:
        return (
            f"the capacity changes more than {MOST_STEPS / FEWEST_ROUND_TRIPS:.0e} times in a "
            "round trip, too often to simulate: use its mean as path.rate_bps instead"
        )
    if spikes and shortest_s(spikes.duration) >= longest_of(spikes.interval):
        return (
            "each delay spike lasts until the next one begins, so nothing is delivered "
            "(spikes.interval, spikes.duration)"
        )
    return None


def mean_outage_s(scenario: Scenario) -> float:
    """Return the mean duration of an outage in seconds if rare long outages decide the goodput.

    With `loss.clock: packet` the channel does not change while the sender waits for its timeout. In
    a burst with β = `bad_to_good`, k retransmissions in a row are lost with probability (1 - β)^k,
    and the timeout doubles up to `rto.max_s`. For β < 1/2 most of the mean duration comes from long
    outages. The result is 0 for all other scenarios.
    """
    loss, rto = scenario.loss, scenario.tcp.rto
    if not isinstance(loss, GilbertElliott) or loss.clock != "packet" or not loss.impairment:
        return 0.0
    if loss.bad_to_good >= 0.5 or rto.fixed_s is not None:  # a fixed timeout does not double
        return 0.0
    mean_s, timeout_s, probability = 0.0, rto.min_s, 1.0
    while timeout_s < rto.max_s:
        mean_s += probability * timeout_s
        timeout_s, probability = 2 * timeout_s, probability * (1 - loss.bad_to_good)
    return mean_s + probability * rto.max_s / max(loss.bad_to_good, LEAST_CHANCE)


def _next(ends: Iterator[Counts], count: int) -> list[Counts]:
    return list(itertools.islice(ends, count))


def _summary(
    scenario: Scenario, runs: list[Run], wall_s: float, effort: Effort, doubt_pps: float
) -> Measurement:
    total_s = math.fsum(run.duration_s for run in runs)
    if not any(run.counts.delivered for run in runs):
        raise Undefined(f"nothing is delivered in {total_s / len(runs):.2g} s")
    each_pps = tuple(run.goodput_pps for run in runs)
    packets, durations_s = scenario.tcp.transfer_packets, [run.duration_s for run in runs]
    if packets:
        goodput = Interval.of_ratio([packets] * len(runs), durations_s)
    else:
        if len(set(durations_s)) == 1:
            goodput = Interval.controlled(each_pps, controls(scenario, runs))
        else:  # the replications are whole cycles of the window, so their durations differ
            goodput = Interval.of_ratio([run.counts.delivered for run in runs], durations_s)
        # A replication's count of packets is off by up to one packet, so the half-width is at least
        # one packet per duration of a replication. The number of outages can by chance differ from
        # its mean by up to three, even if none occurred.
        outages = CHANCE_OUTAGES * mean_outage_s(scenario) / total_s
        doubt_pps = max(doubt_pps, min(outages, 1.0) * goodput.mean)
        goodput = goodput.at_least(max(len(runs) / total_s, doubt_pps))
    samples = sum(run.counts.rtt_samples for run in runs)
    rtt_s = math.fsum(run.counts.rtt_sum_s for run in runs) / samples if samples else None
    return Measurement(
        scenario,
        Packet.name,
        goodput,
        measured_s=total_s / len(runs),
        packets_sent=sum(run.counts.packets_sent for run in runs),
        retransmissions=sum(run.counts.retransmissions for run in runs),
        timeouts=sum(run.counts.timeouts for run in runs),
        loss_events=sum(run.counts.loss_events for run in runs),
        fast_retransmits=sum(run.counts.fast_retransmits for run in runs),
        packets_lost=sum(run.counts.lost for run in runs),
        packets_dropped=sum(run.counts.dropped for run in runs),
        handoffs=sum(run.counts.handoffs for run in runs),
        mean_window_packets=math.fsum(run.counts.window_area for run in runs) / total_s,
        mean_rtt_s=rtt_s,
        wall_s=wall_s,
        each_pps=each_pps,
        reason=reason_of(goodput, effort.half_width),
    )
