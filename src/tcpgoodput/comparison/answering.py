"""What the models say of what the comparison has measured: nothing is simulated here."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from io import StringIO
from typing import Any

from tcpgoodput.answers import Conditions
from tcpgoodput.comparison.compare import answered
from tcpgoodput.comparison.files import Compared
from tcpgoodput.comparison.measuring import MAP_COLUMNS
from tcpgoodput.models import MODELS
from tcpgoodput.models.predict import predict
from tcpgoodput.storage.files import as_json
from tcpgoodput.storage.tables import csv_text


def scenario_json(compared: Compared, stem: str, conditions: Conditions, measured: str) -> str:
    """Return one scenario's comparisons: what was measured, with every model's answer and error."""
    found = json.loads(measured)
    roughly = replace(conditions, precision="draft")
    asked = {
        "rows": [(scenario, conditions) for scenario in compared.rows(stem)],
        "sensitivities": [(scenario, roughly) for scenario in compared.sensitivities(stem)],
    }
    content = {
        part: [
            answered(scenario, under, entry)
            for (scenario, under), entry in zip(asked[part], found[part], strict=True)
        ]
        for part in asked
    }
    return as_json(content)


def map_csv(compared: Compared, name: str, conditions: Conditions, measured: str) -> str:
    """Return a map's measured points, with every model's answer and status beside each."""
    models = [MODELS[model] for model in compared.drawn(name)]
    rows: list[dict[str, Any]] = []
    points = csv.DictReader(StringIO(measured))
    for cell, point in zip(compared.cells(name, conditions.precision), points, strict=True):
        row: dict[str, Any] = dict(point)
        for model in models:
            prediction = predict(model, cell.scenario, conditions)
            row |= {
                f"{model.name}_pps": prediction.goodput_pps,
                f"{model.name}_status": prediction.status,
            }
        rows.append(row)
    columns = [*MAP_COLUMNS, *(f"{m.name}_{part}" for m in models for part in ("pps", "status"))]
    return csv_text(columns, rows)
