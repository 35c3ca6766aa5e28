"""Engine `ns2`, which writes a script and runs ns-2 for each replication."""

from __future__ import annotations

import math
import os
import platform
from dataclasses import dataclass
from typing import Any, ClassVar

from tcpgoodput.answers import Conditions
from tcpgoodput.engines.base import Unavailable
from tcpgoodput.engines.cycles import SETTLING_EVENTS, repeats, whole_cycles
from tcpgoodput.engines.ns2 import process
from tcpgoodput.engines.ns2.script import CapacityAs, Script, refusal, script
from tcpgoodput.engines.packet import transfer
from tcpgoodput.engines.planning import (
    BUDGETS,
    FEWEST_REPLICATIONS,
    LONGEST_MEASURED_S,
    PILOT,
    Budget,
    Plan,
    plan,
)
from tcpgoodput.engines.referee import Referee
from tcpgoodput.engines.run import Observation
from tcpgoodput.scenario import Scenario, random_stream, random_streams
from tcpgoodput.scenario.physics import differing_impairments

PILOT_TRANSFERS = 8
LONGEST_OF_PILOTS = 50
"""Time limit of a finite transfer in ns-2, relative to the longest of the transfers that the packet
simulator made as pilot runs. Chosen by hand."""

SLOWEST_PPS = 20_000.0
"""Lowest assumed speed of ns-2, in packets or entries of the script's timetables per second of
computing. The time limit of a run is computed from this speed. Chosen by hand."""

PATIENCE_S = 60.0


def planned(scenario: Scenario, conditions: Conditions, packets: int | None) -> Plan:
    """Return the number of ns-2's replications for a scenario, and the duration of each.

    Raises:
        Undefined: a simulation cannot find a steady state of the scenario.

    """
    budget = BUDGETS[conditions.precision]
    if packets and conditions.precision == "paper":
        budget = budget.of(packets)
    if scenario.tcp.transfer_packets is not None:
        return _transfers(scenario, budget, conditions.seed)
    if repeats(scenario):
        return _cycles(scenario, budget, conditions.seed)
    return plan(scenario, budget, conditions.seed)


def allowed_s(scenario: Scenario, script: Script) -> float:
    """Return the limit of the computing time of a run of ns-2, in seconds."""
    tcp = scenario.tcp
    packets = script.end_s * scenario.rate_pps
    if tcp.max_window_packets:
        packets = min(packets, script.end_s / scenario.propagation_rtt_s * tcp.max_window_packets)
    packets += script.cross_packets
    turns = script.end_s / (script.period_s or math.inf)
    return PATIENCE_S + (packets + script.entries * (1 + turns)) / SLOWEST_PPS


def _transfers(scenario: Scenario, budget: Budget, seed: int) -> Plan:
    """Plan runs of ns-2 for finite transfers, each from its start to its end, with a time limit."""
    streams = random_streams(scenario, seed)
    pilots = [transfer(scenario, streams(PILOT - n)).time_s for n in range(PILOT_TRANSFERS)]
    alike = not differing_impairments(scenario)
    count = FEWEST_REPLICATIONS if alike else budget.transfers
    return Plan(count, 0.0, 0.0, min(LONGEST_OF_PILOTS * max(pilots), LONGEST_MEASURED_S))


def _cycles(scenario: Scenario, budget: Budget, seed: int) -> Plan:
    """Plan runs of ns-2 that last as long as whole cycles of the window in the packet simulator."""
    run = whole_cycles(scenario, budget, seed, PILOT, budget.cycles)
    cycle_s = run.time_s / max(1, run.loss_events)
    settled_s = (SETTLING_EVENTS + 1) * cycle_s
    return Plan(FEWEST_REPLICATIONS, settled_s, cycle_s, run.time_s)


@dataclass(frozen=True)
class Ns2(Referee):
    """The engine that runs Debian's ns-2.35."""

    name: ClassVar[str] = "ns2"
    title: ClassVar[str] = "ns-2"

    capacity_as: CapacityAs = "link"
    """What varies a link's capacity: its rate, or a flow of small packets with priority."""

    @property
    def parallel_runs(self) -> int:
        """The number of parallel runs: one for each core."""
        return len(os.sched_getaffinity(0))

    def missing(self) -> str | None:
        """Return how to install ns-2.35 if it is missing, or None if it is installed."""
        return process.missing()

    def own_refusal(self, scenario: Scenario) -> str | None:
        """Return why ns-2 cannot run a scenario, or None if it can."""
        return refusal(scenario, self.capacity_as)

    def setting(self, scenario: Scenario) -> str:
        """Return what varies the capacity if it is not the rate of the link, else an empty text."""
        del scenario
        return "" if self.capacity_as == "link" else self.capacity_as

    def plan(self, scenario: Scenario, conditions: Conditions, packets: int | None = None) -> Plan:
        """Plan runs of about the same duration as the packet simulator's; see `planned`."""
        return planned(scenario, conditions, packets)

    def provenance(self) -> dict[str, Any]:
        """Return the version of ns-2, as the provenance of its measurements."""
        return {"ns2": process.VERSION, "kernel": platform.release(), "cores": self.parallel_runs}

    def observe(
        self, scenario: Scenario, conditions: Conditions, replication: int, plan: Plan
    ) -> Observation:
        """Run one replication in ns-2; see `Referee.observe`.

        Raises:
            Unavailable: ns-2 failed, or its output is invalid.

        """
        stream = random_stream(scenario, conditions.seed, replication)
        program = script(scenario, stream, plan, capacity_as=self.capacity_as)
        printed = process.read(process.run(program.text, allowed_s(scenario, program)))
        if printed.crossed > program.covered:
            raise Unavailable("ns-2 sent more packets than the loss process was drawn for")
        return Observation(
            printed.measured_s,
            printed.acknowledged,
            packets_sent=printed.sent,
            retransmissions=printed.retransmitted,
            timeouts=printed.timeouts,
            fast_retransmits=printed.cuts - printed.timeouts,
            handoffs=program.handoffs,
        )
