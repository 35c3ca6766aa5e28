"""First-order autoregression, which drives both of the source's random capacities."""

from __future__ import annotations

import math
from typing import Literal

CORRELATION_AT_COHERENCE = 0.1
"""The source's "conveniently low value" of the autocorrelation at a lag of T_c."""


def correlation_per_step(step_s: float, coherence_s: float) -> float:
    """Return α with α^(T_c/δ) = 0.1: the correlation from one step to the next."""
    return CORRELATION_AT_COHERENCE ** (step_s / coherence_s)


def innovation_gain(alpha: float, variance: Literal["preserved", "literal"]) -> float:
    """Return what multiplies the innovation: 1 - α as printed, √(1 - α²) to keep the variance."""
    return 1 - alpha if variance == "literal" else math.sqrt((1 - alpha) * (1 + alpha))


def innovations_deviation(least: float, most: float) -> float:
    """Return the standard deviation of I(k), which is uniform between two limits."""
    return (most - least) / math.sqrt(12)


def standard_deviation_ratio(alpha: float, variance: Literal["preserved", "literal"]) -> float:
    """Return the process's standard deviation over its innovations': √((1-α)/(1+α)), or 1."""
    return math.sqrt((1 - alpha) / (1 + alpha)) if variance == "literal" else 1.0
