"""CUBIC as Linux has it (net/ipv4/tcp_cubic.c): whole packets, and an epoch that nothing restores.

It differs from RFC 9438 in that the target is W(t + least round trip), in that the window grows by
one packet per two at most, and in that a timeout forgets the last maximum. An undo brings back the
window alone. Left out: that the growth is computed anew 32 times a second at most, and that time
counts in jiffies.
"""

from __future__ import annotations

import math

from tcpgoodput.simulator.compiled import NEVER, TICKS_PER_S, compiled
from tcpgoodput.simulator.senders.cubic import C

BETA = 717 / 1024
"""What is left of the window after a loss."""

MOST_PER_PACKET = 2
"""Packets to be acknowledged for one packet of growth, at least."""

FIRST_EPOCH_PER_PACKET = 20
"""The same, at most, before any loss."""

NO_GROWTH = 100
"""Windows to be acknowledged for one packet of growth where the target is not above the window."""

RENO_PER_PACKET = 15 / 8
"""Windows that Reno takes for one packet: (1 + β)/(3 (1 - β)), in eighths."""


@compiled
def reduce(s):  # type: ignore[no-untyped-def]
    """Note the window at a loss and return what is left of it (bictcp_recalc_ssthresh)."""
    s.epoch_start = NEVER
    s.w_max = math.floor(s.cwnd * (1 + BETA) / 2) if s.cwnd < s.w_max else s.cwnd
    return BETA * s.cwnd


@compiled
def forget(s):  # type: ignore[no-untyped-def]
    """Begin as if there had been no loss and no round trip, after a timeout (bictcp_reset)."""
    s.epoch_start = NEVER
    s.w_max = 0.0
    s.least_delay = 0
    s.found_end = False


@compiled
def packets_per_growth(s, acked, now):  # type: ignore[no-untyped-def]
    """Return how many acknowledged packets one packet of growth takes (bictcp_update)."""
    s.reno_counted += acked
    if s.epoch_start == NEVER:
        s.epoch_start = now
        s.reno_counted = acked
        s.w_est = s.cwnd
        s.origin = max(s.w_max, s.cwnd)
        s.k_s = math.pow((s.origin - s.cwnd) / C, 1 / 3)
    ahead = (now - s.epoch_start + s.least_delay) / TICKS_PER_S - s.k_s
    more = s.origin + int(C * ahead * ahead * ahead) - s.cwnd
    packets = s.cwnd // more if more > 0 else NO_GROWTH * s.cwnd
    if s.w_max == 0:
        packets = min(packets, FIRST_EPOCH_PER_PACKET)
    per_packet = math.floor(RENO_PER_PACKET * s.cwnd)
    while s.reno_counted > per_packet:
        s.reno_counted -= per_packet
        s.w_est += 1.0
    if s.w_est > s.cwnd:
        packets = min(packets, s.cwnd // (s.w_est - s.cwnd))
    return max(packets, MOST_PER_PACKET)
