"""The constant of X = c/(R √p) when every packet is lost with the same probability p.

Between two losses a window that grows by a per round trip gains 2a in W² with every packet, and
the packets from one loss to the next are nearly exponential with mean 1/p. So W² just before a
loss, times p/2a, is S = Σ ν^{2k} E_k, k = 0, 1, …, with independent unit exponentials E_k, where
the loss leaves νW of a window W. A round trip's growth takes R, and so the mean rate is
(1/p) a/((1-ν) E[W]) per round trip: c = √(a/2)/((1-ν) E√S).
"""

from __future__ import annotations

import math


def mean_root_of_exponentials(window_kept: float) -> float:
    """Return E√S, with S = Σ q^k E_k and q the square of the part of the window that is kept.

    E S^s = Γ(1+s) Π_{j≥1} (1-q^{j+s})/(1-q^j), which is n!/Π_{j≤n} (1-q^j) for whole s = n.

    Raises:
        ValueError: not a part of the window, which lies in [0, 1).

    """
    if not 0 <= window_kept < 1:
        raise ValueError(f"a loss keeps a part of the window in [0, 1), not {window_kept:g}")
    q, product, power = window_kept**2, math.gamma(1.5), window_kept**2
    while power > math.ulp(1.0) * (1 - q):  # what is left out is of this order
        product *= (1 - power * window_kept) / (1 - power)
        power *= q
    return product


def independent_loss_constant(window_kept: float = 0.5, growth_packets: float = 1.0) -> float:
    """Return c of X = c/(R √p) for packets that are lost independently: 1.3098 for Reno.

    It lies between √1.5 = 1.2247, where losses come every 1/p packets, and √2 = 1.4142, where they
    are Poisson in time: chance stretches some intervals, but a large window, which sends more, is
    hit sooner.

    Args:
        window_kept: ν, what a loss leaves of the window.
        growth_packets: a, by which the window grows each round trip; 1/b for b packets per ACK.

    """
    root = mean_root_of_exponentials(window_kept)
    return math.sqrt(growth_packets / 2) / (1 - window_kept) / root
