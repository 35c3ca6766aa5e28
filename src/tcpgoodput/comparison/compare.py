"""Comparison of all models on one scenario, as a record and as text for a reader."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tcpgoodput.answers import Conditions, Undefined
from tcpgoodput.comparison.answers import comparison_record, simulation_record
from tcpgoodput.configuration.units import in_column
from tcpgoodput.engines.base import Measurement, Report, silent
from tcpgoodput.engines.closeness import Target, measured_closely
from tcpgoodput.models import Model
from tcpgoodput.models.reductions import REDUCTIONS
from tcpgoodput.scenario import Scenario

ORDER = ("native", "reduced", "out-of-domain", "undefined")


def why(record: dict[str, Any]) -> str:
    """Return text with a prediction's reductions, and why the scenario is out of domain."""
    return ": ".join(part for part in (record["reduction"], record["reason"]) if part)


def legend(records: Sequence[dict[str, Any]]) -> str:
    """Return an explanation of the reductions that predictions used; empty if they used none."""
    taken = {name for r in records if r["reduction"] for name in r["reduction"].split("+")}
    descriptions = (r.description for name, r in REDUCTIONS.items() if name in taken)
    return f"Reductions: {'; '.join(descriptions)}." if taken else ""


def numbers(records: Sequence[dict[str, Any]]) -> dict[str, tuple[str, str]]:
    """Return each answer's goodput in kbit/s and utilisation as texts, by its name."""
    goodputs = in_column(r["goodput_bps"] and r["goodput_bps"] / 1e3 for r in records)
    shares = ["" if r["goodput_bps"] is None else f"{r['utilisation']:.4f}" for r in records]
    names = [record["name"] for record in records]
    return dict(zip(names, zip(goodputs, shares, strict=True), strict=True))


def interval(record: dict[str, Any]) -> str:
    """Return the half-width of a measurement's interval as text, in per cent; empty without one."""
    half_width, goodput_bps = record["ci95_bps"], record["goodput_bps"]
    return "" if half_width is None else f"± {100 * half_width / goodput_bps:.2g} %"


def nearest(name: str | None, is_measured: bool) -> str:
    """Return a sentence with the model in domain, if any, that is closest to the simulation."""
    if not is_measured:
        return "The simulation has no goodput with which the models could be compared."
    return f"Nearest to the simulation, of the models in domain: {name or 'none'}."


def error(record: dict[str, Any]) -> str:
    """Return model over simulated goodput as text, such as `1.05×`; empty without an error."""
    value = record["log_error"]
    return "" if value is None else times(math.exp(value))


def times(factor: float) -> str:
    """Return a factor as text with three significant digits, such as `1.00×` or `123×`."""
    # The form "#" keeps the zeros at the end, but also a point without digits after it.
    return f"{factor:#.3g}".removesuffix(".") + "×"


def by_status(records: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return predictions sorted by status, native first; those with equal reasons are adjacent."""
    first: dict[tuple[str, str], int] = {}
    for number, record in enumerate(records):
        first.setdefault((record["status"], why(record)), number)
    return sorted(records, key=lambda r: (ORDER.index(r["status"]), first[r["status"], why(r)]))


def readable_rows(found: dict[str, Any]) -> Sequence[Sequence[str]]:
    """Return the rows of a table for a reader: the simulation first, then the models by status.

    The columns are name, goodput in kbit/s, utilisation, goodput over the simulated goodput,
    status, and reason. The row of the simulation has the half-width of its interval in place of the
    ratio.
    """
    simulated = found["simulation"]
    known = numbers([*([simulated] if simulated else []), *found["models"]])
    rows: list[Sequence[str]] = []
    if simulated:
        own = known[simulated["name"]]
        rows.append(("packet simulator", *own, interval(simulated), "measured", ""))
    for r in by_status(found["models"]):
        rows.append((r["name"], *known[r["name"]], error(r), r["status"], why(r)))
    return rows


def compare(
    scenario: Scenario,
    conditions: Conditions,
    target: Target | None = None,
    report: Report = silent,
    models: Sequence[Model] | None = None,
) -> dict[str, Any]:
    """Simulate a scenario; return the result with the predictions, see `comparison_record`.

    Without a target, the half-width of the interval and the limit of packets are the scenario's
    default. `report` is called with the numbers of finished and of all replications.
    """
    found = simulation_record(scenario, simulated(scenario, conditions, target, report))
    return comparison_record(scenario, conditions, found, models)


def simulated(
    scenario: Scenario,
    conditions: Conditions,
    target: Target | None = None,
    report: Report = silent,
) -> Measurement:
    """Simulate a scenario; the measurement has only a reason if the simulator finds no goodput."""
    try:
        return measured_closely(scenario, conditions, target, report)
    except Undefined as undefined:
        return Measurement(reason=str(undefined))
