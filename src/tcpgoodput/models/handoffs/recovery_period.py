"""The recovery after a hand-off, round trip by round trip, with partial ACKs (Figure 7).

A hand-off affects d packets of a window W. The next round trip has W/2 - d new packets. Fast
recovery adds one new packet per round trip until it ends, r round trips after the hand-off. Then
the window is W/2 and grows by 1/b per round trip, with b packets per ACK, until the next hand-off,
T round trips after the first, or the window limit. Time is in round trips, data in packets. If d >
W/2, no new packet is sent in the first d - W/2 round trips (the paper's third observation). A
period is the time from one hand-off to the next.

In the paper, a partial ACK takes (W - 3)/d packets out of flight and does not change cwnd, although
RFC 3782 would deflate it.
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


def acks_before_new_packet(window: float, late_packets: float) -> float:
    """Return L, the number of ACKs after the third duplicate until a new packet may be sent.

    L solves W/2 + 3 + L (1 - d/(W - 3)) = W - L: cwnd, inflated by duplicate ACKs, on the left,
    and the packets in flight, of which partial ACKs have taken L out, on the right.
    """
    return (window**2 - 9 * window + 18) / (4 * window - 12 - 2 * late_packets)


def acks_without_partial_acks(window: float) -> float:
    """Return W/2 - 3, the number of duplicate ACKs that inflate cwnd from W/2 + 3 to W packets."""
    return window / 2 - 3


def outstanding_and_window(window: float, late_packets: float, acks: float) -> tuple[float, float]:
    """Return the packets in flight, and cwnd, `acks` ACKs after the third duplicate ACK.

    Of the W - 3 ACKs, d are partial and evenly spread.
    """
    partial = acks * late_packets / (window - 3)
    in_flight = window - partial * (window - 3) / late_packets
    return in_flight, window / 2 + 3 + acks - partial


def new_packets_before_the_last(window: float, late_packets: float) -> float:
    """Return the new packets of the first round trip, until its last ACK ends fast recovery.

    The d - 1 partial ACKs before it have taken (d - 1)(W - 3)/d packets out of flight, and
    W - 3 - d duplicate ACKs have inflated cwnd.
    """
    out_of_flight = (late_packets - 1) * (window - 3) / late_packets
    inflated = window / 2 + 3 + (window - 3 - late_packets)
    return inflated - (window - out_of_flight)


class Handoff(NamedTuple):
    """Parameters of periodic hand-offs and of the recovery after each; unpacks as T, d, r, b."""

    interval_rtts: float
    """T = A_h / RTT, the number of round trips from one hand-off to the next."""
    hit_packets: float
    """d, the number of late or lost packets."""
    recovery_rtts: float
    """r, the number of round trips until fast recovery ends; d if the packets are lost."""
    packets_per_ack: int
    """b, the number of packets per ACK."""


def is_recoverable(window: float, handoff: Handoff) -> bool:
    """Return whether W is reached again before the next hand-off, r + bW/2 ≤ T (Lemma 3.1).

    This is the case if condition (14), or for r = d condition (5), does not hold.
    """
    T, _, r, b = handoff
    return r + b * window / 2 <= T


def recoverable_packets_printed(window: float, handoff: Handoff) -> float:
    """Return the new packets between two hand-offs by equation (13), or (3) if r = d.

    The equation is for a window that is reached again. It is correct for d ≤ W/2; for larger d it
    contradicts the paper's third observation.
    """
    T, d, r, b = handoff
    U = window / 2 + max(0, d - r)
    in_recovery = r * U + r**2 / 2  # region 1, equations (1) and (13): packets less than W T
    in_avoidance = b * window**2 / 8  # region 2, equation (2)
    return window * T - in_avoidance - in_recovery


def unrecoverable_packets_printed(window: float, handoff: Handoff) -> float:
    """Return the new packets of a window that is not reached again, by (18) as printed."""
    T, d, r, b = handoff
    C, Q = window / 2 - d, (T - r) / 2
    return r**2 / 2 + r * C + Q * (window + Q / b)


def unrecoverable_packets(window: float, handoff: Handoff) -> float:
    """Return the new packets of a window that is not reached again, by the corrected (18).

    The last term is corrected to Q (W + 2Q/b), with Q = (T - r)/2. The result is valid for
    d ≤ W/2. For r = d it equals equation (10).
    """
    T, d, r, b = handoff
    C, Q = window / 2 - d, (T - r) / 2
    return r**2 / 2 + r * C + Q * (window + 2 * Q / b)


def period_packets(
    window: float, handoff: Handoff, limit: float = math.inf, path_packets: float = math.inf
) -> float:
    """Return the new packets between two hand-offs: the area under `period_corners`.

    The result equals equations (13), corrected (18), (3) and (10), where these equations apply. It
    also covers more than W/2 affected packets (the paper's third observation), a window limit that
    is reached during the growth, and a window above `path_packets`, the new packets that the path's
    rate lets through in a round trip.
    """
    corners = period_corners(window, handoff, limit, path_packets)
    return sum(
        (stop - start) * (low + high) / 2
        for (start, low), (stop, high) in itertools.pairwise(corners)
    )


def fixed_point(handoff: Handoff) -> float:
    """Return F = 2(T - r)/b in packets, which (7) and (15) leave unchanged; 0 if r > T."""
    T, _, r, b = handoff
    return 2 * max(0.0, T - r) / b


def next_window(window: float, handoff: Handoff, limit: float = math.inf) -> float:
    """Return the window before the next hand-off, W/2 + (T - r)/b by (7) and (15), at most `limit`.

    It is computed as the mean of W and the fixed point F = 2(T - r)/b, so that rounding errors
    cannot stop the convergence to F.
    """
    return min(limit, (window + fixed_point(handoff)) / 2)


def period_profile(
    window: float, handoff: Handoff, limit: float = math.inf, path_packets: float = math.inf
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the times and rates of `period_corners` as two arrays."""
    t, rate = np.array(period_corners(window, handoff, limit, path_packets)).T
    return t, rate


def period_corners(
    window: float, handoff: Handoff, limit: float = math.inf, path_packets: float = math.inf
) -> list[tuple[float, float]]:
    """Return the corners of the piecewise linear rate between two hand-offs (Figures 3, 4, 8, 9).

    Each corner is a pair: round trips since the hand-off, and new packets per round trip. Two
    corners at the same time are a jump: a full ACK that ends recovery early sets the window to W/2.
    A window above `path_packets` sends `path_packets`, and corners are added where it crosses them.
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
    if max(rate for _, rate in corners) <= path_packets:
        return corners
    capped = [(0.0, min(corners[0][1], path_packets))]
    for (start, low), (end, high) in itertools.pairwise(corners):
        if end > start and min(low, high) < path_packets < max(low, high):
            crossing = start + (path_packets - low) / (high - low) * (end - start)
            capped.append((crossing, path_packets))
        capped.append((end, min(high, path_packets)))
    return capped


def landing_rtt(late_rtts: float) -> int:
    """Return the number of the round trip, from 1, in which ACKs of packets late by x arrive.

    A delay within rounding error of a whole number of round trips counts as that number.
    """
    return max(1, math.ceil(late_rtts * (1 - 1e-12)))
