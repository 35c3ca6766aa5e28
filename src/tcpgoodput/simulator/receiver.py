"""The receiver: the packets that arrived, and the times of its ACKs (RFC 5681, 4.2)."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.scenario.vocabulary import Tcp
from tcpgoodput.simulator import delayed_ack
from tcpgoodput.simulator.compiled import NEVER, TICKS_PER_S, compiled, ticks

SILENT, ACKS, REPORTS_NEW = range(3)
"""Results of an arrival: no ACK, an ACK, an ACK that reports a packet above a missing one."""

RECEIVER = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("ack_every", "i8"),
                ("ack_delay", "i8"),  # ticks
                ("through", "i8"),  # the last packet received in order
                ("highest", "i8"),  # the highest packet received
                ("beyond", "i8"),  # number of packets received above a missing one
                ("arrived", "i8"),  # the one of these that arrived last
                ("joined", "i8"),  # number of these that the last arrival made in order
                ("pending", "i8"),  # packets in order that no ACK has reported
                ("deadline", "i8"),  # when an ACK is sent without another packet
                ("delivered", "i8"),  # packets received, each counted once
                ("twice", "i8"),  # the current packet, if it had arrived before
                ("reported", "i8"),  # the last packet that an ACK has reported in order
                ("echo", "i8"),  # send time of the packet whose timestamp ACKs echo
                ("adapts", "i8"),  # whether the delay adapts; times below are in jiffies
                ("wait", "i8"),  # delay of the ACK for a single packet
                ("quick", "i8"),  # ACKs left that are not delayed
                ("last_data", "i8"),  # when the last packet in order arrived
                ("longest_wait", "i8"),  # upper limit of the delay
                ("timeout", "i8"),  # timeout of a receiver that sends no data
            ],
            align=True,
        ),
    )
)


def new_receiver(tcp: Tcp, round_trip_s: float = 0.0) -> NDArray[np.void]:
    """Return the record of a receiver after a handshake of `round_trip_s` seconds."""
    return _fresh(tcp, round_trip_s).copy().view(RECEIVER)


@lru_cache
def _fresh(tcp: Tcp, round_trip_s: float) -> NDArray[np.uint8]:
    # Copy as bytes, because numpy copies records field by field.
    fresh = np.zeros(1, RECEIVER)
    r = fresh[0]
    r.ack_every = tcp.ack_every
    r.ack_delay = ticks(tcp.delayed_ack_timeout_s)
    r.through = r.highest = r.reported = r.twice = -1
    r.deadline = NEVER
    r.adapts = tcp.delayed_ack == "adaptive"
    round_trip, least = (delayed_ack.jiffies(s) for s in (round_trip_s, tcp.rto.min_s))
    r.longest_wait = delayed_ack.longest_wait(round_trip, least)
    r.timeout = delayed_ack.timeout_of(round_trip, least)
    return fresh.view(np.uint8)


@compiled
def on_arrival(r, board, packet, now):  # type: ignore[no-untyped-def]
    """Process the arrival of a packet; return SILENT, ACKS or REPORTS_NEW.

    `board` contains whether each packet above `through` has arrived, indexed modulo its size.
    """
    mask = board.size - 1
    r.twice = -1
    if packet <= r.through or board[packet & mask]:
        r.twice = packet
        _acknowledge_again(r, packet)
        return ACKS
    r.delivered += 1
    if packet > r.through + 1:
        board[packet & mask] = 1
        r.highest = max(r.highest, packet)
        r.beyond += 1
        r.arrived = packet
        acknowledge(r)
        return REPORTS_NEW
    fills_gap = r.highest > packet
    r.through = packet
    r.joined = 0
    while r.highest > r.through and board[(r.through + 1) & mask]:
        r.through += 1
        board[r.through & mask] = 0
        r.joined += 1
    r.beyond -= r.joined
    r.highest = max(r.highest, r.through)
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
    """Record that an ACK is sent, which reports all packets that have arrived."""
    r.pending = 0
    r.deadline = NEVER
    r.reported = r.through
    delayed_ack.on_acknowledged(r)


@compiled
def _acknowledge_again(r, packet):  # type: ignore[no-untyped-def]
    """Send an ACK for a packet that is not accepted; adaptive ACKs are then sent without delay."""
    acknowledge(r)
    if r.adapts and packet <= r.through:
        delayed_ack.on_repeat(r)


@compiled
def on_deadline(r):  # type: ignore[no-untyped-def]
    """Acknowledge a packet whose delayed-ACK timer has expired."""
    if r.adapts:
        delayed_ack.on_deadline(r)
    acknowledge(r)


STAMP = TICKS_PER_S / 1000
"""Ticks per unit of timestamps, which is a millisecond as in kernels."""


@compiled
def is_too_old(r, sent):  # type: ignore[no-untyped-def]
    """Return whether a packet's timestamp is older than the one to echo (RFC 7323, PAWS)."""
    return math.floor(sent / STAMP) < math.floor(r.echo / STAMP)


@compiled
def on_old_arrival(r, board, packet):  # type: ignore[no-untyped-def]
    """Discard a packet whose timestamp is too old, and send an ACK for the arrived packets."""
    held = packet <= r.through or board[packet & (board.size - 1)]
    r.twice = packet if held else -1
    _acknowledge_again(r, packet)
    return ACKS


@compiled
def note_stamp(r, packet, sent):  # type: ignore[no-untyped-def]
    """Store a timestamp to echo, if the packet is not above the one that the last ACK requested."""
    if packet <= r.reported + 1:
        r.echo = sent
