"""Requests of the comparison for measurements, as data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tcpgoodput.answers import Conditions, Precision
from tcpgoodput.comparison.files import Cell, Compared
from tcpgoodput.engines.closeness import Closeness, usual
from tcpgoodput.engines.measurements import Effort, Request
from tcpgoodput.engines.names import REFERENCE
from tcpgoodput.scenario import Scenario

SENSITIVITY: dict[Precision, Closeness] = {
    "draft": Closeness(half_width=0.10, most_packets=300_000, replications=8),
    "paper": Closeness(half_width=0.05, most_packets=2_000_000, replications=20),
}

MAP_AT_DRAFT = Closeness(half_width=0.2, most_packets=20_000, replications=8)
MAP_MOST_PACKETS, MAP_REPLICATIONS = 10_000_000, 20
"""Limits of a measurement of a map: it ends where a sender hardly sends."""


def scenario_points(compared: Compared, stem: str, conditions: Conditions) -> Iterator[Request]:
    """Yield a scenario's measurements: its rows of the matrix, and its sensitivities."""
    yield from of_rows(compared, stem, conditions)
    yield from of_sensitivities(compared, stem, conditions)


def of_rows(compared: Compared, stem: str, conditions: Conditions) -> Iterator[Request]:
    """Yield what is measured of a scenario as it is, and in each variation of the matrix."""
    for scenario in compared.rows(stem):
        yield closely(scenario, conditions, usual(scenario, conditions.precision))


def of_sensitivities(compared: Compared, stem: str, conditions: Conditions) -> Iterator[Request]:
    """Yield a scenario's measurements with each key changed on which goodput may depend."""
    for scenario in compared.sensitivities(stem):
        yield lengthened(scenario, conditions, SENSITIVITY[conditions.precision])


def map_points(compared: Compared, name: str, conditions: Conditions) -> Iterator[Request]:
    """Yield the measurements that a map needs, row by row."""
    for _, request in of_map(compared, name, conditions):
        yield request


def of_map(compared: Compared, name: str, conditions: Conditions) -> Iterator[tuple[Cell, Request]]:
    """Yield the points of a map, row by row, each with its measurement."""
    asked = Closeness(compared.settings.maps[name].half_width, MAP_MOST_PACKETS, MAP_REPLICATIONS)
    closeness = MAP_AT_DRAFT if conditions.precision == "draft" else asked
    for cell in compared.cells(name, conditions.precision):
        yield cell, lengthened(cell.scenario, conditions, closeness)


def lengthened(scenario: Scenario, conditions: Conditions, closeness: Closeness) -> Request:
    """Return the request to measure as roughly as a draft, and longer until it is close enough."""
    return closely(scenario, replace(conditions, precision="draft"), closeness)


def closely(scenario: Scenario, conditions: Conditions, closeness: Closeness) -> Request:
    """Return the request to measure up to a half-width or a number of packets."""
    effort = Effort(conditions.precision, conditions.seed, **vars(closeness))
    return Request(REFERENCE, effort.on(scenario).setting, scenario)
