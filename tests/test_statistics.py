"""Confidence intervals: Student's quantile, compared with mpmath, and control variates."""

from __future__ import annotations

from statistics import NormalDist

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtrit
from scipy.stats import linregress

from tcpgoodput.statistics import FEWEST_CONTROLLED, Interval, student_quantile


@given(st.integers(1, 3000) | st.integers(1, 10**9))
def test_student_quantile_leaves_five_per_cent_outside(degrees: int) -> None:
    """P(|T| > t) is the regularized incomplete beta function I_x(ν/2, 1/2) at x = ν/(ν + t²)."""
    with mpmath.workdps(30):
        half, t = mpmath.mpf(degrees) / 2, mpmath.mpf(student_quantile(degrees))
        x = degrees / (degrees + t**2)
        # For large ν x is near 1, where only the complementary integral converges.
        outside = 1 - mpmath.betainc(0.5, half, 0, 1 - x, regularized=True)
    assert float(outside) == pytest.approx(0.05, rel=1e-13)


def test_student_quantile_tends_to_the_normal_quantile() -> None:
    assert student_quantile(10**12) == pytest.approx(NormalDist().inv_cdf(0.975), rel=1e-11)


def test_a_controlled_mean_equals_the_regression_at_zero() -> None:
    stream = np.random.default_rng(1)
    controls = stream.normal(size=20)
    values = 5 + 2 * controls + stream.normal(size=20)
    line = linregress(controls, values)
    interval = Interval.controlled(values.tolist(), controls.tolist())
    assert interval.mean == pytest.approx(line.intercept)
    assert interval.half_width == pytest.approx(stdtrit(18, 0.975) * line.intercept_stderr)


def test_controlled_intervals_have_95_per_cent_coverage() -> None:
    stream = np.random.default_rng(2)
    held, narrower = 0, 0
    for _ in range(2000):
        controls = stream.exponential(size=20) - 1
        values = (3 - 2 * controls + stream.normal(size=20)).tolist()
        interval = Interval.controlled(values, controls.tolist())
        held += abs(interval.mean - 3) <= interval.half_width
        narrower += interval.half_width < Interval.of(values).half_width
    assert 0.935 < held / 2000 < 0.965  # 95 % ± three standard errors
    assert narrower > 1900


@pytest.mark.parametrize(
    ("values", "controls"),
    [([1.0, 2.0, 4.0] * 5, [0.0] * 15), (list(range(FEWEST_CONTROLLED - 1)), [1.0, 2.0, 3.0] * 3)],
    ids=["nothing observed", "too few"],
)
def test_a_constant_control_changes_nothing(values: list[float], controls: list[float]) -> None:
    assert Interval.controlled(values, controls) == Interval.of(values)
