"""Reno: fast retransmit, and fast recovery until the first ACK of new data (RFC 5681, 3.2).

`s` is the record of the sender's state, `newly_acked` is the number of packets that the ACK
acknowledges, and `now` is the time in ticks.
"""

from __future__ import annotations

from tcpgoodput.simulator.compiled import compiled
from tcpgoodput.simulator.senders import timer
from tcpgoodput.simulator.senders.window import open_window, reduce


@compiled
def on_new_ack(s, newly_acked, now):  # type: ignore[no-untyped-def]
    """React to an ACK of new data: leave fast recovery, or increase cwnd."""
    if s.in_recovery:
        leave_recovery(s)
    else:
        s.duplicates = 0
        open_window(s, newly_acked, now)
    timer.restart(s, now)


@compiled
def on_duplicate(s, now):  # type: ignore[no-untyped-def]
    """Enter fast recovery or inflate cwnd at a duplicate ACK; return whether either happened."""
    if s.in_recovery:  # each duplicate ACK means that a packet has left the path
        s.cwnd += 1.0
        return True
    if s.duplicates == s.dupthresh and s.acked > s.recover:
        s.fast_retransmits += 1
        reduce(s)
        s.in_recovery = True
        s.partial_acks = 0
        s.recover = s.highest_sent
        s.cwnd = s.cwnd_after + s.dupthresh  # dupthresh packets have left the path
        s.repeat_first = True
        timer.restart(s, now)
        return True
    return False


@compiled
def leave_recovery(s):  # type: ignore[no-untyped-def]
    """Leave fast recovery: set cwnd to its value without the inflation by duplicate ACKs."""
    s.in_recovery = False
    s.duplicates = 0
    s.cwnd = s.cwnd_after
