"""The measurements that a figure needs."""

from __future__ import annotations

from tcpgoodput.answers import Conditions
from tcpgoodput.studies.answering import Point
from tcpgoodput.studies.points import asked_points
from tcpgoodput.studies.schema import Figure, Source


def points_of(source: Source, figure: Figure, conditions: Conditions) -> list[Point]:
    """Return the points of a figure, each with the key of its measurement."""
    return [
        Point(
            asked.panel,
            asked.series,
            asked.engine,
            asked.x,
            key=asked.key(conditions.precision, conditions.seed),
            scenario=asked.scenario,
        )
        for asked in asked_points(source.scenarios, figure, conditions.precision)
    ]
