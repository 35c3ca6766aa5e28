"""The explorer's static page, which needs neither server nor network.

python -m tcpgoodput.cli.explorer.static_page RESULTS FIGURES PAGE [--configuration FILE] …

Simulated goodputs come from stored measurements. The packet simulator runs only for the plots of
the window over time, and for the example of the form "My link", with which the page begins.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tcpgoodput.answers import MEASURED, Conditions
from tcpgoodput.api.sweep import sweep
from tcpgoodput.cli.explorer import my_link
from tcpgoodput.cli.explorer.answering import (
    answers,
    described,
    head,
    plain,
    point,
    printed,
    window_of,
)
from tcpgoodput.cli.explorer.page import files, library, looks, page, scenarios_of
from tcpgoodput.comparison.answers import simulation_record
from tcpgoodput.comparison.census.expected import advice_for
from tcpgoodput.comparison.requests import sweeps_of, to_answer
from tcpgoodput.configuration import Document
from tcpgoodput.drawing.thumbnail import thumbnail
from tcpgoodput.engines.base import PACKET, Measurement
from tcpgoodput.engines.measurements import read_measurements
from tcpgoodput.jobs import job_parser, run_job
from tcpgoodput.project.checked import add_configuration, configuration_of
from tcpgoodput.project.settings import Configuration
from tcpgoodput.scenario import Scenario, scenario_from
from tcpgoodput.scenario.files import ScenarioRequest
from tcpgoodput.storage import as_lines, write_text

Record = dict[str, Any]


def of_connection(
    scenario: Scenario,
    request: Record,
    compared: Record,
    known: Mapping[str, Measurement],
    seed: int,
) -> Iterator[Record]:
    """Yield the records for a scenario that the server of the live page would send.

    `request` has the scenario's keys, and for each impairment the key of the measurement without
    it; `compared` is the comparison that the run computed.
    """
    simulation = compared["simulation"]
    yield described(ScenarioRequest(scenario, Document(scenario.id, request["scenario"])))
    yield printed(compared, advice_for(scenario, compared["models"]))
    if simulation:
        yield window_of(scenario, seed, simulation)
    rows = []
    for name, key in request["without"].items():
        record = simulation_record(scenario, known[key])
        levels = record["simulation"] or {"goodput_bps": None, "ci95_bps": None}
        row = {"without": name, "reason": record["reason"]}
        rows.append({**row, **{k: levels[k] for k in ("goodput_bps", "ci95_bps")}})
    yield {"kind": "without", "rows": rows}


def of_sweep(
    scenario: Scenario, key: str, keys: Record, known: Mapping[str, Measurement]
) -> Iterator[Record]:
    """Yield the records for a sweep that the server of the live page would send.

    `keys` has the key of the measurement in `known` for each value.
    """
    values = [float(value) for value in keys]
    yield head(key, values)
    predicted = sweep(scenario, {key: values}, simulate=False, precision="draft")
    points = predicted.groupby("x", sort=False)
    for (value, rows), measurement in zip(points, keys.values(), strict=True):
        every = [*plain(rows), _measured(scenario, known[measurement])]
        yield {"kind": "point", "x": value, "rows": every, "problem": None}


def _measured(scenario: Scenario, found: Measurement) -> Record:
    bits = 8 * scenario.tcp.mss_bytes
    levels = {"y": found.goodput_pps, "y_low": found.low_pps, "y_high": found.high_pps}
    return {
        "series": PACKET,
        "origin": PACKET,
        **{name: None if pps is None else pps * bits for name, pps in levels.items()},
        "status": "undefined" if found.goodput_pps is None else MEASURED,
        "reason": found.reason,
    }


def of_my_link() -> Record:
    """Return the content for the example of the form "My link", as the live page has it."""
    document = my_link.example()
    scenario = scenario_from(document)
    last = {record["kind"]: record for record in answers(scenario)}
    del last["answer"]["simulation"]["wall_s"]  # it would differ between equal runs
    answer = [last[kind] for kind in ("answer", "window", "without")]
    sweeps = [
        {
            "key": key,
            "records": [head(key, values), *(point(scenario, key, x, "paper") for x in values)],
        }
        for key, values in sweeps_of(scenario, "paper").items()
    ]
    return {
        "answers": {scenario.id: [described(ScenarioRequest(scenario, document)), *answer]},
        "sweeps": {scenario.id: sweeps},
    }


def content_of(request: Record, known: Mapping[str, Measurement], parts: Iterable[Path]) -> Record:
    """Return all content of the static page: connections and sweeps, by scenario.

    `parts` are the files with the results of the comparison, one for each scenario.
    """
    seed = Conditions(**request["conditions"]).seed
    # The first row is that of the unchanged scenario, without its variations.
    rows = [json.loads(part.read_text(encoding="utf-8"))["rows"][0] for part in parts]
    compared = {row["scenario"]: row for row in rows}
    scenarios = {
        name: Scenario.model_validate(part["scenario"])
        for name, part in request["scenarios"].items()
    }
    stored = {
        "answers": {
            name: [*of_connection(scenarios[name], part, compared[name], known, seed)]
            for name, part in request["scenarios"].items()
        },
        "sweeps": {
            name: [
                {"key": key, "records": [*of_sweep(scenarios[name], key, values, known)]}
                for key, values in sweeps.items()
            ]
            for name, sweeps in request["sweeps"].items()
        },
    }
    return {part: own | stored[part] for part, own in of_my_link().items()}


def static_page(configuration: Configuration, answers: Any, results: Path, figures: Path) -> str:
    """Return the explorer's static page as HTML."""
    compared = configuration.comparison
    assert compared is not None  # the workflow makes this page only if a comparison is configured
    example = scenario_from(my_link.example())
    scenarios = {one.id: one for one in (example, *compared.scenarios.values())}
    there = files(configuration, results, figures)
    return page(
        {
            "is_live": False,
            "begin": my_link.NAME,
            "link": my_link.form(),
            "looks": looks(configuration.style, configuration.families),
            **scenarios_of(scenarios.values()),
            **answers,
            "library": library(configuration, results),
            "pictures": {
                name: f"data:image/png;base64,{_text(thumbnail(file))}"
                for name, file in there.items()
                if file.suffix == ".png"
            },
            "tables": {
                name: _text(gzip.compress(file.read_bytes(), mtime=0))
                for name, file in there.items()
                if file.suffix == ".csv"
            },
        }
    )


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode()


def work(arguments: argparse.Namespace) -> None:
    """Compute the content of the page, and write it as JSON and as HTML."""
    configuration, results = configuration_of(arguments), arguments.results
    compared = configuration.comparison
    assert compared is not None  # the workflow makes this page only if a comparison is configured
    request = to_answer(compared, configuration.settings.conditions)
    known = read_measurements(results / "measurements" / "explorer.csv")
    folder = results / "comparison" / "scenarios"
    parts = [folder / f"{stem}.json" for stem in compared.scenarios]
    answers = content_of(request, known, parts)
    write_text(results / "explorer.json", as_lines(answers))
    page = static_page(configuration, answers, results, arguments.figures)
    write_text(arguments.page, page)


if __name__ == "__main__":
    parser = job_parser(__spec__.name, "results", "figures", "page")
    add_configuration(parser)
    sys.exit(run_job(parser, work))
