"""Hand-off after hand-off: where the window settles, and when it ends in a timeout.

Periods that do not regain the window limit halve the distance to a fixed point F. If F leaves three
duplicate ACKs (F ≥ d + 2) the window settles there. If not, it decays to d + 2 in n periods, the
sender times out, and one period of slow start leads back to the first window. The time that the
timeout itself takes is left out, as in the source.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from tcpgoodput.answers import Undefined
from tcpgoodput.models.handoffs.recovery_period import (
    Handoff,
    fixed_point,
    is_recoverable,
    next_window,
    period_packets,
    recoverable_packets_printed,
    unrecoverable_packets_printed,
)


def timeout_window(handoff: Handoff) -> float:
    """Return d + 2: with so few packets in flight three duplicate ACKs do not come back."""
    return handoff.hit_packets + 2


def window_after(n: float, first_window: float, handoff: Handoff) -> float:
    """Return W_n, the solution of (7) and (15): W₀/2ⁿ + F (1 - 2⁻ⁿ)."""
    return first_window * 2.0**-n + fixed_point(handoff) * (1 - 2.0**-n)


def window_after_printed(n: float, first_window: float, handoff: Handoff) -> float:
    """Return W_n as (8) and (16) have it, with 1 - 2^{-(n-1)}."""
    return first_window * 2.0**-n + fixed_point(handoff) * (1 - 2.0 ** -(n - 1))


def periods_to_timeout(first_window: float, handoff: Handoff) -> int:
    """Return the whole periods until W_n ≤ d + 2; for F < d + 2.

    (9) and (17) with 2/b for 4/b, d + 2 in both, rounded up.
    """
    F, floor = fixed_point(handoff), timeout_window(handoff)
    if first_window <= floor:
        return 0
    return math.ceil(math.log2((first_window - F) / (floor - F)))


def periods_to_timeout_printed(first_window: float, handoff: Handoff) -> float:
    """Return n̂ of (17), with 4/b above and r + 2 below; for r = d it is (9).

    Raises:
        Undefined: the logarithm has no value, or n ≤ 1, where (16) does not hold.

    """
    F, r = fixed_point(handoff), handoff.recovery_rtts
    above, below = first_window - 2 * F, r + 2 - F
    if below == 0 or above / below <= 0:
        raise Undefined("(17) takes the logarithm of a number that is not positive")
    n = math.log2(above / below)
    if n <= 1:
        raise Undefined(f"(17) gives n = {n:.3g} periods, and (16) holds for n > 1 only")
    return n


def slow_start_threshold(handoff: Handoff) -> float:
    """Return ssthresh after the timeout, d/2 as the source has it, and at least one packet."""
    return max(handoff.hit_packets / 2, 1.0)


def window_after_slow_start(handoff: Handoff, limit: float = math.inf) -> float:
    """Return W₀ for a long flow: d/2 + (T - log₂(d/2))/b, (12) and (20), within its range.

    d/2 is at least one packet; a slow start that the next hand-off interrupts reaches 2^T.
    """
    T, b = handoff.interval_rtts, handoff.packets_per_ack
    threshold = slow_start_threshold(handoff)
    start = math.log2(threshold)
    reached = threshold + (T - start) / b if start < T else 2.0**T
    return min(limit, reached)


def window_after_slow_start_printed(handoff: Handoff) -> float:
    """Return W₀ as (12) and (20) have it: for d = 1 slow start takes a negative time."""
    T, d, _, b = handoff
    return d / 2 + (T - math.log2(d / 2)) / b


def window_of_short_flow(handoff: Handoff, limit: float) -> float:
    """Return W₀ at the first hand-off of a transfer: min(2^T, W) (21)."""
    return limit if handoff.interval_rtts > 1000 else min(2.0**handoff.interval_rtts, limit)


def slow_start_packets(handoff: Handoff, limit: float = math.inf) -> float:
    """Return the packets of the period after a timeout (Figure 6).

    Slow start from one packet to d/2 carries d/2 - 1 packets; then the window grows by 1/b per
    round trip up to `limit`.
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
    """What repeats for ever: recovery periods, and a slow start if they end in a timeout."""

    windows: tuple[float, ...]
    """W before each hand-off that fast recovery answers, packets."""
    times_out: bool
    packets: float
    """New packets of all its periods."""

    @property
    def periods(self) -> int:
        """Hand-offs per cycle."""
        return len(self.windows) + self.times_out


def steady_cycle(handoff: Handoff, limit: float) -> Cycle:
    """Return what a long flow settles into.

    One period at the limit (recoverable) or at F; or the unrecoverable recovery period from W₀
    down to d + 2 and the period of slow start (Figure 5).
    """
    settled, floor = fixed_point(handoff), timeout_window(handoff)
    if min(limit, settled) >= floor and limit > floor:
        window = limit if is_recoverable(limit, handoff) else settled
        return Cycle((window,), False, period_packets(window, handoff, limit))
    windows = []
    window = window_after_slow_start(handoff, limit)
    while window > floor:
        windows.append(window)
        window = next_window(window, handoff, limit)
    packets = sum(period_packets(w, handoff, limit) for w in windows)
    return Cycle(tuple(windows), True, packets + slow_start_packets(handoff, limit))


def packets_per_period(handoff: Handoff, limit: float) -> float:
    """Return the mean new packets per hand-off interval in the long run."""
    cycle = steady_cycle(handoff, limit)
    return cycle.packets / cycle.periods


def packets_per_period_printed(handoff: Handoff, limit: float) -> float:
    """Return what (13), or (15) to (20), have as printed; n̂ is rounded up.

    Raises:
        Undefined: (17) has no value, or the packets counted are not positive.

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
        raise Undefined("the equations as printed count no packets here, or negative ones")
    return packets
