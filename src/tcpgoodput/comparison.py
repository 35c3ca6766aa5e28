"""All models on one scenario, beside what the packet simulator measures there."""

from __future__ import annotations

import math
from typing import Any

from tcpgoodput.engines import ENGINES
from tcpgoodput.engines.base import Report, silent
from tcpgoodput.models import MODELS, Conditions, Undefined
from tcpgoodput.scenario import Scenario

REFERENCE = "packet"
"""The engine that models are held against."""


def compare(scenario: Scenario, conditions: Conditions, report: Report = silent) -> dict[str, Any]:
    """Return the simulation's record and each model's, with its error.

    `log_error` is ln(model / simulated), None where either has no value; `simulation` is None, and
    `reason` says why, where the simulator finds no goodput.
    """
    simulation, reason = None, None
    try:
        measurement = ENGINES[REFERENCE].measure(scenario, conditions, report=report)
        simulation, reason = measurement.record(), measurement.reason
    except Undefined as undefined:
        reason = str(undefined)
    records = [model.predict(scenario, conditions).record() for model in MODELS.values()]
    for record in records:
        record["log_error"] = _log_error(record, simulation)
    return {
        "scenario": scenario.id,
        "simulation": simulation,
        "reason": reason,
        "models": records,
    }


def _log_error(record: dict[str, Any], simulation: dict[str, Any] | None) -> float | None:
    if simulation is None or not record["goodput_pps"] or not simulation["goodput_pps"]:
        return None
    return math.log(record["goodput_pps"] / simulation["goodput_pps"])
