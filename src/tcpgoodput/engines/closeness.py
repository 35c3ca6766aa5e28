"""Default half-widths of the packet simulator's confidence intervals.

`tcpgoodput simulate`, `tcpgoodput compare` and the workflow use the same half-widths. So all three
give the same result for a scenario and a seed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

from tcpgoodput.answers import Conditions, Precision
from tcpgoodput.engines.base import Engine, Measurement, Report, silent
from tcpgoodput.engines.cycles import repeats
from tcpgoodput.engines.packet import Packet
from tcpgoodput.engines.planning import LONGEST_MEASURED_S, most_replications
from tcpgoodput.engines.replications import Replications
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.physics import impairments


@dataclass(frozen=True)
class Target:
    """Half-width that a measurement must reach, and its numbers of packets and replications."""

    half_width: float
    """Target half-width of the goodput's 95 % interval, relative to the goodput."""
    most_packets: int
    replications: int


USUAL: dict[Precision, Target] = {
    "draft": Target(half_width=0.05, most_packets=2_000_000, replications=8),
    "paper": Target(half_width=0.018, most_packets=60_000_000, replications=20),
}
"""Default target half-width, limit of packets and number of replications, by precision. The
half-width of `paper` is slightly below the documented 2 % of the goodput."""

ONLY_INDEPENDENT = frozenset({"independent loss"})
INDEPENDENT = Target(half_width=0.009, most_packets=200_000_000, replications=20)
"""Target half-width and limit of packets at precision `paper`, if independent packet loss is the
scenario's only impairment. The half-width is smaller than the default, because most models apply to
these scenarios, and the goodputs of the models differ little."""

MARGIN = 1.15
"""Safety factor on the number of packets with which a measurement is repeated to reach its target
half-width, because the half-width measured so far is itself uncertain. Chosen by hand."""

MOST_FACTOR = 10
"""Largest factor between the numbers of packets of consecutive measurements of a scenario, because
the half-width of the first one may be inaccurate. Chosen by hand."""

LEAST_FACTOR = 1.3
"""Smallest factor between the numbers of packets of consecutive measurements of a scenario. If a
repetition would have a smaller factor, the scenario is not measured again. Chosen by hand."""

MOST_WITHOUT_GAIN = 2
"""Number of measurements of a scenario in a row without a narrower interval, after which it is not
measured again. One such measurement is not enough: its half-width may be larger by chance."""


def usual(scenario: Scenario, precision: Precision) -> Target:
    """Return the default half-width and limit of packets for measuring a scenario."""
    if precision == "paper" and impairments(scenario) == ONLY_INDEPENDENT:
        return INDEPENDENT
    return USUAL[precision]


def measured_closely(
    scenario: Scenario,
    conditions: Conditions,
    target: Target | None = None,
    report: Report = silent,
    engine: Packet | None = None,
) -> Measurement:
    """Measure a scenario with more and more packets, until the target half-width is reached.

    Args:
        scenario: the scenario to measure.
        conditions: the precision (`draft` or `paper`), and the seed of random numbers.
        target: the target half-width, and the limit of packets; None: the scenario's default.
        report: function that is called with the numbers of finished and of all replications.
        engine: the packet simulator; None: one that uses all cores.

    Returns:
        The last measurement, which has the most packets. Its half-width exceeds the target if the
        limit of packets is reached, or if more packets no longer help.

    Raises:
        Undefined: the simulator cannot measure this scenario.

    """
    *_, last = successive_measurements(scenario, conditions, target, report, engine)
    return last


def successive_measurements(
    scenario: Scenario,
    conditions: Conditions,
    target: Target | None = None,
    report: Report = silent,
    engine: Packet | None = None,
) -> Iterator[Measurement]:
    """Yield measurements of a scenario with more and more packets; see `measured_closely`."""
    target = target or usual(scenario, conditions.precision)
    engine, count = engine or Packet(), most_replications(scenario, target.replications)
    replicated = Replications(scenario, conditions.seed)
    measure = partial(engine.measure, scenario, report=report, continued=replicated)
    # Without random loss or delay the window has regular cycles between loss events. Then their
    # length decides the number of replications, so no number is requested.
    own_count = None if repeats(scenario) else count
    found = measure(conditions, replications=own_count)
    yield found
    closely, sent = replace(conditions, precision="paper"), found.packets_sent
    narrowest, in_vain = math.inf, 0
    while found.is_steady and target.half_width < (width := found.relative_half_width):
        in_vain = in_vain + 1 if width >= narrowest else 0
        if in_vain == MOST_WITHOUT_GAIN:
            break
        narrowest = min(width, narrowest)
        factor = MARGIN * (width / target.half_width) ** 2
        factor = min(factor, MOST_FACTOR, target.most_packets / sent)
        if factor < LEAST_FACTOR:
            break
        sent = round(factor * sent)
        packets: int | None = sent
        if scenario.tcp.transfer_packets:
            packets = None
            own_count = count = round(factor * count)
        found = measure(closely, packets=packets, replications=own_count)
        yield found


def measured_as_requested(
    engine: Engine,
    scenario: Scenario,
    conditions: Conditions,
    *,
    replications: int | None = None,
    duration_s: float | None = None,
    report: Report = silent,
) -> Measurement:
    """Measure a scenario with the given replications and duration, or to the default half-width.

    The default half-width applies to the packet simulator if both numbers are None.

    Raises:
        Undefined: the engine cannot measure this scenario.
        Unavailable: the engine is not installed, or it failed.

    """
    if isinstance(engine, Packet) and replications is None and duration_s is None:
        return measured_closely(scenario, conditions, report=report)
    return engine.measure(
        scenario, conditions, replications=replications, duration_s=duration_s, report=report
    )


def fault_of_duration(scenario: Scenario, duration_s: float | None) -> str | None:
    """Return why a scenario cannot be measured for a duration in seconds, or None if it can.

    If the duration is None, the engine chooses it, and the result is None.
    """
    if duration_s is None:
        return None
    if not 0 < duration_s <= LONGEST_MEASURED_S:
        return f"must be above 0 s and at most {LONGEST_MEASURED_S:g} s, is {duration_s:g}"
    if scenario.tcp.transfer_packets:
        return "a finite transfer is measured from its start to its end"
    return None
