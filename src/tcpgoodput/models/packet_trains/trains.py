"""Trains of packets, one per round trip: how many and how large (Propositions 3, 4).

Index w − 1 of every array is a slow-start threshold, or a first window, of w packets.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.models.packet_trains.channel import Channel, Values
from tcpgoodput.models.packet_trains.loss_window import LossWindows, slow_start_trains

LastTrain = Callable[[NDArray[np.int64]], NDArray[np.int64]]
"""From the threshold w to the size of slow start's last train, for w ≥ 2."""


@dataclass(frozen=True)
class Trains:
    """Trains of a cycle's first stage up to and with the one that meets the loss."""

    number: Values
    """E[n₁]."""
    packets: Values
    """E[Q], the lossy train's included (eq. 5)."""


def whole(w: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return 2^(j−2): every train of slow start doubles the one before (Proposition 4)."""
    return 2 ** (slow_start_trains(w) - 1)


def cut(w: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the part of it after which w − 1 packets have passed, as Proposition 1 counts."""
    return w - 2 ** (slow_start_trains(w) - 1)


def from_congestion_avoidance(windows: LossWindows) -> Trains:
    """Return the trains of cycles that begin with w packets: w, w + 1, … W_m."""
    growth = windows.growth
    number = np.cumsum(growth[::-1])[::-1] / growth
    packets = np.cumsum((growth * windows.window)[::-1])[::-1] / growth
    return Trains(number, packets)


def from_slow_start(channel: Channel, windows: LossWindows, last_train: LastTrain) -> Trains:
    """Return the trains of cycles that begin with one packet: 1, 2, 4, …, then w, w + 1, … W_m.

    E[n₁] = Σ P(n₁ ≥ k), and P(n₁ ≥ k) is the chance that k − 1 trains lose nothing (eqs 27–29).
    """
    avoiding = from_congestion_avoidance(windows)
    w = windows.window[1:]  # w = 1 has no slow start
    trains = slow_start_trains(w)
    sizes = 2.0 ** np.arange(trains.max(initial=0))
    reached = np.cumprod(np.concatenate([[1.0], channel.intact(sizes)]))
    last = last_train(w)
    to_last = reached[trains - 1]
    to_avoidance = to_last * channel.intact(last)
    number = np.cumsum(reached)[trains - 1] + to_avoidance * avoiding.number[1:]
    before_last = np.concatenate([[0.0], np.cumsum(reached[:-1] * sizes)])[trains - 1]
    packets = before_last + to_last * last + to_avoidance * avoiding.packets[1:]
    return Trains(
        np.concatenate([avoiding.number[:1], number]),
        np.concatenate([avoiding.packets[:1], packets]),
    )
