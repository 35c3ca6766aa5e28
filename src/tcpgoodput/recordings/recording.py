"""A recorded link: how many packets could leave in each of its milliseconds."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.configuration import refused

PACKET_BYTES = 1500
PACKET_BITS = 8 * PACKET_BYTES
"""On the wire, of the recording sender's packets."""

DELAY_STEP_S = 0.01
"""From one line of a file of delays to the next."""

MOST_BINS = 5_000_000

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Recording:
    """A link that repeats after its end."""

    name: str
    sha256: str
    """Of the unpacked file."""
    opportunities: NDArray[np.uint32]
    """Packets that could leave in each millisecond; shape (n,)."""
    delays_s: Array | None = None
    """One-way delays, `DELAY_STEP_S` apart; None: not recorded."""

    @property
    def length_s(self) -> float:
        """The time after which the recording repeats."""
        return self.opportunities.size / 1e3

    @property
    def packets(self) -> int:
        """All opportunities together."""
        return int(self.opportunities.sum(dtype=np.int64))

    @property
    def mean_bps(self) -> float:
        """The mean rate."""
        return self.packets * PACKET_BITS / self.length_s

    def half(self, number: int) -> Recording:
        """Return the first (0) or the second (1) half, which repeats as the whole does."""
        middle = self.opportunities.size // 2
        cut = slice(0, middle) if number == 0 else slice(middle, None)
        delays = self.delays_s
        if delays is not None:
            middle = round(middle / 1e3 / DELAY_STEP_S)
            delays = delays[:middle] if number == 0 else delays[middle:]
        return replace(self, opportunities=self.opportunities[cut], delays_s=delays)

    def from_place(self, place_s: float) -> Recording:
        """Return the same link as it goes on from a place, which comes round after its end."""
        delays = self.delays_s
        if delays is not None:
            delays = np.roll(delays, -round(place_s / DELAY_STEP_S))
        rolled = np.roll(self.opportunities, -round(1e3 * place_s))
        return replace(self, opportunities=rolled, delays_s=delays)

    def rates(self, bin_s: float) -> tuple[Array, Array]:
        """Return the bins' edges in seconds, shape (n + 1,), and the rate in each, in bit/s.

        The last bin ends with the recording. A packet counts where its millisecond begins.

        Raises:
            ConfigurationError: the bins are too many.

        """
        # A length of 3 s has 30 bins of 0.1 s, whatever their quotient's last digit says.
        count = max(1, math.ceil(self.length_s / bin_s * (1 - 1e-12)))
        if count > MOST_BINS:
            raise refused("--bin", "", f"makes {count} bins of this recording; {MOST_BINS} at most")
        edges = np.append(bin_s * np.arange(count), self.length_s)
        firsts = np.ceil(1e3 * edges - 1e-6).astype(np.int64)
        reached = np.append(0, np.cumsum(self.opportunities, dtype=np.int64))
        widths = np.append(np.full(count - 1, bin_s), self.length_s - edges[-2])
        return edges, np.diff(reached[firsts]) * PACKET_BITS / widths

    def gaps(self) -> tuple[Array, Array]:
        """Return when nothing can leave: starts and lengths in seconds, round the end.

        A gap lasts from a millisecond with packets to the next one that has some.
        """
        at = np.flatnonzero(self.opportunities)
        lengths = np.diff(at, append=at[0] + self.opportunities.size)
        return at / 1e3, lengths / 1e3
