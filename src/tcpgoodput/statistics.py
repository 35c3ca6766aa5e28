"""Means of independent replications, with their confidence intervals.

Functions that need scipy.special import it themselves, because the import takes as long as the
simulation of a small scenario.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CONFIDENCE = 0.95

FEWEST_DEGREES = 8
"""Smallest number of degrees of freedom (replications minus control variates minus 1) with which an
interval uses control variates. With fewer, the interval is that of the plain mean. The number was
chosen by hand."""


def median_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the median, and the order statistics that enclose it with at least 95 % confidence.

    With fewer than six values both ends are infinite; see `quantile_interval`.
    """
    from statistics import median

    return median(values), *quantile_interval(values, 0.5)


def quantile_interval(
    values: Sequence[float] | NDArray[np.float64], share: float
) -> tuple[float, float]:
    """Return the order statistics that enclose a quantile with at least 95 % confidence.

    For any distribution, the number of values below its quantile is binomial. The k-th smallest
    value is above the quantile if fewer than k values are below it. Each end is the innermost value
    that is on its wrong side with a probability of at most 2.5 %. If there is no such value for one
    end, both ends are infinite: for the median with fewer than six values, for the 90th percentile
    with fewer than 36.

    Args:
        values: independent observed values.
        share: level of the quantile, from 0 to 1; 0.5 for the median.

    """
    import numpy as np
    from scipy.special import bdtr, bdtrc

    count, missed = len(values), (1 - CONFIDENCE) / 2
    below = range(count)  # values up to the lower end, and values before the upper end
    after = bisect_left(below, True, key=lambda k: bdtr(float(k), count, share) > missed)
    before = bisect_left(below, True, key=lambda k: bdtrc(float(k), count, share) <= missed)
    if after == 0 or before == count:
        return -math.inf, math.inf
    low, high = np.partition(values, (after - 1, before))[[after - 1, before]].tolist()
    return low, high


def student_quantile(degrees: int) -> float:
    """Return t such that a Student-distributed number T has |T| < t with probability 0.95.

    Args:
        degrees: degrees of freedom.

    """
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + CONFIDENCE) / 2))


def chance_of_difference(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the probability that two sample means differ by chance at least as much as these.

    This is the p-value of Student's two-sided two-sample test with a common variance. One of the
    samples may be a single value, but both together need at least three.
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
    """Return the factor that makes half-widths hold for several comparisons simultaneously.

    By Bonferroni's inequality, each interval may miss its true value with a probability of 5 %
    divided by the number of intervals.

    Args:
        comparisons: number of intervals among which the most deviating one is chosen.
        degrees: degrees of freedom of Student's t for each interval; infinite for a normal
            distribution.

    """
    from scipy.special import stdtrit

    level = 1 - (1 - CONFIDENCE) / (2 * comparisons)
    return stdtrit(degrees, level) / stdtrit(degrees, (1 + CONFIDENCE) / 2)


@dataclass(frozen=True)
class Interval:
    """A mean over independent replications with the half-width of its 95 % confidence interval."""

    mean: float
    half_width: float
    replications: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Interval:
        """Return the mean of values, with its interval by Student's t; infinite for one value."""
        count = len(values)
        mean = math.fsum(values) / count
        if count == 1:
            return cls(mean, math.inf, 1)
        deviation = math.sqrt(math.fsum((x - mean) ** 2 for x in values) / (count - 1))
        return cls(mean, student_quantile(count - 1) * deviation / math.sqrt(count), count)

    @classmethod
    def of_ratio(cls, amounts: Sequence[float], durations: Sequence[float]) -> Interval:
        """Return the interval of a mean rate: the sum of amounts divided by the sum of durations.

        The mean of the rates of all replications would count a short replication as much as a long
        one. The half-width follows from linear error propagation.

        Args:
            amounts: for each replication, what is counted, such as delivered packets.
            durations: for each replication, its duration, in the same order.

        """
        rate = math.fsum(amounts) / math.fsum(durations)
        mean = math.fsum(durations) / len(durations)
        each = zip(amounts, durations, strict=True)
        spread = cls.of([(amount - rate * duration) / mean for amount, duration in each])
        return cls(rate, spread.half_width, spread.replications)

    @classmethod
    def controlled(cls, values: Sequence[float], controls: Sequence[Sequence[float]]) -> Interval:
        """Return the interval of a mean, narrowed by control variates of mean 0.

        Least squares give the value at which all controls are 0. The residuals scatter less than
        the values (Lavenberg and Welch, Management Science 27, 1981). Each control costs a degree
        of freedom; with too few replications, controls are not used.

        Args:
            values: a value for each replication.
            controls: for each control variate, its value in each replication.

        """
        import numpy as np

        count, degrees = len(values), len(values) - 1 - len(controls)
        if not controls or degrees < FEWEST_DEGREES:
            return cls.of(values)
        # Scale the controls, so that their units do not affect the numerical rank of the design.
        columns = [np.ones(count), *(column / np.std(column) for column in np.asarray(controls))]
        design = np.column_stack(columns)
        solution, _, rank, _ = np.linalg.lstsq(design, np.asarray(values))
        if rank < len(columns):
            return cls.of(values)
        residuals = values - design @ solution
        variance = residuals @ residuals / degrees * np.linalg.inv(design.T @ design)[0, 0]
        half_width = student_quantile(degrees) * math.sqrt(variance)
        return cls(float(solution[0]), half_width, count)

    def at_least(self, half_width: float) -> Interval:
        """Return the interval, widened to `half_width` if it is narrower."""
        return Interval(self.mean, max(self.half_width, half_width), self.replications)
