"""The Gilbert–Elliott channel of the model, one step of its chain per packet (eqs 1, 2).

A packet is received if the chain is in the good state when it is sent. Each train of packets finds
the chain in its stationary law, and within a train each packet moves it by one step.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class Channel:
    """α = P(good → bad) and β = P(bad → good) per packet, 0 ≤ α < 1, 0 < β ≤ 1."""

    alpha: float
    beta: float

    @property
    def pi_good(self) -> float:
        """Stationary probability of the good state (eq. 2)."""
        return self.beta / (self.alpha + self.beta)

    @property
    def pi_bad(self) -> float:
        """Stationary probability of the bad state (eq. 2)."""
        return self.alpha / (self.alpha + self.beta)

    @property
    def memory(self) -> float:
        """λ = 1 − α − β, the correlation of the states at successive packets."""
        return 1 - self.alpha - self.beta

    @property
    def log_entry(self) -> float:
        """Log of G = π_G + π_B β/(1 − α), what a new train costs beyond its length."""
        return float(np.log(self.pi_good + self.pi_bad * self.beta / (1 - self.alpha)))

    @property
    def first_packet_loss(self) -> float:
        """Probability that the first packet of a train is lost (eq. 14)."""
        return self.pi_good * self.alpha + self.pi_bad * (1 - self.beta)

    def log_survival(self, packets: ArrayLike) -> NDArray[np.float64]:
        """Return the log probability that a train of n ≥ 1 packets loses none: log G (1 − α)ⁿ.

        ψ₁ + ψ₂ = π_G (1 − α)ⁿ + π_B β (1 − α)ⁿ⁻¹ of the source, in one factor.
        """
        return self.log_entry + np.asarray(packets, dtype=float) * np.log1p(-self.alpha)

    def bad_after(self, packets: ArrayLike) -> NDArray[np.float64]:
        """Return the probability that the n-th packet after a lost one is lost: π_B + π_G λⁿ."""
        return self.pi_bad + self.pi_good * self.memory ** np.asarray(packets, dtype=float)
