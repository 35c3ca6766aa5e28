"""Median, interval and 90th percentile of errors' sizes, as table cells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from tcpgoodput.comparison.bootstrap import clustered_quantile
from tcpgoodput.comparison.errors import per_cent
from tcpgoodput.report.latex import count, number
from tcpgoodput.statistics import median_interval

ERROR_COLUMNS = ("median_%", "median_low_%", "median_high_%", "q90_%")
"""Columns of a CSV table with the values of an `Errors` in per cent, in their order."""


@dataclass(frozen=True)
class Errors:
    """Statistics of the sizes of errors, |ln(model / simulated)|, over a group of connections."""

    count: int
    median: float
    low: float
    high: float
    ninety: float
    """The 90th percentile; `median` has the 95 % interval from `low` to `high`."""

    @classmethod
    def of(cls, errors: Sequence[float] | pd.Series) -> Errors:
        """Return the statistics of independent errors.

        The median's interval holds for any distribution of the errors. Without errors, the count is
        0 and all statistics are NaN.
        """
        sizes = np.abs(np.asarray(errors, float))
        if not sizes.size:
            return cls(0, *(4 * [math.nan]))
        median, low, high = median_interval(sizes.tolist())
        return cls(len(sizes), median, low, high, float(np.quantile(sizes, 0.9)))

    @classmethod
    def clustered(cls, errors: pd.Series, clusters: pd.Series) -> Errors:
        """Return statistics of errors that depend on each other within clusters.

        The interval of the median resamples whole clusters; with fewer than six clusters its ends
        are NaN.

        Args:
            errors: the errors ln(model / simulated).
            clusters: for each error, the name of its cluster, such as the link.

        """
        sizes = errors.abs()
        low, high = clustered_quantile(sizes, clusters)
        return cls(len(sizes), float(sizes.median()), low, high, float(sizes.quantile(0.9)))

    @property
    def cell(self) -> str:
        """The median with its interval as LaTeX, in per cent; without one, the median alone.

        The interval has one more digit if its ends would otherwise be equal.
        """
        if math.isnan(self.low):
            return percent(self.median)
        more = int(percent(self.low) == percent(self.high))
        median, *ends = (percent(value, more) for value in (self.median, self.low, self.high))
        return f"{median} [{', '.join(ends)}]"

    @property
    def size(self) -> str:
        """The number of connections as LaTeX; thin spaces group the digits of long numbers."""
        return count(self.count)

    def columns(self, prefix: str = "") -> dict[str, float]:
        """Return the statistics as columns of a CSV table, in per cent."""
        values = map(per_cent, (self.median, self.low, self.high, self.ninety))
        names = (prefix + column for column in ERROR_COLUMNS)
        return dict(zip(names, values, strict=True))


def percent(error: float, more: int = 0) -> str:
    """Return an error as LaTeX in per cent, with two digits; below one per cent with one digit.

    Args:
        error: the size of the error, such as 0.05 for 5 %.
        more: number of further digits.

    """
    value = per_cent(error)
    return number(value, (2 if value >= 1 else 1) + more)
