"""Replications of one long-lived connection, which later measurements can continue.

A measurement whose interval is too wide is repeated for a longer time. Its replications need not
start again: each simulation goes on where it stopped.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tcpgoodput.engines.planning import Plan
from tcpgoodput.engines.starts import CHECK_SHARE, Steady
from tcpgoodput.scenario import Scenario, random_streams

if TYPE_CHECKING:
    import numpy as np

    from tcpgoodput.simulator.simulation import Counts


class Replications:
    """The simulations of a scenario's replications, which later measurements can continue.

    A replication begins anew only if a plan differs in more than its measured time, for example in
    its warm-up.
    """

    def __init__(self, scenario: Scenario, seed: int) -> None:
        """Start with no simulated replication.

        Args:
            scenario: a scenario whose connection is not a finite transfer.
            seed: seed of random numbers.

        """
        self._scenario = scenario
        self._streams = random_streams(scenario, seed)
        self._begun: dict[tuple[int, Plan], _Replication] = {}
        self.latest: Plan | None = None
        """Plan of the latest measurement, which later measurements continue."""

    def continuing(self, plan: Plan) -> Plan:
        """Return the plan of a measurement that continues the latest one, with the same warm-up.

        The measured time is that of `plan`, but not shorter than in the latest measurement. Without
        a latest measurement, the result is `plan`.

        Args:
            plan: the plan of the same measurement if it did not continue another one.

        """
        if self.latest is None:
            return plan
        return replace(self.latest, measured_s=max(plan.measured_s, self.latest.measured_s))

    def simulated(self, number: int, plan: Plan) -> Steady:
        """Return the counts of one replication, simulated for the measured time of the plan.

        The measurement begins at a random time after the warm-up, so that periodic processes have a
        random phase. A replication that has been simulated for a shorter measured time after the
        same warm-up is continued.

        Raises:
            Undefined: the simulation cannot be continued for that time.

        """
        start = number, replace(plan, measured_s=0.0)
        if start not in self._begun:
            self._begun[start] = _Replication(self._scenario, self._streams(number), plan)
        return self._begun[start].measured(plan.measured_s)


class _Replication:
    def __init__(self, scenario: Scenario, stream: np.random.Generator, plan: Plan) -> None:
        """Simulate the warm-up."""
        from tcpgoodput.simulator.simulation import Simulation

        self.begin_s = plan.warm_up_s + stream.random() * plan.phase_s
        self.simulation = Simulation(
            scenario,
            stream,
            ssthresh_packets=plan.ssthresh_packets,
            horizon_s=self.begin_s + max(plan.measured_s, plan.longest_s),
        )
        self.simulation.run(self.begin_s)
        self.before = self.simulation.counts
        self.runs: list[Counts] = []  # since the beginning of the measurement, at increasing times

    def measured(self, duration_s: float) -> Steady:
        beginning_s = CHECK_SHARE * duration_s
        for time_s in (beginning_s, duration_s):
            if not self.runs or time_s > self.runs[-1].time_s:
                self.simulation.run(self.begin_s + time_s)
                counted = self.simulation.counts - self.before
                self.runs.append(counted._replace(time_s=time_s))
        return Steady(self._until(duration_s), self._until(beginning_s))

    def _until(self, time_s: float) -> Counts:
        """Return the counts of the shortest recorded measured time that is at least `time_s`."""
        return next(run for run in self.runs if run.time_s >= time_s)
