"""One replication: what happened in its measured time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tcpgoodput.simulator.simulation import Counts


@dataclass(frozen=True)
class Run:
    """What happened in one replication's measured time."""

    duration_s: float
    counts: Counts

    @classmethod
    def between(cls, start: Counts, end: Counts) -> Run:
        """Return what happened from one moment of a simulation to another."""
        return cls(end.time_s - start.time_s, end - start)

    @property
    def goodput_pps(self) -> float:
        """Packets delivered per second."""
        return self.counts.delivered / self.duration_s
