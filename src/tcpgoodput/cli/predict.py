"""The commands `predict` and `compare`, and tables of predictions for the terminal."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Annotated, Any

import typer

from tcpgoodput.answers import Conditions, is_failure
from tcpgoodput.cli.listing import GAP, Column, Group
from tcpgoodput.cli.output import (
    AsCsv,
    AsJson,
    Changes,
    EquationsName,
    ModelFiles,
    ScenarioFileIfAny,
    Seed,
    add_models,
    equations_of,
    form_of,
    known,
    print_data,
    print_groups,
    print_heading,
    print_text,
    progress,
    read_request,
)
from tcpgoodput.cli.stated_link import Loss, Rate, RoundTrip, StatedLink
from tcpgoodput.comparison.answers import IN_DOMAIN
from tcpgoodput.comparison.census.expected import Advice, advice_for, choice, heading, notes, rows
from tcpgoodput.comparison.compare import (
    ORDER,
    by_status,
    error,
    interval,
    legend,
    nearest,
    numbers,
    why,
)
from tcpgoodput.comparison.compare import compare as compared
from tcpgoodput.configuration.terminal import BOLD, DIM
from tcpgoodput.engines.base import PACKET
from tcpgoodput.engines.packet import Packet
from tcpgoodput.models import MODELS, Model
from tcpgoodput.models.predict import predict as prediction
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.physics import lost_share

COLUMNS = (
    *("scenario", "name", "status", "reduction", "goodput_bps", "goodput_pps", "utilisation"),
    "reason",
)
COMPARED = (*COLUMNS, "ci95_bps", "log_error", "nearest")

NAME, GOODPUT, UTILISATION, ERROR, TITLE = (
    Column("model"),
    Column("goodput,\nkbit/s", numbers=True),
    Column("utili-\nsation", numbers=True),
    Column("model /\nsimulated", numbers=True),
    Column("title", prose=True),
)

ADVICE = (
    Column("model"),
    Column("status"),
    Column("median\nerror", numbers=True),
    Column("nine of ten\nwithin", numbers=True),
    Column("random\nconnections", numbers=True),
)

NONE_IN_DOMAIN = (
    "None of the models named with --model is in domain. Without --model, the command evaluates "
    "all models."
)

PREFERENCE = "The simulation of this link is to be preferred to this advice."


def groups_of(
    records: Sequence[dict[str, Any]], cells: Mapping[str, Sequence[str]], best: str
) -> list[Group]:
    """Group predictions of models by status and reason, models in domain first.

    Those out of domain are dim. The row of the model that is called `best` is bold. `cells` follow
    the name of a model.
    """
    found = []
    for (status, reason), own in groupby(by_status(records), lambda r: (r["status"], why(r))):
        heading, members = f"{status}: {reason}" if reason else status, list(own)
        if any(record["goodput_bps"] is not None for record in members):
            rows = [(GAP + r["name"], *cells[r["name"]], MODELS[r["name"]].title) for r in members]
            group = Group(heading, rows, recommended=best)
        else:
            group = Group(heading, text=", ".join(r["name"] for r in members))
        found.append(group if status in IN_DOMAIN else replace(group, style=DIM))
    return found


def in_view(
    records: Sequence[dict[str, Any]], names: Sequence[str] | None, *, shows_all: bool
) -> list[dict[str, Any]]:
    """Return the predictions to print: those in domain, or all if `--all` or `--model` is given.

    Predictions of models that failed with an unexpected exception are always printed.
    """
    if shows_all or names:
        return list(records)
    return [r for r in records if r["status"] in IN_DOMAIN or is_failure(r["reason"])]


def print_rest_and_legend(
    records: Sequence[dict[str, Any]], shown: Sequence[dict[str, Any]]
) -> None:
    """Print how many predictions are not shown, by status, and the legend of the shown ones."""
    if rest := Counter(r["status"] for r in records) - Counter(r["status"] for r in shown):
        counts = " and ".join(f"{rest[status]} {status}" for status in ORDER if rest[status])
        print_text(f"Not shown: {counts} (--all shows them, with the reasons).")
    print_text(legend(shown))


def print_advice(
    advice: Advice, sentences: Sequence[str], names: Sequence[str] | None = None
) -> None:
    """Print the models in domain with their errors, sentences, and at last which model to use.

    `names` are those of the models that the option `--model` names, if any.
    """
    typer.echo()
    if names is not None and not advice.models:
        print_text(NONE_IN_DOMAIN)
        return
    print_text(heading(advice))
    if known := rows(advice):
        print_groups(ADVICE, [Group("", known, recommended=recommended(advice))])
    for sentence in sentences:
        print_text(sentence)
    for sentence in choice(advice):
        print_text(sentence, style=BOLD)


def recommended(advice: Advice) -> str:
    """Return the name of the model that `choice` names; empty if it names none."""
    return advice.models[0].name if choice(advice) else ""


def status_of(records: Sequence[dict[str, Any]]) -> int:
    """Return the exit status of a command with predictions: 1 if a model failed, else 0.

    The models that failed with an unexpected exception are listed on standard error.
    """
    broken = [r["name"] for r in records if is_failure(r["reason"])]
    if not broken:
        return 0
    them = "model" if len(broken) == 1 else "models"
    print(f"tcpgoodput: {len(broken)} {them} failed: {', '.join(broken)}", file=sys.stderr)
    return 1


def _of_calculators(scenario: Scenario) -> list[str]:
    """Return a sentence with the number that calculators on the web print, if there is loss."""
    share = lost_share(scenario)
    if not share or not scenario.propagation_rtt_s:
        return []
    rate_bps = 8 * scenario.tcp.mss_bytes / (scenario.propagation_rtt_s * math.sqrt(share))
    return [
        f"Calculators on the web print MSS / (R sqrt(p)) = {rate_bps / 1e3:.6g} kbit/s here, or "
        f"these {rate_bps / 8e3:.6g} kbyte/s, which some call kbit/s. This is Mathis' formula with "
        "C = 1 in place of C = sqrt(3/2) = 1.22; neither knows rate, window, timeouts or bursts."
    ]


All = Annotated[
    bool,
    typer.Option(
        "--all", help="also show the models out of domain or without a value, each with the reason"
    ),
]
Names = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        metavar="NAME",
        help="a model to evaluate; can be repeated; default: all models",
        autocompletion=MODELS.names,
    ),
]


def models_of(names: Sequence[str] | None) -> list[Model]:
    """Return the models that the option `--model` names, without repetition; by default all."""
    chosen = dict.fromkeys(names or MODELS.names())
    return [MODELS[known("--model", "model", name, MODELS.names())] for name in chosen]


def predict(
    scenario_file: ScenarioFileIfAny = None,
    changes: Changes = None,
    rate: Rate = None,
    rtt: RoundTrip = None,
    loss: Loss = None,
    model: Names = None,
    shows_all: All = False,
    equations: EquationsName = "corrected",
    model_files: ModelFiles = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> int:
    """Predict a scenario's goodput with all or some models."""
    form, conditions = form_of(as_json, as_csv), Conditions(equations=equations_of(equations))
    add_models(model_files)
    chosen = models_of(model)
    request = read_request(scenario_file, changes, StatedLink(rate, rtt, loss))
    records = [prediction(m, request.scenario, conditions).record() for m in chosen]
    if not print_data(form, records, COLUMNS, records):
        print_heading(request)
        shown = in_view(records, model, shows_all=shows_all)
        advice = advice_for(request.scenario, records)
        groups = groups_of(shown, numbers(shown), recommended(advice))
        print_groups([NAME, GOODPUT, UTILISATION, TITLE], groups)
        print_rest_and_legend(records, shown)
        if any(record["name"] == "mathis" for record in records):
            for sentence in _of_calculators(request.scenario):
                print_text(sentence)
        print_advice(advice, notes(advice), names=model)
    return status_of(records)


def compare(
    scenario_file: ScenarioFileIfAny = None,
    changes: Changes = None,
    rate: Rate = None,
    rtt: RoundTrip = None,
    loss: Loss = None,
    model: Names = None,
    shows_all: All = False,
    equations: EquationsName = "corrected",
    seed: Seed = 1,
    model_files: ModelFiles = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> int:
    """Compare the predictions of all or some models with the simulated goodput."""
    form = form_of(as_json, as_csv)
    add_models(model_files)
    chosen = models_of(model)
    conditions = Conditions(equations=equations_of(equations), seed=seed)
    request = read_request(scenario_file, changes, StatedLink(rate, rtt, loss))
    with progress() as report:
        found = compared(request.scenario, conditions, report=report, models=chosen)
    advice = advice_for(request.scenario, found["models"])
    if not print_data(form, {**found, "advice": advice.record()}, COMPARED, _rows(found)):
        print_heading(request)
        shown = in_view(found["models"], model, shows_all=shows_all)
        groups = _compared_groups(found["simulation"], shown, recommended(advice))
        print_groups([NAME, GOODPUT, ERROR, TITLE], groups)
        print_rest_and_legend(found["models"], shown)
        if found["reason"]:
            print_text(f"Note: {found['reason']}.")
        print_text(nearest(found["nearest"], bool(found["simulation"])))
        preferred = [PREFERENCE] if recommended(advice) and found["simulation"] else []
        print_advice(advice, [*preferred, *notes(advice)], names=model)
    return status_of(found["models"])


def _compared_groups(
    simulated: dict[str, Any] | None, shown: list[dict[str, Any]], best: str
) -> list[Group]:
    """Return groups of rows for the terminal: first the simulation, then the models by status."""
    known = numbers([*([simulated] if simulated else []), *shown])
    models = groups_of(shown, {r["name"]: (known[r["name"]][0], error(r)) for r in shown}, best)
    if not simulated:
        return models
    goodput = known[simulated["name"]][0]
    row = (GAP + simulated["name"], goodput, interval(simulated), Packet.title)
    return [Group(simulated["status"], [row]), *models]


def _rows(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of the CSV output: first the simulation, then a row for each model."""
    nothing = {"scenario": found["scenario"], "name": PACKET, "status": "undefined"}
    simulated = {**(found["simulation"] or nothing), "reason": found["reason"]}
    marked = [{**r, "nearest": r["name"] == found["nearest"]} for r in found["models"]]
    return [simulated, *marked]
