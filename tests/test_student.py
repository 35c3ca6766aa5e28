"""Student's quantile, against scipy's and against its limit."""

from __future__ import annotations

from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtrit

from tcpgoodput.statistics import student_quantile


@given(st.integers(1, 3000))
def test_quantile_is_scipys(degrees: int) -> None:
    assert student_quantile(degrees) == pytest.approx(stdtrit(degrees, 0.975), rel=1e-11)


def test_quantile_tends_to_the_normal_one() -> None:
    assert student_quantile(200_000) == pytest.approx(NormalDist().inv_cdf(0.975), rel=1e-5)
