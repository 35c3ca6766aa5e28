"""Time as whole ticks of 2^-38 s (3.6 ps): sums and differences are exact, whatever their order."""

from __future__ import annotations

import math

TICKS_PER_S = float(2**38)

NEVER = 2**62
"""A time that does not come; the clock reaches it after half a year."""

LONGEST_S = 2.0**23
"""What a simulation may last, 97 days: far enough from NEVER that no sum passes it."""


def ticks(seconds: float) -> int:
    """Return a duration in ticks, to the nearest."""
    return NEVER if seconds > LONGEST_S else math.floor(seconds * TICKS_PER_S + 0.5)


def seconds(ticks: int) -> float:
    """Return a number of ticks in seconds."""
    return ticks / TICKS_PER_S
