"""Means of independent replications, with their confidence intervals.

scipy.special takes as long to load as a small scenario to simulate: the functions that need it do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import linear_regression
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CONFIDENCE = 0.95

FEWEST_CONTROLLED = 10
"""Replications from which on the slope of a control is worth the degree of freedom it costs."""


def median_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the median, and the order statistics that enclose it with 95 % confidence, or more.

    Whatever the distribution, between the k-th smallest and the k-th largest of n values lies the
    median unless fewer than k of them are on one side of it (a binomial probability). Below six
    values not even all of them suffice: the ends are then infinite.
    """
    from scipy.special import bdtr

    ordered = sorted(values)
    count = len(ordered)
    middle = (ordered[(count - 1) // 2] + ordered[count // 2]) / 2
    inside = 0  # so many values are cut off at each end
    while 2 * bdtr(inside, count, 0.5) <= 1 - CONFIDENCE:
        inside += 1
    if inside == 0:
        return middle, -math.inf, math.inf
    return middle, ordered[inside - 1], ordered[count - inside]


def student_quantile(degrees: int) -> float:
    """Return the t with |T| < t in 95 % of all cases, T being Student's."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + CONFIDENCE) / 2))


def chance_of_difference(one: Sequence[float], other: Sequence[float]) -> float:
    """Return how often chance alone makes the means of two samples differ by at least so much.

    This is the p-value of Student's two-sample test, two-sided, with a common variance. Samples of
    one distribution have one, and then a sample may be a single value. Both together must have at
    least three values.
    """
    from scipy.special import stdtr

    means = [math.fsum(values) / len(values) for values in (one, other)]
    difference, degrees = abs(means[0] - means[1]), len(one) + len(other) - 2
    squares = math.fsum(
        (x - mean) ** 2 for values, mean in zip((one, other), means, strict=True) for x in values
    )
    error = math.sqrt(squares / degrees * (1 / len(one) + 1 / len(other)))
    if error == 0:
        return 0.0 if difference else 1.0
    return 2 * float(stdtr(degrees, -difference / error))


def widening(comparisons: int, degrees: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the factor that makes half-widths hold for all of some comparisons at once.

    By Bonferroni's inequality: each may be wrong in 5 % divided by their number of all cases.

    Args:
        comparisons: how many intervals are looked at for the one that is off.
        degrees: degrees of freedom of Student's t behind each interval; infinite for a normal one.

    """
    from scipy.special import stdtrit

    level = 1 - (1 - CONFIDENCE) / (2 * comparisons)
    return stdtrit(degrees, level) / stdtrit(degrees, (1 + CONFIDENCE) / 2)


@dataclass(frozen=True)
class Interval:
    """A mean over replications with its 95 % confidence interval."""

    mean: float
    half_width: float
    replications: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Interval:
        """Return the interval by Student's t; infinitely wide for a single value."""
        count = len(values)
        mean = math.fsum(values) / count
        if count == 1:
            return cls(mean, math.inf, 1)
        deviation = math.sqrt(math.fsum((x - mean) ** 2 for x in values) / (count - 1))
        return cls(mean, student_quantile(count - 1) * deviation / math.sqrt(count), count)

    @classmethod
    def controlled(cls, values: Sequence[float], controls: Sequence[float]) -> Interval:
        """Return the interval of a mean beside whose values something of mean 0 was observed.

        What the controls happen to be explains a part of the values: the line through both has
        its mean where the control is 0, and what scatters about it is less (Lavenberg and Welch,
        Management Science 27, 1981).
        """
        count, off = len(values), math.fsum(controls) / len(controls)
        spread = math.fsum((z - off) ** 2 for z in controls)
        if count < FEWEST_CONTROLLED or spread == 0:
            return cls.of(values)
        slope, mean = linear_regression(controls, values)
        pairs = zip(values, controls, strict=True)
        left = math.fsum((x - mean - slope * z) ** 2 for x, z in pairs) / (count - 2)
        deviation = math.sqrt(left * (1 / count + off**2 / spread))
        return cls(mean, student_quantile(count - 2) * deviation, count)

    def at_least(self, half_width: float) -> Interval:
        """Return the interval, widened if it is narrower than what a count can be off by."""
        return Interval(self.mean, max(self.half_width, half_width), self.replications)

    @property
    def relative(self) -> float:
        """The half-width in units of the mean."""
        return self.half_width / self.mean

    def inverse_of(self, total: float) -> Interval:
        """Return `total` over the mean, with the interval that follows from this one's slope."""
        inverse = total / self.mean
        return Interval(inverse, inverse * self.half_width / self.mean, self.replications)
