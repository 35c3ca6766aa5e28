"""BBR's congestion window: twice what the path holds, and room for bursts.

`s` is the record of the sender's state, and `now` is the time in ticks.
"""

from __future__ import annotations

import math

from tcpgoodput.simulator.compiled import compiled
from tcpgoodput.simulator.senders.bbr_state import PROBE_BW, PROBE_RTT
from tcpgoodput.simulator.senders.scoreboard.bbr.bandwidth import bandwidth, surplus
from tcpgoodput.simulator.senders.scoreboard.marks import in_flight
from tcpgoodput.simulator.senders.scoreboard_state import RECOVERY

LEAST = 4
"""Smallest window in packets, also that of PROBE_RTT (bbr_cwnd_min_target)."""

INITIAL = 10
"""Number of delivered packets up to which the window always grows (TCP_INIT_CWND)."""

BURSTS = 3
"""Number of bursts for which the window has additional room (bbr_quantization_budget)."""

PROBING_ROOM = 2
"""Further packets of the window while the sender probes for bandwidth (bbr_quantization_budget)."""

ROUNDING = 1e-6
"""Tolerance in packets for rounding errors of the path's content, which is rounded up."""


@compiled
def held(s, rate, gain):  # type: ignore[no-untyped-def]
    """Return `gain` times the packets that the path holds at a rate (bbr_bdp)."""
    return math.ceil(rate * s.path_rtt * gain - ROUNDING)


@compiled
def with_room(s, packets):  # type: ignore[no-untyped-def]
    """Return a window with room for bursts, rounded up to even (bbr_quantization_budget)."""
    packets += BURSTS * s.burst
    packets = (packets + 1) // 2 * 2
    return packets + PROBING_ROOM if s.mode == PROBE_BW and s.phase == 0 else packets


@compiled
def target_flight(s, gain):  # type: ignore[no-untyped-def]
    """Return the packets in flight that a gain aims at, with room for bursts (bbr_inflight)."""
    return with_room(s, held(s, s.bandwidth, gain))


@compiled
def flight_at_next_burst(s, flight, now):  # type: ignore[no-untyped-def]
    """Return the packets on the path when the next burst leaves (bbr_packets_in_net_at_edt)."""
    if s.pacing_gain > 1:
        flight += s.burst
    return max(flight - int(bandwidth(s) * max(s.next_send_at - now, 0)), 0)


@compiled
def save(s):  # type: ignore[no-untyped-def]
    """Save the window before loss recovery or PROBE_RTT reduces it (bbr_save_cwnd)."""
    if s.state_before < RECOVERY and s.mode != PROBE_RTT:
        s.good_cwnd = s.cwnd
    else:
        s.good_cwnd = max(s.good_cwnd, s.cwnd)


@compiled
def update(s, arrived, lost):  # type: ignore[no-untyped-def]
    """Set the window after an ACK that reports `arrived` packets (bbr_set_cwnd)."""
    cwnd = int(s.cwnd)
    if arrived > 0:
        cwnd = _in_recovery(s, cwnd, arrived, lost)
        if not s.conserves:
            target = held(s, bandwidth(s), s.cwnd_gain) + surplus(s)
            target = with_room(s, target)
            if s.is_full:
                cwnd = min(cwnd + arrived, target)
            elif cwnd < target or s.arrived_count + 1 < INITIAL:  # the handshake counts as one
                cwnd += arrived
            cwnd = max(cwnd, LEAST)
    if s.mode == PROBE_RTT:
        cwnd = min(cwnd, LEAST)
    s.cwnd = float(cwnd)


@compiled
def _in_recovery(s, cwnd, arrived, lost):  # type: ignore[no-untyped-def]
    """Return the window with which an ACK's update begins (bbr_set_cwnd_to_recover_or_restore).

    In the first round trip of a recovery the sender sends a packet for each delivered one. The end
    of a recovery restores the window.
    """
    if lost > 0:
        cwnd = max(cwnd - lost, 1)
    if s.state == RECOVERY and s.state_before != RECOVERY:
        s.conserves = True
        s.round_ends = s.arrived_count
        cwnd = in_flight(s) + arrived
    elif s.state_before >= RECOVERY and s.state < RECOVERY:
        cwnd = max(cwnd, int(s.good_cwnd))
        s.conserves = False
    s.state_before = s.state
    return max(cwnd, in_flight(s) + arrived) if s.conserves else cwnd
