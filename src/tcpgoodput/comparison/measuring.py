"""What the comparison measures: scenarios with their variations, maps. No model is asked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tcpgoodput.answers import Conditions, Precision, Undefined
from tcpgoodput.comparison.compare import simulated
from tcpgoodput.comparison.files import Compared
from tcpgoodput.engines import ENGINES, REFERENCE
from tcpgoodput.engines.closeness import Closeness
from tcpgoodput.scenario import Scenario
from tcpgoodput.storage.files import as_json
from tcpgoodput.storage.tables import csv_text

SENSITIVITY: dict[Precision, Closeness] = {
    "draft": Closeness(half_width=0.10, most_packets=300_000, replications=8),
    "paper": Closeness(half_width=0.05, most_packets=2_000_000, replications=20),
}

MAP_PACKETS_AT_DRAFT = 20_000
MAP_REPLICATIONS = 8
MAP_COLUMNS = ["x", "y", "goodput_pps", "half_width_pps", "reason"]


def scenario_json(compared: Compared, stem: str, conditions: Conditions) -> str:
    """Return what one scenario's file has simulated: its rows of the matrix, its sensitivities."""
    precision = conditions.precision
    content = {
        "rows": [simulated(scenario, conditions) for scenario in compared.rows(stem)],
        "sensitivities": [
            simulated(scenario, replace(conditions, precision="draft"), SENSITIVITY[precision])
            for scenario in compared.sensitivities(stem)
        ],
    }
    for entry in (*content["rows"], *content["sensitivities"]):
        if entry["simulation"]:
            del entry["simulation"]["wall_s"]  # the same bytes on any machine
    return as_json(content)


def map_csv(compared: Compared, name: str, conditions: Conditions) -> str:
    """Return what a map's points have simulated, as CSV."""
    packets = compared.settings.maps[name].packets
    rows = [
        {"x": cell.x, "y": cell.y, **_measured(cell.scenario, conditions, packets)}
        for cell in compared.cells(name, conditions.precision)
    ]
    return csv_text(MAP_COLUMNS, rows)


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
