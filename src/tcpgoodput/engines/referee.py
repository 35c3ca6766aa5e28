"""Base class of the reference implementations ns-2 and Linux."""

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
from tcpgoodput.engines.base import (
    COUNTS,
    MEANS,
    Engine,
    Measurement,
    Report,
    Unavailable,
    reason_of,
    silent,
)
from tcpgoodput.engines.planning import BUDGETS, Plan
from tcpgoodput.engines.run import Observation
from tcpgoodput.scenario import Scenario
from tcpgoodput.statistics import Interval


class Referee(Engine):
    """Base class of engines that are reference implementations."""

    @property
    @abstractmethod
    def parallel_runs(self) -> int:
        """The number of runs that this machine can do in parallel."""

    @abstractmethod
    def missing(self) -> str | None:
        """Return what this machine lacks to run the engine, and how to get it; None if nothing."""

    @abstractmethod
    def own_refusal(self, scenario: Scenario) -> str | None:
        """Return the reason, specific to this engine, why it cannot run a scenario; None if it can.

        `refusal` adds the reasons that all engines of this class share.
        """

    def refusal(self, scenario: Scenario) -> str | None:
        """Return any reason why the engine cannot run a scenario, or None if it can."""
        if scenario.handoffs and scenario.handoffs.within_s is not None:
            return "only the packet simulator ends a hand-off after a time (handoffs.within_s)"
        if scenario.arq is not None:
            return (
                f"the path of {self.title} serves each packet once, and cannot repeat frames "
                "(arq): use the engine packet"
            )
        return self.own_refusal(scenario)

    def setting(self, scenario: Scenario) -> str:
        """Return, as text, the engine's settings that are not part of the scenario."""
        del scenario
        return ""

    def code(self) -> str:
        """Return a digest of the engine's source files."""
        digest = hashlib.sha256()
        for file in sorted(Path(inspect.getfile(type(self))).parent.iterdir()):
            if file.is_file():
                digest.update(file.name.encode() + file.read_bytes())
        return f"sha256:{digest.hexdigest()}"

    @abstractmethod
    def provenance(self) -> dict[str, Any]:
        """Return the provenance of measurements: versions and settings of engine and machine."""

    def check(self, conditions: Conditions) -> dict[str, float]:
        """Measure test connections of known goodput, to check the machine.

        Returns:
            The measured goodput divided by the known goodput, by id of the test connection; empty
            if the engine has no test connections.

        Raises:
            Unavailable: a ratio differs too much from 1.

        """
        del conditions
        return {}

    @abstractmethod
    def plan(self, scenario: Scenario, conditions: Conditions, packets: int | None = None) -> Plan:
        """Return the default number of replications, and a replication's warm-up and measured time.

        Args:
            scenario: the scenario to run.
            conditions: the precision, and the seed of random numbers.
            packets: approximate total number of packets; None: that of the precision. Engines that
                run in real time ignore it.

        """

    @abstractmethod
    def observe(
        self, scenario: Scenario, conditions: Conditions, replication: int, plan: Plan
    ) -> Observation:
        """Run one replication, and return what was observed in its measured time.

        Args:
            scenario: the scenario to run.
            conditions: the precision, and the seed of random numbers.
            replication: number of the replication, which selects its random numbers.
            plan: the durations of warm-up and measurement.

        Raises:
            Unavailable: the engine failed.

        """

    def plan_as_requested(
        self,
        scenario: Scenario,
        conditions: Conditions,
        packets: int | None = None,
        replications: int | None = None,
        duration_s: float | None = None,
    ) -> Plan:
        """Return the plan of `plan`, with the requested replications and measured time if given."""
        own = self.plan(scenario, conditions, packets)
        measured_s = duration_s or own.measured_s
        return replace(own, replications=replications or own.replications, measured_s=measured_s)

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
        """Check the machine and run the replications in parallel; see `Engine.measure`."""
        if reason := self.refusal(scenario):
            raise Undefined(reason)
        if reason := self.missing():
            raise Unavailable(reason)
        plan = self.plan_as_requested(scenario, conditions, packets, replications, duration_s)
        self.compile()  # compile first, so that compilation disturbs no timed run
        started = time.perf_counter()
        runs = []
        with ThreadPoolExecutor(self.parallel_runs) as pool:
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
        wall_s = time.perf_counter() - started
        total_s = math.fsum(run.measured_s for run in runs)
        goodput = Interval.of([run.goodput_pps for run in runs]).at_least(len(runs) / total_s)
        if packets := scenario.tcp.transfer_packets:
            goodput = Interval.of_ratio([packets] * len(runs), [run.measured_s for run in runs])
        if not math.fsum(run.goodput_pps for run in runs):
            raise Undefined(
                f"no packet arrived in {total_s / len(runs):.3g} s: measure longer (--duration)"
            )
        return Measurement.of(
            goodput,
            engine=self.name,
            measured_s=total_s / len(runs),
            **{name: _total(runs, name) for name in COUNTS},
            **{name: _total(runs, name, len(runs)) for name in MEANS},
            wall_s=wall_s,
            each_pps=tuple(run.goodput_pps for run in runs),
            reason=reason_of(goodput, BUDGETS[conditions.precision].half_width),
        )


def _total(runs: Sequence[Observation], name: str, share: int | None = None) -> Any:
    """Return a sum over runs, divided by `share` if given; None if a run does not have it."""
    values = [getattr(run, name) for run in runs]
    if None in values:
        return None
    return sum(values) if share is None else math.fsum(values) / share
