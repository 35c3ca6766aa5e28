"""What a study's figures, or the comparison, ask of a referee, each connection once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tcpgoodput.comparison.files import Compared
from tcpgoodput.engines import REFEREES, Referee, referee
from tcpgoodput.referees.records import Records
from tcpgoodput.scenario import Scenario
from tcpgoodput.studies.files import Source
from tcpgoodput.studies.measured import Asked, Measured, asked_points
from tcpgoodput.studies.schema import Figure

COMPARISON = "comparison"
"""What the scenarios on which all models are compared are recorded under, as a study is."""


@dataclass(frozen=True)
class Point:
    """A connection that a referee is asked to measure."""

    key: str
    """What it is recorded under."""
    figure: str
    """Of those that ask for it the first; so are its panel and its x. Of the comparison, the stem
    of the scenario's file."""
    asked: Asked

    @property
    def referee(self) -> Referee:
        """Who is asked."""
        return referee(self.asked.engine, self.asked.profile)

    @property
    def scenario(self) -> Scenario:
        """What is measured."""
        return self.asked.scenario


def key_of(asked: Asked) -> str:
    """Return what a connection is recorded under: its content, engine and setting."""
    setting = referee(asked.engine, asked.profile).setting(asked.scenario)
    content = asked.scenario.model_dump_json(exclude={"id", "title"})
    return hashlib.sha256(f"{asked.engine}/{setting}/{content}".encode()).hexdigest()[:16]


def points_of(source: Source, engine: str) -> list[Point]:
    """Return what a study's figures ask of a referee, in their order."""
    return _each_once(
        (name, asked)
        for name, figure in source.figures.figures.items()
        for asked in asked_points(source, figure, "paper")
        if asked.engine == engine
    )


def compared_asked(compared: Compared, stem: str, engine: str) -> Iterator[Asked]:
    """Yield what a scenario's rows of the comparison ask of a referee; x numbers them from 0."""
    for number, scenario in enumerate(compared.rows(stem)):
        yield Asked(scenario.id, 0, engine, float(number), None, scenario)


def compared_points(compared: Compared, engine: str) -> list[Point]:
    """Return what a comparison's scenarios ask of a referee, in their order."""
    return _each_once(
        (stem, asked)
        for stem in compared.scenarios
        for asked in compared_asked(compared, stem, engine)
    )


def _each_once(every: Iterable[tuple[str, Asked]]) -> list[Point]:
    """Return the points of what is asked, each under the first figure that asks for it."""
    found: dict[str, Point] = {}
    for figure, asked in every:
        key = key_of(asked)
        found.setdefault(key, Point(key, figure, asked))
    return list(found.values())


def _measured(records: Records, asked: Asked) -> Measured | None:
    goodput = "whole_pps" if asked.from_start else "goodput_pps"
    return records.measured(key_of(asked), goodput)


def recorded(
    source: Source, figure: Figure, records: Records
) -> dict[tuple[str, int, float], Measured]:
    """Return what referees recorded of a figure's points, by panel, series and x."""
    found = {}
    for asked in asked_points(source, figure, "paper"):
        if asked.engine in REFEREES and (measured := _measured(records, asked)):
            found[asked.key] = measured
    return found
