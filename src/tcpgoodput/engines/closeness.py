"""How closely the packet simulator measures where nobody says how often or how long.

`tcpgoodput simulate`, `tcpgoodput compare` and the workflow's comparison all ask here: one scenario
and one seed have one number.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tcpgoodput.answers import Conditions, Precision
from tcpgoodput.engines.base import Engine, Measurement, Report, silent
from tcpgoodput.engines.packet import Packet
from tcpgoodput.engines.planning import LONGEST_MEASURED_S
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.physics import impairments


@dataclass(frozen=True)
class Closeness:
    """How closely a scenario is measured: to an interval, or as far as packets allow."""

    half_width: float
    """Of the interval, relative to the goodput."""
    most_packets: int
    replications: int


USUAL: dict[Precision, Closeness] = {
    "draft": Closeness(half_width=0.05, most_packets=2_000_000, replications=8),
    "paper": Closeness(half_width=0.018, most_packets=60_000_000, replications=20),
}
"""At each precision; a little closer than the 2 % that is promised."""

ONLY_INDEPENDENT = frozenset({"independent loss"})
INDEPENDENT = Closeness(half_width=0.009, most_packets=200_000_000, replications=20)
"""At precision paper, where losses are independent and nothing else happens: there most models are
at home, and differ by little."""

MARGIN = 1.15
"""Packets beyond what the first width asks for: a width is itself measured."""

MOST_FACTOR = 10
"""By which a measurement is outdone at once: the first width may be that of a cruder estimate."""

LEAST_FACTOR = 1.3
"""By which more packets must be affordable to be worth another measurement."""


def usual(scenario: Scenario, precision: Precision) -> Closeness:
    """Return how closely a scenario is measured where nobody says."""
    if precision == "paper" and impairments(scenario) == ONLY_INDEPENDENT:
        return INDEPENDENT
    return USUAL[precision]


def measured_closely(
    scenario: Scenario,
    conditions: Conditions,
    closeness: Closeness | None = None,
    report: Report = silent,
    engine: Packet | None = None,
) -> Measurement:
    """Measure a scenario, and again with as many packets as the interval's width asks for.

    Args:
        scenario: what is measured.
        conditions: the seed, the precision and the equations.
        closeness: how closely; None: as is usual for such a scenario.
        report: is told of progress.
        engine: the simulator; None: on all cores.

    Raises:
        Undefined: the simulator cannot measure this scenario.

    """
    *_, last = ever_closer(scenario, conditions, closeness, report, engine)
    return last


def ever_closer(
    scenario: Scenario,
    conditions: Conditions,
    closeness: Closeness | None = None,
    report: Report = silent,
    engine: Packet | None = None,
) -> Iterator[Measurement]:
    """Yield one measurement of a scenario after the other; the last is `measured_closely`'s."""
    closeness = closeness or usual(scenario, conditions.precision)
    engine, count = engine or Packet(), closeness.replications
    found = engine.measure(scenario, conditions, replications=count, report=report)
    yield found
    closely, sent = replace(conditions, precision="paper"), found.packets_sent
    narrowest = math.inf
    while (
        found.is_steady and closeness.half_width < (width := found.goodput_pps.relative) < narrowest
    ):
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
        yield found


def measured_as_asked(
    engine: Engine,
    scenario: Scenario,
    conditions: Conditions,
    *,
    replications: int | None = None,
    duration_s: float | None = None,
    report: Report = silent,
) -> Measurement:
    """Measure a scenario as often and as long as somebody says, closely where nobody does.

    Raises:
        Undefined: the engine cannot measure this scenario.
        Unavailable: the engine is not at hand, or broke down.

    """
    if isinstance(engine, Packet) and replications is None and duration_s is None:
        return measured_closely(scenario, conditions, report=report)
    return engine.measure(
        scenario, conditions, replications=replications, duration_s=duration_s, report=report
    )


def fault_of_duration(scenario: Scenario, duration_s: float | None) -> str | None:
    """Return why a scenario cannot be measured for so long, or None."""
    if duration_s is None:
        return None
    if not 0 < duration_s <= LONGEST_MEASURED_S:
        return f"must be above 0 s and at most {LONGEST_MEASURED_S:g} s, is {duration_s:g}"
    if scenario.tcp.transfer_packets:
        return "a finite transfer is measured from its start to its end"
    return None
