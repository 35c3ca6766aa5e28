"""Means of independent replications, with their confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Interval:
    """A mean over replications with its 95 % confidence interval."""

    mean: float
    half_width: float
    replications: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Interval:
        """Return the interval by Student's t; infinitely wide for a single value."""
        from scipy.special import stdtrit

        count = len(values)
        mean = math.fsum(values) / count
        if count == 1:
            return cls(mean, math.inf, 1)
        deviation = math.sqrt(math.fsum((x - mean) ** 2 for x in values) / (count - 1))
        quantile = float(stdtrit(count - 1, (1 + CONFIDENCE) / 2))
        return cls(mean, quantile * deviation / math.sqrt(count), count)

    @property
    def relative(self) -> float:
        """The half-width in units of the mean."""
        return self.half_width / self.mean

    def inverse_of(self, total: float) -> Interval:
        """Return `total` over the mean, with the interval that follows from this one's slope."""
        inverse = total / self.mean
        return Interval(inverse, inverse * self.half_width / self.mean, self.replications)
