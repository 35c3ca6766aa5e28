"""F-RTO: the ACKs after a timeout show whether the timeout was necessary (RFC 5682).

`false_timeout` is TESTED while the test is running, else OVER. `s` is the record of the
sender's state.
"""

from __future__ import annotations

from tcpgoodput.simulator.compiled import compiled
from tcpgoodput.simulator.senders.scoreboard_state import NEW_FIRST

OVER, TESTED = range(2)


@compiled
def begin(s, is_first):  # type: ignore[no-untyped-def]
    """Start F-RTO's test at a timeout, except during fast recovery (RFC 5682, 2.1, step 1).

    `is_first`: whether the timeout begins a recovery, or repeats a timeout without progress;
    not if it interrupts another recovery.
    """
    s.false_timeout = TESTED if s.finds_false_timeouts and is_first else OVER


@compiled
def test(s, advanced, reported):  # type: ignore[no-untyped-def]
    """Continue F-RTO's test with an ACK; return whether the test needs new packets to be sent.

    `advanced`: whether the ACK acknowledges new packets in order. `reported`: whether it is a
    duplicate, or reports a packet above a missing one.
    """
    if s.highest_sent + 1 > s.high_seq:
        if reported:
            s.false_timeout = OVER  # RFC 5682, step (3.a): the timeout was necessary
    elif advanced and s.acked + 1 < s.high_seq:
        s.high_seq = s.highest_sent + 1
        unsent = s.highest_sent + 1
        if unsent < s.transfer and unsent - s.acked <= s.max_window:
            s.action = NEW_FIRST  # RFC 5682, step (2.b): send new packets
            return True
        s.false_timeout = OVER
    return False
