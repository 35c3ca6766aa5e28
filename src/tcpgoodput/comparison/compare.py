"""All models on one scenario, beside what the packet simulator measures there."""

from __future__ import annotations

from typing import Any

from tcpgoodput.answers import Conditions, Undefined
from tcpgoodput.comparison.answers import answered
from tcpgoodput.engines.base import Report, silent
from tcpgoodput.engines.closeness import Closeness, measured_closely
from tcpgoodput.scenario import Scenario


def compare(
    scenario: Scenario,
    conditions: Conditions,
    closeness: Closeness | None = None,
    report: Report = silent,
) -> dict[str, Any]:
    """Measure a scenario and put every model's answer beside it; see `answered`."""
    return answered(scenario, conditions, simulated(scenario, conditions, closeness, report))


def simulated(
    scenario: Scenario,
    conditions: Conditions,
    closeness: Closeness | None = None,
    report: Report = silent,
) -> dict[str, Any]:
    """Return the record of a scenario's simulation.

    `simulation` is None, and `reason` says why, where the simulator finds no goodput.
    """
    simulation, reason = None, None
    try:
        measurement = measured_closely(scenario, conditions, closeness, report)
        simulation, reason = measurement.record(), measurement.reason
    except Undefined as undefined:
        reason = str(undefined)
    return {"scenario": scenario.id, "simulation": simulation, "reason": reason}
