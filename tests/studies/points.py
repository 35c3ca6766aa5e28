"""The points (series and x) of a figure that need measurements, with the measurements' keys."""

from __future__ import annotations

from tcpgoodput.answers import Conditions
from tcpgoodput.studies.answering import Point
from tcpgoodput.studies.points import point_requests
from tcpgoodput.studies.schema import Figure, Source


def points_of(source: Source, figure: Figure, conditions: Conditions) -> list[Point]:
    """Return the points of a figure that need measurements, each with its measurement's key."""
    return [
        Point(
            request.panel,
            request.series,
            request.engine,
            request.x,
            key=request.key(conditions.precision, conditions.seed),
            scenario=request.scenario,
        )
        for request in point_requests(source.scenarios, figure, conditions.precision)
    ]
