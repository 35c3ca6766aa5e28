"""Chunks: ranges of a design's points, each the work of one job, named after its first and last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

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
