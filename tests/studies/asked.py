"""What a figure asks engines about, as its jobs are told."""

from __future__ import annotations

from tcpgoodput.answers import Conditions
from tcpgoodput.studies.answer import points_in
from tcpgoodput.studies.answering import Point
from tcpgoodput.studies.asking import to_answer
from tcpgoodput.studies.schema import Figure
from tcpgoodput.studies.source import Source


def points_of(source: Source, figure: Figure, conditions: Conditions) -> list[Point]:
    return points_in(to_answer(source, figure, conditions))
