"""Confidence intervals of quantiles and shares of values that may depend on each other in clusters.

Values of one cluster, such as the errors of several models on one scenario, are not independent. A
bootstrap with a fixed seed therefore draws whole clusters, with replacement. If each cluster has a
single value, the values are independent. The intervals are then order statistics, or those of
Wilson, which hold also for few values; a bootstrap of few values has too narrow intervals.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tcpgoodput.statistics import quantile_interval

SEED = 20261125

FEWEST_DRAWS, MOST_DRAWS = 2_000, 50_000
"""Smallest and largest number of bootstrap samples. With few clusters a percentile jumps between
few values, so that 2000 samples do not settle its second digit."""

NUMBERS = 2**22
"""Approximate number of drawn values in all bootstrap samples together. It decides the number of
samples within their limits. Chosen by hand."""

ENDS = (0.025, 0.975)
"""Shares of the bootstrap samples below the ends of a 95 % interval."""


FEWEST_CLUSTERS = 6
"""Smallest number of clusters with which the bootstrap gives an interval. For the median of eight
clusters, an interval contains the true median in about nine of ten cases; for four, in eight."""


def clustered_quantile(
    values: pd.Series, clusters: pd.Series, share: float = 0.5
) -> tuple[float, float]:
    """Return the ends of the 95 % confidence interval of a quantile of clustered values.

    Args:
        values: the observed values.
        clusters: the cluster of each value.
        share: level of the quantile, from 0 to 1; 0.5 for the median.

    Returns:
        The ends. NaN if there are too few values (see `statistics.quantile_interval`), or fewer
        clusters than `FEWEST_CLUSTERS`.

    """
    if clusters.is_unique:
        low, high = quantile_interval(values.to_list(), share)
        return (low, high) if math.isfinite(low) else (math.nan, math.nan)
    order = np.argsort(values.to_numpy(float), kind="stable")
    ordered = values.to_numpy(float)[order]
    weights = _weights(clusters.iloc[order])
    if weights is None:
        return math.nan, math.nan
    through = np.cumsum(weights, axis=1)  # cumulative number of sampled values
    place = share * (through[:, -1] - 1)  # interpolate linearly, as np.quantile does
    low, high = np.floor(place), np.ceil(place)
    before, after = (ordered[np.argmax(through > at[:, None], axis=1)] for at in (low, high))
    return _ends(before + (place - low) * (after - before))


def clustered_share(hits: pd.Series, clusters: pd.Series) -> tuple[float, float]:
    """Return the ends of the 95 % confidence interval of the share of true values.

    If each cluster has one value, the ends are those of Wilson. If all values are true, or all are
    false, all bootstrap samples are alike. The ends are then those of Clopper and Pearson with one
    trial for each cluster.

    Args:
        hits: the observed values, true or false.
        clusters: the cluster of each value.

    Returns:
        The ends, from 0 to 1. NaN without values, or with several values in a cluster and fewer
        clusters than `FEWEST_CLUSTERS`.

    """
    from scipy.stats import binomtest

    if hits.empty:
        return math.nan, math.nan
    if clusters.is_unique:
        wilson = binomtest(int(hits.sum()), len(hits)).proportion_ci(method="wilson")
        return wilson.low, wilson.high
    weights = _weights(clusters)
    if weights is None:
        return math.nan, math.nan
    if hits.nunique() == 1:
        count = clusters.nunique()
        exact = binomtest(count if hits.iloc[0] else 0, count).proportion_ci(method="exact")
        return exact.low, exact.high
    return _ends(weights[:, hits.to_numpy(bool)].sum(axis=1) / weights.sum(axis=1))


def draws(values: int) -> int:
    """Return how many bootstrap samples to draw from the given number of observed values."""
    return min(max(NUMBERS // values, FEWEST_DRAWS), MOST_DRAWS)


def _weights(clusters: pd.Series) -> NDArray[np.int64] | None:
    """Return how often each bootstrap sample contains each value, shape (samples, values).

    Return None if there are fewer clusters than `FEWEST_CLUSTERS`. The samples depend on the sorted
    names of the clusters, not on the order of the values.
    """
    numbers, names = pd.factorize(clusters, sort=True)
    count = len(names)
    if count < FEWEST_CLUSTERS:
        return None
    generator, even = np.random.default_rng(SEED), np.full(count, 1 / count)
    return generator.multinomial(count, even, draws(len(clusters)))[:, numbers]


def _ends(found: NDArray[np.float64]) -> tuple[float, float]:
    low, high = np.quantile(found, ENDS)
    return float(low), float(high)
