"""The law of the vocabulary that is nearest to some measured durations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tcpgoodput.scenario.distributions import (
    Constant,
    Distribution,
    Exponential,
    Lomax,
    Pareto,
    Uniform,
)
from tcpgoodput.studies.recordings.recording import Array

FEWEST = 8
"""Durations that tell one law from another."""

SHAPES = [float(shape) for shape in np.geomspace(1.05, 100, 400)]
"""Tail exponents that are tried."""

WIDTHS = [float(width) for width in np.linspace(0.01, 1, 100)]
"""Half-widths of uniform laws that are tried, in means."""


@dataclass(frozen=True)
class Fit:
    """A law and how far it is from what was measured."""

    law: Distribution
    distance: float
    """Kolmogorov's: the largest difference between the two distribution functions."""


def fits(durations_s: Array) -> list[Fit]:
    """Return a law of each kind, the nearest first.

    Every law has the measured mean, on which goodput hangs first; its other number, a uniform's
    width or a tail's exponent, is the one with the least distance. The law whose mean a Markov
    chain chooses is left out: the order of the durations would have to be fitted too.
    """
    values = np.sort(durations_s)
    found = [Fit(law, _distance(values, law)) for law in _laws(values)]
    return sorted(found, key=lambda fit: fit.distance)


def _laws(values: Array) -> Iterator[Distribution]:
    mean_s = float(values.mean())
    yield Constant(distribution="constant", mean_s=mean_s)
    yield Exponential(distribution="exponential", mean_s=mean_s)
    families: list[list[Distribution]] = [
        [
            Uniform(distribution="uniform", low_s=(1 - w) * mean_s, high_s=(1 + w) * mean_s)
            for w in WIDTHS
        ],
        [Pareto(distribution="pareto", mean_s=mean_s, shape=a) for a in SHAPES],
        [Lomax(distribution="lomax", mean_s=mean_s, shape=a) for a in SHAPES],
    ]
    for family in families:
        yield min(family, key=lambda law: _distance(values, law))


def _distance(values: Array, law: Distribution) -> float:
    """Return Kolmogorov's distance between sorted values and a law."""
    count = values.size
    reached = np.arange(count + 1) / count
    at, before = distribution_function(law, values)
    return float(max((reached[1:] - at).max(), (before - reached[:-1]).max()))


def distribution_function(law: Distribution, values: Array) -> tuple[Array, Array]:
    """Return P(T ≤ t) and P(T < t), which differ only where the law has an atom."""
    match law:
        case Constant():
            return (values >= law.mean_s).astype(float), (values > law.mean_s).astype(float)
        case Uniform():
            found = np.clip((values - law.low_s) / (law.high_s - law.low_s), 0, 1)
        case Exponential():
            found = -np.expm1(-values / law.mean_s)
        case Pareto():
            found = 1 - np.maximum(values / law.scale_s, 1.0) ** -law.shape
        case Lomax():
            found = 1 - (1 + values / law.spread_s) ** -law.shape
        case _:
            raise TypeError(f"a {law.distribution} law is not fitted")
    return found, found
