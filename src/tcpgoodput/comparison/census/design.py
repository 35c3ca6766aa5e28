"""The design of a census: where in the unit cube its points lie."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.comparison.census.schema import Census

SOBOL_BITS = 30
"""Of a coordinate: the sequence ends after 2^30 points."""


def coordinates(census: Census, dimensions: int, first: int, count: int) -> NDArray[np.float64]:
    """Return some points of the design, a row for each.

    Those of a Sobol sequence are the same however many points follow them; a Latin hypercube is
    another one for every number of points.

    Args:
        census: whose design.
        dimensions: of the cube.
        first: the number of the first point.
        count: how many.

    """
    from scipy.stats import qmc

    if census.design == "sobol":
        sequence = qmc.Sobol(dimensions, scramble=True, bits=SOBOL_BITS, rng=census.seed)
        if first:
            sequence.fast_forward(first)
        return _drawn(sequence, count)
    hypercube = qmc.LatinHypercube(dimensions, rng=census.seed)
    return hypercube.random(census.points)[first : first + count]


def _drawn(sequence: object, count: int) -> NDArray[np.float64]:
    import warnings

    with warnings.catch_warnings():  # that a part of the sequence is no balanced one by itself
        warnings.simplefilter("ignore", UserWarning)
        return np.asarray(sequence.random(count))  # type: ignore[attr-defined]
