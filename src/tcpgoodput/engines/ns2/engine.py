"""The engine `ns2`: how long it simulates, a script and a run for each replication."""

from __future__ import annotations

import math
import os
import platform
from typing import Any

from tcpgoodput.answers import Conditions
from tcpgoodput.engines.base import Unavailable
from tcpgoodput.engines.cycles import SETTLING_EVENTS, repeats, whole_cycles
from tcpgoodput.engines.ns2 import process
from tcpgoodput.engines.ns2 import process as output
from tcpgoodput.engines.ns2.refusals import refusal
from tcpgoodput.engines.ns2.script import Script, script
from tcpgoodput.engines.packet import transfer
from tcpgoodput.engines.planning import (
    EFFORTS,
    FEWEST_REPLICATIONS,
    LONGEST_MEASURED_S,
    PILOT,
    Effort,
    Plan,
    plan,
)
from tcpgoodput.engines.referee import Referee
from tcpgoodput.engines.run import Observation
from tcpgoodput.scenario import Scenario, random_stream, random_streams
from tcpgoodput.scenario.physics import impairments

PILOT_TRANSFERS = 8
LONGEST_OF_PILOTS = 50
"""How much longer than the longest of these a transfer may take before it is given up."""

SLOWEST_PPS = 20_000.0
"""Packets, or entries of a timetable, that ns-2 is trusted to do in a second at the very least."""

PATIENCE_S = 60.0


def planned(scenario: Scenario, conditions: Conditions, packets: int | None) -> Plan:
    """Return how many replications there are and how long each lasts.

    Raises:
        Undefined: the scenario has no steady state that a simulation could find.

    """
    effort = EFFORTS[conditions.precision]
    if packets and conditions.precision == "paper":
        effort = effort.of(packets)
    if scenario.tcp.transfer_packets is not None:
        return _transfers(scenario, effort, conditions.seed)
    if repeats(scenario):
        return _cycles(scenario, effort, conditions.seed)
    return plan(scenario, effort, conditions.seed)


def allowed_s(scenario: Scenario, script: Script) -> float:
    """Return the time after which a run must be hanging."""
    tcp = scenario.tcp
    packets = script.end_s * scenario.rate_pps
    if tcp.max_window_packets:
        packets = min(packets, script.end_s / scenario.propagation_rtt_s * tcp.max_window_packets)
    turns = script.end_s / (script.period_s or math.inf)
    return PATIENCE_S + (packets + script.entries * (1 + turns)) / SLOWEST_PPS


def _transfers(scenario: Scenario, effort: Effort, seed: int) -> Plan:
    """Plan transfers: what is measured is how long each takes, within the plan's time."""
    streams = random_streams(scenario, seed)
    pilots = [transfer(scenario, streams(PILOT - n)).duration_s for n in range(PILOT_TRANSFERS)]
    alike = impairments(scenario) <= {"a finite transfer"}
    count = FEWEST_REPLICATIONS if alike else effort.transfers
    return Plan(count, 0.0, 0.0, min(LONGEST_OF_PILOTS * max(pilots), LONGEST_MEASURED_S))


def _cycles(scenario: Scenario, effort: Effort, seed: int) -> Plan:
    """Plan as many whole cycles as the packet simulator needs, begun at any of their phases."""
    run = whole_cycles(scenario, effort, seed, PILOT, effort.cycles)
    cycle_s = run.duration_s / max(1, run.counts.loss_events)
    settled_s = (SETTLING_EVENTS + 1) * cycle_s
    return Plan(FEWEST_REPLICATIONS, settled_s, cycle_s, run.duration_s)


class Ns2(Referee):
    """Debian's ns-2.35."""

    name = "ns2"
    title = "ns-2"

    @property
    def abreast(self) -> int:
        """Runs side by side: one on each core."""
        return len(os.sched_getaffinity(0))

    def missing(self) -> str | None:
        """Return that there is no ns-2.35 here and how to get it, or None."""
        return process.missing()

    def inexpressible(self, scenario: Scenario) -> str | None:
        """Return why a scenario cannot be put to ns-2, or None."""
        return refusal(scenario)

    def plan(self, scenario: Scenario, conditions: Conditions, packets: int | None = None) -> Plan:
        """Return the packet simulator's plan."""
        return planned(scenario, conditions, packets)

    def provenance(self) -> dict[str, Any]:
        """Return the program's version."""
        return {"ns2": process.VERSION, "kernel": platform.release(), "cores": self.abreast}

    def observe(
        self, scenario: Scenario, conditions: Conditions, replication: int, plan: Plan
    ) -> Observation:
        """Run one replication.

        Raises:
            Unavailable: ns-2 broke down, or what it printed is not what it should print.

        """
        written = script(scenario, random_stream(scenario, conditions.seed, replication), plan)
        printed = output.read(process.run(written.text, allowed_s(scenario, written)))
        if printed.crossed > written.covered:
            raise Unavailable("ns-2 sent more packets than the loss process was drawn for")
        return Observation(
            printed.measured_s,
            printed.acknowledged,
            packets_sent=printed.sent,
            retransmissions=printed.retransmitted,
            timeouts=printed.timeouts,
            fast_retransmits=printed.cuts - printed.timeouts,
            handoffs=written.handoffs,
        )
