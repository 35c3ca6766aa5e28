"""Errors of models against a measurement that has an interval itself."""

from __future__ import annotations

import math


def log_error(goodput: float | None, measured: float | None) -> float | None:
    """Return ln(model / measured), None where either has no positive value (None, 0, NaN)."""
    if not goodput or not measured or math.isnan(goodput) or math.isnan(measured):
        return None
    return math.log(goodput / measured)


def order_of_errors(one: float, other: float, half_width: float) -> int:
    """Tell which of two models is nearer to the truth: -1 the one, 1 the other, 0 a tie.

    The truth lies somewhere within the measurement's interval, and moves both errors alike. It is
    a tie if their order depends on where.

    Args:
        one: ln(model / measured).
        other: the same of another model.
        half_width: of the measurement's interval, relative to it.

    """
    orders = {
        _sign(abs(one + shift) - abs(other + shift)) for shift in (-half_width, 0.0, half_width)
    }
    return orders.pop() if len(orders) == 1 else 0


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)
