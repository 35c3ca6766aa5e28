"""Duration of a finite transfer under hand-offs: slow start, then recovery periods.

A recovery period is the time from one hand-off to the next, in which the sender recovers. By
equation (21), the first one begins from the window W₀ = min(2^T, W), with T round trips between
hand-offs and the window limit W.
"""

from __future__ import annotations

import math

import numpy as np

from tcpgoodput.models.handoffs.recovery_period import (
    Handoff,
    next_window,
    period_packets,
    period_profile,
)
from tcpgoodput.models.handoffs.repeated_handoffs import (
    Cycle,
    slow_start_packets,
    slow_start_threshold,
    steady_cycle,
    timeout_window,
    window_after_slow_start,
    window_of_short_flow,
)

SETTLED = 1e-12
"""Relative distance of the window to its steady value below which the rest of a transfer is
computed as whole cycles of the steady state. Chosen by hand."""


def transfer_rtts(
    packets: float, handoff: Handoff, limit: float, path_packets: float = math.inf
) -> float:
    """Return the round trips that a transfer takes from its first packet; need not be whole.

    The first period is slow start up to the window limit, as the paper suggests. Then recovery
    periods follow as in a long flow, from the window W₀ of equation (21). The path lets
    `path_packets`, C · RTT, through in a round trip, but the window still grows to its limit.
    """
    T, most = handoff.interval_rtts, min(limit, path_packets)
    first = _first_period_packets(T, most)
    if packets <= first:
        return _first_period_rtts(packets, most)
    left, elapsed = packets - first, T

    def rtts_into_period(left: float, window: float) -> float:
        return _time_to_carry(left, *period_profile(window, handoff, limit, path_packets))

    cycle = steady_cycle(handoff, limit, path_packets)
    window = window_of_short_flow(handoff, limit)
    while window > timeout_window(handoff) and not _settled(window, cycle):
        carried = period_packets(window, handoff, limit, path_packets)
        if left <= carried:
            return elapsed + rtts_into_period(left, window)
        left, elapsed = left - carried, elapsed + T
        window = next_window(window, handoff, limit)
    if cycle.times_out:  # the last hand-off led to a timeout, so slow start follows
        carried = slow_start_packets(handoff, most)
        if left <= carried:
            return elapsed + _rtts_into_slow_start(left, handoff, most)
        left, elapsed = left - carried, elapsed + T
    whole = math.floor(left / cycle.packets)
    left, elapsed = left - whole * cycle.packets, elapsed + whole * cycle.periods * T
    for window in cycle.windows:
        carried = period_packets(window, handoff, limit, path_packets)
        if left <= carried:
            return elapsed + rtts_into_period(left, window)
        left, elapsed = left - carried, elapsed + T
    return elapsed + _rtts_into_slow_start(left, handoff, most)


def _settled(window: float, cycle: Cycle) -> bool:
    steady = cycle.windows[0] if cycle.windows else math.inf
    return not cycle.times_out and abs(window - steady) <= SETTLED * steady


def _first_period_packets(T: float, limit: float) -> float:
    start = math.log2(max(limit, 1.0))
    if start >= T:
        return 2.0**T - 1
    return max(limit - 1, 0.0) + (T - start) * limit


def _first_period_rtts(packets: float, limit: float) -> float:
    slow = max(limit - 1, 0.0)
    if packets <= slow:
        return math.log2(1 + packets)
    return math.log2(max(limit, 1.0)) + (packets - slow) / limit


def _rtts_into_slow_start(packets: float, handoff: Handoff, limit: float) -> float:
    threshold = min(slow_start_threshold(handoff), limit)
    slow = max(threshold - 1, 0.0)
    if packets <= slow:
        return math.log2(1 + packets)
    start = math.log2(max(threshold, 1.0))
    reached = window_after_slow_start(handoff, limit)
    climb = handoff.packets_per_ack * (reached - threshold)
    times = np.array([0.0, climb, max(climb, handoff.interval_rtts - start)])
    return start + _time_to_carry(packets - slow, times, np.array([threshold, reached, reached]))


def _time_to_carry(packets: float, times: np.ndarray, rates: np.ndarray) -> float:
    """Return the time at which the area under a piecewise linear rate reaches `packets`.

    If the whole area is smaller, the result is the last time.
    """
    for start, stop, low, high in zip(times, times[1:], rates, rates[1:], strict=False):
        carried = (low + high) / 2 * (stop - start)
        if packets <= carried and stop > start:
            slope = (high - low) / (stop - start)
            root = math.sqrt(max(0.0, low**2 + 2 * slope * packets))
            return float(start + (2 * packets / (low + root) if packets > 0 else 0.0))
        packets -= carried
    return float(times[-1])
