"""What follows the first loss of a window: duplicate ACKs enough, or a timeout (Proposition 2).

After the first loss the channel is bad, and σ − 1 packets of the loss window are still to pass.
The sender times out if fewer than Ω of them arrive.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.models.packet_trains.channel import Channel


def few_successes(channel: Channel, largest: int, dupthresh: int) -> NDArray[np.float64]:
    """Return P(exactly j of the σ − 1 packets arrive), shape (W_m, Ω): σ = 1 … W_m, j < Ω.

    Follows the state and the number of arrivals packet by packet; only fewer than Ω arrivals
    matter, so this costs Ω per packet where eq. (19) sums over all ways to place them.
    """
    bad, good = np.zeros(dupthresh), np.zeros(dupthresh)
    bad[0] = 1.0
    law = np.empty((largest, dupthresh))
    for packets in range(largest):
        law[packets] = bad + good
        arrivals = channel.beta * bad + (1 - channel.alpha) * good
        bad = (1 - channel.beta) * bad + channel.alpha * good
        good = np.concatenate([[0.0], arrivals[:-1]])
    return law


def timeout_probability(few: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return τ_σ for σ = 1 … W_m (eq. 19) from `few_successes`."""
    return np.minimum(few.sum(axis=1), 1.0)


def mean_further_losses(channel: Channel, largest: int) -> NDArray[np.float64]:
    """Return the mean number of losses among the σ − 1 packets, for σ = 1 … W_m."""
    return np.concatenate([[0.0], np.cumsum(channel.bad_after(np.arange(1, largest)))])


def mean_repairs(channel: Channel, few: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return NewReno's mean number of repairs, one per round trip, for σ = 1 … W_m.

    E[1 + further losses; no timeout]: all losses are repaired, unless the sender times out first.
    """
    sigma = np.arange(1, len(few) + 1)[:, None]
    losses_at_timeout = sigma - np.arange(few.shape[1])  # the first loss and those that follow
    everything = 1 + mean_further_losses(channel, len(few))
    return np.maximum(everything - (np.maximum(losses_at_timeout, 0) * few).sum(axis=1), 0.0)
