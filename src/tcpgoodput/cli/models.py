"""The command `tcpgoodput models`: lists all models, or explains one model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from tcpgoodput.answers import Conditions
from tcpgoodput.cli.listing import Column, Group
from tcpgoodput.cli.output import (
    AsCsv,
    AsJson,
    Form,
    ModelFiles,
    add_models,
    form_of,
    known,
    print_data,
    print_groups,
    print_text,
)
from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.configuration.strict_yaml import NAMES
from tcpgoodput.models import MODELS, Model
from tcpgoodput.models.predict import predict
from tcpgoodput.models.reductions import REDUCTIONS, Reduction
from tcpgoodput.models.references import reference
from tcpgoodput.project.settings import DEFAULT_PATH
from tcpgoodput.scenario import load_scenario

COLUMNS = (
    *("name", "title", "source", "citation", "inputs", "impairments"),
    *("domain", "conditions", "equation"),
)

LISTED = (Column("model"), Column("title"), Column("source"), Column("in domain", prose=True))

SCENARIOS = DEFAULT_PATH.with_name("scenarios")

Name = Annotated[
    str | None,
    typer.Argument(
        metavar="NAME",
        help="a model to explain: equation, symbols, study, domain, its conditions, an example; or "
        "a reduction (a rule that restates a scenario for a model), such as R-HO",
        autocompletion=lambda: [*MODELS.names(), *REDUCTIONS],
    ),
]


def models(
    name: Name = None,
    model_files: ModelFiles = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """List all models, or explain one model.

    The explanation of a model has its study, inputs, domain and equation.
    """
    form = form_of(as_json, as_csv)
    add_models(model_files)
    if name is not None:
        known("NAME", "model or reduction", name, [*MODELS.names(), *REDUCTIONS])
    if name in REDUCTIONS:
        return _show_reduction(REDUCTIONS[name], form)
    chosen = MODELS.values() if name is None else [MODELS[name]]
    records = [model.record() for model in chosen]
    stated = [[f"{c.text} [{c.basis}]" for c in model.conditions] for model in chosen]
    rows = [record | {"conditions": texts} for record, texts in zip(records, stated, strict=True)]
    if print_data(form, records, COLUMNS, rows):
        return
    if name is not None:
        _explain(*chosen, model_files or [])
        return
    print_groups(LISTED, [Group("", [(m.name, m.title, m.source, m.domain) for m in chosen])])
    typer.echo()
    print_text(
        "`tcpgoodput models NAME` explains a model (equation, symbols, source, example) or a "
        "reduction, such as R-HO."
    )


def _show_reduction(reduction: Reduction, form: Form) -> None:
    """Print a reduction: how it restates a scenario for a model, and its equation."""
    record = asdict(reduction)
    if not print_data(form, [record], list(record), [record]):
        print_text(reduction.description)
        typer.echo()
        print_text(f"Equation: {reduction.equation}")


def _explain(model: Model, files: Sequence[Path]) -> None:
    """Print a model's result, inputs, study and domain, and a command that evaluates the model."""
    print_text(f"{model.name}: {model.title}")
    described = " ".join((type(model).__doc__ or "").split())
    cited = reference(model) or model.citation
    parts = {
        "": described,
        "Equation": model.equation or "see the description above",
        "Source": f"{model.source}; {cited}",
        "Inputs": ", ".join(model.inputs),
        "Describes": ", ".join(sorted(model.handles)) or "losses by overflow alone",
        "By reductions": ", ".join(sorted(model.reduces)) or "nothing more",
        "In domain": model.domain,
        **example_of(model, files),
    }
    for head, text in parts.items():
        if text:
            typer.echo()
            print_text(f"{head}: {text}" if head else text)
        if head == "In domain" and model.conditions:
            typer.echo()
            print_text("In domain if, with the basis of each condition:")
            for condition in model.conditions:
                print_text(f"- {condition}", hanging="  ")


def example_of(model: Model, files: Sequence[Path] = ()) -> dict[str, str]:
    """Return a command that evaluates the model on a scenario for which its status is native.

    The model describes such a scenario without reductions. The heading has the command's result.
    The command names the files with the user's own models again. Without a folder of scenarios the
    result is empty.
    """
    conditions = Conditions(precision="draft")
    for file in [*sorted(SCENARIOS.glob(NAMES)), *sorted(SCENARIOS.glob(f"*/{NAMES}"))]:
        try:
            scenario = load_scenario(file)
        except ConfigurationError:
            continue
        prediction = predict(model, scenario, conditions)
        if prediction.status == "native" and prediction.goodput_bps is not None:
            own = "".join(f" --models {own}" for own in files)
            command = f"tcpgoodput predict {file}{own} --model {model.name}"
            return {f"Example (native, {prediction.goodput_bps / 1e3:.6g} kbit/s)": command}
    return {"Example": f"no scenario in {SCENARIOS} is native to it"} if SCENARIOS.is_dir() else {}
