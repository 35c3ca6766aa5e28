"""Reduction of the congestion window in a loss recovery: by how much, and how fast.

`s` is the record of the sender's state.
"""

from __future__ import annotations

import math

from tcpgoodput.simulator.compiled import NEVER, compiled
from tcpgoodput.simulator.senders import cubic
from tcpgoodput.simulator.senders.scoreboard import linux_cubic
from tcpgoodput.simulator.senders.scoreboard.bbr import cwnd as bbr_cwnd
from tcpgoodput.simulator.senders.scoreboard.marks import in_flight, outstanding
from tcpgoodput.simulator.senders.state import NONE
from tcpgoodput.simulator.senders.window import SMALLEST_SSTHRESH, note_loss_event


@compiled
def cut(s):  # type: ignore[no-untyped-def]
    """Set ssthresh after a loss, from cwnd or the packets in flight (RFC 5681, equation 4).

    Without window validation, cwnd may exceed the receiver's window. Then the receiver's window is
    used in place of cwnd; see `window.reduce`. BBR keeps ssthresh, and saves cwnd.
    """
    note_loss_event(s)
    if s.bbr:
        bbr_cwnd.save(s)
        return
    base = s.cwnd if s.validates else min(s.cwnd, float(s.max_window))
    if not s.halves_window:
        base = min(base, float(s.highest_sent - s.acked))
    left = base / 2
    if s.cubic:
        left = cubic.reduce(s, base)
    elif s.linux_cubic:
        left = linux_cubic.reduce(s)
    s.ssthresh = max(SMALLEST_SSTHRESH, math.floor(left))


@compiled
def begin(s):  # type: ignore[no-untyped-def]
    """Begin the reduction of the window in a loss recovery (RFC 9937, section 6.1)."""
    s.high_seq = s.highest_sent + 1
    s.probe_high = NONE
    s.counted = 0.0
    s.prior_cwnd = s.cwnd
    s.recover_flight = _recover_flight(s)
    s.prr_arrived = 0
    s.prr_sent = 0
    cut(s)


@compiled
def _recover_flight(s):  # type: ignore[no-untyped-def]
    """Return RecoverFS, the number of packets to be delivered until the reduction is complete.

    Packets reported before this ACK do not count. If ssthresh is a share of cwnd, RecoverFS is
    cwnd, as in Linux (tcp_cwnd_reduction).
    """
    if s.halves_window:
        return s.cwnd
    flight = outstanding(s)
    if s.has_sack:
        flight -= s.sacked_out - (s.arrived_count - s.arrived_before)
    return float(max(flight, 1))


@compiled
def go_on(s, arrived, lost, advanced):  # type: ignore[no-untyped-def]
    """Set the window after an ACK during recovery (RFC 9937, section 6.2).

    `arrived` and `lost`: numbers of packets that this ACK reports, and that were marked as lost
    because of it. `advanced`: whether it acknowledges new packets in order.
    """
    if arrived <= 0:
        return
    s.prr_arrived += arrived
    under_way = in_flight(s)
    target = min(s.ssthresh, float(NEVER))  # ssthresh is infinite if all reductions were undone
    if not s.proportional:
        may_send = int(target) - under_way
    elif under_way > s.ssthresh:
        may_send = math.ceil(s.ssthresh * s.prr_arrived / s.recover_flight) - s.prr_sent
    else:
        may_send = max(s.prr_arrived - s.prr_sent, arrived)
        if advanced and lost == 0:
            may_send += 1
        may_send = min(may_send, int(target) - under_way)
    if s.prr_sent == 0:
        may_send = max(may_send, 1)  # always allow a recovery's first retransmission
    s.cwnd = float(under_way + max(may_send, 0))


@compiled
def end(s):  # type: ignore[no-untyped-def]
    """Set cwnd to ssthresh at the end of a recovery, unless the reduction was undone."""
    if s.undo_from != NONE and not s.bbr:
        s.cwnd = s.ssthresh
