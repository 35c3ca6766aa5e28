"""The probability that a loss is detected by a timeout, which several models take from PFTK."""

from __future__ import annotations

import math


def timeout_probability(window_packets: float, p: float) -> float:
    """Return Q(w), the probability that a loss in a window of w packets ends in a timeout.

    min(1, (1-q³)(1 + q³(1-q^{w-3})) / (1-q^w)) with q = 1-p; 3/w as p → 0, 1 for w ≤ 3. Padhye,
    Firoiu, Towsley and Kurose; written with log1p and expm1, so that every p has full precision.
    """
    if window_packets <= 3:
        return 1.0
    log_q = math.log1p(-p)
    within_three = -math.expm1(3 * log_q)
    beyond_three = 1 - math.exp(3 * log_q) * math.expm1((window_packets - 3) * log_q)
    return min(1.0, within_three * beyond_three / -math.expm1(window_packets * log_q))
