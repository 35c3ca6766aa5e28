"""NewReno: Reno whose recovery lasts until all outstanding data are acknowledged (RFC 6582).

Two independent settings define the reaction to a partial ACK. With `partial_window_deflation:
deflated` it reduces the window by the number of acknowledged packets (RFC 6582, 3.2, step 3), so
that a new packet can follow the retransmission. With `ssthresh` it sets the window to ssthresh, as
in ns-2 before May 2003. With `unchanged` it leaves the window as it is, as in the study handoffs
(III-B.1). `recovery` says which partial ACKs restart the timer (RFC 6582, 4): only the first one
(`impatient`) or each one (`slow-but-steady`).

A third setting, `full_ack_window`, defines the window after a full ACK: ssthresh, or with `flight`
at most one packet more than are in flight.

`s` is the record of the sender's state, `newly_acked` is the number of packets that the ACK
acknowledges, and `now` is the time in ticks.
"""

from __future__ import annotations

from tcpgoodput.simulator.compiled import compiled
from tcpgoodput.simulator.senders import reno, timer
from tcpgoodput.simulator.senders.state import DEFLATED, SSTHRESH


@compiled
def on_new_ack(s, newly_acked, now):  # type: ignore[no-untyped-def]
    """React to an ACK of new data: at a partial ACK resend the next packet, else act as Reno.

    A partial ACK arrives in recovery and does not acknowledge all packets up to `s.recover`. A full
    ACK does, and ends the recovery.
    """
    if not s.in_recovery or s.acked >= s.recover:
        ends_recovery = s.in_recovery
        reno.on_new_ack(s, newly_acked, now)
        if ends_recovery and s.ends_at_flight:
            # RFC 3782, 3, step 5, option 1: min(ssthresh, FlightSize + SMSS). FlightSize is what is
            # in flight after this ACK.
            s.cwnd = min(s.cwnd, s.highest_sent - s.acked + 1.0)
        return
    s.partial_acks += 1
    s.repeat_first = True
    if s.partial_window == DEFLATED:
        s.cwnd = max(1.0, s.cwnd - newly_acked + 1)
    elif s.partial_window == SSTHRESH:
        s.cwnd = s.cwnd_after
    if s.steady or s.partial_acks == 1:
        timer.restart(s, now)
