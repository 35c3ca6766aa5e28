"""Undo of unnecessary window reductions, by timestamps (RFC 3522, 4015) or D-SACK (RFC 3708).

`s` and `r` are the records of sender and receiver, and `a` are the arrays of the run.
"""

from __future__ import annotations

from tcpgoodput.simulator.compiled import NEVER, compiled, mask_of
from tcpgoodput.simulator.receiver import stamp
from tcpgoodput.simulator.senders import cubic
from tcpgoodput.simulator.senders.scoreboard.bbr import modes
from tcpgoodput.simulator.senders.scoreboard.marks import REPEATED, marks_of, unmark_all_lost
from tcpgoodput.simulator.senders.state import NONE


@compiled
def mark(s):  # type: ignore[no-untyped-def]
    """Record at a window reduction what a later undo needs."""
    s.undo_from = s.acked + 1
    s.undo_repeats = s.repeats_out
    if s.probe_high != NONE and s.probe_repeats:
        s.undo_repeats += 1
    if s.undo_repeats == 0:
        s.undo_repeats = -1  # 0 would mean that all retransmissions were unnecessary


@compiled
def echoes_earlier(s, r, time):  # type: ignore[no-untyped-def]
    """Return whether the ACK echoes the timestamp of a packet sent before `time`."""
    echoed = stamp(r.echo)
    return s.timestamps and echoed < stamp(time)


@compiled
def was_delayed(s, r):  # type: ignore[no-untyped-def]
    """Return whether the acknowledged packet was only late, not lost (RFC 3522, step 4)."""
    if s.repeated_at != NEVER:
        return echoes_earlier(s, r, s.repeated_at)
    return s.has_sack or s.acked + 1 < s.high_seq  # nothing was retransmitted


@compiled
def is_possible(s, r):  # type: ignore[no-untyped-def]
    """Return whether all retransmissions, or this ACK, show that the recovery was unnecessary."""
    return s.undo_from != NONE and (s.undo_repeats == 0 or was_delayed(s, r))


@compiled
def restore(s, a, unmark):  # type: ignore[no-untyped-def]
    """Restore the previous window, ssthresh and CUBIC's epoch.

    The epoch is not restored if the window has grown beyond the previous one (RFC 9438, 4.9.2).
    If `unmark` is true, no outstanding packet counts as lost afterwards.
    """
    if unmark:
        unmark_all_lost(s, a)
    if s.bbr:
        modes.on_undo(s)
    elif s.prior_ssthresh > 0:
        if s.cubic and s.cwnd < s.prior_cwnd:
            cubic.restore(s)
        s.cwnd = max(s.cwnd, s.prior_cwnd)
        s.ssthresh = max(s.ssthresh, s.prior_ssthresh)
    s.undo_from = NONE
    s.rack_advanced = True


@compiled
def note_twice(s, a, packet):  # type: ignore[no-untyped-def]
    """Process a D-SACK for `packet`; return whether a retransmission was the duplicate."""
    s.twice_count += 1
    if s.twice_count > s.retransmissions:
        return False
    if s.reorder_seen and packet + 1 != s.probe_high:
        s.twice_seen = True
    if s.undo_from != NONE and s.undo_repeats > 0 and packet >= s.undo_from:
        s.undo_repeats -= 1
    if packet > s.acked and marks_of(a, packet) & REPEATED:
        a.marks[packet & mask_of(a.marks)] &= ~REPEATED
        s.repeats_out -= 1
    s.arrived_count += 1
    return True
