"""What an engine is: a scenario and a number of replications in, a measurement out."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from tcpgoodput.answers import MEASURED, Conditions
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.physics import mean_capacity_bps
from tcpgoodput.statistics import Interval

Report = Callable[[int, int], object]


class Unavailable(Exception):
    """An engine is not at hand here, or broke down; the message says what to do."""


def silent(done: int, total: int) -> None:
    """Report nothing."""


@dataclass(frozen=True)
class Measurement:
    """A measured goodput, and what else happened in the measured time."""

    scenario: Scenario
    name: str
    goodput_pps: Interval
    """Packets delivered per second, each counted once; of finite transfers, over the mean time."""
    measured_s: float
    """Of each replication, after its warm-up; for finite transfers the mean time of one."""
    packets_sent: int | None
    """The counts are totals over the replications; None: the engine does not tell."""
    retransmissions: int | None
    timeouts: int | None
    fast_retransmits: int | None
    loss_events: int | None
    """Losses of which the sender took notice, those of one window counted once."""
    packets_lost: int | None
    packets_dropped: int | None
    handoffs: int | None
    mean_window_packets: float | None
    mean_rtt_s: float | None
    wall_s: float
    each_pps: tuple[float, ...]
    """The goodput of each replication."""
    reason: str | None = None
    """Why the interval deserves a second look, if it does."""
    is_steady: bool = True
    """Whether the connection has one goodput, which more packets would measure more closely."""

    def record(self) -> dict[str, Any]:
        """Return the measurement as the command line and the results publish it."""
        bits = 8 * self.scenario.tcp.mss_bytes
        goodput_bps = self.goodput_pps.mean * bits
        half_width = self.goodput_pps.half_width
        return {
            "scenario": self.scenario.id,
            "name": self.name,
            "status": MEASURED,
            "reduction": None,
            "goodput_bps": goodput_bps,
            "goodput_pps": self.goodput_pps.mean,
            "utilisation": goodput_bps / mean_capacity_bps(self.scenario),
            "ci95_bps": half_width * bits if math.isfinite(half_width) else None,
            "replications": self.goodput_pps.replications,
            "measured_s": self.measured_s,
            "packets_sent": self.packets_sent,
            "retransmissions": self.retransmissions,
            "timeouts": self.timeouts,
            "fast_retransmits": self.fast_retransmits,
            "loss_events": self.loss_events,
            "packets_lost": self.packets_lost,
            "packets_dropped": self.packets_dropped,
            "handoffs": self.handoffs,
            "mean_window_packets": self.mean_window_packets,
            "mean_rtt_s": self.mean_rtt_s,
            "is_steady": self.is_steady,
            "wall_s": self.wall_s,
            "reason": self.reason,
        }


class Engine(ABC):
    """Something that measures a scenario's goodput."""

    name: ClassVar[str]
    title: ClassVar[str]

    def compile(self) -> None:  # noqa: B027  (most engines have nothing to compile)
        """Compile what the engine needs, so that parallel jobs find it in the cache."""

    @abstractmethod
    def measure(
        self,
        scenario: Scenario,
        conditions: Conditions,
        *,
        packets: int | None = None,
        replications: int | None = None,
        duration_s: float | None = None,
        report: Report = silent,
    ) -> Measurement:
        """Measure a scenario.

        Args:
            scenario: what is measured.
            conditions: the precision, and the seed of random numbers.
            packets: sent in all, about, at precision paper; by default a million.
            replications: independent runs; by default the precision's.
            duration_s: measured time of each, after its warm-up; by default long enough for the
                precision's number of packets.
            report: called with how many replications are done, and of how many.

        Raises:
            Undefined: the engine cannot measure this scenario.
            Unavailable: the engine is not at hand, or broke down.

        """
