"""What a page is told along a key of a scenario: point after point, then more closely."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tcpgoodput.answers import Precision
from tcpgoodput.api.sweep import sweep
from tcpgoodput.configuration import ConfigurationError, refused
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.controls import every, unit_of

Record = dict[str, Any]

OWN = {"key": "", "from": "", "to": "", "points": "9", "scale": "log"}
"""What an address says of a sweep, and what it is unless it says otherwise."""

MOST_POINTS = 41

PRECISIONS: tuple[Precision, ...] = ("draft", "paper")

TOLD = ("series", "origin", "y", "y_low", "y_high", "status", "reason")
"""Of a sweep's rows, y in bits per second."""


def values_of(own: Mapping[str, str]) -> list[Any]:
    """Return the values that a sweep goes through.

    Raises:
        ConfigurationError: the address does not say them; the message says what is missing.

    """
    found = [control for control in every() if control["key"] == own["key"]]
    kinds = {control["kind"] for control in found}
    if "choice" in kinds:
        return list(dict.fromkeys(option for c in found for option in c["options"]))
    if "flag" in kinds:
        return [False, True]
    if not kinds & {"number", "whole"}:
        raise refused("key", "", f"{own['key']!r} is not a key that a sweep can follow")
    low, high, points = (_number(own, name) for name in ("from", "to", "points"))
    if not low < high or points != int(points) or not 2 <= points <= MOST_POINTS:
        raise refused("from", "", f"needs from below to, and 2 to {MOST_POINTS} points")
    if own["scale"] == "log" and low <= 0:
        raise refused("from", "", "must be above 0 on a logarithmic scale")
    spaced = np.geomspace if own["scale"] == "log" else np.linspace
    grid = [float(f"{value:.6g}") for value in spaced(low, high, int(points))]
    if "whole" in kinds:
        grid = list(dict.fromkeys(float(round(value)) for value in grid))
    return grid


def points(scenario: Scenario, key: str, values: Sequence[Any]) -> Iterator[Record]:
    """Yield what all models say and what is measured at each value, then again more closely.

    A value that gives no scenario is a point with a problem.
    """
    yield head(key, values)
    for precision in PRECISIONS:
        for value in values:
            yield point(scenario, key, value, precision)


def head(key: str, values: Sequence[Any]) -> Record:
    """Return what a page is told of a sweep before its points."""
    unit = unit_of(key)
    return {"kind": "sweep", "key": key, "unit": "" if unit == "1" else unit, "values": [*values]}


def point(scenario: Scenario, key: str, value: Any, precision: Precision | None) -> Record:
    """Return the rows of all models and of the simulation at one value, or why there are none.

    Nothing is simulated where no precision is given.
    """
    asked = {"simulate": precision is not None, "precision": precision or "draft"}
    found: Record = {"kind": "point", "x": value, "rows": [], "problem": None}
    try:
        rows = sweep(scenario, {key: [value]}, **asked)
    except ConfigurationError as error:
        return {**found, "problem": str(error)}
    plain = rows[[*TOLD]].astype(object)
    return {**found, "rows": plain.where(rows[[*TOLD]].notna(), None).to_dict("records")}


def _number(own: Mapping[str, str], name: str) -> float:
    try:
        value = float(own[name])
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        raise refused(name, "", f"must be a number, is {own[name]!r}")
    return value
