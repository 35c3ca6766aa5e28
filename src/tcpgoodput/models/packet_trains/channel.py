"""The Gilbert–Elliott channel, whose chain moves one step per packet of a train (eqs 1, 2).

A packet arrives if the chain is good when it is sent. At the start of each train the chain has its
stationary distribution. The source writes the probability of an intact train as ψ₁ + ψ₂. With π_G
(1 − α) + π_B β = π_G this is

    P(a train of n ≥ 1 packets loses none) = π_G (1 − α)ⁿ + π_B β (1 − α)ⁿ⁻¹ = π_G (1 − α)ⁿ⁻¹,

and the source's factor π_G + π_B β/(1 − α) is π_G/(1 − α). This form also holds at α = 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Channel:
    """Gilbert–Elliott channel with α = P(good → bad) and β = P(bad → good) per packet.

    0 ≤ α ≤ 1 and 0 < β ≤ 1.
    """

    alpha: float
    beta: float

    @property
    def good(self) -> float:
        """π_G, stationary probability of the good state (eq. 2)."""
        return self.beta / (self.alpha + self.beta)

    @property
    def bad(self) -> float:
        """π_B, stationary probability of the bad state (eq. 2)."""
        return self.alpha / (self.alpha + self.beta)

    def intact(self, packets: ArrayLike) -> Values:
        """Return P(a train of n ≥ 1 packets loses none), ψ₁ + ψ₂ of the source."""
        return self.good * (1 - self.alpha) ** (np.asarray(packets, dtype=float) - 1)

    def bad_after(self, packets: ArrayLike) -> Values:
        """Return P(the n-th packet after a lost one is lost): π_B + π_G (1 − α − β)ⁿ."""
        memory = 1 - self.alpha - self.beta
        return self.bad + self.good * memory ** np.asarray(packets, dtype=float)
