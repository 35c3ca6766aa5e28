"""Mean excess E(T − d)⁺ = E(max(T − d, 0)) and other means of distributions of durations.

In the study the packets sent in an interval T are always a sum of ramps (T − d)⁺ with delays d. So
the models need only the mean excess E(T − d)⁺ of the intervals between spikes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tcpgoodput.scenario.distributions import (
    Constant,
    Distribution,
    Exponential,
    Lomax,
    MarkovExponential,
    Pareto,
    Uniform,
)
from tcpgoodput.scenario.types import unsupported

Floats = NDArray[np.float64]

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(32)
_NEGLIGIBLE_EXPONENT = 44.0
"""Upper limit of integrals of e⁻ᵛ f(v) over v with a decreasing f. The integral over larger v is
negligible, because e⁻⁴⁴ is smaller than the relative rounding error of a floating-point number."""


def integral(function: Callable[[Floats], Floats], edges: Floats) -> Floats:
    """Integrate a function that is smooth between the edges (Gauss-Legendre, 32 nodes each).

    The function is applied elementwise to arrays of the shape (..., n − 1, 32), between ascending
    edges of the shape (..., n); the integrals have the shape (...).
    """
    width = np.diff(edges)[..., None]
    x = edges[..., :-1, None] + width * (1 + _NODES) / 2
    return np.sum(function(x) * width * _WEIGHTS / 2, axis=(-2, -1))


def edges_between(start: float, stop: float, inner: Floats) -> Floats:
    """Return start, inner points and stop, sorted along the last axis; outer points are clipped."""
    ends = np.broadcast_to([start, stop], (*inner.shape[:-1], 2))
    return np.sort(np.concatenate([ends, np.clip(inner, start, stop)], axis=-1))


def mean_excess(law: Distribution, delay_s: ArrayLike) -> Floats:
    """Return E(T − d)⁺ in seconds for delays d ≥ 0, elementwise; T has the distribution `law`.

    For Markov-modulated T it is the mean over the stationary probabilities of the states.
    """
    d = np.asarray(delay_s, dtype=float)
    match law:
        case Uniform(low_s=low, high_s=high) if high > low:
            inside = np.clip(high - d, 0, high - low)
            return np.maximum(low - d, 0) + inside * (inside / (high - low)) / 2
        case Constant() | Uniform():
            return np.maximum(law.mean_s - d, 0)
        case Exponential(mean_s=mean):
            return mean * np.exp(-d / mean)
        case Pareto(mean_s=mean, shape=shape, scale_s=scale):
            tail = mean / shape * (scale / np.maximum(d, scale)) ** (shape - 1)
            return np.maximum(scale - d, 0) + tail
        case Lomax(mean_s=mean, shape=shape, spread_s=spread):
            tail = mean * np.exp((1 - shape) * np.log1p(np.maximum(d, 0) / spread))
            return np.maximum(-d, 0) + tail
        case MarkovExponential():
            return sum(share * mean_excess(part, d) for share, part in states(law))
    raise unsupported("models/delay_spikes/laws.py", "mean_excess", law)


def states(law: MarkovExponential) -> list[tuple[float, Exponential]]:
    """Return each state's stationary probability, if above 0, and its distribution of intervals."""
    return [
        (share, Exponential(distribution="exponential", mean_s=mean))
        for share, mean in ((law.pi0, law.mean0_s), (1 - law.pi0, law.mean1_s))
        if share > 0
    ]


def scales(law: Distribution, stop: float) -> Floats:
    """Return durations up to about `stop`; between neighbours a law's mean excess is smooth.

    They are limits for numerical integration, and not always sorted.
    """
    match law:
        case Constant():
            return np.array([law.mean_s])
        case Uniform(low_s=low, high_s=high):
            return np.array([low, high])
        case Exponential(mean_s=mean):
            return mean * 4.0 ** np.arange(4)
        case Pareto(shape=shape, scale_s=scale) | Lomax(shape=shape, spread_s=scale):
            # Above the smallest duration (Pareto: `scale`, Lomax: 0) the density falls by a factor
            # e in about scale / shape.
            step = scale / shape
            count = max(0, int(np.ceil(np.log(max(stop / step, 1)) / np.log(4))))
            steps = step * 4.0 ** np.arange(count + 1)
            return np.concatenate([[scale], scale + steps]) if isinstance(law, Pareto) else steps
        case MarkovExponential():
            return np.concatenate([scales(part, stop) for _, part in states(law)])
    raise unsupported("models/delay_spikes/laws.py", "scales", law)


def mean_over(law: Distribution, function: Callable[[Floats], Floats], inner: Floats) -> float:
    """Return the mean of a function of a random duration.

    The elementwise function is neither increasing nor negative, and smooth between neighbours of
    `inner`, which need not be sorted.
    """
    match law:
        case Uniform(low_s=low, high_s=high) if high > low:
            edges = np.unique(edges_between(low, high, inner))
            return float(integral(function, edges) / (high - low))
        case Constant() | Uniform():
            return float(function(np.array(law.mean_s)))
        case Exponential(mean_s=mean):
            return _mean_by_exponent(lambda v: function(mean * v), inner / mean)
        case Pareto(shape=shape, scale_s=scale):
            above = inner[inner > scale]
            return _mean_by_exponent(
                lambda v: function(scale * np.exp(v / shape)), shape * np.log(above / scale)
            )
        case Lomax(shape=shape, spread_s=spread):
            return _mean_by_exponent(
                lambda v: function(spread * np.expm1(v / shape)),
                shape * np.log1p(np.maximum(inner, 0) / spread),
            )
        case MarkovExponential():
            return sum(share * mean_over(part, function, inner) for share, part in states(law))
    raise unsupported("models/delay_spikes/laws.py", "mean_over", law)


def _mean_by_exponent(function: Callable[[Floats], Floats], inner: Floats) -> float:
    """Return ∫ e⁻ᵛ f(v) dv, the mean of f(v) over an exponential distribution with mean 1."""
    steps = np.arange(0, _NEGLIGIBLE_EXPONENT, 2)
    edges = np.unique(edges_between(0, _NEGLIGIBLE_EXPONENT, np.concatenate([steps, inner])))
    return float(integral(lambda v: np.exp(-v) * function(v), edges))
