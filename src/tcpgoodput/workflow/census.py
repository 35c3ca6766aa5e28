"""The files of a census: chunks, tables, what they say, pictures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tcpgoodput.census.chunks import Chunk, chunks
from tcpgoodput.census.extents import (
    BESIDE,
    FINDINGS,
    RECORDED,
    SAMPLE,
    TREE,
    known_extent,
    record_of,
)
from tcpgoodput.census.space import Space
from tcpgoodput.project.run import Run

LEAST_MINUTES = 5
S_PER_PACKET = 2.5e-7
"""Of the most that a connection may send: five times what the shipped census took on average."""

PICTURES = ("errors", "calibration", "importance", "tree")


@dataclass(frozen=True)
class CensusFiles:
    """Where a run has what belongs to a census."""

    run: Run
    space: Space

    def chunks(self, extent: str) -> list[Chunk]:
        """Return the chunks of the sample or of the whole."""
        census = self.space.census
        if extent == SAMPLE:
            return [Chunk(0, min(census.sample, census.points))]
        return chunks(census.points, census.chunk)

    @property
    def minutes(self) -> int:
        """How long a job may take to measure a chunk at first: five times what packets cost."""
        census = self.space.census
        packets = census.chunk * census.precision.most_packets
        return max(LEAST_MINUTES, math.ceil(packets * S_PER_PACKET / 60))

    def answered(self, extent: str) -> list[str]:
        """Return the tables of chunks that a whole table consists of."""
        folder = f"{self.run.results}/census/{self.space.name}/answered"
        return [f"{folder}/{chunk.name}.parquet" for chunk in self.chunks(extent)]

    def table(self, extent: str) -> str:
        """Return the table of all connections."""
        if extent == RECORDED:
            return str(record_of(self.space.name))
        return f"{self.run.results}/census/{self.space.name}/{extent}.parquet"

    @property
    def read(self) -> str:
        """How much of the census the main job reads."""
        return known_extent(self.space.name)

    def findings(self, extent: str) -> list[str]:
        """Return the tables of what a census says."""
        return self._tables(extent, FINDINGS)

    def tree(self, extent: str) -> str:
        """Return the table of the tree of advice."""
        (tree,) = self._tables(extent, [TREE])
        return tree

    def told_beside(self, extent: str) -> list[str]:
        """Return the tables of what it says beside another one, if it stands beside any."""
        return self._tables(extent, BESIDE) if self.space.census.beside else []

    def _tables(self, extent: str, names: Sequence[str]) -> list[str]:
        folder = f"{self.run.results}/census/{self.space.name}/{extent}"
        return [f"{folder}/{name}.csv" for name in names]

    def pictures(self, extent: str) -> list[str]:
        """Return the pictures of what a census says."""
        folder = f"{self.run.figures}/census/{self.space.name}/{extent}"
        return [f"{folder}/{name}.{suffix}" for name in PICTURES for suffix in ("pdf", "png")]
