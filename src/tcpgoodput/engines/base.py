"""Interface of the engines, which measure a scenario's goodput in several replications."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Self

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


DEPENDS = "the goodput depends on the connection's start"
STALLED = "the goodput depends on the simulated time"
TRAPPED = "no steady state"
"""Prefixes of the `reason` of a measurement without a steady state: see `starts` for the first one,
and `unsteady` for the others."""


@dataclass(frozen=True, kw_only=True)
class Counted:
    """Counts of packets and events in the measured time; None for what the engine does not count.

    This is the only list of these counts: records, tables and sums over replications use it.
    """

    packets_sent: int | None = None
    """Number of packets sent, retransmissions included."""
    retransmissions: int | None = None
    timeouts: int | None = None
    fast_retransmits: int | None = None
    loss_events: int | None = None
    """Number of loss events that the sender noticed; several losses in one window count once."""
    packets_lost: int | None = None
    """Number of packets lost on the link, including those that hand-offs lose."""
    packets_dropped: int | None = None
    """Number of packets dropped by the full buffer."""
    handoffs: int | None = None
    mean_window_packets: float | None = None
    mean_rtt_s: float | None = None


MEANS = ("mean_window_packets", "mean_rtt_s")
COUNTS = tuple(f.name for f in fields(Counted) if f.name not in MEANS)
"""Fields of `Counted` that are summed over replications."""


@dataclass(frozen=True)
class Measurement(Counted):
    """A measured goodput with its 95 % interval; also a row of a table of measurements.

    Counts are totals over all replications. If the connection could not be measured, there is no
    goodput, and `reason` says why.
    """

    key: str = ""
    """Key under which the measurement is stored; see `measurements.key_of`."""
    engine: str = ""
    setting: str = ""
    """Setting of the engine as text, such as the seed; see `measurements.Setting`."""
    goodput_pps: float | None = None
    """Goodput in packets per second, each packet counted once. For finite transfers, it is the
    length of a transfer divided by the mean duration of a transfer."""
    low_pps: float | None = None
    high_pps: float | None = None
    """Upper end of the 95 % interval, in packets per second; `low_pps` is the lower end. None for a
    single replication."""
    half_width_pps: float | None = None
    """Half-width of a symmetric interval, in packets per second."""
    replications: int = 0
    measured_s: float | None = None
    """Measured time of each replication after its warm-up, in seconds; for finite transfers the
    mean duration of a transfer."""
    reason: str | None = None
    """Explanation if the goodput is missing or its interval less reliable than usual, else None."""
    wall_s: float | None = field(default=None, compare=False)
    """Elapsed computing time in seconds; None in a row of a table."""
    each_pps: tuple[float, ...] = field(default=(), compare=False, repr=False)
    """Goodput of each replication, in packets per second; empty in a row of a table."""

    @classmethod
    def of(cls, goodput: Interval, **known: Any) -> Self:
        """Return the measurement of a goodput in packets per second, with further fields."""
        mean, half_width = goodput.mean, goodput.half_width
        if math.isfinite(half_width):
            ends = {"low_pps": mean - half_width, "high_pps": mean + half_width}
            known |= {**ends, "half_width_pps": half_width}
        return cls(goodput_pps=mean, replications=goodput.replications, **known)

    @property
    def is_steady(self) -> bool:
        """Whether the goodput depends neither on the connection's start nor on its duration.

        If it does, more packets would not narrow the interval.
        """
        return not is_unsteady(self.reason)

    @property
    def relative_half_width(self) -> float:
        """The half-width of the interval divided by the goodput; infinite without an interval."""
        if self.half_width_pps is None or not self.goodput_pps:
            return math.inf
        return self.half_width_pps / self.goodput_pps

    @property
    def ends_pps(self) -> tuple[float, float, float]:
        """The goodput, and its interval's lower and upper end, in packets/s; NaN if unknown."""
        ends = (self.goodput_pps, self.low_pps, self.high_pps)
        goodput, low, high = (math.nan if end is None else end for end in ends)
        return goodput, low, high

    @property
    def fast_retransmit_rate(self) -> float:
        """The number of fast retransmits per packet sent."""
        return (self.fast_retransmits or 0) / max(self.packets_sent or 0, 1)

    @property
    def fast_retransmit_interval_s(self) -> float | None:
        """The mean time between fast retransmits; None if none occurred or no time is measured."""
        if not self.fast_retransmits or self.measured_s is None:
            return None
        return self.replications * self.measured_s / self.fast_retransmits

    def rounded(self) -> Self:
        """Return the row with goodput and interval rounded to the digits of the results' tables."""
        from tcpgoodput.storage import as_published  # it loads pyarrow, which takes long

        ends = ("goodput_pps", "low_pps", "high_pps")
        known = {name: value for name in ends if (value := getattr(self, name)) is not None}
        return replace(self, **{name: as_published(value) for name, value in known.items()})

    def record(self, scenario: Scenario) -> dict[str, Any]:
        """Return the measurement as a dict for the command line and the result files.

        Args:
            scenario: the measured scenario, of which the connection had a goodput.

        """
        assert self.goodput_pps is not None
        bits, half_width = 8 * scenario.tcp.mss_bytes, self.half_width_pps
        goodput_bps = self.goodput_pps * bits
        record = {
            "scenario": scenario.id,
            "name": self.engine,
            "status": MEASURED,
            "reduction": None,
            "goodput_bps": goodput_bps,
            "goodput_pps": self.goodput_pps,
            "utilisation": goodput_bps / mean_capacity_bps(scenario),
            "ci95_bps": None if half_width is None else half_width * bits,
            "is_steady": self.is_steady,
        }
        record |= {name: getattr(self, name) for name in RECORDED}
        return record if self.wall_s is None else record | {"wall_s": self.wall_s}


RECORDED = ("replications", "measured_s", *(f.name for f in fields(Counted)), "reason")
"""Fields of a measurement that its record (a dict for result files) contains unchanged."""


def is_unsteady(reason: str | None) -> bool:
    """Whether a `reason` states that a connection has no steady state or depends on its start."""
    return (reason or "").startswith((DEPENDS, STALLED, TRAPPED))


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
