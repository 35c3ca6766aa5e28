"""What the comparison asks engines to measure and models to answer, as data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tcpgoodput.answers import Conditions, Precision
from tcpgoodput.comparison.files import Cell, Compared
from tcpgoodput.comparison.misjudged import misjudged
from tcpgoodput.engines.closeness import Closeness, usual
from tcpgoodput.engines.measurements import Effort, Request
from tcpgoodput.engines.names import REFERENCE
from tcpgoodput.scenario import Scenario

Record = dict[str, Any]

SENSITIVITY: dict[Precision, Closeness] = {
    "draft": Closeness(half_width=0.10, most_packets=300_000, replications=8),
    "paper": Closeness(half_width=0.05, most_packets=2_000_000, replications=20),
}

HELD: dict[Precision, Closeness] = {
    "draft": SENSITIVITY["draft"],
    "paper": Closeness(half_width=0.02, most_packets=10_000_000, replications=20),
}
"""What only judges, and judges in bins of five per cent and more: two seconds each at most."""

MAP_PACKETS_AT_DRAFT = 20_000
MAP_REPLICATIONS = 8


def scenario_points(compared: Compared, stem: str, conditions: Conditions) -> Iterator[Request]:
    """Yield what a scenario's file asks to measure: its rows of the matrix, its sensitivities."""
    yield from _rows(compared, stem, conditions)
    yield from _sensitivities(compared, stem, conditions)


def _rows(compared: Compared, stem: str, conditions: Conditions) -> Iterator[Request]:
    roughly = replace(conditions, precision="draft")
    for scenario in compared.rows(stem):
        if stem in compared.held:
            yield closely(scenario, roughly, HELD[conditions.precision])
        else:
            yield closely(scenario, conditions, usual(scenario, conditions.precision))


def _sensitivities(compared: Compared, stem: str, conditions: Conditions) -> Iterator[Request]:
    roughly = replace(conditions, precision="draft")
    for scenario in compared.sensitivities(stem):
        yield closely(scenario, roughly, SENSITIVITY[conditions.precision])


def map_points(compared: Compared, name: str, conditions: Conditions) -> Iterator[Request]:
    """Yield what a map asks to measure, row by row."""
    for _, request in _map_points(compared, name, conditions):
        yield request


def _map_points(
    compared: Compared, name: str, conditions: Conditions
) -> Iterator[tuple[Cell, Request]]:
    draft = conditions.precision == "draft"
    packets = MAP_PACKETS_AT_DRAFT if draft else compared.settings.maps[name].packets
    effort = Effort("paper", conditions.seed, packets, MAP_REPLICATIONS)
    for cell in compared.cells(name, conditions.precision):
        yield cell, Request(REFERENCE, effort.on(cell.scenario).setting, cell.scenario)


def closely(scenario: Scenario, conditions: Conditions, closeness: Closeness) -> Request:
    """Return the request to measure a scenario to an interval, or as far as packets allow."""
    effort = Effort(conditions.precision, conditions.seed, **vars(closeness))
    return Request(REFERENCE, effort.on(scenario).setting, scenario)


def to_answer(compared: Compared, conditions: Conditions) -> Record:
    """Return all that the models are asked about: each scenario, varied, misjudged."""
    stems = [*compared.scenarios, *compared.held]
    return {
        "conditions": vars(conditions),
        "scenarios": {
            stem: {
                "rows": [_measured(r) for r in _rows(compared, stem, conditions)],
                "sensitivities": [_measured(r) for r in _sensitivities(compared, stem, conditions)],
                "misjudged": {
                    name: scenario.stated()
                    for name, scenario in misjudged(compared.rows(stem)[0]).items()
                },
            }
            for stem in stems
        },
    }


def _measured(request: Request) -> Record:
    """Return a scenario that models are asked about, and the key of its measurement."""
    return {"key": request.key, "scenario": request.scenario.stated()}


def to_answer_map(compared: Compared, name: str, conditions: Conditions) -> Record:
    """Return what some models are asked about on a map, and the key of each measurement."""
    return {
        "conditions": vars(conditions),
        "cells": [
            {"x": cell.x, "y": cell.y, "key": request.key, "scenario": cell.scenario.stated()}
            for cell, request in _map_points(compared, name, conditions)
        ],
    }
