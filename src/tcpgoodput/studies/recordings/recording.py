"""A recorded link: its capacity over time, from packets or from rates."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.configuration import refused

PACKET_BYTES = 1500
PACKET_BITS = 8 * PACKET_BYTES
"""Size in bits of each packet in a recording of packets."""

DELAY_STEP_S = 0.01
"""Time between the lines of a file of delays, in seconds."""

MOST_BINS = 5_000_000

STEADY_SHARE = 1e-6
"""Largest difference between the rates of a table, relative to their mean, that counts as
rounding; chosen by hand."""

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Recording(ABC):
    """A recording of a link's capacity over time, which is repeated after its end."""

    name: str
    sha256: str
    """SHA-256 of the recording's decompressed file."""
    delays_s: Array | None
    """One-way delays in seconds at times `DELAY_STEP_S` apart; None if not recorded."""
    understood: str = field(default="", kw_only=True)
    """The interpretation of the file, as text; empty if there was nothing to interpret."""

    @property
    @abstractmethod
    def length_s(self) -> float:
        """The length of the recording in seconds, after which it repeats."""

    @property
    @abstractmethod
    def step_s(self) -> float:
        """The shortest time in seconds over which a rate is known."""

    @property
    def packets(self) -> int | None:
        """The total number of packets that could leave; None if the recording has rates."""
        return None

    @property
    def carried(self) -> str:
        """The total amount of data that the link carries, as text with its unit."""
        if self.packets is None:
            return f"{self.bits:.6g} bit"
        return f"{self.packets} packets of {PACKET_BITS} bit"

    @property
    def mean_bps(self) -> float:
        """The mean rate of the link in bit/s."""
        return self.bits / self.length_s

    @property
    @abstractmethod
    def bits(self) -> float:
        """The total amount of data that the link carries, in bits."""

    def steps(self, bin_s: float) -> tuple[Array, Array]:
        """Return edges in seconds, and the rate in bit/s between them.

        Recorded rates are returned as they are. Recorded packets are counted in bins of `bin_s`
        seconds; see `rates`.
        """
        return self.rates(bin_s)

    @abstractmethod
    def half(self, number: int) -> Recording:
        """Return the first (0) or the second (1) half as a recording that repeats after its end."""

    @abstractmethod
    def from_place(self, place_s: float) -> Recording:
        """Return the recording from `place_s` seconds on; its beginning follows its end."""

    @abstractmethod
    def gaps(self) -> tuple[Array, Array]:
        """Return starts and lengths in seconds of the gaps without packets.

        The recording repeats, so a gap at its end goes on at its start.
        """

    @abstractmethod
    def is_steady(self) -> bool:
        """Return whether the rate is constant except for rounding of the recording."""

    @abstractmethod
    def _bits_until(self, times_s: Array) -> Array:
        """Return the data in bits that the link carries before each of the given times."""

    def rates(self, bin_s: float) -> tuple[Array, Array]:
        """Return edges of bins in seconds, shape (n + 1,), and the rate in each bin in bit/s.

        Bins are `bin_s` seconds long. The last bin ends with the recording and may be shorter.
        """
        # With the tolerance, 3 s have 30 bins of 0.1 s in spite of rounding errors, not 31.
        count = max(1, math.ceil(self.length_s / bin_s * (1 - 1e-12)))
        if count > MOST_BINS:
            message = f"is too long: {count} bins of {bin_s:g} s, {MOST_BINS} at most; cut it"
            raise refused("the recording", "", message)
        edges = np.append(bin_s * np.arange(count), self.length_s)
        # Do not compute the widths as differences of the edges, which have rounding errors.
        last_s = self.length_s - edges[-2]
        last_s = bin_s if math.isclose(last_s, bin_s, rel_tol=1e-9) else last_s
        widths = np.append(np.full(edges.size - 2, bin_s), last_s)
        return edges, np.diff(self._bits_until(edges)) / widths

    def whole_rates(self, bin_s: float) -> Array:
        """Return the rate in each bin of `bin_s` seconds in bit/s, without a shorter last bin.

        Statistics compare bins with each other, so the bins must be equally long: the rate of a bin
        of a few milliseconds is that of single packets. If there are fewer than two whole bins,
        all bins are returned.
        """
        rates = self.rates(bin_s)[1]
        return rates[:-1] if self.left_out_s(bin_s) else rates

    def left_out_s(self, bin_s: float) -> float:
        """Return the length in seconds of the last bin, if `whole_rates` leaves it out, or 0."""
        # With the tolerance, 3 s are 30 bins of 0.1 s in spite of rounding errors.
        bins = self.length_s / bin_s
        whole = math.floor(bins * (1 + 1e-12))
        return self.length_s - whole * bin_s if whole >= 2 and bins - whole > 1e-12 * bins else 0.0


@dataclass(frozen=True, eq=False)
class PacketRecording(Recording):
    """A recording of the packets that could leave in each millisecond."""

    opportunities: NDArray[np.uint32]
    """Number of packets that could leave in each millisecond, shape (n,)."""

    @property
    def length_s(self) -> float:
        """The length of the recording in seconds, after which it repeats."""
        return self.opportunities.size / 1e3

    @property
    def step_s(self) -> float:
        """The shortest time over which a rate is known: one millisecond, in seconds."""
        return 1e-3

    @property
    def packets(self) -> int:
        """The total number of packets that could leave."""
        return int(self.opportunities.sum(dtype=np.int64))

    @property
    def bits(self) -> float:
        """The total amount of data that the link carries, in bits."""
        return self.packets * PACKET_BITS

    def half(self, number: int) -> PacketRecording:
        """Return the first (0) or the second (1) half as a recording that repeats after its end."""
        middle = self.opportunities.size // 2
        cut = slice(0, middle) if number == 0 else slice(middle, None)
        delays_s = _half_of(self.delays_s, number, middle / 1e3)
        return replace(self, opportunities=self.opportunities[cut], delays_s=delays_s)

    def from_place(self, place_s: float) -> PacketRecording:
        """Return the recording from `place_s` seconds on; its beginning follows its end."""
        rolled = np.roll(self.opportunities, -round(1e3 * place_s))
        return replace(self, opportunities=rolled, delays_s=_rolled(self.delays_s, place_s))

    def gaps(self) -> tuple[Array, Array]:
        """Return starts and lengths in seconds of the gaps without packets, also across the end.

        A gap lasts from a millisecond with packets to the next one with packets.
        """
        at = np.flatnonzero(self.opportunities)
        lengths = np.diff(at, append=at[0] + self.opportunities.size)
        return at / 1e3, lengths / 1e3

    def is_steady(self) -> bool:
        """Return whether packets leave at a constant rate, except for rounding of their times.

        With a constant rate, the number of packets so far, rounded to whole packets and
        milliseconds, differs from its least-squares line by at most one packet.
        """
        # Packets at the recording's end are counted in its first millisecond; omit the last one.
        reached = np.cumsum(self.opportunities, dtype=np.int64)[:-1].astype(float)
        if reached.size < 2:
            return True
        at = np.arange(reached.size) - (reached.size - 1) / 2
        line = reached.mean() + at * (at @ reached) / (at @ at)
        return bool(np.abs(reached - line).max() <= 1)

    def _bits_until(self, times_s: Array) -> Array:
        """Return the bits carried before each time; packets leave at the start of a millisecond."""
        reached = np.append(0, np.cumsum(self.opportunities, dtype=np.int64))
        first_ms = np.ceil(1e3 * times_s - 1e-6).astype(np.int64)
        return np.asarray(reached[first_ms] * PACKET_BITS)


@dataclass(frozen=True, eq=False)
class RateRecording(Recording):
    """A recording of the link's rates, each valid from one recorded time to the next."""

    times_s: Array
    """Times in seconds, rising from 0 to the end; shape (n + 1,)."""
    rates_bps: Array
    """Rates in bit/s, shape (n,); 0 if no packet can leave the link."""

    @property
    def length_s(self) -> float:
        """The length of the recording in seconds, after which it repeats."""
        return float(self.times_s[-1])

    @property
    def step_s(self) -> float:
        """The median time between the recorded rates in seconds."""
        return float(np.median(np.diff(self.times_s)))

    @property
    def bits(self) -> float:
        """The total amount of data that the link carries, in bits."""
        return float(self.rates_bps @ np.diff(self.times_s))

    def steps(self, bin_s: float) -> tuple[Array, Array]:
        """Return the recorded times in seconds and rates in bit/s; `bin_s` is ignored."""
        return self.times_s, self.rates_bps

    def half(self, number: int) -> RateRecording:
        """Return the first (0) or the second (1) half as a recording that repeats after its end."""
        middle_s = self.length_s / 2
        cut = (0.0, middle_s) if number == 0 else (middle_s, self.length_s)
        times_s, rates_bps = self._cut(*cut)
        delays_s = _half_of(self.delays_s, number, middle_s)
        return replace(self, times_s=times_s, rates_bps=rates_bps, delays_s=delays_s)

    def from_place(self, place_s: float) -> RateRecording:
        """Return the recording from `place_s` seconds on; its beginning follows its end."""
        if place_s == 0:
            return self
        late_s, late_bps = self._cut(place_s, self.length_s)
        early_s, early_bps = self._cut(0.0, place_s)
        return replace(
            self,
            times_s=np.append(late_s[:-1], late_s[-1] + early_s),
            rates_bps=np.append(late_bps, early_bps),
            delays_s=_rolled(self.delays_s, place_s),
        )

    def _cut(self, start_s: float, end_s: float) -> tuple[Array, Array]:
        """Return the part of the recording between two times: its times from 0, and its rates."""
        within = self.times_s[(self.times_s > start_s) & (self.times_s < end_s)]
        first = int(np.searchsorted(self.times_s, start_s, side="right")) - 1
        times_s = np.concatenate([[start_s], within, [end_s]])
        return times_s - start_s, self.rates_bps[first : first + times_s.size - 1]

    def gaps(self) -> tuple[Array, Array]:
        """Return starts and lengths in seconds of the gaps without packets, also across the end.

        A gap consists of consecutive rates of 0.
        """
        silent = self.rates_bps == 0
        before = np.roll(silent, 1)
        starts_s = self.times_s[:-1][silent & ~before]
        ends_s = self.times_s[:-1][~silent & before]
        if starts_s.size and starts_s[0] > ends_s[0]:  # a gap continues across the recording's end
            ends_s = np.append(ends_s[1:], ends_s[0] + self.length_s)
        return starts_s, ends_s - starts_s

    def is_steady(self) -> bool:
        """Return whether the rate is constant except for rounding of the recording."""
        return bool(np.ptp(self.rates_bps) <= STEADY_SHARE * self.mean_bps)

    def _bits_until(self, times_s: Array) -> Array:
        reached = np.append(0.0, np.cumsum(self.rates_bps * np.diff(self.times_s)))
        return np.interp(times_s, self.times_s, reached)


def _half_of(delays_s: Array | None, number: int, middle_s: float) -> Array | None:
    if delays_s is None:
        return None
    middle = round(middle_s / DELAY_STEP_S)
    return delays_s[:middle] if number == 0 else delays_s[middle:]


def _rolled(delays_s: Array | None, place_s: float) -> Array | None:
    return None if delays_s is None else np.roll(delays_s, -round(place_s / DELAY_STEP_S))
