"""The window at which a cycle meets its loss, as a Markov chain from cycle to cycle.

Proposition 1 for cycles that begin in slow start; cycles that begin in congestion avoidance
(NewReno and SACK after fast recovery) follow from the same argument. A window of W_m always loses.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.models.packet_trains.channel import Channel

Row = NDArray[np.float64]


def threshold(loss_window: NDArray[np.int64] | int) -> NDArray[np.int64]:
    """Return the slow-start threshold w after a loss: half the window, at least one packet."""
    return np.maximum(1, np.asarray(loss_window) // 2)


def slow_start_trains(packets: NDArray[np.int64] | int) -> NDArray[np.int64]:
    """Return ⌈log₂ n⌉, the trains that slow start has sent before packet n, exactly."""
    return np.frexp(np.asarray(packets, dtype=float) - 0.5)[1]


def from_slow_start(channel: Channel, w: int, largest: int) -> Row:
    """Return P(loss window = η) for η = 1 … W_m of a cycle in slow start up to w (eq. 12).

    Probabilities of rows add up to one; they are formed in logarithms, so that none is lost to
    underflow before it is negligible.
    """
    row = np.empty(largest)
    eta = np.arange(1, w)
    log_received = (eta - 1) * np.log1p(-channel.alpha)
    log_received += slow_start_trains(eta) * channel.log_entry
    first_of_train = (eta & (eta - 1)) == 0
    loss = np.where(first_of_train, channel.first_packet_loss, channel.alpha)
    row[: w - 1] = np.exp(log_received) * loss
    before = (w - 1) * np.log1p(-channel.alpha) + slow_start_trains(w) * channel.log_entry
    row[w - 1 :] = np.exp(before) * from_congestion_avoidance(channel, w, largest)[w - 1 :]
    return row


def from_congestion_avoidance(channel: Channel, w: int, largest: int) -> Row:
    """Return P(loss window = η) for η = 1 … W_m of a cycle whose first train has w packets."""
    row = np.zeros(largest)
    log_survival = channel.log_survival(np.arange(w, largest))
    reached = np.exp(np.concatenate([[0.0], np.cumsum(log_survival)]))
    row[w - 1 :] = reached
    row[w - 1 : -1] *= -np.expm1(log_survival)
    return row


def stationary(transitions: NDArray[np.float64]) -> Row:
    """Return the stationary law of a chain, shape (n,), from its matrix, shape (n, n)."""
    size = len(transitions)
    balance = np.eye(size) - transitions.T
    balance[-1] = 1  # one balance equation follows from the others: the law adds up to one
    law = np.linalg.solve(balance, np.eye(size)[-1])
    law = np.maximum(law, 0)  # rounding leaves −1e−20 where a window is hardly ever met
    return law / law.sum()
