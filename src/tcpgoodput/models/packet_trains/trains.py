"""Trains of packets, one per round trip: how many and how large (Propositions 3, 4)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.models.packet_trains.channel import Channel
from tcpgoodput.models.packet_trains.loss_window import slow_start_trains

Trains = Callable[[int, int], NDArray[np.float64]]
"""From the threshold w and the largest window W_m to the trains' sizes."""


def whole_trains(w: int, largest: int) -> NDArray[np.float64]:
    """Return θ = 1, 2, 4, … 2^(j−2), then w, w + 1, … W_m (Proposition 4)."""
    doubling = 2.0 ** np.arange(int(slow_start_trains(w)))
    return np.concatenate([doubling, avoidance_trains(w, largest)])


def consistent_trains(w: int, largest: int) -> NDArray[np.float64]:
    """Return the trains with the last one of slow start cut, so that w − 1 packets precede w.

    This is what Proposition 1 counts; Proposition 4 counts the whole doubled train.
    """
    trains = whole_trains(w, largest)
    doublings = int(slow_start_trains(w))
    if doublings:
        trains[doublings - 1] = w - 2 ** (doublings - 1)
    return trains


def avoidance_trains(w: int, largest: int) -> NDArray[np.float64]:
    """Return w, w + 1, … W_m: the trains of a cycle that starts in congestion avoidance."""
    return np.arange(w, largest + 1, dtype=float)


def mean_trains_and_packets(channel: Channel, trains: NDArray[np.float64]) -> tuple[float, float]:
    """Return E[n₁], trains up to and with the one that meets the loss, and E[Q], their packets.

    P(n₁ ≥ k) is the chance that the first k − 1 trains lose nothing (eqs 27–29); the last train
    always loses.
    """
    log_survival = channel.log_survival(trains[:-1])
    reached = np.exp(np.concatenate([[0.0], np.cumsum(log_survival)]))
    return float(reached.sum()), float(reached @ trains)
