"""Random samples of connections (censuses): their space, and the design that draws from it.

The space maps points of the unit cube to connections. The design has the points, in chunks that
one job measures, and the names of the sample's tables.
"""

from __future__ import annotations

import copy
import itertools
import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
import pydantic
from numpy.typing import NDArray

from tcpgoodput.comparison.census.schema import Census, Law
from tcpgoodput.configuration.validation import validation_messages
from tcpgoodput.scenario import Scenario
from tcpgoodput.studies.expressions import evaluate, resolved

UNIMPAIRED = "nothing"
"""Name of the group of connections that have no impairment."""

JOINED = " and "
"""Separator in the name of a group with two impairments: `delay_spikes and late_handoffs`."""

KNOWN = ("rate_pps", "rtt_s", "product_packets")
"""Names that the conditions in a census file may use in addition to drawn quantities."""


class Missed(Exception):
    """A point of the design violates a condition, so it gives no connection."""


class Impossible(ValueError):
    """A point of the design gives no valid scenario; the message names the key and the reason."""


@dataclass(frozen=True)
class ImpairmentGroup:
    """A group of connections with the same impairments: none, one, or a pair."""

    name: str
    share: float
    draw: Mapping[str, Law]
    set: Mapping[str, Any]


@dataclass(frozen=True)
class Connection:
    """A random connection that a census has drawn."""

    number: int
    """Number of the point of the design from which the connection was made."""
    impairments: str
    """Name of the connection's `ImpairmentGroup`: `nothing`, or the names of its impairments."""
    scenario: Scenario


@dataclass(frozen=True)
class Space:
    """All connections that a random sample can draw, as a function of a point of the unit cube."""

    name: str
    census: Census

    @cached_property
    def impairment_groups(self) -> list[ImpairmentGroup]:
        """The groups of connections by impairment, each with its share of all connections."""
        census, parts = self.census, self.census.impairments
        pairs = [
            (one, two)
            for one, two in itertools.combinations(parts, 2)
            # Neither sets a key of the scenario that the other sets, or a part of it.
            if not any(
                f"{a}.".startswith(f"{b}.") or f"{b}.".startswith(f"{a}.")
                for a in parts[one].set
                for b in parts[two].set
            )
        ]
        twice = census.pairs if pairs else 0.0
        once = 1 - twice - census.unimpaired if parts else 0.0
        found = [ImpairmentGroup(UNIMPAIRED, 1 - twice - once, {}, {})]
        found += [
            ImpairmentGroup(name, once / len(parts), part.draw, part.set)
            for name, part in parts.items()
        ]
        for one, two in pairs:
            draw, changes = parts[one].draw | parts[two].draw, parts[one].set | parts[two].set
            found.append(ImpairmentGroup(one + JOINED + two, twice / len(pairs), draw, changes))
        return [group for group in found if group.share > 0]

    @property
    def retransmits(self) -> bool:
        """Whether every connection has a link that retransmits (`arq`)."""
        return describes_retransmission(self.census.scenario)

    @property
    def dimensions(self) -> int:
        """The number of coordinates of a point: one for the group, and one for each drawn value."""
        return 1 + len(self.census.draw) + max(len(h.draw) for h in self.impairment_groups)

    @property
    def size(self) -> float:
        """The number of different connections; infinite if a distribution is continuous."""
        base = math.prod(law.size for law in self.census.draw.values())
        groups = (group.draw.values() for group in self.impairment_groups)
        return sum(base * math.prod(law.size for law in laws) for laws in groups)

    def connection(self, number: int, coordinates: Sequence[float]) -> Connection:
        """Return the connection at a point of the unit cube, which has a number in the design.

        A point that violates a condition raises `Missed`, and one that gives no valid scenario
        `Impossible`.
        """
        census = self.census
        group = self._group_at(coordinates[0])
        laws = {**census.draw, **group.draw}
        drawn = {n: law.at(u) for (n, law), u in zip(laws.items(), coordinates[1:], strict=False)}
        # A drawn value may be a mapping that sets several keys of the scenario.
        several = {n: value for n, value in drawn.items() if isinstance(value, Mapping)}
        names = {n: v for n, v in drawn.items() if "." not in n and n not in several}
        keys = {name: value for name, value in drawn.items() if "." in name}
        for values in several.values():
            keys |= values
        data = copy.deepcopy(census.scenario)
        for key, value in [*resolved({**census.set, **group.set}, names).items(), *keys.items()]:
            *parents, last = key.split(".")
            part = data
            for parent in parents:
                part = part.setdefault(parent, {})
            part[last] = value
        data |= {"id": f"{self.name}-{number}".replace("_", "-"), "title": group.name}
        try:
            scenario = Scenario.model_validate(data)
        except pydantic.ValidationError as error:
            reasons = "; ".join(validation_messages(Scenario, data, error))
            raise Impossible(f"point {number} ({group.name}): {reasons}") from None
        rate_pps, rtt_s = scenario.rate_pps, scenario.propagation_rtt_s
        known = dict(zip(KNOWN, (rate_pps, rtt_s, rate_pps * rtt_s), strict=True))
        for condition in census.conditions:
            if evaluate(condition, names | known) < 0:
                raise Missed(condition)
        return Connection(number, group.name, scenario)

    def _group_at(self, u: float) -> ImpairmentGroup:
        for group in self.impairment_groups:
            u -= group.share
            if u < 0:
                return group
        return self.impairment_groups[-1]


def describes_retransmission(scenario: Mapping[str, Any]) -> bool:
    """Return whether the keys that all connections of a sample have describe ARQ."""
    return scenario.get("arq") is not None


SOBOL_BITS = 30
"""Number of bits of a coordinate. With 30 bits, a Sobol sequence has 2^30 points."""


def coordinates(census: Census, dimensions: int, first: int, count: int) -> NDArray[np.float64]:
    """Return consecutive points of a design in the unit cube, shape (count, dimensions).

    Further points can be added to a Sobol sequence without changing earlier ones. In a Latin
    hypercube another number of points changes all points.
    """
    from scipy.stats import qmc

    if census.design == "sobol":
        sequence = qmc.Sobol(dimensions, scramble=True, bits=SOBOL_BITS, rng=census.seed)
        if first:
            sequence.fast_forward(first)
        with warnings.catch_warnings():  # scipy warns if `count` is not a power of two
            warnings.simplefilter("ignore", UserWarning)
            return np.asarray(sequence.random(count))
    hypercube = qmc.LatinHypercube(dimensions, rng=census.seed)
    return hypercube.random(census.points)[first : first + count]


DIGITS = 8
"""Digits of a point's number in a chunk's name, padded so that names sort by number."""


@dataclass(frozen=True)
class Chunk:
    """Consecutive points of a sample's design, which one job measures."""

    first: int
    count: int

    @property
    def name(self) -> str:
        """Name of the chunk: the numbers of its first and its last point."""
        return f"{self.first:0{DIGITS}}-{self.first + self.count - 1:0{DIGITS}}"

    @classmethod
    def of(cls, name: str) -> Self:
        """Return the chunk with the given name."""
        first, last = map(int, name.split("-"))
        return cls(first, last - first + 1)


def chunks(points: int, size: int) -> list[Chunk]:
    """Divide points into chunks of `size`; further points change the last chunk only."""
    return [Chunk(first, min(size, points - first)) for first in range(0, points, size)]


SAMPLE, WHOLE, RECORDED = "sample", "whole", "recorded"

RECORDED_SAMPLES = Path("data/census")
"""Folder of the project with the tables of all random samples that were measured completely."""

PACKAGED_SAMPLES = Path(__file__).with_name("recorded")
"""Folder of the package with links to the small files of `RECORDED_SAMPLES`. The links become files
in an installed package, so that recommendations of models have errors outside the project, too."""

FINDINGS = ("counts", "left_out", "ranges", "errors", "calibration", "in_domain", "importance")
"""Names of the results tables that are computed from one random sample."""

PAIRED = ("gains",)
"""Names of the results tables that are computed from two random samples."""

RETRANSMITTING = ("retransmission",)
"""Names of the results tables of a random sample whose links retransmit."""


def record_of(census: str) -> Path:
    """Return the path of the table with all connections of a random sample, below `data/census`."""
    return RECORDED_SAMPLES / f"{census}.parquet"


def known_extent(census: str) -> str:
    """Return `recorded` if the sample's whole table is there, else `sample`: its first points."""
    return RECORDED if record_of(census).is_file() else SAMPLE


ERRORS_BY_KIND, RANGES_BY_KIND = "errors", "ranges"
"""Names of two small tables of a recorded census: models' errors, and ranges of quantities, by kind
of connections; see `record`. Recommendations of models use these tables."""


def record_table(record: Path, table: str) -> Path:
    """Return the path of the small table `table` computed from the random sample in `record`."""
    return record.with_name(f"{record.stem}_{table}.csv")


def drawn(space: Space, chunk: Chunk) -> Iterator[Connection]:
    """Yield the connections at the points of a chunk, in the order of the points.

    Points that violate a condition of the census give no connection and are skipped. A point that
    gives no valid scenario raises `Impossible`.
    """
    rows = coordinates(space.census, space.dimensions, chunk.first, chunk.count)
    for number, row in enumerate(rows, start=chunk.first):
        try:
            yield space.connection(number, row.tolist())
        except Missed:
            continue


Record = dict[str, Any]

NOT_MEASURED = {"title", "paired_with", "chunk", "sample", "models"}
"""Settings of a random sample that do not change its measurements; `to_measure` omits these."""


def to_measure(space: Space, seed: int) -> Record:
    """Return the request for a sample's measurements, as JSON: name, seed and settings.

    For a Sobol sequence the number of points is left out: more points do not change the first ones.
    """
    census = space.census
    irrelevant = NOT_MEASURED | ({"points"} if census.design == "sobol" else set())
    settings = census.model_dump(mode="json", exclude=irrelevant)
    return {"name": space.name, "seed": seed, "census": settings}


def space_of(request: Record) -> Space:
    """Return the space that a request of `to_measure` describes, from which points are drawn."""
    census = {"title": request["name"], "points": 1, **request["census"]}
    return Space(request["name"], Census.model_validate({**census, "chunk": census["points"]}))
