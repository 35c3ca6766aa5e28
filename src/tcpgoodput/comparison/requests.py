"""Requests for the measurements that the comparison needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tcpgoodput.answers import Conditions, Precision
from tcpgoodput.comparison.files import Cell, Compared
from tcpgoodput.engines.base import PACKET
from tcpgoodput.engines.closeness import Closeness, usual
from tcpgoodput.engines.measurements import Effort, Request
from tcpgoodput.scenario import Scenario

SENSITIVITY: dict[Precision, Closeness] = {
    "draft": Closeness(half_width=0.10, most_packets=300_000, replications=8),
    "paper": Closeness(half_width=0.05, most_packets=2_000_000, replications=20),
}

MAP_AT_DRAFT = Closeness(half_width=0.2, most_packets=20_000, replications=8)
MAP_MOST_PACKETS, MAP_REPLICATIONS = 10_000_000, 20
"""Largest numbers of packets and of replications for a point of a map. They bound the time of
measurements whose interval stays wide."""


def scenario_points(compared: Compared, stem: str, conditions: Conditions) -> Iterator[Request]:
    """Yield the requests for a scenario: its rows of the matrix, and its sensitivities.

    Args:
        compared: the comparison.
        stem: name of the scenario's file without ending.
        conditions: the precision and the seed.

    """
    yield from of_rows(compared, stem, conditions)
    yield from of_sensitivities(compared, stem, conditions)


def of_rows(compared: Compared, stem: str, conditions: Conditions) -> Iterator[Request]:
    """Yield the requests for a scenario and for each of its variations in the matrix.

    See `scenario_points` for the arguments.
    """
    for scenario in compared.rows(stem):
        yield precise_request(scenario, conditions, usual(scenario, conditions.precision))


def of_sensitivities(compared: Compared, stem: str, conditions: Conditions) -> Iterator[Request]:
    """Yield the requests for the variations that show on which keys the goodput depends.

    See `scenario_points` for the arguments.
    """
    for scenario in compared.sensitivities(stem):
        yield extended_request(scenario, conditions, SENSITIVITY[conditions.precision])


def map_points(compared: Compared, name: str, conditions: Conditions) -> Iterator[Request]:
    """Yield the requests for the points of a map, row by row; see `of_map`."""
    for _, request in of_map(compared, name, conditions):
        yield request


def of_map(compared: Compared, name: str, conditions: Conditions) -> Iterator[tuple[Cell, Request]]:
    """Yield each point of a map with the request for its measurement, row by row.

    Args:
        compared: the comparison.
        name: name of the map.
        conditions: the precision and the seed.

    """
    asked = Closeness(compared.settings.maps[name].half_width, MAP_MOST_PACKETS, MAP_REPLICATIONS)
    closeness = MAP_AT_DRAFT if conditions.precision == "draft" else asked
    for cell in compared.cells(name, conditions.precision):
        yield cell, extended_request(cell.scenario, conditions, closeness)


def extended_request(scenario: Scenario, conditions: Conditions, closeness: Closeness) -> Request:
    """Return a request for a simulation that starts short and is extended up to a half-width.

    Args:
        scenario: the scenario to measure.
        conditions: the seed; its precision is replaced by `draft`.
        closeness: the half-width, and the largest numbers of packets and replications.

    """
    return precise_request(scenario, replace(conditions, precision="draft"), closeness)


def precise_request(scenario: Scenario, conditions: Conditions, closeness: Closeness) -> Request:
    """Return a request for a measurement that ends at a half-width or a number of packets.

    Args:
        scenario: the scenario to measure.
        conditions: the precision and the seed.
        closeness: the half-width, and the largest numbers of packets and replications.

    """
    effort = Effort(conditions.precision, conditions.seed, **vars(closeness))
    return Request(PACKET, effort.on(scenario).setting, scenario)
