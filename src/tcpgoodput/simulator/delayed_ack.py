"""Delayed ACKs that adapt to the sender, as in Linux (net/ipv4/tcp_input.c, tcp_output.c).

Every second packet is acknowledged at once, as with a fixed delay. The ACK of a single packet is
delayed by the typical time between recent packets: at least 40 ms, and at most the round trip of
the handshake or 200 ms, if that is shorter. Up to sixteen consecutive ACKs are sent without delay
at the beginning, after a pause longer than a timeout, and after a packet that had arrived before.

Delays are in jiffies, the kernel's clock ticks of 4 ms, and are rounded as in the kernel: a timer
expires up to a jiffy late, never early. `r` is the record of the receiver's state, and `now` is the
time in ticks of the simulator's clock.

Linux's receiver has three further rules that are left out. It acknowledges each packet while its
window opens (tcp_grow_window), and each packet that the sender marks with PSH at once. It delays
duplicate ACKs from the fourth on by up to a millisecond.
"""

from __future__ import annotations

import math
from typing import Any

from tcpgoodput.scenario.vocabulary import Tcp
from tcpgoodput.simulator.compiled import TICKS_PER_S, compiled

MOST_QUICK = 16
"""Largest number of consecutive ACKs that Linux's receiver sends without delay
(TCP_MAX_QUICKACKS)."""

JIFFY = TICKS_PER_S / 250
LEAST = 10
"""Smallest delay of an ACK in jiffies: TCP_ATO_MIN and TCP_DELACK_MIN, which are 40 ms."""

MOST = 50
"""Largest delay of an ACK in jiffies: TCP_DELACK_MAX, which is 200 ms."""


def fill_limits(r: Any, tcp: Tcp, round_trip_s: float) -> None:
    """Write the limits of a receiver that follow from its window and the handshake's round trip."""
    # The kernel rounds its round-trip time up to whole jiffies.
    round_trip, least_rto = (math.ceil(round(250 * s, 6)) for s in (round_trip_s, tcp.rto.min_s))
    # tcp_delack_max: less than the smallest RTO, unless that is at most 40 ms.
    r.longest_wait = max(LEAST, min(round_trip, MOST, least_rto - 1))
    # The receiver's own RTO. Linux uses its smallest RTO as lower limit of the deviation term.
    r.timeout = round_trip + max(2 * round_trip, least_rto)
    # tcp_incr_quickack: half of the receiver's window is acknowledged without delay.
    window = tcp.max_window_packets
    r.most_quick = MOST_QUICK if window is None else min(window // 2 or 2, MOST_QUICK)


@compiled
def on_data(r, now):  # type: ignore[no-untyped-def]
    """Adapt the ACK delay to the time since the last packet in order (tcp_event_data_recv)."""
    jiffy = math.floor(now / JIFFY)
    if r.wait == 0:
        r.quick = r.most_quick
        r.wait = LEAST
    else:
        apart = jiffy - r.last_data
        if apart <= LEAST // 2:
            r.wait = r.wait // 2 + LEAST // 2
        elif apart < r.wait:
            r.wait = min(r.wait // 2 + apart, r.timeout)
        elif apart > r.timeout:
            r.quick = r.most_quick
    r.last_data = jiffy


@compiled
def on_repeat(r):  # type: ignore[no-untyped-def]
    """Send the next ACKs without delay: a repeated packet may mean that an ACK came too late."""
    r.quick = r.most_quick
    r.wait = LEAST


@compiled
def on_acknowledged(r):  # type: ignore[no-untyped-def]
    """Reduce by one the number of ACKs still to be sent at once (tcp_dec_quickack_mode)."""
    if r.quick > 0:
        r.quick -= 1
        if r.quick == 0:
            r.wait = LEAST


@compiled
def deadline(r, now):  # type: ignore[no-untyped-def]
    """Return the time in ticks at which a single packet is acknowledged (tcp_send_delayed_ack)."""
    ended = math.floor(now / JIFFY) + min(r.wait, r.longest_wait) + 1
    return math.ceil(ended * JIFFY)


@compiled
def on_deadline(r):  # type: ignore[no-untyped-def]
    """Double the ACK delay, because no second packet has arrived (tcp_delack_timer_handler)."""
    r.wait = min(2 * r.wait, r.timeout)
