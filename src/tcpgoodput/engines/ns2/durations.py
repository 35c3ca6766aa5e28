"""How long ns-2 simulates: as long as the packet simulator would, and what that may take."""

from __future__ import annotations

import math

from tcpgoodput.answers import Conditions
from tcpgoodput.engines.cycles import SETTLING_EVENTS, repeats, whole_cycles
from tcpgoodput.engines.ns2.script import Script
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
from tcpgoodput.scenario import Scenario, random_streams
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
