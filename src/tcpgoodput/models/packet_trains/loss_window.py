"""The channel of the packet-train study, and the distribution of the window at a loss.

A train is the packets of one round trip: 1, 2, 4, … packets in slow start.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Channel:
    """Gilbert–Elliott channel with α = P(good → bad) and β = P(bad → good) per packet time.

    0 ≤ α ≤ 1 and 0 < β ≤ 1.
    """

    alpha: float
    beta: float

    @property
    def good(self) -> float:
        """π_G, stationary probability of the good state (eq. 2)."""
        return self.beta / (self.alpha + self.beta)

    @property
    def bad(self) -> float:
        """π_B, stationary probability of the bad state (eq. 2)."""
        return self.alpha / (self.alpha + self.beta)

    def intact(self, packets: ArrayLike) -> Values:
        """Return the probability ψ₁ + ψ₂ that a train of n ≥ 1 packets loses none; elementwise."""
        return self.good * (1 - self.alpha) ** (np.asarray(packets, dtype=float) - 1)

    def bad_after(self, packets: ArrayLike) -> Values:
        """Return the probability π_B + π_G (1 − α − β)ⁿ of a loss n packets after a loss."""
        memory = 1 - self.alpha - self.beta
        return self.bad + self.good * memory ** np.asarray(packets, dtype=float)


SlowStartPackets = Callable[[NDArray[np.int64]], NDArray[np.int64]]
"""Function from the slow-start threshold w to the number of packets that slow start sends before a
train of w packets; elementwise."""

NEGLIGIBLE = 1e-40
"""Smallest probability that a cycle grows from half of a window to this window. Windows with a
smaller probability are left out of the Markov chain. Chosen by hand."""


def threshold(loss_window: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the slow-start threshold w = ⌊σ/2⌋ after a loss at window σ, at least one packet."""
    return np.maximum(1, loss_window // 2)


def slow_start_trains(packet: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return ⌈log₂ n⌉ exactly, the number of slow-start trains of the first n − 1 packets."""
    return np.frexp(packet - 0.5)[1].astype(np.int64)


def as_proposition_1(w: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return w − 1, the packets of slow start up to the threshold of w packets, by Proposition 1.

    The ACK of packet w − 1 raises the window to w, even in the middle of a train.
    """
    return w - 1


def whole_trains(w: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the packets of slow start in whole trains: the first sum 1 + 2 + 4 + … ≥ w − 1."""
    return 2 ** slow_start_trains(w) - 1


def windows_met(channel: Channel, largest: int) -> int:
    """Return W_m = `largest`, or the largest window reached with a probability above `NEGLIGIBLE`.

    A cycle grows from window h to n if trains of h, h + 1, … n − 1 packets lose nothing.
    """
    first_packet = -math.log(channel.good)
    each_further = -math.log(max(1 - channel.alpha, 1e-300))

    def cost(n: int) -> float:
        half = max(1, n // 2)
        return (n - half) * (first_packet + each_further * ((half + n - 1) / 2 - 1))

    low, high = 1, largest + 1
    while high - low > 1:
        middle = (low + high) // 2
        if cost(middle) <= -math.log(NEGLIGIBLE):
            low = middle
        else:
            high = middle
    return low


class LossWindows:
    """Markov chain of the windows 1 … W_m at successive losses; at W_m a loss is certain.

    Element η − 1 of each array belongs to the window, or the number of a packet, η.
    """

    def __init__(
        self,
        channel: Channel,
        largest: int,
        slow_start_packets: SlowStartPackets = as_proposition_1,
    ) -> None:
        self.window = np.arange(1, largest + 1)
        intact = channel.intact(self.window)
        trains = slow_start_trains(self.window)
        first_of_train = (self.window & (self.window - 1)) == 0
        # probability that packet η of a slow start is lost if all before it arrive, eqs 13 and 14
        packet_lost = np.where(first_of_train, channel.bad, channel.alpha)

        def all_arrive(packets: NDArray[np.int64]) -> Values:
            return channel.good**trains * (1 - channel.alpha) ** (packets - trains)

        # S_s(η) of eq. 15, the probability that slow start loses no packet before packet η
        self.slow_start_reaches = all_arrive(self.window - 1)
        # S_s(η) F_s(η), the probability that packet η is the first loss
        self.slow_start_ends = self.slow_start_reaches * packet_lost
        self.slow_start_completes = all_arrive(slow_start_packets(self.window))
        self.growth = np.concatenate([[1.0], np.cumprod(intact[:-1])])
        """Probability that the window grows from 1 to η without a loss. Eq. 17 has the probability
        of growth from w to η, a ratio of two elements."""
        self.train_lost = channel.bad + np.concatenate(
            [[0.0], np.cumsum(channel.alpha * intact[:-1])]
        )  # probability that a train has a loss, 1 − ψ₁ − ψ₂ of eq. 16
        self.train_lost[-1] = 1.0

    def row(self, w: int, in_slow_start: bool = True) -> Values:
        """Return the distribution of the next loss window, given threshold w; eq. 12, shape (W_m,).

        With `in_slow_start` the sender begins with one packet, else with a window of w packets.
        """
        start = np.zeros(len(self.window))
        start[w - 1] = 1.0
        nothing = np.zeros(len(self.window))
        return self._next(start, nothing) if in_slow_start else self._next(nothing, start)

    def stationary(self, timeout: Values) -> Values:
        """Return the stationary distribution P(σ) of loss windows, shape (W_m,).

        Slow start follows a loss at the window σ with probability timeout(σ), else congestion
        avoidance. Each cycle starts from half the window, so that tens of cycles suffice for any
        W_m.
        """
        size = len(self.window)
        thresholds = threshold(self.window) - 1
        law = np.full(size, 1 / size)
        for _ in range(1000):
            before = law
            slow = np.bincount(thresholds, law * timeout, size)
            avoiding = np.bincount(thresholds, law * (1 - timeout), size)
            law = self._next(slow, avoiding)
            law /= law.sum()
            if np.abs(law - before).sum() < 1e-14:
                return law
        raise ArithmeticError(f"the chain of {size} loss windows did not settle")

    def _next(self, slow: Values, avoiding: Values) -> Values:
        """Return the distribution of the next loss window."""
        enter = self.slow_start_completes * slow + avoiding
        reached = self.growth * np.cumsum(enter / self.growth)
        # probability that the threshold w exceeds η, so that slow start sends packet η
        above = np.cumsum(slow[::-1])[::-1] - slow
        within_last_train = (self.slow_start_reaches - self.slow_start_completes) * slow
        return reached * self.train_lost + above * self.slow_start_ends + within_last_train
