"""Bootstrap intervals of a median that resample whole clusters, with a fixed seed."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

DRAWS = 2000
SEED = 20261125


def clustered_median(values: pd.Series, clusters: pd.Series) -> tuple[float, float]:
    """Return the ends of the 95 % interval of a median.

    Values of one cluster, such as the predictions of several models for one scenario, are not
    independent. So clusters are drawn with replacement, each with all of its values.

    Args:
        values: the values whose median is estimated.
        clusters: the cluster of each value.

    """
    groups = [own.to_numpy(float) for _, own in values.groupby(clusters.to_numpy())]
    if len(groups) < 2:
        return math.nan, math.nan
    generator = np.random.default_rng(SEED)
    drawn = generator.integers(0, len(groups), (DRAWS, len(groups)))
    medians = [float(np.median(np.concatenate([groups[i] for i in row]))) for row in drawn]
    low, high = np.quantile(medians, [0.025, 0.975])
    return float(low), float(high)
