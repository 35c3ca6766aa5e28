"""Design of a random sample of connections (census): its points, chunks, and names of tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.comparison.census.schema import Census
from tcpgoodput.comparison.census.space import Connection, Missed, Space

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
        return _drawn(sequence, count)
    hypercube = qmc.LatinHypercube(dimensions, rng=census.seed)
    return hypercube.random(census.points)[first : first + count]


def _drawn(sequence: object, count: int) -> NDArray[np.float64]:
    import warnings

    with warnings.catch_warnings():  # scipy warns if the number of points is not a power of two
        warnings.simplefilter("ignore", UserWarning)
        return np.asarray(sequence.random(count))  # type: ignore[attr-defined]


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
