"""What follows the first loss of a window: enough duplicate ACKs, or a timeout (Proposition 2).

The channel is bad at the first loss, and σ − 1 packets of the loss window are still to pass. The
sender times out if fewer than Ω of them arrive. Index σ − 1 of every array is a loss window σ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tcpgoodput.models.packet_trains.channel import Channel, Values


@dataclass(frozen=True)
class AfterLoss:
    """What becomes of the σ − 1 packets behind the first loss, for σ = 1 … W_m."""

    timeout: Values
    """τ_σ (eq. 19)."""
    losses: Values
    """Mean losses among the σ − 1 packets."""
    repairs: Values
    """Mean of all losses, the first included, where no timeout follows, else 0."""


def after_loss(channel: Channel, largest: int, dupthresh: int) -> AfterLoss:
    """Count arrivals and losses behind the first loss.

    Eq. (19) sums over all ways to place the losses. Here the laws of 0, 1, … Ω − 1 arrivals follow
    from one another: good(n) and bad(n) are the probabilities of j arrivals among n packets with
    the chain in that state.
    """
    sigma = np.arange(1, largest + 1)
    timeout, losses_at_timeout = np.zeros(largest), np.zeros(largest)
    good, bad = np.zeros(largest), np.zeros(largest)
    bad[0] = 1.0
    for arrivals in range(min(dupthresh, largest)):
        if arrivals:
            good = _delayed((1 - channel.alpha) * good + channel.beta * bad)
            bad = _delayed(channel.alpha * good)
        bad = _geometric_sums(bad, 1 - channel.beta)
        probability = good + bad
        timeout += probability
        losses_at_timeout += (sigma - arrivals) * probability
    losses = np.concatenate([[0.0], np.cumsum(channel.bad_after(sigma[:-1]))])
    repairs = np.where(sigma > dupthresh, 1 + losses - losses_at_timeout, 0.0)
    # Both bounds can be missed by a rounding error only.
    return AfterLoss(np.minimum(timeout, 1.0), losses, np.maximum(repairs, 0.0))


def _delayed(values: Values) -> Values:
    """Return the values one packet later."""
    return np.concatenate([[0.0], values[:-1]])


def _geometric_sums(values: Values, ratio: float) -> Values:
    """Return y(n) = values(n) + ratio · y(n − 1), by doubling the reach of each term."""
    sums = values.copy()
    reach = 1
    while reach < len(sums) and ratio > 0:
        sums[reach:] += ratio * sums[:-reach]
        ratio, reach = ratio * ratio, 2 * reach
    return sums
