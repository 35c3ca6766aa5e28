"""Confidence intervals by a bootstrap that resamples whole clusters of values; fixed seed.

Values of one cluster, such as the errors of several models on one scenario, are not independent. A
bootstrap sample therefore draws whole clusters, with replacement.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

DRAWS = 2000
SEED = 20261125
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
    found = []
    for weights in _weights(clusters.iloc[order]):
        through = np.cumsum(weights)  # cumulative number of values in the bootstrap sample
        place = share * (through[-1] - 1)  # position of the quantile, as in np.quantile
        before, after = np.searchsorted(through, [math.floor(place), math.ceil(place)], "right")
        part = place - math.floor(place)
        found.append((1 - part) * ordered[before] + part * ordered[after])
    return _ends(found)


def clustered_share(hits: pd.Series, clusters: pd.Series) -> tuple[float, float]:
    """Return the ends of the 95 % confidence interval of the share of true values.

    Returns:
        The ends; NaN with fewer than two clusters.

    """
    true = hits.to_numpy(bool)
    return _ends([w[true].sum() / w.sum() for w in _weights(clusters)])


def _weights(clusters: pd.Series) -> Iterator[NDArray[np.int64]]:
    """Yield, for each bootstrap sample, how often it contains each value.

    Yield nothing if there are fewer than two clusters. The samples depend on the sorted names of
    the clusters, not on the order of the values.
    """
    numbers, names = pd.factorize(clusters, sort=True)
    count = len(names)
    if count > 1:
        generator = np.random.default_rng(SEED)
        for drawn in generator.integers(0, count, (DRAWS, count)):
            yield np.bincount(drawn, minlength=count)[numbers]


def _ends(found: Sequence[float]) -> tuple[float, float]:
    if not found:
        return math.nan, math.nan
    low, high = np.quantile(found, ENDS)
    return float(low), float(high)
