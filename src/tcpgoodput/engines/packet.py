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
from tcpgoodput.engines.base import COUNTS, Engine, Measurement, Report, reason_of, silent
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
    BUDGETS,
    CYCLE_FACTOR,
    FEWEST_REPLICATIONS,
    LONGEST_MEASURED_S,
    Budget,
    Plan,
    differences,
    plan,
)
from tcpgoodput.engines.replications import Replications
from tcpgoodput.engines.run import MOST_STEPS, longest_s, spend
from tcpgoodput.engines.starts import Settled, Steady, settled
from tcpgoodput.engines.unsteady import stall_reason, trap_reason, trapped_after_s
from tcpgoodput.scenario import Scenario, random_streams
from tcpgoodput.scenario.distributions import longest_s as longest_of
from tcpgoodput.scenario.distributions import shortest_s
from tcpgoodput.scenario.loss import GilbertElliott
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
        budget = BUDGETS[conditions.precision]
        size = scenario.tcp.transfer_packets
        in_cycles = size is None and duration_s is None and repeats(scenario)
        if packets and conditions.precision == "paper":
            budget = budget.of(round(packets / CYCLE_FACTOR) if in_cycles else packets)
        seed, doubt_pps, dependence, reason = conditions.seed, 0.0, None, None
        started = time.perf_counter()
        if refusal := out_of_reach(scenario):
            raise Undefined(refusal)
        if (in_cycles or size is not None) and not differences(scenario):
            replications = replications or FEWEST_REPLICATIONS  # because all of them are equal
        if size is not None:
            count = replications or budget.transfers_of(size)
            streams = random_streams(scenario, seed)
            runs = self._replicate(count, lambda n: transfer(scenario, streams(n)), report)
        elif in_cycles:
            runs, doubt_pps = self._cycles(scenario, budget, seed, replications, report)
        else:
            continued = continued or Replications(scenario, seed)
            long = plan(scenario, budget, seed)
            if duration_s is not None:
                long = replace(long, measured_s=duration_s)
            count = replications or long.replications
            found = self._settled(scenario, budget, continued, long, count, report)
            runs, dependence = found.runs, found.dependence
        wall_s = time.perf_counter() - started
        goodput = _goodput(scenario, runs, doubt_pps)
        total_s = math.fsum(run.time_s for run in runs)
        measured_s = total_s / len(runs)
        if size is None:
            reason = stall_reason(scenario, runs)
        if dependence and reason is None:
            goodput = dependence.widened(goodput)
            reason = dependence.reason(scenario.tcp.mss_bytes)
        if size is None and not in_cycles and dependence is None:
            most = budget.most_packets
            trapped_s = trapped_after_s(scenario, seed, most, LONGEST_MEASURED_S)
            if trapped_s is not None:
                reason = trap_reason(trapped_s, measured_s)
        samples = sum(run.rtt_samples for run in runs)
        rtt_s = math.fsum(run.rtt_sum_s for run in runs) / samples if samples else None
        return Measurement.of(
            goodput,
            engine=self.name,
            measured_s=measured_s,
            **{name: sum(getattr(run, name) for run in runs) for name in COUNTS},
            mean_window_packets=math.fsum(run.window_area for run in runs) / total_s,
            mean_rtt_s=rtt_s,
            reason=reason or reason_of(goodput, budget.half_width),
            wall_s=wall_s,
            each_pps=tuple(run.goodput_pps for run in runs),
        )

    def _settled(
        self,
        scenario: Scenario,
        budget: Budget,
        replicated: Replications,
        long: Plan,
        count: int,
        report: Report,
    ) -> Settled:
        """Simulate replications whose goodput does not depend on their start, if possible.

        BBR does not read the first ssthresh, so its start cannot be varied.
        """

        def simulate(planned: Plan, numbers: Sequence[int]) -> list[Steady]:
            return self._replicate(
                len(numbers),
                lambda n: replicated.simulated(numbers[n], planned),
                report if numbers[0] == 0 else silent,
            )

        long = replicated.continuing(long)
        if scenario.tcp.variant == "bbr":
            found = Settled([one.whole for one in simulate(long, range(count))], long)
        else:
            found = settled(long, count, budget.half_width, simulate)
        replicated.latest = found.plan
        return found

    def _cycles(
        self, scenario: Scenario, budget: Budget, seed: int, count: int | None, report: Report
    ) -> tuple[list[Counts], float]:
        """Simulate whole cycles of the window: few if their goodputs agree, otherwise many.

        Return the replications, and a lower limit of the half-width in packets per second: half of
        the range of the cycles' goodputs if they are alike, and `CUT` of the goodput if the
        capacity varies.
        """
        probed = count or FEWEST_REPLICATIONS
        streams = random_streams(scenario, seed)
        replications = [stretch_ends(scenario, budget, streams, n) for n in range(probed)]
        found = self._replicate(probed, lambda n: _next(replications[n], PROBED_ENDS), report)
        rates = rates_pps(found)
        doubt_pps = (max(rates) - min(rates)) / 2
        alike = 2 * doubt_pps <= budget.alike * min(rates)
        count, most_ends = cycle_design(found, budget, count, alike)
        rest = range(probed, count)
        replications += [stretch_ends(scenario, budget, streams, n) for n in rest]
        found += [[] for _ in rest]

        def go_on(n: int) -> Counts:
            ends = found[n] + _next(replications[n], most_ends - len(found[n]))
            return ends[-1] - ends[SETTLED_END]

        again = self._replicate(count, go_on, report)
        least_pps = CUT * min(rates) if scenario.capacity else 0.0
        return again, max(least_pps, doubt_pps if alike else 0.0)

    def _replicate(self, count: int, one: Callable[[int], T], report: Report) -> list[T]:
        """Run the replications 0 to `count - 1` in parallel; return them in order."""
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
        return runs


def transfer(scenario: Scenario, stream: np.random.Generator) -> Counts:
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
    return simulation.counts


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


def _goodput(scenario: Scenario, runs: list[Counts], doubt_pps: float) -> Interval:
    """Return the goodput in packets per second; its half-width is at least `doubt_pps`."""
    durations_s = [run.time_s for run in runs]
    total_s = math.fsum(durations_s)
    if not any(run.delivered for run in runs):
        raise Undefined(f"nothing is delivered in {total_s / len(runs):.2g} s")
    if packets := scenario.tcp.transfer_packets:
        return Interval.of_ratio([packets] * len(runs), durations_s)
    if len(set(durations_s)) == 1:
        goodput = Interval.controlled([run.goodput_pps for run in runs], controls(scenario, runs))
    else:  # the replications are whole cycles of the window, so their durations differ
        goodput = Interval.of_ratio([run.delivered for run in runs], durations_s)
    # A replication's count of packets is off by up to one packet, so the half-width is at least
    # one packet per duration of a replication. The number of outages can by chance differ from
    # its mean by up to three, even if none occurred.
    outages = CHANCE_OUTAGES * mean_outage_s(scenario) / total_s
    doubt_pps = max(doubt_pps, min(outages, 1.0) * goodput.mean)
    return goodput.at_least(max(len(runs) / total_s, doubt_pps))
