"""The connections of a census: the points of its design that are connections."""

from __future__ import annotations

from collections.abc import Iterator

from tcpgoodput.comparison.census.chunks import Chunk
from tcpgoodput.comparison.census.design import coordinates
from tcpgoodput.comparison.census.space import Connection, Missed, Space


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
