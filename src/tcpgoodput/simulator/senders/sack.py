"""SACK: send missing packets first, then new ones, while `pipe` is below cwnd (RFC 6675).

The receiver's array `board` marks the packets that have arrived. This array also serves as the
sender's scoreboard, because ACKs are not lost and report all arrivals. `s` and `r` are the records
of sender and receiver, and `now` is the time in ticks.
"""

from __future__ import annotations

from tcpgoodput.simulator.compiled import compiled, mask_of
from tcpgoodput.simulator.senders import timer
from tcpgoodput.simulator.senders.state import NONE
from tcpgoodput.simulator.senders.window import ROUNDING, open_window, reduce


@compiled
def on_new_ack(s, r, board, newly_acked, now):  # type: ignore[no-untyped-def]
    """React to an ACK of new data: continue or leave recovery, or increase cwnd."""
    s.duplicates = 0
    if s.in_recovery and s.acked < s.recover:
        s.arrived_below = s.arrived_below - r.joined if s.high_rxt > s.acked else 0
        set_pipe(s, r, board)
        s.fills_pipe = True
    elif s.in_recovery:
        s.in_recovery = False
        s.cwnd = s.cwnd_after
    else:
        open_window(s, newly_acked, now)
    timer.restart(s, now)


@compiled
def on_duplicate(s, r, board, now):  # type: ignore[no-untyped-def]
    """Begin or continue a recovery at a duplicate ACK, or use limited transmit (RFC 6675, 5)."""
    if not s.in_recovery:
        s.high_rxt = s.acked  # RFC 6675, step (3.1)
        s.arrived_below = 0
    elif r.arrived <= s.high_rxt:
        s.arrived_below += 1
    set_pipe(s, r, board)
    if s.in_recovery:
        s.fills_pipe = True
        return
    lost = s.duplicates >= s.dupthresh or s.lost_below > s.acked + 1  # RFC 6675, steps (1), (2)
    if lost and s.acked >= s.recover:
        s.fast_retransmits += 1
        reduce(s)  # RFC 6675, step (4.2)
        s.in_recovery = True
        s.recover = s.highest_sent  # RFC 6675, step (4.1)
        s.cwnd = s.cwnd_after
        s.repeat_first = True  # RFC 6675, step (4.3)
        s.high_rxt = s.rescue_rxt = s.acked + 1
        s.holes_from = s.acked + 2
        set_pipe(s, r, board)  # RFC 6675, step (4.4)
        s.fills_pipe = True
        timer.restart(s, now)
    elif s.limited_transmit and s.next_packet > s.highest_sent:
        s.fills_pipe = True  # RFC 6675, step (3.3)


@compiled
def set_pipe(s, r, board):  # type: ignore[no-untyped-def]
    """Compute `lost_below`, and `pipe`, the number of packets under way (IsLost, SetPipe).

    Missing packets below `lost_below` count as lost. The pipe contains the packets from
    `lost_below` on that have not arrived, and the retransmissions, which are the packets up to
    `high_rxt` that have not arrived.
    """
    mask = mask_of(board)
    arrived = min(r.beyond, s.dupthresh)
    s.lost_below = s.acked + 1
    if arrived == s.dupthresh:
        packet = r.highest + 1
        for _ in range(arrived):
            packet -= 1
            while not board[packet & mask]:
                packet -= 1
        s.lost_below = packet
    not_lost = s.highest_sent + 1 - s.lost_below - arrived
    repeated = max(0, s.high_rxt - s.acked) - s.arrived_below
    s.pipe = not_lost + repeated


@compiled
def next_segment(s, r, board):  # type: ignore[no-untyped-def]
    """Return the next packet to send if `pipe` is below cwnd, or NONE (RFC 6675, NextSeg)."""
    if s.cwnd + ROUNDING - s.pipe < 1:
        return NONE
    packet = NONE
    if s.in_recovery:
        packet = _next_hole(s, board, s.lost_below)  # NextSeg (1): lost packets
    if packet == NONE:
        unsent = s.highest_sent + 1
        if unsent < s.transfer and unsent - s.acked <= s.max_window:  # NextSeg (2): new packets
            packet = unsent
            s.next_packet = unsent + 1
        elif s.in_recovery:
            packet = _next_hole(s, board, r.highest)  # NextSeg (3): other missing packets
            if packet == NONE and s.acked > s.rescue_rxt:  # NextSeg (4): rescue packet
                packet = _last_hole(s, board)
                s.rescue_rxt = s.recover
    if packet != NONE:
        s.pipe += 1
    return packet


@compiled
def _next_hole(s, board, end):  # type: ignore[no-untyped-def]
    """Return the first packet below `end` that has neither arrived nor been repeated, or NONE."""
    mask = mask_of(board)
    packet = max(s.holes_from, s.acked + 1)
    while packet < end and board[packet & mask]:
        packet += 1
    s.holes_from = packet
    if packet >= end:
        return NONE
    s.holes_from = packet + 1
    s.arrived_below += packet - 1 - max(s.high_rxt, s.acked)
    s.high_rxt = packet
    return packet


@compiled
def _last_hole(s, board):  # type: ignore[no-untyped-def]
    """Return the highest outstanding packet that has not arrived."""
    packet = s.highest_sent
    while board[packet & mask_of(board)]:
        packet -= 1
    return packet
