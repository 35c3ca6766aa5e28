"""The best-fitting distribution is the one from which durations were drawn."""

from __future__ import annotations

import numpy as np
import pytest

from tcpgoodput.engines.path_schedule import durations
from tcpgoodput.scenario.distributions import (
    Constant,
    Distribution,
    Exponential,
    Lomax,
    Pareto,
    Uniform,
)
from tcpgoodput.studies.recordings.facts import distribution_function, fits

LAWS: list[Distribution] = [
    Constant(distribution="constant", mean_s=2),
    Uniform(distribution="uniform", low_s=1, high_s=3),
    Exponential(distribution="exponential", mean_s=0.7),
    Pareto(distribution="pareto", mean_s=1, shape=2.5),
    Lomax(distribution="lomax", mean_s=1, shape=2.2),
]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.distribution)
def test_drawn_durations_are_fitted_by_their_own_law(law: Distribution) -> None:
    drawn = durations(law, np.random.default_rng(2))
    values = np.array([next(drawn) for _ in range(4000)])
    nearest = fits(values)[0]
    assert nearest.law.distribution == law.distribution
    assert nearest.law.mean_s == pytest.approx(values.mean())
    assert nearest.distance < 0.05
    assert sorted(fits(values), key=lambda f: f.distance) == fits(values)
    if isinstance(law, Pareto | Lomax):
        assert nearest.law.shape == pytest.approx(law.shape, rel=0.25)  # type: ignore[union-attr]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.distribution)
def test_a_distribution_function_equals_the_share_of_drawn_values(law: Distribution) -> None:
    drawn = durations(law, np.random.default_rng(4))
    values = np.array([next(drawn) for _ in range(20_000)])
    for at in (0.5, 1.5, 2.0, 2.5):
        up_to, below = (float(side[0]) for side in distribution_function(law, np.array([at])))
        assert up_to == pytest.approx(np.mean(values <= at), abs=0.015)
        assert below == pytest.approx(np.mean(values < at), abs=0.015)


def test_the_distance_equals_kolmogorovs_distance() -> None:
    """The Kolmogorov distance of the values 1, 2, 3, 6 equals a computation by hand.

    It is the distance to the fitted exponential distribution, which has their mean, 3.
    """
    values = np.array([1.0, 2.0, 3.0, 6.0])
    at = 1 - np.exp(-values / 3)
    by_hand = max(abs(at - np.arange(4) / 4).max(), abs(at - np.arange(1, 5) / 4).max())
    exponential = next(f for f in fits(values) if f.law.distribution == "exponential")
    assert exponential.distance == pytest.approx(by_hand)
