"""Interface of the engines, which measure a scenario's goodput in several replications."""

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

PACKET = "packet"
"""Name of the packet simulator, the engine that can measure any scenario."""

REFEREE_NAMES = ("ns2", "linux")
"""Names of the reference implementations, whose TCP was not written by this project."""

ENGINE_NAMES = {PACKET: "the packet simulator", "ns2": "ns-2", "linux": "Linux"}
"""Names of the engines for use in sentences, by short name."""

Report = Callable[[int, int], object]


class Unavailable(Exception):
    """The engine is not installed, or it failed; the message says what to do."""


def silent(done: int, total: int) -> None:
    """Ignore the progress (numbers of finished and of all replications); default of `report`."""


RECORDED = (
    *("measured_s", "packets_sent", "retransmissions", "timeouts", "fast_retransmits"),
    *("loss_events", "packets_lost", "packets_dropped", "handoffs", "mean_window_packets"),
    *("mean_rtt_s", "is_steady", "wall_s", "reason"),
)
"""Fields of a measurement that its record (a dict for result files) contains unchanged."""


@dataclass(frozen=True)
class Measurement:
    """A measured goodput, with the counts of packets and events in the measured time."""

    scenario: Scenario
    name: str
    goodput_pps: Interval
    """Goodput in packets per second, each packet counted once. For finite transfers, it is the
    length of a transfer divided by the mean duration of a transfer."""
    measured_s: float
    """Measured time of each replication after its warm-up, in seconds; for finite transfers the
    mean duration of a transfer."""
    packets_sent: int | None
    """Number of packets sent, retransmissions included. This count and those below are totals over
    all replications; None if the engine does not count."""
    retransmissions: int | None
    timeouts: int | None
    fast_retransmits: int | None
    loss_events: int | None
    """Number of loss events that the sender noticed; several losses in one window count once."""
    packets_lost: int | None
    packets_dropped: int | None
    handoffs: int | None
    mean_window_packets: float | None
    mean_rtt_s: float | None
    wall_s: float
    each_pps: tuple[float, ...]
    """Goodput of each replication, in packets per second."""
    reason: str | None = None
    """Explanation if the interval is less reliable than usual, else None."""
    is_steady: bool = True
    """False if the goodput depends on the connection's start or falls with the measured time. More
    packets would then not narrow the interval."""

    def record(self) -> dict[str, Any]:
        """Return the measurement as a dict for the command line and the result files."""
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
            **{name: getattr(self, name) for name in RECORDED},
        }


def reason_of(goodput: Interval, half_width: float) -> str | None:
    """Return the reason for which an interval is less reliable than usual; None if it is reliable.

    Args:
        goodput: the interval.
        half_width: largest usual half-width, relative to the goodput.

    """
    if goodput.replications == 1:
        return "a single replication gives no interval"
    if goodput.half_width > half_width * goodput.mean:
        return f"the interval's half-width exceeds {100 * half_width:g} % of the goodput"
    return None


class Engine(ABC):
    """Interface of a simulator or testbed that measures a scenario's goodput."""

    name: ClassVar[str]
    title: ClassVar[str]

    def compile(self) -> None:  # noqa: B027  (most engines have nothing to compile)
        """Compile the engine in advance, so that parallel jobs find the result in the cache."""

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
            scenario: the scenario to measure.
            conditions: the precision (`draft` or `paper`), and the seed of random numbers.
            packets: approximate number of packets to simulate in all replications together, used at
                precision `paper` only; default: a million.
            replications: number of independent runs; default: that of the precision.
            duration_s: measured time of each run after its warm-up, in seconds; default: enough for
                the precision's number of packets.
            report: function that is called with the numbers of finished and of all replications.

        Returns:
            The measurement.

        Raises:
            Undefined: the engine cannot measure this scenario.
            Unavailable: the engine is not installed, or it failed.

        """
