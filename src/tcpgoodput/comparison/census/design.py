"""The design of a random sample of connections: points, chunks, and how much of it is read."""

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
"""Of a coordinate: the sequence ends after 2^30 points."""


def coordinates(census: Census, dimensions: int, first: int, count: int) -> NDArray[np.float64]:
    """Return some points of the design, a row for each.

    Those of a Sobol sequence are the same however many points follow them; a Latin hypercube is
    another one for every number of points.

    Args:
        census: whose design.
        dimensions: of the cube.
        first: the number of the first point.
        count: how many.

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

    with warnings.catch_warnings():  # that a part of the sequence is no balanced one by itself
        warnings.simplefilter("ignore", UserWarning)
        return np.asarray(sequence.random(count))  # type: ignore[attr-defined]


DIGITS = 8
"""Of a number in a chunk's name, so that names sort as numbers do."""


@dataclass(frozen=True)
class Chunk:
    """Points of a design that follow one another."""

    first: int
    count: int

    @property
    def name(self) -> str:
        """The chunk's name; it says all that tells it from others of the census."""
        return f"{self.first:0{DIGITS}}-{self.first + self.count - 1:0{DIGITS}}"

    @classmethod
    def of(cls, name: str) -> Self:
        """Return the chunk of a name."""
        first, last = map(int, name.split("-"))
        return cls(first, last - first + 1)


def chunks(points: int, size: int) -> list[Chunk]:
    """Return the chunks of a design; more points leave those before the last as they are."""
    return [Chunk(first, min(size, points - first)) for first in range(0, points, size)]


SAMPLE, WHOLE, RECORDED = "sample", "whole", "recorded"

KEPT = Path("data/census")
"""Where the tables of whole censuses are kept."""

COUNTS, TREE = "counts", "tree"
FINDINGS = (
    COUNTS,
    "left_out",
    "ranges",
    "errors",
    "calibration",
    "statuses",
    "homes",
    "importance",
    TREE,
    "advice",
    "pairs",
)
"""What a table of a census is read to, a table each."""

GAINS, SHARED, TREES = "gains", "shared", "trees"
BESIDE = (GAINS, SHARED, TREES)
"""What it is read to together with the table of the census beside it."""


def record_of(census: str) -> Path:
    """Return the table that is kept of a whole census."""
    return KEPT / f"{census}.parquet"


def known_extent(census: str) -> str:
    """Return how much of a census the main job reads: what is kept of the whole, else a sample."""
    return RECORDED if record_of(census).is_file() else SAMPLE


ERRORS_BY_KIND, RANGES_BY_KIND = "errors", "ranges"
"""Small tables beside the kept table of a census, which a prediction reads; see `by_kind`."""


def beside_record(record: Path, table: str) -> Path:
    """Return a small table beside the kept table of a census."""
    return record.with_name(f"{record.stem}_{table}.csv")


def drawn(space: Space, chunk: Chunk) -> Iterator[Connection]:
    """Yield the connections of a chunk; points that miss a condition are none.

    Raises:
        Impossible: a point makes no scenario.

    """
    rows = coordinates(space.census, space.dimensions, chunk.first, chunk.count)
    for number, row in enumerate(rows, start=chunk.first):
        try:
            yield space.connection(number, row.tolist())
        except Missed:
            continue


Record = dict[str, Any]

READERS = {"title", "beside", "chunk", "sample", "models"}
"""What a measurement does not depend on."""


def to_measure(space: Space, seed: int) -> Record:
    """Return what is asked of the engine: which connections, how closely.

    How many points there are decides nothing of those of a Sobol sequence.
    """
    census = space.census
    unasked = READERS | ({"points"} if census.design == "sobol" else set())
    asked = census.model_dump(mode="json", exclude=unasked)
    return {"name": space.name, "seed": seed, "census": asked}


def space_of(request: Record) -> Space:
    """Return the space that a request is about."""
    census = {"title": request["name"], "points": 1, **request["census"]}
    return Space(request["name"], Census.model_validate({**census, "chunk": census["points"]}))
