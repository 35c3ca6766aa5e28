"""State of each outstanding packet: its send time, and whether it is SACKed, lost or resent.

The names are those of RFC 6675 and of the kernel. `sacked_out`, `lost_out` and `repeats_out` count
the marks; the number of packets in flight is computed from these counts. `s` is the record of the
sender's state, and `a` are the arrays of the run.
"""

from __future__ import annotations

from tcpgoodput.simulator.compiled import NEVER, compiled, mask_of
from tcpgoodput.simulator.senders.scoreboard_state import RECOVERY
from tcpgoodput.simulator.senders.state import NONE

SACKED, LOST, REPEATED, EVER_REPEATED = 1, 2, 4, 8
"""Marks of a packet, one bit each. REPEATED: a retransmission is believed to be in flight."""


@compiled
def outstanding(s):  # type: ignore[no-untyped-def]
    """Return the number of packets that are sent and not acknowledged."""
    return s.highest_sent - s.acked


@compiled
def in_flight(s):  # type: ignore[no-untyped-def]
    """Return the number of packets believed to be under way (RFC 6675, pipe)."""
    return outstanding(s) - s.sacked_out - s.lost_out + s.repeats_out


@compiled
def marks_of(a, packet):  # type: ignore[no-untyped-def]
    """Return the marks of a packet, such as LOST."""
    return a.marks[packet & mask_of(a.marks)]


@compiled
def sent_at(a, packet):  # type: ignore[no-untyped-def]
    """Return the time in ticks at which an outstanding packet was last sent."""
    return a.sent_at[packet & mask_of(a.sent_at)]


@compiled
def _note_first_mark(a, packet):  # type: ignore[no-untyped-def]
    """Prepare a packet without marks for its first one; see `next_unmarked`."""
    place = packet & mask_of(a.marks)
    if a.marks[place] == 0:
        a.after_run[place] = packet + 1


@compiled
def next_unmarked(s, a, packet):  # type: ignore[no-untyped-def]
    """Return the first packet from `packet` on that has no mark; it may be unsent.

    Each visited packet of a run with marks then refers to the end of the run, so that the next
    search does not visit the whole run again.
    """
    mask = mask_of(a.marks)
    end = packet
    while end <= s.highest_sent and a.marks[end & mask] != 0:
        end = a.after_run[end & mask]
    while packet < end:
        following = a.after_run[packet & mask]
        a.after_run[packet & mask] = end
        packet = following
    return end


@compiled
def mark_sacked(s, a, packet):  # type: ignore[no-untyped-def]
    """Mark a packet as SACKed, and not as lost any more."""
    _note_first_mark(a, packet)
    place = packet & mask_of(a.marks)
    known = a.marks[place]
    if known & EVER_REPEATED:
        remove_repeat(s, a, packet)
    if known & LOST:
        s.lost_out -= 1
        if known & REPEATED:
            s.repeats_out -= 1
        known &= ~(LOST | REPEATED)
    a.marks[place] = known | SACKED
    s.sacked_out += 1


@compiled
def mark_repeated(s, a, packet, bits, now):  # type: ignore[no-untyped-def]
    """Record that an outstanding packet is resent now, and set the marks `bits`.

    It becomes the last packet in the list of resent packets, unless SACK has reported it.
    """
    _note_first_mark(a, packet)
    mask = mask_of(a.marks)
    place = packet & mask
    if not a.marks[place] & SACKED:
        if a.marks[place] & EVER_REPEATED:
            remove_repeat(s, a, packet)
        a.repeat_before[place], a.repeat_after[place] = s.last_repeat, NONE
        if s.last_repeat == NONE:
            s.first_repeat = packet
        else:
            a.repeat_after[s.last_repeat & mask] = packet
        s.last_repeat = packet
    a.sent_at[place] = now
    a.marks[place] |= bits


@compiled
def remove_repeat(s, a, packet):  # type: ignore[no-untyped-def]
    """Remove a packet from the list of resent packets."""
    mask = mask_of(a.marks)
    before, after = a.repeat_before[packet & mask], a.repeat_after[packet & mask]
    if before == NONE:
        s.first_repeat = after
    else:
        a.repeat_after[before & mask] = after
    if after == NONE:
        s.last_repeat = before
    else:
        a.repeat_before[after & mask] = before


@compiled
def any_repeated(s, a):  # type: ignore[no-untyped-def]
    """Return whether a retransmission is in flight or the first outstanding packet was resent."""
    if s.repeats_out > 0:
        return True
    return outstanding(s) > 0 and marks_of(a, s.acked + 1) & EVER_REPEATED != 0


@compiled
def forget_repeats(s, a):  # type: ignore[no-untyped-def]
    """Reset `repeated_at`, the time of the first retransmission, if none is in flight."""
    if not any_repeated(s, a):
        s.repeated_at = NEVER


@compiled
def mark_lost(s, a, packet):  # type: ignore[no-untyped-def]
    """Mark a packet as lost, or its retransmission if there is one."""
    place = packet & mask_of(a.marks)
    marks = a.marks[place]
    if marks & SACKED or (marks & LOST and not marks & REPEATED):
        return
    _note_first_mark(a, packet)
    if marks & LOST:
        s.repeats_out -= 1
        a.marks[place] = marks & ~REPEATED
    else:
        s.lost_out += 1
        a.marks[place] = marks | LOST
    s.marked_lost += 1
    s.repeat_from = min(s.repeat_from, packet)


@compiled
def unmark_all_lost(s, a):  # type: ignore[no-untyped-def]
    """Remove the mark LOST from all packets."""
    for packet in range(s.acked + 1, s.highest_sent + 1):
        a.marks[packet & mask_of(a.marks)] &= ~LOST
        # A run that ends further on may contain a packet that has no mark any more.
        a.after_run[packet & mask_of(a.marks)] = packet + 1
    s.lost_out = 0


@compiled
def next_lost(s, a):  # type: ignore[no-untyped-def]
    """Return the first packet that is marked as lost and not retransmitted yet, or NONE."""
    if s.repeats_out >= s.lost_out:
        return NONE
    packet = max(s.repeat_from, s.acked + 1)
    while packet <= s.highest_sent and marks_of(a, packet) & (SACKED | LOST | REPEATED) != LOST:
        packet += 1
    s.repeat_from = packet
    return packet if packet <= s.highest_sent else NONE


@compiled
def on_sent(s, a, packet, now):  # type: ignore[no-untyped-def]
    """Record in the scoreboard that a packet is sent."""
    place = packet & mask_of(a.marks)
    s.packets_sent += 1
    if s.state == RECOVERY:
        s.prr_sent += 1
    if packet > s.highest_sent:
        s.highest_sent = packet
        a.sent_at[place] = now
        a.marks[place] = 0
        return
    s.retransmissions += 1
    # After an undo, an earlier retransmission is still marked. A packet counts once.
    if not a.marks[place] & REPEATED:
        s.repeats_out += 1
    mark_repeated(s, a, packet, REPEATED | EVER_REPEATED, now)
    s.repeated_at = min(s.repeated_at, now)
    s.undo_repeats = max(s.undo_repeats, 0) + 1
