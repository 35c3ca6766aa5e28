"""SACK: holes first, new packets after, as long as the pipe has room (RFC 6675).

The receiver's board is the scoreboard: ACKs are not lost, and report all that has arrived.
"""

from __future__ import annotations

from tcpgoodput.simulator.compiled import compiled
from tcpgoodput.simulator.senders import timer
from tcpgoodput.simulator.senders.state import NONE
from tcpgoodput.simulator.senders.window import ROUNDING, open_window, reduce


@compiled
def on_new_ack(s, r, board, newly_acked, now):  # type: ignore[no-untyped-def]
    """Go on with recovery, leave it, or open the window."""
    s.duplicates = 0
    if s.in_recovery and s.acked < s.recover:
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
    """Enter recovery, go on with it, or transmit beyond the window (section 5)."""
    if not s.in_recovery:
        s.high_rxt = s.acked  # (3.1)
    set_pipe(s, r, board)
    if s.in_recovery:
        s.fills_pipe = True
        return
    lost = s.duplicates >= s.dupthresh or s.lost_below > s.acked + 1  # (1), (2)
    if lost and s.acked >= s.recover:
        s.fast_retransmits += 1
        reduce(s)  # (4.2)
        s.in_recovery = True
        s.recover = s.highest_sent  # (4.1)
        s.cwnd = s.cwnd_after
        s.repeat_first = True  # (4.3)
        s.high_rxt = s.acked + 1
        s.rescue_rxt = NONE - 1
        set_pipe(s, r, board)  # (4.4)
        s.fills_pipe = True
        timer.restart(s, now)
    elif s.limited_transmit and s.next_packet > s.highest_sent:
        s.fills_pipe = True  # (3.3)


@compiled
def set_pipe(s, r, board):  # type: ignore[no-untyped-def]
    """Find what is lost, and count the packets believed to be under way (IsLost, SetPipe)."""
    mask = board.size - 1
    arrived = 0
    packet = r.highest
    while packet > s.acked and arrived < s.dupthresh:
        arrived += board[packet & mask]
        packet -= 1
    s.lost_below = packet + 1 if arrived == s.dupthresh else s.acked + 1
    first_unseen = max(r.highest, s.acked) + 1
    pipe = s.highest_sent + 1 - first_unseen
    pipe += max(0, s.high_rxt + 1 - first_unseen)
    for packet in range(s.acked + 1, first_unseen):
        if not board[packet & mask]:
            pipe += (packet >= s.lost_below) + (packet <= s.high_rxt)
    s.pipe = pipe


@compiled
def next_segment(s, r, board):  # type: ignore[no-untyped-def]
    """Return the next packet that the pipe has room for, or NONE (NextSeg)."""
    if s.cwnd + ROUNDING - s.pipe < 1:
        return NONE
    packet = NONE
    if s.in_recovery:
        packet = _next_hole(s, board, s.lost_below)  # (1)
    if packet == NONE:
        unsent = s.highest_sent + 1
        if unsent < s.transfer and unsent - s.acked <= s.max_window:  # (2)
            packet = unsent
            s.next_packet = unsent + 1
        elif s.in_recovery:
            packet = _next_hole(s, board, r.highest)  # (3)
            if packet == NONE and s.acked > s.rescue_rxt:  # (4)
                packet = _last_hole(s, board)
                s.rescue_rxt = s.recover
    if packet != NONE:
        s.pipe += 1
    return packet


@compiled
def _next_hole(s, board, end):  # type: ignore[no-untyped-def]
    """Return the first packet below `end` that has not arrived and was not repeated, or NONE."""
    mask = board.size - 1
    for packet in range(max(s.high_rxt, s.acked) + 1, end):
        if not board[packet & mask]:
            s.high_rxt = packet
            return packet
    return NONE


@compiled
def _last_hole(s, board):  # type: ignore[no-untyped-def]
    """Return the highest outstanding packet that has not arrived."""
    packet = s.highest_sent
    while board[packet & (board.size - 1)]:
        packet -= 1
    return packet
