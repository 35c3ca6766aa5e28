"""The constant of X = c/(R √p) if every packet is lost with the same probability p.

A window W grows by `a` packets per round trip, and a loss reduces it to νW. Between two losses W²
grows by 2a with every packet. The number of packets from one loss to the next is nearly exponential
with mean 1/p. So W² just before a loss, times p/2a, is S = Σ ν^{2k} E_k, k = 0, 1, …, with
independent exponential E_k of mean 1. A loss costs (1-ν) E[W] packets of the window on average,
which grow back in (1-ν) E[W]/a round trips. In this time 1/p packets are sent, so that
c = √(a/2)/((1-ν) E√S).
"""

from __future__ import annotations

import math


def mean_root_of_exponentials(window_kept: float) -> float:
    """Return the mean E√S for S = Σ q^k E_k, with q = ν² and independent exponential E_k of mean 1.

    E S^s = Γ(1+s) Π_{j≥1} (1-q^{j+s})/(1-q^j), which is n!/Π_{j≤n} (1-q^j) for whole s = n.

    Args:
        window_kept: ν, the factor by which a loss multiplies the window.

    Raises:
        ValueError: ν lies outside [0, 1).

    """
    if not 0 <= window_kept < 1:
        raise ValueError(f"a loss keeps a part of the window in [0, 1), not {window_kept:g}")
    q, product, power = window_kept**2, math.gamma(1.5), window_kept**2
    while power > math.ulp(1.0) * (1 - q):  # until all further factors are almost 1
        product *= (1 - power * window_kept) / (1 - power)
        power *= q
    return product


def independent_loss_constant(window_kept: float = 0.5, growth_packets: float = 1.0) -> float:
    """Return c of X = c/(R √p) for packets that are lost independently: 1.3098 for Reno.

    It lies between √1.5 = 1.2247, for a loss every 1/p packets, and √2 = 1.4142, for losses that
    are Poisson in time. Random intervals increase the mean window. But a large window sends more
    packets and so meets a loss sooner.

    Args:
        window_kept: ν, the factor by which a loss multiplies the window.
        growth_packets: `a`, the packets by which the window grows per round trip; 1/b for b packets
            per ACK.

    """
    root = mean_root_of_exponentials(window_kept)
    return math.sqrt(growth_packets / 2) / (1 - window_kept) / root
