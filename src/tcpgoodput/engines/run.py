"""One replication: the simulation up to a time, and observations of a run of ns-2 or Linux."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tcpgoodput.answers import Undefined
from tcpgoodput.engines.base import Counted
from tcpgoodput.scenario import Scenario

if TYPE_CHECKING:
    from tcpgoodput.simulator.simulation import Simulation


FIRST_STRIDE = 1e6
"""Simulated time after which `spend` first checks the number of packets sent. The unit is the
transmission time of a packet, or the RTO if the RTO is shorter. Chosen by hand."""

STRIDE_GROWTH = 2
"""Factor by which the time between the checks of `spend` grows. With 2, a simulation sends at most
about twice its limit of packets."""


MOST_STEPS = 3e8
"""Largest number of steps of constant rate that replace a varying capacity in a simulation.
Simulating so many takes some seconds."""


def longest_s(scenario: Scenario) -> float:
    """Return the longest time in seconds for which a scenario's varying capacity can be simulated.

    The time is infinite if the capacity is constant.
    """
    from tcpgoodput.simulator.channel.capacity import steps_per_s

    often = steps_per_s(scenario)
    return MOST_STEPS / often if often else math.inf


def spend(simulation: Simulation, until_s: float, packets: int) -> bool:
    """Simulate up to a time or a number of packets; return whether the time was reached.

    Return True also if a finite transfer is complete before the time. Stopping and resuming a
    simulation does not change its results.

    Args:
        simulation: the simulation to continue.
        until_s: end of the simulated time, in seconds.
        packets: number of sent packets after which the simulation may stop earlier.

    Raises:
        Undefined: `longest_s` is reached before `until_s`, and before the number of packets.

    """
    scenario = simulation.scenario
    if until_s > (most_s := longest_s(scenario)):
        if not spend(simulation, most_s, packets):
            return False
        if not simulation.run(most_s):
            return True
        raise Undefined(
            f"too few packets are sent in {most_s:.2g} s, the duration of the {MOST_STEPS:.0e} "
            "steps of the capacity that can be simulated"
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
class Observation(Counted):
    """Observations in the measured time of one run of ns-2 or Linux."""

    measured_s: float
    """Measured time in seconds; for a finite transfer, its duration."""
    delivered: float
    """Number of packets that the receiver got, each counted once."""
    details: Mapping[str, float] = field(default_factory=dict)
    """Further observations that only this engine makes, by name; names include units."""

    @property
    def goodput_pps(self) -> float:
        """The goodput in the measured time, in packets per second."""
        return self.delivered / self.measured_s
