"""Confidence intervals by a bootstrap that resamples whole clusters of values; fixed seed.

Values of one cluster, such as the errors of several models on one scenario, are not independent. A
bootstrap sample therefore draws whole clusters, with replacement.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from numpy.typing import NDArray

SEED = 20261125

FEWEST_DRAWS, MOST_DRAWS = 2_000, 50_000
"""Smallest and largest number of bootstrap samples. With few clusters a percentile jumps between
few values, so that 2000 samples do not settle its second digit."""

NUMBERS = 2**22
"""Approximate number of drawn values in all bootstrap samples together. It decides the number of
samples within their limits. Chosen by hand."""

ENDS = (0.025, 0.975)
"""Shares of the bootstrap samples below the ends of a 95 % interval."""


def clustered_quantile(
    values: pd.Series, clusters: pd.Series, share: float = 0.5
) -> tuple[float, float]:
    """Return the ends of the 95 % confidence interval of a quantile of clustered values.

    Args:
        values: the observed values.
        clusters: the cluster of each value.
        share: level of the quantile, from 0 to 1; 0.5 for the median.

    Returns:
        The ends; NaN with fewer than two clusters.

    """
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

    If all values are true, or all are false, all bootstrap samples are alike. The ends are then
    those of Clopper and Pearson with one trial for each cluster.

    Args:
        hits: the observed values, true or false.
        clusters: the cluster of each value.

    Returns:
        The ends, from 0 to 1; NaN with fewer than two clusters.

    """
    weights = _weights(clusters)
    if weights is None:
        return math.nan, math.nan
    if hits.nunique() == 1:
        from scipy.stats import binomtest

        count = clusters.nunique()
        exact = binomtest(count if hits.iloc[0] else 0, count).proportion_ci(method="exact")
        return exact.low, exact.high
    return _ends(weights[:, hits.to_numpy(bool)].sum(axis=1) / weights.sum(axis=1))


def draws(values: int) -> int:
    """Return how many bootstrap samples to draw from the given number of observed values."""
    return min(max(NUMBERS // values, FEWEST_DRAWS), MOST_DRAWS)


def _weights(clusters: pd.Series) -> NDArray[np.int64] | None:
    """Return how often each bootstrap sample contains each value, shape (samples, values).

    Return None if there are fewer than two clusters. The samples depend on the sorted names of the
    clusters, not on the order of the values.
    """
    numbers, names = pd.factorize(clusters, sort=True)
    count = len(names)
    if count < 2:
        return None
    generator, even = np.random.default_rng(SEED), np.full(count, 1 / count)
    return generator.multinomial(count, even, draws(len(clusters)))[:, numbers]


def _ends(found: NDArray[np.float64]) -> tuple[float, float]:
    low, high = np.quantile(found, ENDS)
    return float(low), float(high)
