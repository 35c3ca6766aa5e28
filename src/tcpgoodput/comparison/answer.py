"""Ask the models about what the comparison has measured; nothing is simulated here.

python -m tcpgoodput.comparison.answer scenarios REQUEST FOLDER MEASUREMENTS…
python -m tcpgoodput.comparison.answer map REQUEST ROWS MEASUREMENTS
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tcpgoodput.answers import Conditions
from tcpgoodput.comparison.answers import answered, simulation_record
from tcpgoodput.engines.measurements import Measured, read_measurements
from tcpgoodput.jobs.command import run_job
from tcpgoodput.models import MODELS
from tcpgoodput.models.own import add_checked
from tcpgoodput.models.predict import predict
from tcpgoodput.scenario import Scenario
from tcpgoodput.storage.files import as_json, write_text
from tcpgoodput.storage.tables import csv_text

MAP_COLUMNS = ["x", "y", "goodput_pps", "half_width_pps", "reason"]

Record = dict[str, Any]


def scenarios(request: Record, measured: Mapping[str, Measured], folder: Path) -> None:
    """Write each scenario's comparisons: what was measured, each model's answer and error.

    Beside them stands what the models say where somebody misjudges what they need.
    """
    conditions = Conditions(**request["conditions"])
    under = {"rows": conditions, "sensitivities": replace(conditions, precision="draft")}
    for stem, parts in request["scenarios"].items():
        content = {
            part: [
                _answered(asked["scenario"], measured[asked["key"]], under[part])
                for asked in parts[part]
            ]
            for part in under
        }
        content["misjudged"] = {
            name: _goodputs_pps(Scenario.model_validate(asked), conditions)
            for name, asked in parts["misjudged"].items()
        }
        write_text(folder / f"{stem}.json", as_json(content))


def _answered(asked: Record, found: Measured, conditions: Conditions) -> Record:
    scenario = Scenario.model_validate(asked)
    return answered(scenario, conditions, simulation_record(scenario, found))


def _goodputs_pps(scenario: Scenario, conditions: Conditions) -> dict[str, float | None]:
    """Return what each model says of a scenario that nobody measures."""
    return {m.name: predict(m, scenario, conditions).goodput_pps for m in MODELS.values()}


def map_rows(request: Record, measured: Mapping[str, Measured], path: Path) -> None:
    """Write a map's measured points, with every model's answer and status beside each."""
    conditions = Conditions(**request["conditions"])
    models = [MODELS[name] for name in request["models"]]
    rows: list[Record] = []
    for cell in request["cells"]:
        scenario, found = Scenario.model_validate(cell["scenario"]), measured[cell["key"]]
        row: Record = {"x": cell["x"], "y": cell["y"], **_of_map(found)}
        for model in models:
            prediction = predict(model, scenario, conditions)
            row |= {
                f"{model.name}_pps": prediction.goodput_pps,
                f"{model.name}_status": prediction.status,
            }
        rows.append(row)
    columns = [*MAP_COLUMNS, *(f"{m.name}_{part}" for m in models for part in ("pps", "status"))]
    write_text(path, csv_text(columns, rows))


def _of_map(found: Measured) -> Record:
    if found.goodput_pps is None:
        return {"reason": found.reason}
    return {"goodput_pps": found.goodput_pps, "half_width_pps": found.half_width_pps}


def work(arguments: argparse.Namespace) -> None:
    """Read a request and the measurements, and answer it."""
    request = json.loads(arguments.request.read_text(encoding="utf-8"))
    add_checked(request["files"])
    ANSWERS[arguments.what](request, read_measurements(*arguments.measured), arguments.output)


ANSWERS = {"scenarios": scenarios, "map": map_rows}


def main() -> int:
    """Run the job; see `run_job`."""
    parser = argparse.ArgumentParser(prog="python -m tcpgoodput.comparison.answer")
    parser.add_argument("what", choices=ANSWERS)
    parser.add_argument("request", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("measured", type=Path, nargs="+")
    return run_job(parser, work)


if __name__ == "__main__":
    sys.exit(main())
