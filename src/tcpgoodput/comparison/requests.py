"""Requests for the simulations that the comparison and the explorer's static page need."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, islice, zip_longest
from typing import Any

import numpy as np

from tcpgoodput.answers import Conditions, Precision
from tcpgoodput.comparison.files import Cell, Compared
from tcpgoodput.engines.closeness import Target, usual
from tcpgoodput.engines.measurements import Request, extended_request, precise_request
from tcpgoodput.scenario import Scenario, override
from tcpgoodput.scenario.content import at_key
from tcpgoodput.scenario.controls import numbers
from tcpgoodput.scenario.physics import impairments
from tcpgoodput.studies.sweeps import PointRequest

NO_SEED = 0
"""Seed for the keys of measurements by ns-2 and Linux. Its value has no effect, because the
settings of these measurements contain no seed."""

SENSITIVITY: dict[Precision, Target] = {
    "draft": Target(half_width=0.10, most_packets=300_000, replications=8),
    "paper": Target(half_width=0.05, most_packets=2_000_000, replications=20),
}

MAP_AT_DRAFT = Target(half_width=0.2, most_packets=20_000, replications=8)
MAP_MOST_PACKETS, MAP_REPLICATIONS = 10_000_000, 20
"""Largest number of packets, and number of replications, for a point of a map of errors. The number
of packets bounds the time of measurements whose interval stays wide. Both are chosen by hand."""


def scenario_points(compared: Compared, stem: str, conditions: Conditions) -> Iterator[Request]:
    """Yield the requests for the scenario in file `stem` and for all of its changed copies."""
    yield from of_rows(compared, stem, conditions).values()
    yield from of_sensitivities(compared, stem, conditions).values()


def of_rows(compared: Compared, stem: str, conditions: Conditions) -> dict[str, Request]:
    """Return the requests for the scenario in file `stem` and its copies, by variation."""
    return {
        name: precise_request(scenario, conditions, usual(scenario, conditions.precision))
        for name, scenario in compared.rows(stem).items()
    }


def compared_requests(compared: Compared, stem: str, engine: str) -> Iterator[PointRequest]:
    """Yield the requests to ns-2 or Linux for a scenario of the comparison and its variations.

    x of a request is 0 for the scenario itself, and 1, 2, … for its variations (changed copies).
    """
    for number, scenario in enumerate(compared.rows(stem).values()):
        yield PointRequest(scenario.id, engine, engine, float(number), None, scenario)


def of_sensitivities(compared: Compared, stem: str, conditions: Conditions) -> dict[str, Request]:
    """Return the requests for the copies of a scenario with each change of `sensitivity`."""
    closeness = SENSITIVITY[conditions.precision]
    return {
        name: extended_request(scenario, conditions, closeness)
        for name, scenario in compared.sensitivities(stem).items()
    }


def map_points(compared: Compared, name: str, conditions: Conditions) -> Iterator[Request]:
    """Yield the requests for the points of a map, row by row; see `of_map`."""
    for _, request in of_map(compared, name, conditions):
        yield request


def of_map(compared: Compared, name: str, conditions: Conditions) -> Iterator[tuple[Cell, Request]]:
    """Yield each point of the map `name` with the request for its measurement, row by row."""
    asked = Target(compared.settings.maps[name].half_width, MAP_MOST_PACKETS, MAP_REPLICATIONS)
    target = MAP_AT_DRAFT if conditions.precision == "draft" else asked
    for cell in compared.cells(name, conditions.precision):
        yield cell, extended_request(cell.scenario, conditions, target)


Record = dict[str, Any]

SWEPT_KEYS, FACTOR = 3, 4.0
"""SWEPT_KEYS: number of keys of a scenario that the static page sweeps, one at a time. FACTOR: a
sweep extends from the key's value divided by FACTOR to the value multiplied by FACTOR."""

SWEEP_POINTS: dict[Precision, int] = {"draft": 3, "paper": 7}
"""Number of points of each sweep on the static page, by precision."""

EXPLORER_TARGET = Target(half_width=0.05, most_packets=300_000, replications=8)
"""Half-width and limits of the measurements that only the static page shows. These measurements are
coarse even in a final run, because there are hundreds of points."""

IMPAIRMENTS = ("loss", "arq", "spikes", "handoffs", "capacity")
FURTHER_KEYS = ("path.backward_delay_s", "path.rate_bps", "path.buffer_packets")
"""Scenario keys that the static page sweeps in addition, if the scenario's impairments have fewer
than three numerical keys."""


def sweeps_of(scenario: Scenario, precision: Precision) -> dict[str, list[float]]:
    """Return the swept keys of a scenario with their values; keys of impairments come first.

    The values are spaced evenly on a logarithmic scale around the scenario's own value.
    """
    stated = scenario.model_dump()
    values = {c["key"]: at_key(stated, c["key"]) for c in numbers()}
    varied = [key for key, value in values.items() if value]
    own = [[key for key in varied if key.startswith(f"{part}.")] for part in IMPAIRMENTS]
    in_turn = (key for keys in zip_longest(*own) for key in keys if key)
    chosen = islice(chain(in_turn, (key for key in FURTHER_KEYS if key in varied)), SWEPT_KEYS)
    return {key: _about(scenario, key, values[key], SWEEP_POINTS[precision]) for key in chosen}


def _about(scenario: Scenario, key: str, value: float, points: int) -> list[float]:
    """Return valid values of a key around the scenario's own, ascending."""
    is_whole = next(c["kind"] for c in numbers() if c["key"] == key) == "whole"
    grid = np.geomspace(value / FACTOR, value * FACTOR, points)
    found = []
    for x in dict.fromkeys(float(round(x)) if is_whole else float(f"{x:.3g}") for x in grid):
        with suppress(ValueError):
            override(scenario, {key: x})
            found.append(x)
    return found


TAKEN_AWAY: dict[str, dict[str, Any]] = {
    "loss": {"loss": {"process": "none"}},
    "link retransmission": {"arq": None},
    "delay spikes": {"spikes": None},
    "hand-offs": {"handoffs": None},
    "varying capacity": {"capacity": None},
    "varying delay": {"delay": None},
}


def ablations(scenario: Scenario) -> dict[str, Scenario]:
    """Return copies of a scenario without one of its impairments, by the impairment's name."""
    present = impairments(scenario) | ({"loss"} if scenario.loss.impairment else set())
    return {
        name: override(scenario, changes) for name, changes in TAKEN_AWAY.items() if name in present
    }


def explorer_points(compared: Compared, conditions: Conditions) -> Iterator[Request]:
    """Yield the requests for all simulations that only the explorer's static page needs."""
    for scenario in compared.scenarios.values():
        yield from _without_impairments(scenario, conditions).values()
    for scenario in compared.scenarios.values():
        for swept in _swept(scenario, conditions).values():
            yield from swept.values()


def to_answer(compared: Compared, conditions: Conditions) -> Record:
    """Return the request for the static page's data, as JSON: scenarios, sweeps, and measurements.

    `scenarios` has each scenario, and under `without` the measurement for each removed impairment.
    `sweeps` has, for each swept key of a scenario, the measurement for each value. A measurement is
    given by its key in the store of measurements.
    """
    every = compared.scenarios.values()
    return {
        "conditions": vars(conditions),
        "scenarios": {
            scenario.id: {
                "scenario": scenario.stated(),
                "without": _keys(_without_impairments(scenario, conditions)),
            }
            for scenario in every
        },
        "sweeps": {
            scenario.id: {key: _keys(own) for key, own in _swept(scenario, conditions).items()}
            for scenario in every
        },
    }


def _without_impairments(scenario: Scenario, conditions: Conditions) -> dict[str, Request]:
    """Return the requests for a scenario without each of its impairments, by impairment."""
    return {
        name: extended_request(ablation, conditions, EXPLORER_TARGET)
        for name, ablation in ablations(scenario).items()
    }


def _swept(scenario: Scenario, conditions: Conditions) -> dict[str, dict[float, Request]]:
    """Return the requests for each sweep of a scenario, by key and value."""
    return {
        key: {
            value: extended_request(override(scenario, {key: value}), conditions, EXPLORER_TARGET)
            for value in values
        }
        for key, values in sweeps_of(scenario, conditions.precision).items()
    }


def _keys(requests: dict[Any, Request]) -> dict[Any, str]:
    return {name: request.key for name, request in requests.items()}
