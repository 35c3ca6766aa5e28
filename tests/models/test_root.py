"""The project's root finder (Brent's method) gives the same bits as scipy's."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import brentq

from tcpgoodput.models.reductions.window import root_between

numbers = st.floats(-3, 3)


@given(numbers, numbers, numbers, numbers, st.floats(-5, 5), st.floats(0.01, 6))
def test_the_root_equals_that_of_scipy(
    a: float, b: float, c: float, d: float, low: float, width: float
) -> None:
    shapes: list[Callable[[float], float]] = [
        lambda x: ((a * x + b) * x + c) * x + d,
        lambda x: math.exp(a * x) - b,
        lambda x: math.tanh(a * x) + b * math.sin(c * x) + d,
    ]
    crossing = [f for f in shapes if f(low) * f(low + width) < 0]
    assume(crossing)
    for f in crossing:
        expected, answer = brentq(f, low, low + width, xtol=1e-12, full_output=True, disp=False)
        if answer.converged:
            assert root_between(f, low, low + width, within=1e-12) == expected


def test_a_root_at_an_end_is_found() -> None:
    assert root_between(lambda x: x, 0.0, 1.0, within=1e-12) == 0
    assert root_between(lambda x: x - 1, 0.0, 1.0, within=1e-12) == 1


def test_a_root_that_takes_too_long_is_refused() -> None:
    with pytest.raises(ArithmeticError, match="no root between -1 and 2"):
        root_between(lambda x: x**3, -1.0, 2.0, within=1e-12)
