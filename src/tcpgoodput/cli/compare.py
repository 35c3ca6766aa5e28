"""The command `tcpgoodput compare`: all models compared with a simulation."""

from __future__ import annotations

from typing import Any

import typer

from tcpgoodput.answers import Conditions
from tcpgoodput.cli.listing import GAP, Group
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
    print_csv,
    print_groups,
    print_heading,
    print_json,
    print_text,
    progress,
    read_request,
)
from tcpgoodput.cli.predict import COLUMNS as PREDICTED
from tcpgoodput.cli.predict import (
    ERROR,
    GOODPUT,
    NAME,
    NONE_IN_DOMAIN,
    TITLE,
    All,
    Names,
    groups_of,
    in_view,
    models_of,
    print_advice,
    print_rest,
    recommended,
    status_of,
)
from tcpgoodput.cli.stated_link import Loss, Rate, RoundTrip, StatedLink
from tcpgoodput.comparison.census.expected import advice_for, notes
from tcpgoodput.comparison.compare import compare as compared
from tcpgoodput.comparison.compare import error, interval, legend, nearest, numbers
from tcpgoodput.engines.base import PACKET
from tcpgoodput.engines.packet import Packet

COLUMNS = (*PREDICTED, "ci95_bps", "log_error", "nearest")


PREFERENCE = "The simulation of this link is to be preferred to this advice."


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
    match form:
        case "json":
            print_json({**found, "advice": advice.record()})
        case "csv":
            print_csv(COLUMNS, _rows(found))
        case "text":
            print_heading(request)
            shown = in_view(found["models"], model, shows_all=shows_all)
            print_groups(
                [NAME, GOODPUT, ERROR, TITLE],
                _groups(found["simulation"], shown, recommended(advice)),
            )
            print_rest(found["models"], shown)
            print_text(legend(shown))
            if found["reason"]:
                print_text(f"Note: {found['reason']}.")
            print_text(nearest(found["nearest"], bool(found["simulation"])))
            if advice.models or model is None:
                preferred = [PREFERENCE] if recommended(advice) and found["simulation"] else []
                print_advice(advice, [*preferred, *notes(advice)])
            else:
                typer.echo()
                print_text(NONE_IN_DOMAIN)
    return status_of(found["models"])


def _groups(
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
