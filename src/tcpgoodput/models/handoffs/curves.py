"""Curves of the new packets sent per round trip, after one hand-off and over many hand-offs.

The landmarks of a curve are named positions (times or levels) that a figure can mark.
"""

from __future__ import annotations

import math

import numpy as np

from tcpgoodput.answers import Undefined
from tcpgoodput.models.handoffs.newreno_handoffs import (
    handoff_of,
    path_packets,
    window_limit_packets,
)
from tcpgoodput.models.handoffs.recovery_period import (
    Handoff,
    fixed_point,
    new_packets_before_the_last,
    next_window,
    outstanding_and_window,
    period_packets,
    period_profile,
)
from tcpgoodput.models.handoffs.repeated_handoffs import (
    slow_start_packets,
    slow_start_threshold,
    timeout_window,
    window_after_slow_start,
    window_of_short_flow,
)
from tcpgoodput.models.registry import Curve, curve
from tcpgoodput.scenario import Scenario

SLOW_START_POINTS = 60


@curve("handoffs")
def recovery_period(
    scenario: Scenario, *, window_packets: float | None = None, lead_rtts: float = 0.0
) -> Curve:
    """Return new packets per round trip against round trips since a hand-off (Figures 3, 4, 8, 9).

    Landmarks: `T`, the round trips between hand-offs; `d`, the affected packets; `r`, the round
    trips of recovery; `W`, the window before the hand-off; `half`, W/2; `start`, the new packets
    per round trip after the hand-off; `recovered`, those at the end of recovery, before a full ACK
    sets the window to W/2; `full`, the time at which the window limit is reached, at most T; `end`,
    the window before the next hand-off; `F`, the window that hand-offs leave unchanged; `packets`,
    the new packets until the next hand-off.

    Args:
        scenario: a scenario with hand-offs.
        window_packets: W before the hand-off; default: the window limit.
        lead_rtts: round trips before the hand-off that are drawn, with W packets each.
    """
    handoff, limit = _handoff_and_limit(scenario)
    window = limit if window_packets is None else float(window_packets)
    if not 0 < window <= limit:
        raise ValueError(f"window_packets must lie above 0 and at most at {limit:g}, the limit")
    t, rate = period_profile(window, handoff, limit)
    T, d, r, b = handoff
    landmarks = {
        "T": T,
        "d": d,
        "r": r,
        "W": window,
        "half": window / 2,
        "start": float(rate[0]),
        "recovered": max(0.0, window / 2 - d + min(r, T)),
        "full": min(T, r + b * (limit - window / 2)),
        "end": next_window(window, handoff, limit),
        "F": fixed_point(handoff),
        "packets": period_packets(window, handoff, limit),
    }
    if lead_rtts > 0:
        t, rate = np.concatenate([[-lead_rtts, 0], t]), np.concatenate([[window, window], rate])
    return Curve(t, rate, "RTT", "packets/RTT", landmarks)


@curve("handoffs")
def recovery_periods(scenario: Scenario, *, periods: int = 8, first: str = "slow start") -> Curve:
    """Return new packets per round trip over many hand-offs, time in intervals A_h (Figure 5).

    A_h is the time between hand-offs. Landmarks: `W0`, `W1`, …, the windows before each hand-off;
    `floor`, the largest window that leads to a timeout; `F`, the window that hand-offs leave
    unchanged; `limit`, the window limit; `timeout`, the number, from 0, of the first hand-off that
    leads to a timeout, if any.

    Args:
        scenario: a scenario with hand-offs.
        periods: number of hand-off intervals.
        first: `slow start` for the W₀ of a long flow after a timeout (12); `transfer` for the W₀ of
            a new transfer (21). W₀ is the window before the first hand-off.

    """
    if periods < 1:
        raise ValueError("periods must be at least 1")
    handoff, limit = _handoff_and_limit(scenario)
    T = handoff.interval_rtts
    match first:
        case "slow start":
            window = window_after_slow_start(handoff, limit)
        case "transfer":
            window = window_of_short_flow(handoff, limit)
        case _:
            raise ValueError(f"first is 'slow start' or 'transfer', not {first!r}")
    landmarks = {"floor": timeout_window(handoff), "F": fixed_point(handoff), "limit": limit}
    times, rates = [], []
    for i in range(periods):
        landmarks[f"W{i}"] = window
        if window > timeout_window(handoff):
            t, rate = period_profile(window, handoff, limit)
            window = next_window(window, handoff, limit)
        else:
            landmarks.setdefault("timeout", i)
            t, rate = _slow_start_profile(handoff, limit)
            window = window_after_slow_start(handoff, limit)
        times += [np.array([float(i)]), i + t / T]
        rates += [np.array([landmarks[f"W{i}"]]), rate]
    return Curve(np.concatenate(times), np.concatenate(rates), "A_h", "packets/RTT", landmarks)


@curve("handoffs")
def first_round_trip(scenario: Scenario) -> Curve:
    """Return the new packets that ACKs release in the first round trip after a hand-off (Figure 7).

    The x axis counts the ACKs after the third duplicate, among them the partial ACKs of late
    packets. Landmarks: `silent`, the ACKs until cwnd has grown to the packets in flight; `left`,
    the remaining ACKs; `new`, the new packets sent before the last ACK ends recovery.
    """
    handoff, window = _handoff_and_limit(scenario)
    late = handoff.hit_packets
    in_flight, cwnd = (
        np.array([outstanding_and_window(window, late, acks)[i] for acks in (0, window - 3)])
        for i in (0, 1)
    )
    (closed, opened) = in_flight - cwnd
    silent = (window - 3) * closed / (closed - opened)
    landmarks = {
        "silent": float(silent),
        "left": float(window - 3 - silent),
        "new": new_packets_before_the_last(window, late),
    }
    acks = np.array([0.0, silent, window - 3])
    return Curve(acks, np.array([0.0, 0.0, -opened]), "ACKs", "packets", landmarks)


@curve("handoffs")
def slow_start_period(scenario: Scenario) -> Curve:
    """Return new packets per round trip from a timeout to the next hand-off (Figure 6).

    Landmarks: `T`, the round trips between hand-offs; `threshold`, ssthresh, half the packets that
    a hand-off affects; `start`, the time at which slow start ends; `end`, the window W₀ at the next
    hand-off; `packets`, the new packets until then.
    """
    handoff, limit = _handoff_and_limit(scenario)
    t, rate = _slow_start_profile(handoff, limit)
    threshold = slow_start_threshold(handoff)
    landmarks = {
        "T": handoff.interval_rtts,
        "threshold": threshold,
        "start": math.log2(threshold),
        "end": window_after_slow_start(handoff, limit),
        "packets": slow_start_packets(handoff, limit),
    }
    return Curve(t, rate, "RTT", "packets/RTT", landmarks)


def _handoff_and_limit(scenario: Scenario) -> tuple[Handoff, float]:
    """Return a scenario's hand-off parameters, and its window limit in packets."""
    try:
        limit = min(window_limit_packets(scenario), path_packets(scenario))
        return handoff_of(scenario), limit
    except Undefined as undefined:
        raise ValueError(str(undefined)) from None


def _slow_start_profile(handoff: Handoff, limit: float) -> tuple[np.ndarray, np.ndarray]:
    """Return times in round trips since a timeout, and packets per round trip at these times."""
    T, b = handoff.interval_rtts, handoff.packets_per_ack
    threshold = min(slow_start_threshold(handoff), limit)
    start = min(T, math.log2(threshold))
    t = np.linspace(0, start, SLOW_START_POINTS) if start > 0 else np.zeros(1)
    rate = 2.0**t
    if start < T:
        end = window_after_slow_start(handoff, limit)
        top = start + b * (end - threshold)
        t, rate = np.append(t, [min(top, T), T]), np.append(rate, [end, end])
    return t, rate
