"""The recovery after a hand-off, round trip by round trip; partial ACKs in its first (Figure 7).

As the source counts: a partial ACK takes (W - 3)/d packets out of flight and leaves cwnd alone,
though RFC 3782 would deflate it.

A hand-off hits d packets of a window W. The round trip after it carries W/2 - d new packets; fast
recovery adds one per round trip until it ends, r round trips after the hand-off; then the window
is W/2 and grows by 1/b per round trip until the next hand-off or the window limit. Time is counted
in round trips, data in packets. Where d > W/2 the source's third observation holds: nothing new is
sent in the first d - W/2 round trips.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


def acks_before_new_packet(window: float, late_packets: float) -> float:
    """Return L, the ACKs after the third duplicate until a new packet may be sent.

    Solves W/2 + 3 + L (1 - d/(W - 3)) = W - L: duplicates inflate cwnd by one each, partial ACKs
    take L packets out of flight.
    """
    return (window**2 - 9 * window + 18) / (4 * window - 12 - 2 * late_packets)


def acks_without_partial_acks(window: float) -> float:
    """Return the same where no ACK is partial: duplicates alone inflate W/2 + 3 to W."""
    return window / 2 - 3


def outstanding_and_window(window: float, late_packets: float, acks: float) -> tuple[float, float]:
    """Return what is in flight, and cwnd, after so many ACKs beyond the third duplicate.

    Of W - 3 ACKs d are partial, evenly spread: a duplicate inflates cwnd by one, a partial ACK
    takes (W - 3)/d packets out of flight and leaves cwnd alone. Nothing new is sent meanwhile.
    """
    partial = acks * late_packets / (window - 3)
    in_flight = window - partial * (window - 3) / late_packets
    return in_flight, window / 2 + 3 + acks - partial


def new_packets_before_the_last(window: float, late_packets: float) -> float:
    """Return the new packets of the first round trip, until its last ACK ends fast recovery.

    That last ACK is partial; the d - 1 before it have taken (d - 1)(W - 3)/d packets out of flight,
    and W - 3 - d duplicates have inflated cwnd.
    """
    out_of_flight = (late_packets - 1) * (window - 3) / late_packets
    inflated = window / 2 + 3 + (window - 3 - late_packets)
    return inflated - (window - out_of_flight)


class Handoff(NamedTuple):
    """What every hand-off does to a connection; unpacks as T, d, r, b."""

    interval_rtts: float
    """T = A_h / RTT, round trips from one hand-off to the next."""
    hit_packets: float
    """d, packets late or lost."""
    recovery_rtts: float
    """r, round trips until fast recovery ends; d when the packets are lost."""
    packets_per_ack: int
    """b."""


def is_recoverable(window: float, handoff: Handoff) -> bool:
    """Tell whether W is regained before the next hand-off: not (14), which for r = d is (5)."""
    return rounds_to_recover(window, handoff) <= handoff.interval_rtts


def rounds_to_recover(window: float, handoff: Handoff) -> float:
    """Return the round trips until the window is back at W (Lemma 3.1, for r = d)."""
    _, _, r, b = handoff
    return r + b * window / 2


def deficit_in_recovery(window: float, handoff: Handoff) -> float:
    """Return region 1, what fast recovery sends less than W per round trip: rU + r²/2 (1), (13).

    For r = d this is dW/2 + d²/2. Where d > W/2 it counts negative packets, as printed.
    """
    _, d, r, _ = handoff
    U = window / 2 + max(0, d - r)
    return r * U + r**2 / 2


def deficit_in_avoidance(window: float, packets_per_ack: int) -> float:
    """Return region 2, what the climb from W/2 to W sends less than W per round trip: bW²/8 (2)."""
    return packets_per_ack * window**2 / 8


def recoverable_packets_printed(window: float, handoff: Handoff) -> float:
    """Return the new packets of a period that regains W: Â_h B̂₁ of (13); (3) where r = d.

    Right where d ≤ W/2; beyond, it contradicts the third observation and counts negative packets.
    """
    T, _, _, b = handoff
    return window * T - deficit_in_avoidance(window, b) - deficit_in_recovery(window, handoff)


def unrecoverable_packets_printed(window: float, handoff: Handoff) -> float:
    """Return D̂_n of a period that does not regain W as (18) has it, W = Ŵ_{n-1}."""
    T, d, r, b = handoff
    C, Q = window / 2 - d, (T - r) / 2
    return r**2 / 2 + r * C + Q * (window + Q / b)


def unrecoverable_packets(window: float, handoff: Handoff) -> float:
    """Return D̂_n with 2Q̂/b in the last term, so that r = d gives (10); for d ≤ W/2."""
    T, d, r, b = handoff
    C, Q = window / 2 - d, (T - r) / 2
    return r**2 / 2 + r * C + Q * (window + 2 * Q / b)


def period_packets(window: float, handoff: Handoff, limit: float = math.inf) -> float:
    """Return the new packets of any period, as a sum of areas that cannot be negative.

    Equals (13), corrected (18) and, by r = d, (3) and (10) wherever these apply; it also knows
    d > W/2 (observation 3) and a window limit that is reached on the way up.

    Args:
        window: W just before the hand-off, packets; at most `limit`.
        handoff: what happens; with r > T the period ends in fast recovery.
        limit: what the window is capped at, packets.

    """
    T, d, r, b = handoff
    silent = max(0.0, d - window / 2)
    recovering = max(0.0, min(r, T) - silent)
    left = max(0.0, T - r)
    climb = min(left, b * (limit - window / 2))
    return (
        recovering * max(0.0, window / 2 - d)
        + recovering**2 / 2
        + climb * (window / 2 + climb / (2 * b))
        + ((left - climb) * limit if left > climb else 0.0)
    )


def fixed_point(handoff: Handoff) -> float:
    """Return F = 2(T - r)/b, the window that (7) and (15) leave unchanged."""
    T, _, r, b = handoff
    return 2 * max(0.0, T - r) / b


def next_window(window: float, handoff: Handoff, limit: float = math.inf) -> float:
    """Return the window before the next hand-off, at most `limit`.

    W/2 + (T - r)/b of (7) and (15), written as the mean of W and F, so that rounding cannot keep
    the window from coming closer to F.
    """
    return min(limit, (window + fixed_point(handoff)) / 2)


def period_profile(
    window: float, handoff: Handoff, limit: float = math.inf
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the corners of Figures 3, 4, 8 and 9: round trips since the hand-off, new packets.

    Two corners at one time are a jump: a full ACK before the d holes are filled sets the window
    to W/2 at once.
    """
    T, d, r, b = handoff
    silent = max(0.0, d - window / 2)
    stop = min(r, T)
    corners = [(0.0, max(0.0, window / 2 - d))]
    if 0 < silent < stop:
        corners.append((silent, 0.0))
    corners.append((stop, max(0.0, window / 2 - d + stop)))
    if r < T:
        if r < d:
            corners.append((r, window / 2))
        full = r + b * (limit - window / 2)
        if full < T:
            corners.append((full, limit))
        corners.append((T, next_window(window, handoff, limit)))
    t, rate = np.array(corners).T
    return t, rate


def landing_rtt(late_rtts: float) -> int:
    """Return the round trip, counted from 1, in which packets late by so much are acknowledged.

    A ratio that is a whole number but for rounding counts as that number.
    """
    return max(1, math.ceil(late_rtts * (1 - 1e-12)))
