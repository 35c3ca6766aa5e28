"""What the referees have in common: engines of others, run once for each replication."""

from __future__ import annotations

import hashlib
import inspect
import math
import time
from abc import abstractmethod
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from tcpgoodput.answers import Conditions, Undefined
from tcpgoodput.engines.base import Engine, Measurement, Report, Unavailable, silent
from tcpgoodput.engines.planning import Plan
from tcpgoodput.engines.run import COUNTS, Observation
from tcpgoodput.scenario import Scenario
from tcpgoodput.statistics import Interval


class Referee(Engine):
    """An engine that this project did not write."""

    @property
    @abstractmethod
    def abreast(self) -> int:
        """Runs that this machine can do side by side."""

    @abstractmethod
    def missing(self) -> str | None:
        """Return what this machine lacks and how to get it, or None."""

    @abstractmethod
    def inexpressible(self, scenario: Scenario) -> str | None:
        """Return why the engine cannot be asked about a scenario, or None."""

    def setting(self, scenario: Scenario) -> str:
        """Return what of the engine's own, apart from a scenario, its numbers depend on."""
        del scenario
        return ""

    def code(self) -> str:
        """Return a digest of the files that the engine is made of."""
        digest = hashlib.sha256()
        for file in sorted(Path(inspect.getfile(type(self))).parent.iterdir()):
            if file.is_file():
                digest.update(file.name.encode() + file.read_bytes())
        return f"sha256:{digest.hexdigest()}"

    @abstractmethod
    def provenance(self) -> dict[str, Any]:
        """Return what a reader must know of the engine and the machine to judge its numbers."""

    def check(self, conditions: Conditions) -> dict[str, float]:
        """Measure what is known beforehand, and return it in parts of what it must be.

        Raises:
            Unavailable: something is off by more than it may be.

        """
        del conditions
        return {}

    @abstractmethod
    def plan(self, scenario: Scenario, conditions: Conditions, packets: int | None = None) -> Plan:
        """Return how many replications there are by default, and how long each lasts."""

    @abstractmethod
    def observe(
        self, scenario: Scenario, conditions: Conditions, replication: int, plan: Plan
    ) -> Observation:
        """Run one replication.

        Raises:
            Unavailable: the engine broke down.

        """

    def measure(
        self,
        scenario: Scenario,
        conditions: Conditions,
        *,
        packets: int | None = None,
        replications: int | None = None,
        duration_s: float | None = None,
        report: Report = silent,
    ) -> Measurement:
        """Run the replications side by side, and the check beside them; see `Engine.measure`."""
        if reason := self.inexpressible(scenario):
            raise Undefined(reason)
        if reason := self.missing():
            raise Unavailable(reason)
        plan = self.plan(scenario, conditions, packets)
        plan = replace(
            plan,
            replications=replications or plan.replications,
            measured_s=duration_s or plan.measured_s,
        )
        self.compile()  # before anything is timed
        started = time.perf_counter()
        runs = []
        with ThreadPoolExecutor(self.abreast) as pool:
            try:
                checked = pool.submit(self.check, conditions)
                numbers = range(plan.replications)
                for run in pool.map(lambda n: self.observe(scenario, conditions, n, plan), numbers):
                    runs.append(run)
                    report(len(runs), plan.replications)
                checked.result()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        return summary(scenario, self.name, runs, time.perf_counter() - started)


def summary(
    scenario: Scenario, name: str, runs: Sequence[Observation], wall_s: float
) -> Measurement:
    """Return what several runs say together."""
    total_s = math.fsum(run.measured_s for run in runs)
    goodput = Interval.of([run.goodput_pps for run in runs]).at_least(len(runs) / total_s)
    if packets := scenario.tcp.transfer_packets:
        goodput = Interval.of([run.measured_s for run in runs]).inverse_of(packets)
    totals = {count: _added(runs, count) for count in COUNTS}
    return Measurement(
        scenario,
        name,
        goodput,
        measured_s=total_s / len(runs),
        **totals,
        mean_window_packets=_mean(runs, "mean_window_packets"),
        mean_rtt_s=_mean(runs, "mean_rtt_s"),
        wall_s=wall_s,
        each_pps=tuple(run.goodput_pps for run in runs),
        reason="one replication has no interval" if len(runs) == 1 else None,
    )


def _added(runs: Sequence[Observation], name: str) -> int | None:
    values = [getattr(run, name) for run in runs]
    return None if None in values else sum(values)


def _mean(runs: Sequence[Observation], name: str) -> float | None:
    values = [getattr(run, name) for run in runs]
    return None if None in values else math.fsum(values) / len(values)
