"""Repeated hand-offs: the steady window, the periods until a timeout, and finite transfers.

A period is the time from one hand-off to the next. Each period that does not reach the window limit
halves the distance of the window to a fixed point F. If F allows three duplicate ACKs (F ≥ d + 2),
the window converges to F. If not, the window falls to d + 2 in n periods, and the sender times out.
Then one period of slow start leads back to the first window W₀. The duration of the timeout itself
is left out, as in the paper. Symbols are those of `recovery_period`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tcpgoodput.answers import Undefined
from tcpgoodput.models.handoffs.recovery_period import (
    Handoff,
    fixed_point,
    is_recoverable,
    next_window,
    period_packets,
    period_profile,
    recoverable_packets_printed,
    unrecoverable_packets_printed,
)


def timeout_window(handoff: Handoff) -> float:
    """Return d + 2, the largest window with fewer than three duplicate ACKs, and so a timeout."""
    return handoff.hit_packets + 2


def window_after(n: float, first_window: float, handoff: Handoff) -> float:
    """Return the window after n hand-offs, W₀/2ⁿ + F (1 - 2⁻ⁿ), which solves (7) and (15)."""
    return first_window * 2.0**-n + fixed_point(handoff) * (1 - 2.0**-n)


def window_after_printed(n: float, first_window: float, handoff: Handoff) -> float:
    """Return the window after n hand-offs by (8), (16) as printed: 1 - 2^{-(n-1)}, not 1 - 2⁻ⁿ."""
    return first_window * 2.0**-n + fixed_point(handoff) * (1 - 2.0 ** -(n - 1))


def periods_to_timeout(first_window: float, handoff: Handoff) -> int:
    """Return the number n of periods before a timeout; 0 at `first_window` ≤ d + 2.

    It follows from the corrected equations (9) and (17), rounded up: 2/b replaces the printed 4/b,
    and the denominator has d + 2. The fixed point F of the window must be below d + 2.
    """
    F, floor = fixed_point(handoff), timeout_window(handoff)
    if first_window <= floor:
        return 0
    return math.ceil(math.log2((first_window - F) / (floor - F)))


def periods_to_timeout_printed(first_window: float, handoff: Handoff) -> float:
    """Return the number n of periods until a timeout by (17) as printed, which is (9) if r = d.

    The printed form has 4/b in the numerator, and r + 2 in the denominator. It is `Undefined` for n
    ≤ 1, for which equation (16) does not hold.
    """
    F, r = fixed_point(handoff), handoff.recovery_rtts
    above, below = first_window - 2 * F, r + 2 - F
    if below == 0 or above / below <= 0:
        raise Undefined(
            "the printed equation (17) has the logarithm of a number that is not positive"
        )
    n = math.log2(above / below)
    if n <= 1:
        raise Undefined(
            f"the printed (17) gives n = {n:.3g} periods, and (16) is valid only for n > 1"
        )
    return n


def slow_start_threshold(handoff: Handoff) -> float:
    """Return ssthresh after a timeout in packets: d/2, but at least 1."""
    return max(handoff.hit_packets / 2, 1.0)


def window_after_slow_start(handoff: Handoff, limit: float = math.inf) -> float:
    """Return the window at the first hand-off after a timeout, at most `limit`.

    By (12) and (20) it is W₀ = d/2 + (T - log₂(d/2))/b, with 1 in place of a smaller d/2. A slow
    start that the hand-off interrupts reaches 2^T packets.
    """
    T, b = handoff.interval_rtts, handoff.packets_per_ack
    threshold = slow_start_threshold(handoff)
    start = math.log2(threshold)
    reached = threshold + (T - start) / b if start < T else 2.0**T
    return min(limit, reached)


def window_after_slow_start_printed(handoff: Handoff) -> float:
    """Return W₀ by (12) and (20) as printed; for d = 1 slow start has a negative duration."""
    T, d, _, b = handoff
    return d / 2 + (T - math.log2(d / 2)) / b


def window_of_short_flow(handoff: Handoff, limit: float) -> float:
    """Return the window at the first hand-off of a new transfer, min(2^T, W) by equation (21)."""
    return limit if handoff.interval_rtts > 1000 else min(2.0**handoff.interval_rtts, limit)


def slow_start_packets(handoff: Handoff, limit: float = math.inf) -> float:
    """Return the packets sent between a timeout and the next hand-off (Figure 6).

    Slow start from one packet to ssthresh, d/2, carries d/2 - 1 packets. Then the window grows by
    1/b per round trip up to `limit`.
    """
    T, b = handoff.interval_rtts, handoff.packets_per_ack
    threshold = min(slow_start_threshold(handoff), limit)
    start = math.log2(max(threshold, 1.0))
    if start >= T:
        return 2.0**T - 1
    left = T - start
    climb = min(left, b * (limit - threshold))
    return (
        max(0.0, threshold - 1)
        + climb * (threshold + climb / (2 * b))
        + ((left - climb) * limit if left > climb else 0.0)
    )


@dataclass(frozen=True)
class Cycle:
    """Cycle of a long flow: periods with fast recovery, then one of slow start if it times out."""

    windows: tuple[float, ...]
    """Windows W in packets before each hand-off that leads to fast recovery."""
    times_out: bool
    packets: float
    """Number of new packets sent in all periods of the cycle."""

    @property
    def periods(self) -> int:
        """Number of periods, and so of hand-offs, in a cycle."""
        return len(self.windows) + self.times_out


def steady_cycle(handoff: Handoff, limit: float, path_packets: float = math.inf) -> Cycle:
    """Return the periodic behaviour of a long flow.

    Without timeouts the cycle is one period: at the window limit if the window recovers, else at
    F. With timeouts it has periods with fast recovery, and one of slow start (Figure 5).
    """
    settled, floor = fixed_point(handoff), timeout_window(handoff)
    if min(limit, settled) >= floor and limit > floor:
        window = limit if is_recoverable(limit, handoff) else settled
        return Cycle((window,), False, period_packets(window, handoff, limit, path_packets))
    windows = []
    window = window_after_slow_start(handoff, limit)
    while window > floor:
        windows.append(window)
        window = next_window(window, handoff, limit)
    packets = sum(period_packets(w, handoff, limit, path_packets) for w in windows)
    restart = slow_start_packets(handoff, min(limit, path_packets))
    return Cycle(tuple(windows), True, packets + restart)


def packets_per_period(handoff: Handoff, limit: float, path_packets: float = math.inf) -> float:
    """Return the mean number of new packets per hand-off interval of a long flow."""
    cycle = steady_cycle(handoff, limit, path_packets)
    return cycle.packets / cycle.periods


def packets_per_period_printed(handoff: Handoff, limit: float) -> float:
    """Return the mean number of new packets per period by the printed equations.

    They are (13) if the window recovers, else (15) to (20), with n by (17) rounded up.
    """
    if is_recoverable(limit, handoff):
        packets = recoverable_packets_printed(limit, handoff)
    else:
        first = window_after_slow_start_printed(handoff)
        n = math.ceil(periods_to_timeout_printed(first, handoff))
        before = [first, next_window(first, handoff)]
        before += [window_after_printed(i, first, handoff) for i in range(2, n)]
        packets = sum(unrecoverable_packets_printed(w, handoff) for w in before[:n]) / n
    if packets <= 0:
        raise Undefined("the printed equations give a number of packets that is not positive")
    return packets


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
    while window > timeout_window(handoff) and (
        cycle.times_out or abs(window - cycle.windows[0]) > SETTLED * cycle.windows[0]
    ):
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
