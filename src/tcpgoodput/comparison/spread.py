"""Statistics of errors as columns of tables: median, 90th percentile and shares with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from tcpgoodput.comparison.bootstrap import clustered_quantile
from tcpgoodput.comparison.errors import per_cent
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


def share(name: str, count: int, of: int) -> Row:
    """Return a share in per cent with Wilson's 95 % interval, as columns that begin with `name`.

    Args:
        name: beginning of the columns' names, which end in `_%`, `_low_%` and `_high_%`.
        count: number of cases that are counted.
        of: number of all cases; if it is 0, all values are NaN.

    """
    shares = 3 * [math.nan]
    if of:
        test = binomtest(count, of)
        ends = test.proportion_ci(method="wilson")
        shares = [test.statistic, ends.low, ends.high]
    return dict(zip(share_columns(name), map(per_cent, shares), strict=True))


def share_columns(name: str) -> list[str]:
    """Return the columns of a share with its interval; see `share`."""
    return [f"{name}{end}_%" for end in ("", "_low", "_high")]
