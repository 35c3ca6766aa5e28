"""RACK: a packet is lost if one sent later has arrived and some time has passed (RFC 8985).

`s` is the record of the sender's state, `a` are the arrays of the run, and times are in ticks.
"""

from __future__ import annotations

from tcpgoodput.simulator.compiled import NEVER, compiled, mask_of, ticks
from tcpgoodput.simulator.senders.scoreboard import timers
from tcpgoodput.simulator.senders.scoreboard.marks import (
    EVER_REPEATED,
    LOST,
    REPEATED,
    mark_lost,
    marks_of,
    next_unmarked,
    sent_at,
)
from tcpgoodput.simulator.senders.scoreboard_state import RECOVERY, REORDER_TIMER
from tcpgoodput.simulator.senders.state import NONE

MOST_STEPS = 255
RECOVERIES_KEPT = 16
"""Number of recoveries after which RACK's widened reordering window is reset (RFC 8985, 6.2)."""

MIN_RTT_WINDOW = ticks(300.0)


@compiled
def note_min_rtt(s, rtt, now):  # type: ignore[no-untyped-def]
    """Update the smallest round trip in ticks; after `MIN_RTT_WINDOW`, `rtt` replaces it.

    Linux instead keeps the smallest round trips of the last five minutes (minmax_running_min).
    """
    if rtt <= s.min_rtt or now - s.min_rtt_at > MIN_RTT_WINDOW:
        s.min_rtt, s.min_rtt_at = rtt, now


@compiled
def advance(s, marks, packet, sent, now):  # type: ignore[no-untyped-def]
    """Record an arrival, and which arrived packet was sent last (RFC 8985, 6.2, steps 1, 2).

    `marks`: the packet's marks, such as EVER_REPEATED. `sent`: the time at which it was last sent.
    """
    if s.min_rtt != NEVER and now - sent < s.min_rtt and marks & EVER_REPEATED:
        return  # the original has arrived, not the retransmission
    s.rack_advanced = True
    s.rack_rtt = now - sent
    if _sent_after(sent, packet, s.rack_at, s.rack_packet):
        s.rack_at, s.rack_packet = sent, packet


@compiled
def _sent_after(sent, packet, other_sent, other):  # type: ignore[no-untyped-def]
    return sent > other_sent or (sent == other_sent and packet > other)


@compiled
def reorder_window(s):  # type: ignore[no-untyped-def]
    """Return RACK's reordering window: ticks until an overtaken packet counts as lost."""
    if not s.reorder_seen and (s.state >= RECOVERY or s.sacked_out >= s.reordering):
        return 0
    if s.min_rtt == NEVER:
        return 0
    return min(s.min_rtt // 4 * s.reorder_steps, int(s.srtt_s * timers.TICKS_PER_S))


@compiled
def detect(s, a, now):  # type: ignore[no-untyped-def]
    """Mark as lost the packets that were overtaken longer ago than the reordering window.

    Return the ticks until the last of the other overtaken packets counts as lost, or 0 if there
    is no other overtaken packet.
    """
    overdue, longest = now - s.rack_rtt - reorder_window(s), 0
    packet = next_unmarked(s, a, s.acked + 1)
    while packet <= s.highest_sent:
        sent = sent_at(a, packet)
        if not _sent_after(s.rack_at, s.rack_packet, sent, packet):
            break  # later packets were not overtaken either
        if sent <= overdue:
            mark_lost(s, a, packet)
        longest = max(longest, sent - overdue)
        packet = next_unmarked(s, a, packet + 1)
    packet = s.first_repeat
    while packet != NONE:
        marks, sent = marks_of(a, packet), sent_at(a, packet)
        if sent > s.rack_at:
            break
        waits = marks & LOST and not marks & REPEATED  # to be resent once more
        if not waits and _sent_after(s.rack_at, s.rack_packet, sent, packet):
            if sent <= overdue:
                mark_lost(s, a, packet)
            longest = max(longest, sent - overdue)
        packet = a.repeat_after[packet & mask_of(a.marks)]
    return longest


@compiled
def mark(s, a, now):  # type: ignore[no-untyped-def]
    """Mark packets as lost after an ACK; return whether RACK's reordering timer was started."""
    if not s.rack_advanced:
        return False
    s.rack_advanced = False
    longest = detect(s, a, now)
    if longest > 0:
        timers.start(s, REORDER_TIMER, longest + timers.LEAST, now)
    return longest > 0


@compiled
def adapt(s, newest_sent, now):  # type: ignore[no-untyped-def]
    """Widen the reordering window if retransmissions were unnecessary (RFC 8985, 6.2, step 4).

    `newest_sent`: the send time of a packet that this ACK reports; NEVER if there is none.
    """
    if newest_sent == NEVER:
        return
    if newest_sent < s.reorder_changed_at:
        s.twice_seen = False
    if s.twice_seen:
        s.reorder_steps = min(MOST_STEPS, s.reorder_steps + 1)
        s.twice_seen = False
        s.reorder_changed_at = now
        s.reorder_kept = RECOVERIES_KEPT
    elif s.reorder_kept == 0:
        s.reorder_steps = 1
