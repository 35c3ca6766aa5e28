"""The comparison's costly jobs: one for each scenario's file, one for each map."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from tcpgoodput.comparison.compare import compare
from tcpgoodput.comparison.files import Compared
from tcpgoodput.engines import ENGINES, REFERENCE
from tcpgoodput.engines.closeness import Closeness
from tcpgoodput.figures.store import csv_text
from tcpgoodput.files import write_text
from tcpgoodput.models import MODELS, Conditions, Undefined
from tcpgoodput.models.base import Precision, impairments
from tcpgoodput.scenario import Scenario

ONLY_INDEPENDENT = frozenset({"independent loss"})

MATRIX: dict[Precision, Closeness] = {
    "draft": Closeness(half_width=0.05, most_packets=2_000_000, replications=8),
    "paper": Closeness(half_width=0.018, most_packets=60_000_000, replications=20),
}
"""Of the rows of the matrix; a little closer than the 2 % that is promised."""

INDEPENDENT = Closeness(half_width=0.009, most_packets=200_000_000, replications=20)
"""At precision paper, where losses are independent and nothing else happens."""

SENSITIVITY: dict[Precision, Closeness] = {
    "draft": Closeness(half_width=0.10, most_packets=300_000, replications=8),
    "paper": Closeness(half_width=0.05, most_packets=2_000_000, replications=20),
}

MAP_PACKETS_AT_DRAFT = 20_000
MAP_REPLICATIONS = 8


def scenario_json(compared: Compared, stem: str, conditions: Conditions) -> str:
    """Return one scenario's comparisons as JSON: its rows of the matrix, its sensitivities."""
    precision = conditions.precision
    content = {
        "rows": [
            compare(scenario, conditions, _closeness(scenario, precision))
            for scenario in compared.rows(stem)
        ],
        "sensitivities": [
            compare(scenario, replace(conditions, precision="draft"), SENSITIVITY[precision])
            for scenario in compared.sensitivities(stem)
        ],
    }
    for entry in (*content["rows"], *content["sensitivities"]):
        if entry["simulation"]:
            del entry["simulation"]["wall_s"]  # the same bytes on any machine
    return json.dumps(content, indent=1, allow_nan=False, ensure_ascii=False) + "\n"


def _closeness(scenario: Scenario, precision: Precision) -> Closeness:
    if precision == "paper" and impairments(scenario) == ONLY_INDEPENDENT:
        return INDEPENDENT
    return MATRIX[precision]


def write_map(compared: Compared, name: str, conditions: Conditions, path: Path) -> None:
    """Measure a map's points and ask every model about them; write a row for each."""
    models = [MODELS[model] for model in compared.settings.maps[name].models]
    rows = []
    for cell in compared.cells(name, conditions.precision):
        row: dict[str, Any] = {"x": cell.x, "y": cell.y}
        row |= _measured(cell.scenario, conditions, compared.settings.maps[name].packets)
        for model in models:
            prediction = model.predict(cell.scenario, conditions)
            row |= {
                f"{model.name}_pps": prediction.goodput_pps,
                f"{model.name}_status": prediction.status,
            }
        rows.append(row)
    columns = ["x", "y", "goodput_pps", "half_width_pps", "reason"]
    columns += [f"{m.name}_{part}" for m in models for part in ("pps", "status")]
    write_text(path, csv_text(columns, rows))


def _measured(scenario: Scenario, conditions: Conditions, packets: int) -> dict[str, Any]:
    if conditions.precision == "draft":
        packets = MAP_PACKETS_AT_DRAFT
    try:
        found = ENGINES[REFERENCE].measure(
            scenario,
            replace(conditions, precision="paper"),
            packets=packets,
            replications=MAP_REPLICATIONS,
        )
    except Undefined as undefined:
        return {"reason": str(undefined)}
    interval = found.goodput_pps
    return {"goodput_pps": interval.mean, "half_width_pps": interval.half_width}
