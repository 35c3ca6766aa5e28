"""R-GE and R-IID: what bursts of loss are to a sender that takes losses of a window for one event.

A Gilbert-Elliott channel turns bad with probability α per slot and good with β. After a loss event
that began a window of W slots ago the channel is bad with probability b_W; from there it takes
(1 - b_W)/α slots on average until it turns bad again, or none.
"""

from __future__ import annotations

import math
import sys

from tcpgoodput.scenario.vocabulary import Bernoulli, GilbertElliott

LONGEST_BURST = 0.25
"""In windows, as packet simulation of random connections has it."""

RAREST = sys.float_info.min
"""Smallest α whose reciprocal is a number; events that are rarer still change nothing."""


def slots_per_event(alpha: float, beta: float, window_packets: float) -> float:
    """Return N(W) = W + (1 - b_W)/α, the mean number of slots from one loss event to the next.

    b_W = π_B + π_G (1-α-β)^W is the probability that the channel is bad W slots after a bad one.
    N(1) = 1 + β/α ≥ 1, and N is concave in W.
    """
    alpha = max(alpha, RAREST)
    return window_packets + (1 - bad_again(alpha, beta, window_packets)) / alpha


def bad_again(alpha: float, beta: float, slots: float) -> float:
    """Return b_W; where α + β > 1 the channel alternates, as a cosine between whole slots."""
    bad, left = alpha / (alpha + beta), 1 - alpha - beta
    turns = math.cos(math.pi * slots) if left < 0 else 1.0
    return bad + (1 - bad) * abs(left) ** slots * turns


def losses_per_event(alpha: float, beta: float, window_packets: float) -> float:
    """Return m = π_B N(W), the mean number of lost packets in a loss event, at least 1."""
    alpha = max(alpha, RAREST)
    bad = alpha / (alpha + beta)
    return max(1.0, bad * slots_per_event(alpha, beta, window_packets))


def as_bursts(loss: Bernoulli) -> GilbertElliott:
    """Return independent loss as a Gilbert-Elliott channel: α = p, β = 1 - p; exact (R-IID)."""
    p = loss.probability
    return GilbertElliott(
        process="gilbert-elliott", good_to_bad=p, bad_to_good=1 - p, place=loss.place
    )


def outside_window(beta: float, window_packets: float) -> str | None:
    """Return a reason where bursts last so long that repairs are lost with what they repair."""
    if 1 / beta < LONGEST_BURST * window_packets:
        return None
    return (
        f"bursts of {1 / beta:.3g} slots reach a quarter of a window ({window_packets:.3g} "
        "packets): repairs are lost, too"
    )
