"""A TCP sender as a state machine: ACKs and timeouts are its inputs, packets its outputs.

The sender knows neither the path nor the time of its next event. `on_ack` and `on_timeout` update
the record. After them, `next_packet` returns the packets to send one by one, and `timer.on_sent`
records each packet.

`s` and `r` are the records of sender and receiver, `board` is the receiver's array of arrived
packets, and `now` is the time in ticks.
"""

from __future__ import annotations

from tcpgoodput.simulator.compiled import compiled, mask_of
from tcpgoodput.simulator.senders import newreno, reno, sack, tahoe, timer
from tcpgoodput.simulator.senders.state import NEWRENO, NONE, RENO, SACK
from tcpgoodput.simulator.senders.window import reduce, start_over, window

LIMITED_TRANSMIT = 2
"""Number of new packets that RFC 3042 allows beyond cwnd, one for each of two duplicate ACKs."""


@compiled
def on_ack(s, r, board, reports_new, now):  # type: ignore[no-untyped-def]
    """React to the receiver's ACK, which acknowledges packets up to `r.last_in_order`.

    `reports_new`: whether it reports a packet above a missing one for the first time.
    """
    s.fills_pipe = False
    s.beyond_window = 0
    if r.last_in_order > s.acked:
        newly_acked = r.last_in_order - s.acked
        s.acked = r.last_in_order
        s.next_packet = max(s.next_packet, s.acked + 1)
        if s.timed_packet != NONE and s.acked >= s.timed_packet:
            timer.sample(s, now)
        if s.recovery == SACK:
            sack.on_new_ack(s, r, board, newly_acked, now)
        elif s.recovery == NEWRENO:
            newreno.on_new_ack(s, newly_acked, now)
        else:  # Tahoe is never in a recovery
            reno.on_new_ack(s, newly_acked, now)
    elif s.highest_sent > s.acked:
        if s.recovery == SACK:
            if reports_new:
                s.duplicates += 1
                sack.on_duplicate(s, r, board, now)
            return
        s.duplicates += 1
        recovers = s.recovery >= RENO
        reacted = reno.on_duplicate(s, now) if recovers else tahoe.on_duplicate(s, now)
        if not reacted and s.limited_transmit and s.duplicates <= LIMITED_TRANSMIT:
            repeating = s.next_packet <= s.highest_sent
            s.beyond_window = 0 if repeating else s.duplicates


@compiled
def on_timeout(s, now):  # type: ignore[no-untyped-def]
    """React to a timeout: set cwnd to 1, and resend all outstanding packets (RFC 5681, 3.1)."""
    s.fills_pipe = False
    s.beyond_window = 0
    s.timeouts += 1
    if s.timed_out != s.acked + 1:  # a repeated timeout of the same packet does not change ssthresh
        reduce(s)
    s.timed_out = s.acked + 1
    s.after_timeout = True
    start_over(s)
    timer.back_off(s)
    timer.restart(s, now)


@compiled
def next_packet(s, r, board):  # type: ignore[no-untyped-def]
    """Return the number of the next packet to send, or NONE if no packet may be sent."""
    if s.repeat_first:
        s.repeat_first = False
        s.next_packet = max(s.next_packet, s.acked + 2)
        return s.acked + 1
    if s.fills_pipe:
        return sack.next_segment(s, r, board)
    packet = s.next_packet
    if s.recovery == SACK:  # after a timeout, skip packets known to have arrived
        while r.last_in_order < packet <= r.highest and board[packet & mask_of(board)]:
            packet += 1
        s.next_packet = packet
    last = s.acked + min(window(s) + s.beyond_window, s.max_window)
    if packet > last or packet >= s.transfer:
        return NONE
    s.next_packet = packet + 1
    return packet
