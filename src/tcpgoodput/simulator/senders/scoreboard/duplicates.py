"""Detection of losses by the number of duplicate ACKs, or with SACK by the reported packets.

`s` is the record of the sender's state, and `a` are the arrays of the run.
"""

from __future__ import annotations

from tcpgoodput.simulator.compiled import compiled
from tcpgoodput.simulator.senders.scoreboard.marks import (
    SACKED,
    mark_lost,
    marks_of,
    next_unmarked,
    outstanding,
)
from tcpgoodput.simulator.senders.scoreboard_state import RECOVERY
from tcpgoodput.simulator.senders.state import NONE


@compiled
def add(s):  # type: ignore[no-untyped-def]
    """Without SACK, count a duplicate ACK as the arrival of one packet (tcp_add_reno_sack)."""
    before = s.sacked_out
    s.sacked_out += 1
    _limit(s, 0)
    s.arrived_count += max(s.sacked_out - before, 0)


@compiled
def remove(s, acked):  # type: ignore[no-untyped-def]
    """Without SACK, correct the count of arrived packets after an ACK of `acked` packets in order.

    One of the `acked` packets was missing. The others were counted at duplicate ACKs
    (tcp_remove_reno_sacks).
    """
    s.arrived_count += max(acked - s.sacked_out, 1)
    s.sacked_out = max(0, s.sacked_out - (acked - 1))
    _limit(s, acked)


@compiled
def _limit(s, added):  # type: ignore[no-untyped-def]
    """Limit `sacked_out`; beyond its limit, packets were reordered (tcp_limit_reno_sacked).

    `reordering`, the number of duplicate ACKs that indicate a loss, is then raised. At least one
    outstanding packet has not arrived, and at least as many as count as lost. `added` is the number
    of packets that the current ACK acknowledges.
    """
    holes = min(max(s.lost_out, 1), outstanding(s))
    if s.sacked_out + holes > outstanding(s):
        s.sacked_out = outstanding(s) - holes
        if s.most_reordering != NONE:
            s.reordering = min(outstanding(s) + added, s.most_reordering)
        s.reorder_seen = True


@compiled
def mark_first(s, a, advanced):  # type: ignore[no-untyped-def]
    """Mark the first outstanding packet as lost after enough duplicates or at a partial ACK."""
    many = s.state < RECOVERY and s.sacked_out >= s.reordering
    if many or (s.state == RECOVERY and advanced):
        mark_lost(s, a, s.acked + 1)


@compiled
def mark_below(s, a):  # type: ignore[no-untyped-def]
    """Mark a missing packet as lost if `reordering` later ones have arrived (RFC 6675, IsLost)."""
    if s.sacked_out < s.reordering:
        return
    beyond, packet = 0, s.fack
    while beyond < s.reordering:
        beyond += marks_of(a, packet) & SACKED
        packet -= 1
    missing = next_unmarked(s, a, s.acked + 1)
    while missing <= packet:
        mark_lost(s, a, missing)
        missing = next_unmarked(s, a, missing + 1)
