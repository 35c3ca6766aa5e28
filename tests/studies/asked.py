"""What a figure asks engines about, as its jobs are told."""

from __future__ import annotations

from typing import Any

from tcpgoodput.answers import Conditions
from tcpgoodput.studies.answer import points_in
from tcpgoodput.studies.answering import Point
from tcpgoodput.studies.asking import to_answer
from tcpgoodput.studies.points import asked_points
from tcpgoodput.studies.schema import Figure
from tcpgoodput.studies.source import Source


def request_of(source: Source, figure: Figure, conditions: Conditions) -> dict[str, Any]:
    points = asked_points(source.scenarios, figure, conditions.precision)
    return to_answer(source, figure, conditions, points)


def points_of(source: Source, figure: Figure, conditions: Conditions) -> list[Point]:
    return points_in(request_of(source, figure, conditions))
