"""Errors of models relative to a measured goodput, which has a confidence interval.

An error is ln(model / measured), shown in per cent as 100 ln(model / measured). A small error is
almost equal to the usual relative error; a factor of two is +69 or −69. Medians, means and maxima
all use this definition, so they can be compared with each other.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

FACTOR_OF_TWO = math.log(2)
"""Absolute value of an error of a factor of two, ln 2."""

RIGHT = 0.10
"""Largest |ln(model / measured)| at which a prediction counts as right. Chosen by hand."""

BOUNDS = (0.05, RIGHT, 0.25)
"""Bounds of |ln(model / measured)| between the classes of errors that pictures and tables show.
Chosen by hand."""


def log_error(goodput: float | None, measured: float | None) -> float | None:
    """Return ln(model / measured), or None if either has no positive value (None, 0, NaN)."""
    if not goodput or not measured or math.isnan(goodput) or math.isnan(measured):
        return None
    return math.log(goodput / measured)


def per_cent(error: float) -> float:
    """Return 100 times an error or a share, which is the number in per cent, with its sign."""
    return 100 * error


def typical(errors: Iterable[float]) -> float:
    """Return the median of the errors' absolute values; NaN without errors."""
    sizes = np.abs(_array(errors))
    return float(np.median(sizes)) if sizes.size else math.nan


def bias(errors: Iterable[float]) -> float:
    """Return the mean of the errors with their signs; NaN without errors."""
    found = _array(errors)
    return float(found.mean()) if found.size else math.nan


def worst(errors: Iterable[float]) -> float:
    """Return the error with the largest absolute value, with its sign; NaN without errors."""
    return max(errors, key=abs, default=math.nan)


def share_within(errors: Iterable[float], size: float) -> float:
    """Return the share of errors whose absolute value is at most `size`; NaN if there are none."""
    sizes = np.abs(_array(errors))
    return float((sizes <= size).mean()) if sizes.size else math.nan


def order_of_errors(one: float, other: float, half_width: float) -> int:
    """Return which of two models has the smaller error: -1 the first, 1 the second, 0 a tie.

    The true goodput lies within the measurement's interval. Another true goodput would shift both
    errors equally. If the order of the errors depends on the true goodput, the result is a tie.

    Args:
        one: ln(model / measured) of the first model.
        other: ln(model / measured) of the second model.
        half_width: the half-width of the measurement's interval, relative to the measured goodput.

    """
    orders = {
        _sign(abs(one + shift) - abs(other + shift)) for shift in (-half_width, 0.0, half_width)
    }
    return orders.pop() if len(orders) == 1 else 0


def ratio_of(
    our: tuple[float, float, float], their: tuple[float, float, float]
) -> tuple[float, float, float]:
    """Return the ratio of two independent goodputs with the ends of its 95 % interval.

    Args:
        our: the goodput in the numerator, and the lower and upper end of its interval.
        their: the goodput in the denominator, and the lower and upper end of its interval.

    """
    ratio = our[0] / their[0]
    down = math.hypot(_log_ratio(our[0], our[1]), _log_ratio(their[2], their[0]))
    up = math.hypot(_log_ratio(our[2], our[0]), _log_ratio(their[0], their[1]))
    return ratio, ratio * math.exp(-down), ratio * math.exp(up)


def _log_ratio(above: float, below: float) -> float:
    """Return ln(above / below); infinite if `below` is not positive."""
    return math.log(above / below) if below > 0 else math.inf


def _array(errors: Iterable[float]) -> NDArray[np.float64]:
    """Return the errors as an array; a pandas column is converted without a Python loop."""
    return np.asarray(errors if hasattr(errors, "__array__") else list(errors), float)


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)
