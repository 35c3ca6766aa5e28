"""Delayed ACKs that adapt to the sender, as Linux has them (net/ipv4/tcp_input.c, tcp_output.c).

Every second packet is acknowledged at once, as with a fixed delay. What differs is the single
packet: its ACK waits for as long as packets have lately been apart, between 40 ms and the round
trip of the handshake; and sixteen ACKs in a row wait for nothing at the beginning, after a pause
longer than a timeout, and after a packet that had arrived before.

Times are the kernel's jiffies, so that its rounding is kept. Its receiver also sends the ACK of a
packet that ends a write of the sender at once, and holds back a duplicate for up to a millisecond
where more than three follow each other: neither is here.
"""

from __future__ import annotations

import math

from tcpgoodput.simulator.clock import TICKS_PER_S
from tcpgoodput.simulator.compiled import compiled

QUICK = 16
"""TCP_MAX_QUICKACKS: ACKs that wait for nothing."""

JIFFY = TICKS_PER_S / 250
LEAST = 10
"""TCP_ATO_MIN and TCP_DELACK_MIN, 40 ms in jiffies."""

MOST = 125
"""HZ/2, half a second: what a delay may be at most where no round trip is known."""

LEAST_TIMEOUT = 50
"""TCP_RTO_MIN, 200 ms."""


def jiffies(duration_s: float) -> int:
    """Return a duration in jiffies, rounded up as the kernel rounds its round trip."""
    return math.ceil(round(250 * duration_s, 6))


def timeout_of(round_trip: int) -> int:
    """Return the timeout of a receiver, which has but the handshake's round trip, in jiffies."""
    return round_trip + max(2 * round_trip, LEAST_TIMEOUT)


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
    wait = r.wait
    if wait > LEAST:
        wait = min(wait, min(MOST, max(r.round_trip, LEAST)))
    return math.ceil((math.floor(now / JIFFY) + wait) * JIFFY)


@compiled
def on_deadline(r):  # type: ignore[no-untyped-def]
    """Wait longer from now on: no second packet has come (tcp_delack_timer_handler)."""
    r.wait = min(2 * r.wait, r.timeout)
