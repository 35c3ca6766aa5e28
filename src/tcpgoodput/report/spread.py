"""Median, interval and 90th percentile of errors' sizes: columns of tables, and cells in LaTeX."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from tcpgoodput.comparison.bootstrap import clustered_quantile
from tcpgoodput.comparison.errors import per_cent
from tcpgoodput.report.latex import number
from tcpgoodput.statistics import median_interval

ERROR_COLUMNS = ("median_%", "median_low_%", "median_high_%", "q90_%")
"""Columns of a table about the sizes of errors, |100 ln(model / simulated)|: their median with the
ends of its 95 % interval, and their 90th percentile."""

Row = dict[str, Any]
"""A row of a published table: values by column."""


def spread(
    errors: Sequence[float] | pd.Series, clusters: pd.Series | None = None, prefix: str = ""
) -> Row:
    """Return the statistics of the sizes of errors, by the names in `ERROR_COLUMNS`.

    Args:
        errors: the errors ln(model / simulated). Without errors all statistics are NaN.
        clusters: for each error, the name of its cluster, such as the link, if errors depend on
            each other within clusters. The interval of the median then resamples whole clusters;
            with fewer than six clusters its ends are NaN. Without clusters the errors are
            independent, and the interval holds for any distribution.
        prefix: what the names of the columns begin with.

    """
    sizes = np.abs(np.asarray(errors, float))
    statistics = 4 * [math.nan]
    if sizes.size:
        median, low, high = median_interval(sizes.tolist())
        if clusters is not None:
            low, high = clustered_quantile(pd.Series(sizes), clusters.reset_index(drop=True))
        statistics = [median, low, high, float(np.quantile(sizes, 0.9))]
    names = (prefix + column for column in ERROR_COLUMNS)
    return dict(zip(names, map(per_cent, statistics), strict=True))


def median_cell(row: Row, prefix: str = "") -> str:
    """Return a row's median with its interval as LaTeX; without an interval, the median alone.

    The interval has one more digit if its ends would otherwise be equal.
    """
    median, low, high = (row[prefix + column] for column in ERROR_COLUMNS[:3])
    if math.isnan(low):
        return percent(median)
    more = int(percent(low) == percent(high))
    return f"{percent(median, more)} [{percent(low, more)}, {percent(high, more)}]"


def share_cell(row: Row, name: str) -> str:
    """Return a share in per cent with its interval as LaTeX; its columns begin with `name`."""
    share, low, high = (number(row[f"{name}{end}_%"], 2) for end in ("", "_low", "_high"))
    return f"{share} [{low}, {high}]"


def percent(value: float, more: int = 0) -> str:
    """Return an error in per cent as LaTeX, with two digits; below one per cent with one digit.

    Args:
        value: the size of the error in per cent.
        more: number of further digits.

    """
    return number(value, (2 if value >= 1 else 1) + more)
