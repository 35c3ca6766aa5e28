"""What a study's figures, or the comparison, ask of a referee, each connection once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tcpgoodput.comparison.files import Compared
from tcpgoodput.engines.referee import Referee
from tcpgoodput.engines.referees import referee
from tcpgoodput.scenario import Scenario
from tcpgoodput.studies.points import Asked, asked_points
from tcpgoodput.studies.source import Source

NO_SEED = 0
"""A referee's setting does not name one."""


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


def points_of(source: Source, engine: str) -> list[Point]:
    """Return what a study's figures ask of a referee, in their order."""
    return _each_once(
        (name, asked)
        for name, figure in source.figures.figures.items()
        for asked in asked_points(source.scenarios, figure, "paper")
        if asked.engine == engine
    )


def compared_asked(compared: Compared, stem: str, engine: str) -> Iterator[Asked]:
    """Yield what a scenario's rows of the comparison ask of a referee; x numbers them from 0."""
    for number, scenario in enumerate(compared.rows(stem)):
        yield Asked(scenario.id, engine, engine, float(number), None, scenario)


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
        key = asked.request("paper", NO_SEED).key
        found.setdefault(key, Point(key, figure, asked))
    return list(found.values())
