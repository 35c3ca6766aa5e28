"""What one run of a referee saw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Observation:
    """What one run saw in its measured time; None: the engine does not tell."""

    measured_s: float
    """Of a finite transfer, how long it took."""
    delivered: float
    """Packets that the receiver has, each counted once."""
    packets_sent: int | None = None
    retransmissions: int | None = None
    timeouts: int | None = None
    fast_retransmits: int | None = None
    loss_events: int | None = None
    packets_lost: int | None = None
    packets_dropped: int | None = None
    handoffs: int | None = None
    mean_window_packets: float | None = None
    mean_rtt_s: float | None = None
    details: Mapping[str, float] = field(default_factory=dict)
    """What only this engine tells, by name, the unit in it."""

    @property
    def goodput_pps(self) -> float:
        """Packets delivered per second."""
        return self.delivered / self.measured_s


COUNTS = (
    "packets_sent",
    "retransmissions",
    "timeouts",
    "fast_retransmits",
    "loss_events",
    "packets_lost",
    "packets_dropped",
    "handoffs",
)
"""Fields of an observation that are added up over replications."""
