"""The command `tcpgoodput predict`: predictions of models for a scenario."""

from __future__ import annotations

from typing import Annotated

import typer

from tcpgoodput.answers import Conditions
from tcpgoodput.cli import predictions
from tcpgoodput.cli.output import (
    AsCsv,
    AsJson,
    Changes,
    EquationsName,
    ModelFiles,
    ScenarioFile,
    add_models,
    completed,
    equations_of,
    form_of,
    known,
    print_csv,
    print_groups,
    print_json,
    print_text,
    read_request,
)
from tcpgoodput.comparison.census.expected import advice_for
from tcpgoodput.comparison.compare import legend, numbers
from tcpgoodput.models import MODELS
from tcpgoodput.models.predict import predict as prediction

Names = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        metavar="NAME",
        help="a model to ask; can be given again; default: all models",
        autocompletion=completed(MODELS.names),
    ),
]


def predict(
    scenario_file: ScenarioFile,
    changes: Changes = None,
    model: Names = None,
    equations: EquationsName = "corrected",
    model_files: ModelFiles = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> int:
    """Predict a scenario's goodput: all models, or those named."""
    form, conditions = form_of(as_json, as_csv), Conditions(equations=equations_of(equations))
    add_models(model_files)
    names = dict.fromkeys(model or MODELS.names())
    chosen = [MODELS[known("--model", "model", name, MODELS.names())] for name in names]
    request = read_request(scenario_file, changes)
    records = [prediction(m, request.scenario, conditions).record() for m in chosen]
    match form:
        case "json":
            print_json(records)
        case "csv":
            print_csv(predictions.COLUMNS, records)
        case "text":
            print_text(request.heading)
            columns = [
                predictions.NAME,
                predictions.GOODPUT,
                predictions.UTILISATION,
                predictions.TITLE,
            ]
            print_groups(columns, predictions.groups_of(records, numbers))
            print_text(legend(records))
            predictions.print_advice(advice_for(request.scenario, records))
    return predictions.status_of(records)
