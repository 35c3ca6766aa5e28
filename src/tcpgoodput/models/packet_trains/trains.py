"""Number and size of trains of packets, one train per round trip (Propositions 3, 4).

Element w − 1 of every array belongs to a slow-start threshold, or a first window, of w packets.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tcpgoodput.models.packet_trains.loss_window import (
    Channel,
    LossWindows,
    Values,
    slow_start_trains,
)


@dataclass(frozen=True)
class Trains:
    """Mean number of trains in a cycle, and of their packets, including the train with the loss."""

    number: Values
    """E[n₁], the mean number of trains."""
    packets: Values
    """E[Q], the mean number of packets in the trains (eq. 5)."""


def from_congestion_avoidance(windows: LossWindows) -> Trains:
    """Return the trains of cycles that begin in congestion avoidance: w, w + 1, … W_m packets."""
    growth = windows.growth
    number = np.cumsum(growth[::-1])[::-1] / growth
    packets = np.cumsum((growth * windows.window)[::-1])[::-1] / growth
    return Trains(number, packets)


def from_slow_start(channel: Channel, windows: LossWindows) -> Trains:
    """Return the trains of cycles that begin in slow start: 1, 2, 4, …, then w, w + 1, … W_m.

    E[n₁] = Σ P(n₁ ≥ k), and P(n₁ ≥ k) is the probability that k − 1 trains lose nothing
    (eqs 27–29).
    """
    avoiding = from_congestion_avoidance(windows)
    doublings = slow_start_trains(windows.window)
    sizes = 2.0 ** np.arange(doublings[-1])
    reached = np.cumprod(np.concatenate([[1.0], channel.intact(sizes)]))
    number = np.concatenate([[0.0], np.cumsum(reached[:-1])])
    packets = np.concatenate([[0.0], np.cumsum(reached[:-1] * sizes)])
    return Trains(
        number[doublings] + reached[doublings] * avoiding.number,
        packets[doublings] + reached[doublings] * avoiding.packets,
    )
