"""Brent's method, step by step as in `scipy.optimize.brentq`.

It gives the same bits; `scipy.optimize` itself takes longer to load than all models to answer.
"""

from __future__ import annotations

from collections.abc import Callable

SMALLEST_STEP = 8.881784197001252e-16
"""Relative to x: four times the distance from 1 to the next floating-point number."""

MOST_STEPS = 100


def root_between(f: Callable[[float], float], low: float, high: float, within: float) -> float:
    """Return where f is zero between two points at which its signs differ.

    Args:
        f: a continuous function.
        low: one end.
        high: the other.
        within: how near to the root.

    Raises:
        ArithmeticError: that takes too many steps.

    """
    before, x = low, high
    f_before, f_x = f(before), f(x)
    if f_before == 0:
        return before
    other, f_other = before, f_before  # where the sign is not that of f(x)
    previous_step = step = x - before
    for _ in range(MOST_STEPS):
        if f_before != 0 and f_x != 0 and (f_before < 0) != (f_x < 0):
            other, f_other = before, f_before
            previous_step = step = x - before
        if abs(f_other) < abs(f_x):
            before, x, other = x, other, x
            f_before, f_x, f_other = f_x, f_other, f_x
        delta = (within + SMALLEST_STEP * abs(x)) / 2
        half = (other - x) / 2
        if f_x == 0 or abs(half) < delta:
            return x
        guess = _guess(before, x, other, f_before, f_x, f_other)
        near = 2 * abs(guess) < min(abs(previous_step), 3 * abs(half) - delta)
        if abs(previous_step) > delta and abs(f_x) < abs(f_before) and near:
            previous_step, step = step, guess
        else:
            previous_step = step = half
        before, f_before = x, f_x
        x += step if abs(step) > delta else delta if half > 0 else -delta
        f_x = f(x)
    raise ArithmeticError(f"no root between {low:g} and {high:g} in {MOST_STEPS} steps")


def _guess(
    before: float, x: float, other: float, f_before: float, f_x: float, f_other: float
) -> float:
    """Return the step to the zero of the line, or of the hyperbola, through the last points."""
    if before == other:
        rise = f_x - f_before
        return -f_x * (x - before) / rise if rise else float("inf")
    slope = (f_before - f_x) / (before - x)
    other_slope = (f_other - f_x) / (other - x)
    divisor = other_slope * slope * (f_other - f_before)
    if divisor == 0:
        return float("inf")
    return -f_x * (f_other * other_slope - f_before * slope) / divisor
