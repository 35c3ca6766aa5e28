"""Confidence intervals: Student's quantile equals mpmath's, and control variates work."""

from __future__ import annotations

from statistics import NormalDist

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtrit
from scipy.stats import binom, linregress

from tcpgoodput.statistics import FEWEST_DEGREES, Interval, quantile_interval, student_quantile


@given(st.integers(1, 3000) | st.integers(1, 10**9))
def test_student_quantile_leaves_five_per_cent_outside(degrees: int) -> None:
    """The probability P(|T| > t) beyond Student's quantile t is 5 % for any degrees of freedom ν.

    It is the regularized incomplete beta function I_x(ν/2, 1/2) at x = ν/(ν + t²).
    """
    with mpmath.workdps(30):
        half, t = mpmath.mpf(degrees) / 2, mpmath.mpf(student_quantile(degrees))
        x = degrees / (degrees + t**2)
        # For many degrees of freedom x is near 1, where only the complementary integral converges.
        outside = 1 - mpmath.betainc(0.5, half, 0, 1 - x, regularized=True)
    assert float(outside) == pytest.approx(0.05, rel=1e-13)


def test_student_quantile_tends_to_the_normal_quantile() -> None:
    assert student_quantile(10**12) == pytest.approx(NormalDist().inv_cdf(0.975), rel=1e-11)


def test_a_controlled_mean_equals_the_regression_at_zero() -> None:
    stream = np.random.default_rng(1)
    controls = stream.normal(size=20)
    values = 5 + 2 * controls + stream.normal(size=20)
    line = linregress(controls, values)
    interval = Interval.controlled(values.tolist(), [controls.tolist()])
    assert interval.mean == pytest.approx(line.intercept)
    assert interval.half_width == pytest.approx(stdtrit(18, 0.975) * line.intercept_stderr)


@pytest.mark.parametrize("count", [1, 2, 4])
def test_controlled_intervals_have_95_per_cent_coverage(count: int) -> None:
    stream = np.random.default_rng(2)
    held, narrower = 0, 0
    for _ in range(2000):
        controls = stream.exponential(size=(count, 20)) - 1
        values = (3 - 2 * controls.sum(axis=0) + stream.normal(size=20)).tolist()
        interval = Interval.controlled(values, controls.tolist())
        held += abs(interval.mean - 3) <= interval.half_width
        narrower += interval.half_width < Interval.of(values).half_width
    assert 0.935 < held / 2000 < 0.965  # 95 % ± three standard errors of the share
    assert narrower > 1900


def test_a_control_without_influence_costs_little() -> None:
    """A control variate without correlation to the values costs a degree of freedom.

    With 20 replications, the interval is about 3 % wider.
    """
    stream = np.random.default_rng(3)
    ratios = []
    for _ in range(500):
        values, control = stream.normal(size=(2, 20)).tolist()
        widths = [Interval.controlled(values, c).half_width for c in ([control], [])]
        ratios.append(widths[0] / widths[1])
    assert 1 < np.mean(ratios) < 1.06


def test_the_unit_of_a_control_does_not_matter() -> None:
    stream = np.random.default_rng(4)
    values, control, other = stream.normal(size=(3, 20)).tolist()
    one = Interval.controlled(values, [control, other])
    scaled = Interval.controlled(values, [[1e9 * x for x in control], [1e-9 * x for x in other]])
    assert scaled.mean == pytest.approx(one.mean)
    assert scaled.half_width == pytest.approx(one.half_width)


LEAST = FEWEST_DEGREES + 2


@pytest.mark.parametrize(
    ("values", "controls"),
    [
        (list(range(20)), []),
        (list(range(LEAST - 1)), [[1.0, *[2.0] * (LEAST - 2)]]),
        (list(range(20)), [[1.0, 2.0] * 10, [3.0, 6.0] * 10]),
    ],
    ids=["no control", "too few replications", "two controls are one"],
)
def test_useless_controls_change_nothing(values: list[float], controls: list[list[float]]) -> None:
    assert Interval.controlled(values, controls) == Interval.of(values)


def test_a_ratio_counts_long_replications_more() -> None:
    interval = Interval.of_ratio([10.0, 90.0], [1.0, 3.0])
    assert interval.mean == 25.0  # total 100 in total time 4; the mean of both rates is 20


def test_intervals_of_ratios_have_95_per_cent_coverage() -> None:
    stream, held = np.random.default_rng(5), 0
    for _ in range(2000):
        durations = stream.uniform(1, 3, size=20)
        amounts = 7 * durations + stream.normal(size=20)
        interval = Interval.of_ratio(amounts.tolist(), durations.tolist())
        held += abs(interval.mean - 7) <= interval.half_width
    assert 0.93 < held / 2000 < 0.965


def test_the_ratio_of_equal_durations_is_the_mean_rate() -> None:
    amounts = [3.0, 5.0, 4.0, 8.0]
    ratio, plain = Interval.of_ratio(amounts, [2.0] * 4), Interval.of([n / 2 for n in amounts])
    assert ratio.mean == pytest.approx(plain.mean)
    assert ratio.half_width == pytest.approx(plain.half_width)


@pytest.mark.parametrize(
    ("count", "share", "ends"),
    [
        (5, 0.5, None),
        (6, 0.5, (1, 6)),
        (20, 0.5, (6, 15)),
        (35, 0.9, None),
        (36, 0.9, (29, 36)),
        (60, 0.9, (49, 59)),
    ],
)
def test_a_quantile_s_interval_is_of_order_statistics(
    count: int, share: float, ends: tuple[int, int] | None
) -> None:
    found = quantile_interval(range(count, 0, -1), share)
    assert found == (ends or (-np.inf, np.inf))
    if ends:
        # Fewer than `ends[0]` or at least `ends[1]` values are below the quantile.
        missed = binom.cdf(ends[0] - 1, count, share), binom.sf(ends[1] - 1, count, share)
        assert max(missed) <= 0.025
        nearer = binom.cdf(ends[0], count, share), binom.sf(ends[1] - 2, count, share)
        assert min(nearer) > 0.025
