"""How closely the packet simulator measures where nobody says how often or how long.

`tcpgoodput simulate` and `tcpgoodput compare` both ask here: one scenario and one seed have one
number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from tcpgoodput.engines.base import Measurement, Report, silent
from tcpgoodput.engines.packet import Packet
from tcpgoodput.models.base import Conditions
from tcpgoodput.scenario import Scenario


@dataclass(frozen=True)
class Closeness:
    """How closely a scenario is measured: to an interval, or as far as packets allow."""

    half_width: float
    """Of the interval, relative to the goodput."""
    most_packets: int
    replications: int


IN_SECONDS = Closeness(half_width=0.02, most_packets=40_000_000, replications=20)
"""What someone who waits for the answer gets."""

MARGIN = 1.15
"""Packets beyond what the first width asks for: a width is itself measured."""

MOST_FACTOR = 10
"""By which a measurement is outdone at once: the first width may be that of a cruder estimate."""

LEAST_FACTOR = 1.3
"""By which more packets must be affordable to be worth another measurement."""


def measured_closely(
    scenario: Scenario,
    conditions: Conditions,
    closeness: Closeness = IN_SECONDS,
    report: Report = silent,
) -> Measurement:
    """Measure a scenario, and again with as many packets as the interval's width asks for.

    Raises:
        Undefined: the simulator cannot measure this scenario.

    """
    engine, count = Packet(), closeness.replications
    found = engine.measure(scenario, conditions, replications=count, report=report)
    closely, sent = replace(conditions, precision="paper"), found.packets_sent
    narrowest = math.inf
    while closeness.half_width < (width := found.goodput_pps.relative) < narrowest:
        narrowest = width
        factor = MARGIN * (width / closeness.half_width) ** 2
        factor = min(factor, MOST_FACTOR, closeness.most_packets / sent)
        if factor < LEAST_FACTOR:
            break
        sent = round(factor * sent)
        packets = None if scenario.tcp.transfer_packets else sent
        count = count if packets else round(factor * count)
        found = engine.measure(
            scenario, closely, packets=packets, replications=count, report=report
        )
    return found
