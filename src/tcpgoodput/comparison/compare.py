"""All models on one scenario, beside what the packet simulator measures there."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from tcpgoodput.comparison.errors import log_error, order_of_errors
from tcpgoodput.engines import ENGINES, Measurement
from tcpgoodput.engines.base import Report, silent
from tcpgoodput.models import MODELS, Conditions, Undefined
from tcpgoodput.scenario import Scenario

REFERENCE = "packet"
"""The engine that models are held against."""

AT_HOME = ("native", "reduced")


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


def compare(
    scenario: Scenario,
    conditions: Conditions,
    closeness: Closeness = IN_SECONDS,
    report: Report = silent,
) -> dict[str, Any]:
    """Return the simulation's record and each model's, with its error.

    `log_error` is ln(model / simulated), None where either has no value; `recommended` names the
    model at home that is nearest to the simulated goodput, None if none is at home; `simulation` is
    None, and `reason` says why, where the simulator finds no goodput.
    """
    simulation, reason = None, None
    try:
        measurement = measured(scenario, conditions, closeness, report)
        simulation, reason = measurement.record(), measurement.reason
    except Undefined as undefined:
        reason = str(undefined)
    records = [model.predict(scenario, conditions).record() for model in MODELS.values()]
    truth = simulation["goodput_pps"] if simulation else None
    for record in records:
        record["log_error"] = log_error(record["goodput_pps"], truth)
    return {
        "scenario": scenario.id,
        "simulation": simulation,
        "reason": reason,
        "models": records,
        "recommended": recommended(records, relative_half_width(simulation)),
    }


def measured(
    scenario: Scenario, conditions: Conditions, closeness: Closeness, report: Report = silent
) -> Measurement:
    """Measure a scenario, and again with as many packets as the interval's width asks for.

    Raises:
        Undefined: the simulator cannot measure this scenario.

    """
    engine, count = ENGINES[REFERENCE], closeness.replications
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


def relative_half_width(simulation: dict[str, Any] | None) -> float:
    """Return the half-width of a simulation's interval, relative to it; infinite without one."""
    if simulation is None or simulation["ci95_bps"] is None or not simulation["goodput_bps"]:
        return float("inf")
    return float(simulation["ci95_bps"] / simulation["goodput_bps"])


def recommended(records: list[dict[str, Any]], half_width: float) -> str | None:
    """Return the model at home that is nearest to the measurement.

    Of those that the interval does not tell apart, a native one comes before a reduced one, and a
    source's before the literature's.
    """
    home = [r for r in records if r["status"] in AT_HOME and r["log_error"] is not None]
    best: dict[str, Any] | None = None
    for record in sorted(home, key=lambda r: AT_HOME.index(r["status"])):
        if best is None or order_of_errors(record["log_error"], best["log_error"], half_width) < 0:
            best = record
    return best["name"] if best else None
