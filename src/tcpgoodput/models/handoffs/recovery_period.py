"""The recovery after a hand-off, round trip by round trip, with partial ACKs (Figure 7).

A hand-off affects d packets of a window W. The next round trip has W/2 - d new packets. Fast
recovery adds one new packet per round trip until it ends, r round trips after the hand-off. Then
the window is W/2 and grows by 1/b per round trip, with b packets per ACK, until the next hand-off
or the window limit. Time is in round trips, data in packets. If d > W/2, no new packet is sent in
the first d - W/2 round trips (the paper's third observation). A period is the time from one
hand-off to the next.

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

    With the window W and d late packets, L solves W/2 + 3 + L (1 - d/(W - 3)) = W - L. The left
    side is cwnd: duplicate ACKs inflate it by one packet each. The right side is the packets in
    flight, of which partial ACKs have taken L out.
    """
    return (window**2 - 9 * window + 18) / (4 * window - 12 - 2 * late_packets)


def acks_without_partial_acks(window: float) -> float:
    """Return W/2 - 3, the number of duplicate ACKs that inflate cwnd from W/2 + 3 to W packets.

    The window before the loss is W. If no ACK is a partial ACK, W packets stay in flight, so that a
    new packet is sent as soon as cwnd reaches W.
    """
    return window / 2 - 3


def outstanding_and_window(window: float, late_packets: float, acks: float) -> tuple[float, float]:
    """Return the packets in flight, and cwnd, `acks` ACKs after the third duplicate ACK.

    The window before the loss is W, and d packets are late. Of the W - 3 ACKs, d are partial and
    evenly spread. A duplicate ACK inflates cwnd by one packet. A partial ACK takes (W - 3)/d
    packets out of flight and does not change cwnd. No new packet is sent until then by assumption.
    """
    partial = acks * late_packets / (window - 3)
    in_flight = window - partial * (window - 3) / late_packets
    return in_flight, window / 2 + 3 + acks - partial


def new_packets_before_the_last(window: float, late_packets: float) -> float:
    """Return the new packets of the first round trip, until its last ACK ends fast recovery.

    The window before the loss is W, and d packets are late. The last ACK is one of the d ACKs for
    late packets. The d - 1 partial ACKs before it have taken (d - 1)(W - 3)/d packets out of
    flight, and W - 3 - d duplicate ACKs have inflated cwnd.
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
    """Return whether the window W is reached again before the next hand-off.

    The result is true if condition (14) of the paper does not hold. If the recovery takes one round
    trip per affected packet, condition (14) is condition (5).
    """
    return rounds_to_recover(window, handoff) <= handoff.interval_rtts


def rounds_to_recover(window: float, handoff: Handoff) -> float:
    """Return the round trips from a hand-off until the window is W again, r + bW/2 (Lemma 3.1).

    r is the number of round trips of recovery, b the packets per ACK. The lemma has r = d, the
    number of affected packets.
    """
    _, _, r, b = handoff
    return r + b * window / 2


def deficit_in_recovery(window: float, handoff: Handoff) -> float:
    """Return rU + r²/2, the packets by which fast recovery sends less than W per round trip.

    A hand-off affects d packets, the recovery takes r round trips, and U = W/2 + max(0, d - r). The
    deficit is region 1 in the paper's figures, and a term of equations (1) and (13). For r = d it
    is dW/2 + d²/2. For d > W/2 the deficit includes negative numbers of new packets, as in the
    printed equations.
    """
    _, d, r, _ = handoff
    U = window / 2 + max(0, d - r)
    return r * U + r**2 / 2


def deficit_in_avoidance(window: float, packets_per_ack: int) -> float:
    """Return bW²/8, the packets by which growth from W/2 sends less than W per round trip.

    With b packets per ACK the growth to W takes bW/2 round trips. The deficit is region 2 in the
    paper's figures, equation (2).
    """
    return packets_per_ack * window**2 / 8


def recoverable_packets_printed(window: float, handoff: Handoff) -> float:
    """Return the new packets between two hand-offs by equation (13), or (3) if r = d.

    The window W is reached again before the second hand-off. A hand-off affects d packets, and the
    recovery takes r round trips. The equation is correct for d ≤ W/2. For larger d it counts
    negative numbers of new packets, and so contradicts the paper's third observation.
    """
    T, _, _, b = handoff
    return window * T - deficit_in_avoidance(window, b) - deficit_in_recovery(window, handoff)


def unrecoverable_packets_printed(window: float, handoff: Handoff) -> float:
    """Return the new packets between two hand-offs by equation (18) as printed.

    The equation is for a window that is not reached again before the second hand-off.
    """
    T, d, r, b = handoff
    C, Q = window / 2 - d, (T - r) / 2
    return r**2 / 2 + r * C + Q * (window + Q / b)


def unrecoverable_packets(window: float, handoff: Handoff) -> float:
    """Return the new packets between two hand-offs by the corrected equation (18).

    The equation is for a window W that is not reached again before the second hand-off. The last
    term is corrected to Q (W + 2Q/b), with Q = (T - r)/2. A hand-off affects d packets, the
    recovery takes r of the T round trips between hand-offs, and b is the packets per ACK. The
    result is valid for d ≤ W/2. For r = d it equals equation (10).
    """
    T, d, r, b = handoff
    C, Q = window / 2 - d, (T - r) / 2
    return r**2 / 2 + r * C + Q * (window + 2 * Q / b)


def period_packets(
    window: float, handoff: Handoff, limit: float = math.inf, path_packets: float = math.inf
) -> float:
    """Return the new packets between two hand-offs: the area under `period_profile`.

    The result equals equations (13), corrected (18), (3) and (10), where these equations apply. It
    also covers more than W/2 affected packets (the paper's third observation), a window limit that
    is reached during the growth, and a window above `path_packets`.

    Args:
        window: W just before the hand-off in packets, at most `limit`.
        handoff: the parameters of the hand-offs. The period may end in fast recovery, if recovery
            takes longer than the interval between hand-offs.
        limit: the largest window in packets.
        path_packets: the new packets that the path's rate lets through in a round trip.

    """
    corners = period_corners(window, handoff, limit, path_packets)
    return sum(
        (stop - start) * (low + high) / 2
        for (start, low), (stop, high) in itertools.pairwise(corners)
    )


def fixed_point(handoff: Handoff) -> float:
    """Return F = 2(T - r)/b in packets, the window that equations (7) and (15) leave unchanged.

    The equations give the window before a hand-off from that before the previous one. The recovery
    takes r of the T round trips between them, and b is the packets per ACK. F is 0 if r > T.
    """
    T, _, r, b = handoff
    return 2 * max(0.0, T - r) / b


def next_window(window: float, handoff: Handoff, limit: float = math.inf) -> float:
    """Return the window before the next hand-off, at most `limit`.

    This window is W/2 + (T - r)/b by equations (7) and (15): W is halved, and grows by 1/b packets
    in each of the T - r round trips after recovery. It is computed as the mean of W and the fixed
    point F = 2(T - r)/b, so that rounding errors cannot stop the convergence to F.
    """
    return min(limit, (window + fixed_point(handoff)) / 2)


def period_profile(
    window: float, handoff: Handoff, limit: float = math.inf, path_packets: float = math.inf
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return arrays of round trips since the hand-off, and of the new packets per round trip.

    The arrays hold the coordinates of the corners that `period_corners` returns.
    """
    t, rate = np.array(period_corners(window, handoff, limit, path_packets)).T
    return t, rate


def period_corners(
    window: float, handoff: Handoff, limit: float = math.inf, path_packets: float = math.inf
) -> list[tuple[float, float]]:
    """Return the corners of the piecewise linear rate between two hand-offs (Figures 3, 4, 8, 9).

    Each corner is a pair, in ascending order of time: round trips since the hand-off, and new
    packets per round trip. Two corners at the same time are a jump: a full ACK that ends recovery
    early sets the window to half its value W before the hand-off. The path lets at most
    `path_packets` new packets through in a round trip. A window above this limit sends
    `path_packets`, and corners are added where it crosses the limit.
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
    """Return the number of the round trip, from 1, in which ACKs of late packets arrive.

    `late_rtts` is their extra delay in round trips. A delay within rounding error of a whole number
    counts as that number.
    """
    return max(1, math.ceil(late_rtts * (1 - 1e-12)))
