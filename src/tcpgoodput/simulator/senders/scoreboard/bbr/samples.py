"""Samples of the delivery rate (net/ipv4/tcp_rate.c).

A sample counts the packets delivered from the sending of a packet to its ACK. The time is that in
which these packets were sent, or that in which they were acknowledged, if it is longer. `s` is the
record of the sender's state, `a` are the arrays of the run, and `now` is the time in ticks.
"""

from __future__ import annotations

from tcpgoodput.simulator.compiled import NEVER, compiled, mask_of
from tcpgoodput.simulator.senders.scoreboard.marks import in_flight, outstanding, sent_at
from tcpgoodput.simulator.senders.state import NONE


@compiled
def on_sent(s, a, packet, now):  # type: ignore[no-untyped-def]
    """Record with a packet what was delivered before it is sent (tcp_rate_skb_sent)."""
    if outstanding(s) == 0:
        s.first_sent_at = s.delivered_at = now
    place = packet & mask_of(a.sent_at)
    a.phase_began[place] = s.first_sent_at
    a.delivered_at[place] = s.delivered_at
    # The complement, which is negative, marks packets that the sender's own limit delays.
    a.delivered[place] = s.arrived_count if s.limited_until == 0 else ~s.arrived_count


@compiled
def begin(s):  # type: ignore[no-untyped-def]
    """Prepare for an ACK's sample."""
    s.sample_packet = NONE
    s.last_rtt = NONE
    s.prior_flight = in_flight(s)


@compiled
def on_delivered(s, a, packet):  # type: ignore[no-untyped-def]
    """Use the packet for the ACK's sample if it was sent last (tcp_rate_skb_delivered)."""
    sent = sent_at(a, packet)
    is_later = sent > s.first_sent_at or (sent == s.first_sent_at and packet > s.sample_packet)
    if s.sample_packet != NONE and not is_later:
        return
    place = packet & mask_of(a.sent_at)
    before = a.delivered[place]
    s.sample_packet = packet
    s.sample_limited = before < 0
    s.sample_before = ~before if before < 0 else before
    s.sample_began = a.delivered_at[place]
    s.sample_sending = sent - a.phase_began[place]
    s.first_sent_at = sent


@compiled
def end(s, arrived, now):  # type: ignore[no-untyped-def]
    """Complete the sample of an ACK that reports `arrived` packets (tcp_rate_gen).

    A sample over less than the smallest round trip is not valid: the packet that arrived was not
    the retransmission.
    """
    if s.arrived_count > s.limited_until:
        s.limited_until = 0
    if arrived > 0:
        s.delivered_at = now
    s.sample_interval = 0
    if s.sample_packet == NONE:
        return
    interval = max(s.sample_sending, now - s.sample_began)
    if interval >= s.min_rtt or s.min_rtt == NEVER:
        s.sample_interval = interval


@compiled
def limit(s):  # type: ignore[no-untyped-def]
    """Mark the samples of all packets in flight, and of packets sent until they are delivered.

    The sender's own limit, not the path, decides their rate.
    """
    s.limited_until = s.arrived_count + in_flight(s)
    if s.limited_until == 0:
        s.limited_until = 1
