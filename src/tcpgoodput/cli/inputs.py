"""The command `tcpgoodput inputs`: what each input of a prediction costs for one connection."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from tcpgoodput.answers import Conditions
from tcpgoodput.cli.listing import GAP, Column, Group, signed
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
    print_data,
    print_groups,
    print_text,
    progress,
    read_request,
)
from tcpgoodput.cli.stated_link import Loss, Rate, RoundTrip, StatedLink
from tcpgoodput.comparison.answers import simulation_record
from tcpgoodput.comparison.compare import interval, simulated
from tcpgoodput.comparison.input_costs import EVERYTHING, NOT_MEASURED, costliest, input_costs
from tcpgoodput.configuration.units import in_column

COLUMNS = ("input", "assumption", "model", "status", "goodput_bps", "change_%", "error_%")

SHOWN = (
    Column("input", prose=True),
    Column("model"),
    Column("goodput,\nkbit/s", numbers=True),
    Column("change,\n%", numbers=True),
    Column("error,\n%", numbers=True),
)

KNOWN, LEFT_OUT, WRONG = "known", "not measured", "wrong"
"""Headings of the groups of rows."""

NoSimulation = Annotated[
    bool,
    typer.Option(
        "--no-simulation", help="compare only with the prediction from all inputs, without errors"
    ),
]


def inputs(
    scenario_file: ScenarioFileIfAny = None,
    changes: Changes = None,
    rate: Rate = None,
    rtt: RoundTrip = None,
    loss: Loss = None,
    no_simulation: NoSimulation = False,
    equations: EquationsName = "corrected",
    seed: Seed = 1,
    model_files: ModelFiles = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Show what each input of a prediction costs: left out, or 20 % wrong."""
    form = form_of(as_json, as_csv)
    add_models(model_files)
    conditions = Conditions(equations=equations_of(equations), seed=seed)
    request = read_request(scenario_file, changes, StatedLink(rate, rtt, loss))
    measured = None
    if not no_simulation:
        with progress() as report:
            measured = simulated(request.scenario, conditions, report=report)
    rows = input_costs(request.scenario, conditions, measured)
    simulation = simulation_record(request.scenario, measured) if measured else None
    known = simulation or {"scenario": request.scenario.id, "simulation": None}
    if not print_data(form, {**known, "inputs": rows}, COLUMNS, rows):
        print_text(request.heading)
        print_groups(SHOWN, _groups(rows))
        for sentence in _notes(rows, simulation):
            print_text(sentence)


def _groups(rows: list[dict[str, Any]]) -> list[Group]:
    """Return the rows for the terminal: all inputs, each input not measured, and wrong inputs."""
    found: dict[str, list[tuple[str, ...]]] = {}
    goodputs = in_column(None if row["model"] is None else row["goodput_bps"] / 1e3 for row in rows)
    for row, goodput in zip(rows, goodputs, strict=True):
        is_measured = row["input"] not in NOT_MEASURED
        kind = KNOWN if row["input"] == EVERYTHING else WRONG if is_measured else LEFT_OUT
        found.setdefault(kind, []).append(_cells(row, goodput))
    return [Group(kind, cells) for kind, cells in found.items()]


def _cells(row: dict[str, Any], goodput: str) -> tuple[str, ...]:
    """Return the cells of a row for the terminal, with its goodput as text."""
    what = GAP + (row["assumption"] or EVERYTHING)
    if row["model"] is None:
        return (what, "no model in domain", "", "", "")
    change, error = ("" if row[n] is None else signed(row[n]) for n in ("change_%", "error_%"))
    shown = "no effect" if row["no_effect"] else change
    return (what, row["model"], goodput, shown if row["assumption"] else "", error)


def _notes(rows: list[dict[str, Any]], simulation: dict[str, Any] | None) -> list[str]:
    """Return the sentences below the list."""
    found = [
        "change: 100 ln(goodput / goodput with all inputs). Each goodput is that of the model in "
        "domain with the smallest expected error. If that is another model than in the first row, "
        "a part of the change is due to the models."
    ]
    if rows[0]["model"] is None:
        found.append(
            "With all inputs no model is in domain, so no change is known: tcpgoodput predict "
            "--all has the reason of each model, and a simulation needs none."
        )
    if simulation and (one := simulation["simulation"]):
        text = f"{one['goodput_bps'] / 1e3:.6g} kbit/s {interval(one)}".strip()
        found.append(f"error: 100 ln(goodput / simulated goodput); simulated: {text}.")
    elif simulation:
        reason = simulation["reason"]
        found.append(f"Note: no error, because the simulation has no goodput: {reason}.")
    if most := costliest(rows):
        found.append(f"The largest change: {most['assumption']} ({signed(most['change_%'])} %).")
    return found
