"""`tcpgoodput models`."""

from __future__ import annotations

from tcpgoodput.cli.listing import Column
from tcpgoodput.cli.options import AsCsv, AsJson, ModelFiles, add_models, form_of
from tcpgoodput.cli.output import print_csv, print_json, print_list
from tcpgoodput.models import MODELS

COLUMNS = ("name", "title", "source", "citation", "inputs", "impairments", "domain")


def models(model_files: ModelFiles = None, as_json: AsJson = False, as_csv: AsCsv = False) -> None:
    """List every model: its source, its inputs, where it is at home."""
    form = form_of(as_json, as_csv)
    add_models(model_files)
    records = [model.record() for model in MODELS.values()]
    match form:
        case "json":
            print_json(records)
        case "csv":
            print_csv(COLUMNS, records)
        case "text":
            print_list(
                [
                    Column("model"),
                    Column("source"),
                    Column("cite"),
                    Column("inputs", prose=True),
                    Column("at home", prose=True),
                ],
                [
                    (m.name, m.source, m.citation, ", ".join(m.inputs), m.domain)
                    for m in MODELS.values()
                ],
            )
