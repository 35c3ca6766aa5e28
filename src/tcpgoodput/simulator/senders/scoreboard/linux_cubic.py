"""CUBIC as in Linux (net/ipv4/tcp_cubic.c), with a window of whole packets.

Linux differs from RFC 9438: the target is W(t + smallest round trip), the window grows by at most
one packet per two acknowledged packets, and a timeout deletes the last maximum. An undo restores
only the window, not the epoch. Two details of Linux are left out: it recomputes the growth at most
32 times a second, and it measures time in jiffies. `s` is the record of the sender's state.
"""

from __future__ import annotations

import math

import numpy as np

from tcpgoodput.simulator.compiled import NEVER, TICKS_PER_S, compiled
from tcpgoodput.simulator.senders.cubic import C
from tcpgoodput.simulator.senders.scoreboard import hybrid_start

BETA = 717 / 1024
"""Factor by which a loss multiplies cwnd, a little above RFC 9438's 0.7."""

MOST_PER_PACKET = 2
"""Smallest number of acknowledged packets for which the window may grow by one packet, as in
Linux."""

FIRST_EPOCH_PER_PACKET = 20
"""Largest number of acknowledged packets for which the window grows by one packet, before the first
loss and after a timeout, as in Linux."""

NO_GROWTH = 100
"""Number of acknowledged windows for which the window grows by one packet if CUBIC's target is not
above the window, as in Linux."""

RENO_PER_PACKET = 15 / 8
"""Number of acknowledged windows for which the estimate of Reno's window grows by one packet:
(1 + β)/(3 (1 - β)) with β = `BETA`, rounded down to eighths as in Linux."""


@compiled
def reduce(s):  # type: ignore[no-untyped-def]
    """Record the window at a loss, and return the reduced window (bictcp_recalc_ssthresh)."""
    s.epoch_start = NEVER
    s.w_max = math.floor(s.cwnd * (1 + BETA) / 2) if s.cwnd < s.w_max else s.cwnd
    return BETA * s.cwnd


@compiled
def forget(s, now):  # type: ignore[no-untyped-def]
    """Forget CUBIC's epoch and maximum, and restart HyStart, after a timeout (bictcp_reset)."""
    s.epoch_start = NEVER
    s.w_max = 0.0
    s.least_delay = 0
    s.found_end = False
    hybrid_start.begin_round(s, now)


@compiled
def packets_per_growth(s, acked, now):  # type: ignore[no-untyped-def]
    """Return how many acknowledged packets let cwnd grow by one packet (bictcp_update)."""
    s.reno_counted += acked
    if s.epoch_start == NEVER:
        s.epoch_start = now
        s.reno_counted = acked
        s.w_est = s.cwnd
        s.origin = max(s.w_max, s.cwnd)
        s.k_s = math.pow((s.origin - s.cwnd) / C, 1 / 3)
    ahead = (now - s.epoch_start + s.least_delay) / TICKS_PER_S - s.k_s
    more = s.origin + int(C * ahead * ahead * ahead) - s.cwnd
    packets = np.floor(s.cwnd / more) if more > 0 else NO_GROWTH * s.cwnd
    if s.w_max == 0:
        packets = min(packets, FIRST_EPOCH_PER_PACKET)
    per_packet = np.floor(RENO_PER_PACKET * s.cwnd)
    while s.reno_counted > per_packet:
        s.reno_counted -= per_packet
        s.w_est += 1.0
    if s.w_est > s.cwnd:
        packets = min(packets, np.floor(s.cwnd / (s.w_est - s.cwnd)))
    return max(packets, MOST_PER_PACKET)
