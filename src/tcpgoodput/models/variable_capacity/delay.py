"""The buffer's delay D(t) and the round-trip time, from queue and capacity of a run."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def buffer_delay(queue: Array, capacity: Array, step_s: float) -> Array:
    """Return the delay D in the buffer at the end of each step, in seconds.

    D solves Q(t) = ∫ C from t to t + D (2).

    Args:
        queue: Q at the end of each step; shape (n,).
        capacity: packets that the link can carry in each step; shape (m,), with m ≥ n large enough
            to serve the last queue.
        step_s: δ in seconds.

    Returns:
        Shape (n,); NaN where the capacity ends before the queue is served.

    """
    carried = np.concatenate([[0.0], np.cumsum(capacity)])
    edges = step_s * np.arange(carried.size)
    ends = np.arange(1, queue.size + 1)
    leaves = np.interp(carried[ends] + queue, carried, edges, right=np.nan)
    return np.where(queue > 0, leaves - edges[ends], 0.0)


def buffer_delay_by_recursion(
    queue: Array, arrivals: Array, capacity: Array, step_s: float, index_per_second: float
) -> Array:
    """Return the delay D in the buffer by the source's recursion; 0 where the queue is empty.

    The recursion is D(k+1) = D(k) + δ [X(k)/C(k + D(k)) - 1] with the arrivals X(k) per step. D(k)
    is in seconds and k counts steps. `index_per_second` converts D(k) to steps: 1/δ, or 1 as
    printed.
    """
    delay = np.zeros(queue.size)
    for k in range(queue.size - 1):
        leaving = min(k + round(delay[k] * index_per_second), capacity.size - 1)
        if queue[k] > 0:
            delay[k + 1] = delay[k] + step_s * (arrivals[k] / capacity[leaving] - 1)
    return delay
