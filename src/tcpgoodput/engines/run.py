"""One replication: what happened in its measured time, and what one run of ns-2 or Linux saw."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tcpgoodput.answers import Undefined
from tcpgoodput.scenario import Scenario

if TYPE_CHECKING:
    from tcpgoodput.simulator.simulation import Counts, Simulation


FIRST_STRIDE = 1e6
"""Packet times, or timeouts, after which it is looked for the first time how much was sent."""

STRIDE_GROWTH = 2
"""From one look to the next: what is spent beyond a limit is about the limit."""


MOST_STEPS = 3e8
"""Of a varying capacity, in a simulation: some seconds, however few packets there are."""


def longest_s(scenario: Scenario) -> float:
    """Return how long a simulation can follow the scenario's capacity."""
    from tcpgoodput.simulator.channel.capacity import steps_per_s

    often = steps_per_s(scenario)
    return MOST_STEPS / often if often else math.inf


def spend(simulation: Simulation, until_s: float, packets: int) -> bool:
    """Go on to a time, or until so many packets were sent; return whether the time was reached.

    What is simulated is the same as in a single run: a clock that stops changes nothing.

    Raises:
        Undefined: the capacity cannot be followed so long.

    """
    scenario = simulation.scenario
    if until_s > (most_s := longest_s(scenario)):
        if not spend(simulation, most_s, packets):
            return False
        if not simulation.run(most_s):
            return True
        raise Undefined(
            f"too little happens in {most_s:.2g} s, as long as {MOST_STEPS:.0e} steps of the "
            "capacity can be followed"
        )
    event_s = min(1 / scenario.rate_pps, scenario.timeout_s)
    at_s, stride_s = simulation.counts.time_s, FIRST_STRIDE * event_s
    while at_s < until_s:
        at_s = min(at_s + stride_s, until_s)
        stride_s *= STRIDE_GROWTH
        if not simulation.run(at_s):
            return True
        if simulation.counts.packets_sent >= packets and at_s < until_s:
            return False
    return True


@dataclass(frozen=True)
class Run:
    """What happened in one replication's measured time."""

    duration_s: float
    counts: Counts

    @classmethod
    def between(cls, start: Counts, end: Counts) -> Run:
        """Return what happened from one moment of a simulation to another."""
        return cls(end.time_s - start.time_s, end - start)

    @property
    def goodput_pps(self) -> float:
        """Packets delivered per second."""
        return self.counts.delivered / self.duration_s


@dataclass(frozen=True)
class Observation:
    """What one run saw in its measured time; None: the engine does not tell."""

    measured_s: float
    """Of a finite transfer, how long it took."""
    delivered: float
    """Packets that the receiver has, each counted once."""
    packets_sent: int | None = None
    retransmissions: int | None = None
    timeouts: int | None = None
    fast_retransmits: int | None = None
    loss_events: int | None = None
    packets_lost: int | None = None
    packets_dropped: int | None = None
    handoffs: int | None = None
    mean_window_packets: float | None = None
    mean_rtt_s: float | None = None
    details: Mapping[str, float] = field(default_factory=dict)
    """What only this engine tells, by name, the unit in it."""

    @property
    def goodput_pps(self) -> float:
        """Packets delivered per second."""
        return self.delivered / self.measured_s


COUNTS = (
    "packets_sent",
    "retransmissions",
    "timeouts",
    "fast_retransmits",
    "loss_events",
    "packets_lost",
    "packets_dropped",
    "handoffs",
)
"""Fields of an observation that are added up over replications."""
