"""The points (series and x) of a figure that need measurements, by the measurements' keys."""

from __future__ import annotations

from tcpgoodput.answers import Conditions
from tcpgoodput.studies.schema import Figure, Source
from tcpgoodput.studies.sweeps import PointRequest, point_requests


def points_of(source: Source, figure: Figure, conditions: Conditions) -> dict[str, PointRequest]:
    """Return the points of a figure that need measurements, by the keys of the measurements."""
    return {
        request.key(conditions.precision, conditions.seed): request
        for request in point_requests(source.scenarios, figure, conditions.precision)
    }
