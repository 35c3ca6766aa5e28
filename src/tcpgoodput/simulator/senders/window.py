"""The congestion window: slow start, congestion avoidance, and reduction after a loss.

`s` is the record of the sender's state.
"""

from __future__ import annotations

import math

from tcpgoodput.simulator.compiled import compiled
from tcpgoodput.simulator.senders import cubic

ROUNDING = 1e-9
"""Tolerance in packets for rounding errors of increments such as 1/cwnd that should add up to
one."""

SMALLEST_SSTHRESH = 2.0


@compiled
def window(s):  # type: ignore[no-untyped-def]
    """Return cwnd, rounded down to whole packets."""
    return int(s.cwnd + ROUNDING)


@compiled
def open_window(s, newly_acked, now):  # type: ignore[no-untyped-def]
    """Grow by one packet per ACK below ssthresh, by 1/cwnd or as CUBIC does above it (RFC 5681)."""
    if s.cwnd < s.ssthresh:
        s.cwnd = min(s.cwnd + 1.0, s.grows_to)
    elif s.cubic:
        cubic.open_window(s, newly_acked, now)
    elif s.floor_increment:
        s.cwnd += 1.0 / math.floor(s.cwnd + ROUNDING)
    else:
        s.cwnd += 1.0 / s.cwnd


@compiled
def reduce(s):  # type: ignore[no-untyped-def]
    """Set ssthresh to half of the flight or of cwnd, as configured (RFC 5681, equation 4).

    The flight is the number of packets sent and not acknowledged. CUBIC uses `cubic.BETA` instead
    of one half. `s.cwnd_after` becomes the window after the recovery.

    If cwnd is above the receiver's window, the receiver's window is used instead, as in ns-2;
    otherwise a loss would have no effect. Packets sent by limited transmit and the inflation of
    cwnd in fast recovery do not count. ssthresh is rounded down to whole packets, as in kernels and
    in ns-2; cwnd after a fast recovery is not rounded.
    """
    note_loss_event(s)
    window_now = s.cwnd_after if s.in_recovery else s.cwnd
    base = min(window_now, float(s.max_window))
    if not s.halves_window:
        base = min(base, float(s.highest_sent - s.acked))
    half = cubic.reduce(s, base) if s.cubic else base / 2
    s.cwnd_after = max(SMALLEST_SSTHRESH, half)
    s.ssthresh = s.cwnd_after if s.cubic else math.floor(s.cwnd_after + ROUNDING)


@compiled
def note_loss_event(s):  # type: ignore[no-untyped-def]
    """Count a loss event, unless one was already counted for the packets now in flight."""
    if s.acked >= s.event_until:
        s.loss_events += 1
        s.event_until = s.highest_sent


@compiled
def start_over(s):  # type: ignore[no-untyped-def]
    """Set cwnd to one packet, and send again from the first outstanding packet on."""
    s.recover = s.highest_sent
    s.in_recovery = False
    s.cwnd = 1.0
    s.duplicates = 0
    s.next_packet = s.acked + 1
    s.repeat_first = True
