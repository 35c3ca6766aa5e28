"""Recorded events of a simulation: time, kind, the sender's state afterwards, and packets sent.

`t`, `s` and `c` are the records of trace, sender and path; `a` are the arrays of the run. Times are
in ticks.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.simulator.compiled import compiled, record_type

START, ACK, SILENT_ARRIVAL, DELAYED_ACK, TIMEOUT, PACED, TIMER = range(7)
"""Kinds of events: the start of the connection, the arrival of an ACK at the sender, the arrival of
a packet that causes no ACK at once, a delayed ACK, a timeout, the time at which pacing lets a
waiting packet leave, and the end of the reordering or the probe timer (RFC 8985)."""

EVENT = record_type(
    [
        ("time", "i8"),
        ("kind", "i8"),
        ("packet", "i8"),  # the packet that arrived; -1 if none
        ("ack", "i8"),  # the last packet acknowledged
        ("cwnd", "f8"),
        ("ssthresh", "f8"),
        ("deadline", "i8"),
        ("queued", "i8"),  # packets in the bottleneck's queue and server
        # Estimates of a BBR sender; 0 for other senders.
        ("mode", "i8"),
        ("pacing_rate", "f8"),  # in packets per tick
        ("bandwidth", "f8"),
        ("path_rtt", "i8"),
    ]
)

SENT = record_type([("event", "i8"), ("packet", "i8"), ("arrives", "i8")])

TRACE = record_type([("events", "i8"), ("sent", "i8")])


def new_trace() -> NDArray[np.void]:
    """Return the record that counts the recorded events and packets, both 0."""
    return np.zeros(1, TRACE)


@compiled
def record_event(t, a, s, c, kind, packet, now):  # type: ignore[no-untyped-def]
    """Record an event and the sender's state after it, if the array of events is not full."""
    if t.events < a.events.size:
        mask = a.departures.size - 1
        while c.first_queued < c.next_queued and a.departures[c.first_queued & mask] <= now:
            c.first_queued += 1
        event = a.events[t.events]
        event.time = now
        event.kind = kind
        event.packet = packet
        event.ack = s.acked
        event.cwnd = s.cwnd
        event.ssthresh = s.ssthresh
        event.deadline = s.deadline
        event.queued = c.next_queued - c.first_queued + c.in_buffer  # one of the two is 0
        event.mode = s.mode
        event.pacing_rate = s.pacing_rate
        event.bandwidth = s.policed_rate if s.policed else s.bandwidth
        event.path_rtt = s.path_rtt
        t.events += 1


@compiled
def record_sent(t, a, packet, arrives):  # type: ignore[no-untyped-def]
    """Record a sent packet; the event that caused it is recorded next.

    `arrives` is the time at which its ACK can reach the sender, LOST, or NEVER while a link that
    retransmits has not delivered it. Return the index of the record; -1 if there is no room.
    """
    if t.sent < a.sent.size and t.events < a.events.size:
        sent = a.sent[t.sent]
        sent.event = t.events
        sent.packet = packet
        sent.arrives = arrives
        t.sent += 1
        return t.sent - 1
    return -1
