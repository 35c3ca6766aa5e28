"""Pacing: packets are sent in bursts of about a millisecond, at a rate that follows the bandwidth.

`s` is the record of the sender's state, and `now` is the time in ticks. Rates are in packets per
tick.
"""

from __future__ import annotations

from tcpgoodput.simulator.compiled import TICKS_PER_S, compiled
from tcpgoodput.simulator.senders.scoreboard.bbr.bandwidth import bandwidth

MARGIN = 0.99
"""Pacing rate, relative to gain and bandwidth (bbr_pacing_margin_percent)."""

UNPACED = 10
"""Number of packets of a connection after which the sender paces (tcp_update_skb_after_send)."""

BURSTS_PER_S = 1024.0
"""Bursts per second of a fast sender (sk_pacing_shift)."""

SLOW = 150_000.0
"""Pacing rate in bytes per second below which bursts may have one packet (bbr_min_tso_rate)."""

MOST_BURST_BYTES = 65_215.0
"""Largest burst in bytes: the kernel's GSO_LEGACY_MAX_SIZE less room for headers."""

MOST_BURST = 127


@compiled
def set_rate(s):  # type: ignore[no-untyped-def]
    """Set the pacing rate; until the path is full it only grows (bbr_set_pacing_rate)."""
    rate = MARGIN * s.pacing_gain * bandwidth(s)
    if rate > s.pacing_rate or (s.is_full and rate != s.pacing_rate):
        s.pacing_rate = rate
        s.packet_time = 1 / rate
        s.burst = _burst(s)


@compiled
def _burst(s):  # type: ignore[no-untyped-def]
    """Return the number of packets in a burst (bbr_tso_segs_goal, tcp_tso_autosize)."""
    bytes_per_s = s.pacing_rate * TICKS_PER_S * s.mss_bytes
    packets = int(min(bytes_per_s / BURSTS_PER_S, MOST_BURST_BYTES) / s.mss_bytes)
    least = 1 if bytes_per_s < SLOW else 2
    return min(max(packets, least), MOST_BURST)


@compiled
def may_send(s, now):  # type: ignore[no-untyped-def]
    """Return whether a packet may be sent now; if not, set the time at which it may."""
    if s.burst_left > 0:
        return True
    if s.next_send_at > now:
        s.pacing_deadline = s.next_send_at
        return False
    s.burst_left = s.burst
    s.credit = 0.0
    return True


@compiled
def on_sent(s, now):  # type: ignore[no-untyped-def]
    """Move the time of the next burst by that of a packet (tcp_update_skb_after_send).

    A burst that begins late makes up for it with at most half of its own time.
    """
    late = now - s.next_send_at
    if late > 0:
        s.credit = float(late)
        s.next_send_at = now
    if s.packets_sent >= UNPACED:
        made_up = min(s.packet_time / 2, s.credit)
        s.credit -= made_up
        s.next_send_at += int(s.packet_time - made_up)
    s.burst_left -= 1


@compiled
def end_burst(s):  # type: ignore[no-untyped-def]
    """End the current burst, and forget by how much it began late."""
    s.burst_left = 0
    s.credit = 0.0


@compiled
def wait(s, now):  # type: ignore[no-untyped-def]
    """Return the ticks for which pacing delays the next packet (tcp_pacing_delay)."""
    return max(s.next_send_at - now, 0)
