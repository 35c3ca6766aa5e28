"""Delayed ACKs that adapt to the sender, as Linux has them (net/ipv4/tcp_input.c, tcp_output.c).

Every second packet is acknowledged at once, as with a fixed delay. What differs is the single
packet: its ACK waits for as long as packets have lately been apart, between 40 ms and the round
trip of the handshake; and sixteen ACKs in a row wait for nothing at the beginning, after a pause
longer than a timeout, and after a packet that had arrived before.

Times are the kernel's jiffies, so that its rounding is kept: a timer is up to a jiffy late, never
early. Three things that its receiver also does are not here: it acknowledges each packet while its
window opens (tcp_grow_window), and at once what the sender has marked to be pushed; and it holds
back duplicates for up to a millisecond, from the fourth on.
"""

from __future__ import annotations

import math

from tcpgoodput.simulator.compiled import TICKS_PER_S, compiled

QUICK = 16
"""TCP_MAX_QUICKACKS: ACKs that wait for nothing."""

JIFFY = TICKS_PER_S / 250
LEAST = 10
"""TCP_ATO_MIN and TCP_DELACK_MIN, 40 ms in jiffies."""

MOST = 50
"""TCP_DELACK_MAX, 200 ms."""


def jiffies(duration_s: float) -> int:
    """Return a duration in jiffies, rounded up as the kernel rounds its round trip."""
    return math.ceil(round(250 * duration_s, 6))


def timeout_of(round_trip: int, least: int) -> int:
    """Return the timeout of a receiver, which has but the handshake's round trip, in jiffies."""
    return round_trip + max(2 * round_trip, least)


def longest_wait(round_trip: int, least_timeout: int) -> int:
    """Return what a delay may be at most, in jiffies (tcp_delack_max): ACKs precede timeouts."""
    return max(LEAST, min(round_trip, MOST, least_timeout - 1))


@compiled
def on_data(r, now):  # type: ignore[no-untyped-def]
    """Adapt to the time since the packet in order before this one (tcp_event_data_recv)."""
    jiffy = math.floor(now / JIFFY)
    if r.wait == 0:
        r.quick = QUICK
        r.wait = LEAST
    else:
        apart = jiffy - r.last_data
        if apart <= LEAST // 2:
            r.wait = r.wait // 2 + LEAST // 2
        elif apart < r.wait:
            r.wait = min(r.wait // 2 + apart, r.timeout)
        elif apart > r.timeout:
            r.quick = QUICK
    r.last_data = jiffy


@compiled
def on_repeat(r):  # type: ignore[no-untyped-def]
    """Be quick: a packet that had arrived before may have been repeated for want of an ACK."""
    r.quick = QUICK
    r.wait = LEAST


@compiled
def on_acknowledged(r):  # type: ignore[no-untyped-def]
    """Count an ACK among the quick ones (tcp_dec_quickack_mode)."""
    if r.quick > 0:
        r.quick -= 1
        if r.quick == 0:
            r.wait = LEAST


@compiled
def deadline(r, now):  # type: ignore[no-untyped-def]
    """Return when the ACK of a single packet goes out (tcp_send_delayed_ack)."""
    ended = math.floor(now / JIFFY) + min(r.wait, r.longest_wait) + 1
    return math.ceil(ended * JIFFY)


@compiled
def on_deadline(r):  # type: ignore[no-untyped-def]
    """Wait longer from now on: no second packet has come (tcp_delack_timer_handler)."""
    r.wait = min(2 * r.wait, r.timeout)
