"""The receiver: the packets that arrived, and the times of its ACKs (RFC 5681, 4.2).

`r` is the record of the receiver's state, and `now` is the time in ticks. `board` is a ring that
says whether each packet above `r.last_in_order` has arrived (see `arrays.Arrays`).
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.scenario.vocabulary import Tcp
from tcpgoodput.simulator import delayed_ack
from tcpgoodput.simulator.compiled import NEVER, TICKS_PER_S, compiled, mask_of, record_type, ticks

SILENT, ACKS, REPORTS_NEW = range(3)
"""Results of an arrival: no ACK, an ACK, an ACK that reports a packet above a missing one."""

RECEIVER = record_type(
    [
        ("ack_every", "i8"),
        ("ack_delay", "i8"),  # delayed-ACK timeout in ticks
        ("last_in_order", "i8"),  # the last packet received in order
        ("highest", "i8"),  # the highest packet received
        ("beyond", "i8"),  # number of packets received above a missing one
        ("arrived", "i8"),  # the packet that last arrived above a missing one
        ("joined", "i8"),  # number of packets behind the gap that the last packet filled
        ("pending", "i8"),  # number of packets in order that no ACK has reported
        ("deadline", "i8"),  # time in ticks at which the delayed ACK is sent
        ("delivered", "i8"),  # packets received, each counted once
        ("twice", "i8"),  # the packet that arrived last if it was a duplicate, else -1
        ("reported", "i8"),  # the highest packet that an ACK has acknowledged in order
        ("echo", "i8"),  # send time of the packet whose timestamp ACKs echo
        ("adapts", "i8"),  # whether the ACK delay adapts as in Linux (`delayed_ack`)
        ("wait", "i8"),  # delay of the ACK for a single packet, in jiffies
        ("quick", "i8"),  # number of ACKs still to be sent without delay
        ("most_quick", "i8"),  # number of ACKs sent without delay, as at the beginning
        ("last_data", "i8"),  # arrival time of the last packet in order, in jiffies
        ("longest_wait", "i8"),  # upper limit of the ACK delay, in jiffies
        ("timeout", "i8"),  # the receiver's own RTO, in jiffies
    ]
)


def new_receiver(tcp: Tcp, round_trip_s: float = 0.0) -> NDArray[np.void]:
    """Return the record of a receiver after a handshake of `round_trip_s` seconds."""
    return _fresh(tcp, round_trip_s).copy().view(RECEIVER)


@lru_cache
def _fresh(tcp: Tcp, round_trip_s: float) -> NDArray[np.uint8]:
    # Copy the record as bytes, because numpy's own copy works field by field and is slower.
    fresh = np.zeros(1, RECEIVER)
    r = fresh[0]
    r.ack_every = tcp.ack_every
    r.ack_delay = ticks(tcp.delayed_ack_timeout_s)
    r.last_in_order = r.highest = r.reported = r.twice = -1
    r.deadline = NEVER
    r.adapts = tcp.delayed_ack == "adaptive"
    delayed_ack.fill_limits(r, tcp, round_trip_s)
    return fresh.view(np.uint8)


@compiled
def on_arrival(r, board, packet, now):  # type: ignore[no-untyped-def]
    """Process the arrival of a packet; return which ACK it causes: SILENT, ACKS or REPORTS_NEW."""
    mask = mask_of(board)
    r.twice = -1
    if packet <= r.last_in_order or board[packet & mask]:
        r.twice = packet
        _acknowledge_again(r, packet)
        return ACKS
    r.delivered += 1
    if packet > r.last_in_order + 1:
        board[packet & mask] = 1
        r.highest = max(r.highest, packet)
        r.beyond += 1
        r.arrived = packet
        acknowledge(r)
        return REPORTS_NEW
    fills_gap = r.highest > packet
    r.last_in_order = packet
    r.joined = 0
    while r.highest > r.last_in_order and board[(r.last_in_order + 1) & mask]:
        r.last_in_order += 1
        board[r.last_in_order & mask] = 0
        r.joined += 1
    r.beyond -= r.joined
    r.highest = max(r.highest, r.last_in_order)
    r.pending += 1
    if r.adapts:
        delayed_ack.on_data(r, now)
    if fills_gap or r.pending >= r.ack_every or r.quick > 0:
        acknowledge(r)
        return ACKS
    if r.deadline == NEVER:
        r.deadline = delayed_ack.deadline(r, now) if r.adapts else now + r.ack_delay
    return SILENT


@compiled
def acknowledge(r):  # type: ignore[no-untyped-def]
    """Record that the receiver sends an ACK, which reports all packets that have arrived."""
    r.pending = 0
    r.deadline = NEVER
    r.reported = r.last_in_order
    delayed_ack.on_acknowledged(r)


@compiled
def _acknowledge_again(r, packet):  # type: ignore[no-untyped-def]
    """Send an ACK for a discarded packet."""
    acknowledge(r)
    if r.adapts and packet <= r.last_in_order:
        delayed_ack.on_repeat(r)


@compiled
def on_deadline(r):  # type: ignore[no-untyped-def]
    """Acknowledge a packet whose delayed-ACK timer has expired."""
    if r.adapts:
        delayed_ack.on_deadline(r)
    acknowledge(r)


STAMPS_PER_TICK = 1000 / TICKS_PER_S
"""Units of TCP timestamps per tick; a unit is a millisecond, as in Linux."""

ROUNDING = 1e-6
"""Tolerance in units for times that are rounded to a tick before a whole unit."""

TOLERATED = 1
"""Units by which a timestamp may be older than the echoed one, as in Linux (TCP_PAWS_WINDOW)."""


@compiled
def stamp(time):  # type: ignore[no-untyped-def]
    """Return the TCP timestamp of a time in ticks."""
    return math.floor(time * STAMPS_PER_TICK + ROUNDING)


@compiled
def is_too_old(r, sent):  # type: ignore[no-untyped-def]
    """Return whether a packet's timestamp is older than the echoed timestamp (RFC 7323, PAWS)."""
    # Compare the send times first: this avoids the products for all packets that are in order.
    if sent >= r.echo:
        return False
    return stamp(r.echo) - stamp(sent) > TOLERATED


@compiled
def on_old_arrival(r, packet):  # type: ignore[no-untyped-def]
    """Discard a packet whose timestamp is too old, and send an ACK for the arrived packets.

    A packet above a missing one is not reported as a duplicate, as in Linux (tcp_send_dupack).
    """
    r.twice = packet if packet <= r.last_in_order else -1
    _acknowledge_again(r, packet)
    return ACKS


@compiled
def note_stamp(r, packet, sent):  # type: ignore[no-untyped-def]
    """Store the send time of a packet as the timestamp to echo, if RFC 7323 (4.3) requires it.

    It does if the last ACK acknowledged this packet, or expects it as the next one.
    """
    if packet <= r.reported + 1:
        r.echo = sent
