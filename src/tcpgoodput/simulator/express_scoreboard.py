"""Fast code of the simulator for ordinary ACKs of a sender with a scoreboard.

ACKs are ordinary if the sender is in the state OPEN, packets arrive in order, none was sent twice,
and no hand-off or delay spike occurs. The results are the same as those of `connection.run`, to the
last tick. Any other event returns to `connection.run`. The arguments are those of `express.py`.
"""

from __future__ import annotations

from tcpgoodput.simulator import express
from tcpgoodput.simulator.channel.state import LOST
from tcpgoodput.simulator.compiled import NEVER, compiled, mask_of
from tcpgoodput.simulator.receiver import SILENT, is_too_old, note_stamp, on_arrival
from tcpgoodput.simulator.senders.scoreboard import growth, machine, rack, timers
from tcpgoodput.simulator.senders.scoreboard_state import NOTHING, OPEN
from tcpgoodput.simulator.senders.state import NONE
from tcpgoodput.simulator.senders.window import ROUNDING


@compiled
def is_possible(s, r, c, t, a):  # type: ignore[no-untyped-def]
    """Return whether the states of sender, receiver and channel allow this module's fast code."""
    # After a D-SACK (`twice_seen`), the next ACK changes RACK's reordering window. If a later
    # packet was reported before (`fack`), the next ACK shows reordering.
    is_open = s.state == OPEN and s.probe_high == NONE and not s.twice_seen and s.fack <= s.acked
    unmarked = s.sacked_out == 0 and s.lost_out == 0 and s.repeats_out == 0
    outstanding = s.highest_sent > s.acked
    in_order = r.highest == r.last_in_order
    if s.bbr or not (c.may_express and is_open and unmarked and outstanding and in_order):
        return False
    return express.path_allows(c, t, a)


@compiled
def run(s, r, c, a, end, rng):  # type: ignore[no-untyped-def]
    """Process ordinary ACKs until an event of another kind is next.

    On return, `c.sending` is true if the packets that the last ACK allows are still to be sent,
    because a ring could become full or a delay spike could begin.
    """
    arrivals, under_way, stamps = a.arrivals, a.under_way, a.stamps
    sent_times, marks = a.sent_at, a.marks
    mask = mask_of(arrivals)
    first, following = c.first_under_way, c.next_under_way
    first_queued, next_queued = c.first_queued, c.next_queued
    free_at, crossed, bad_from = c.free_at, c.crossed, c.bad_from
    area, last_event = c.window_area, c.last_event
    limit = min(end, c.handoff_at)
    forward, packet_time, spike_from = c.forward, c.packet_time, c.spike_from
    has_sack, timestamps = s.has_sack, s.timestamps
    max_window, last_packet, widest = s.max_window, s.transfer - 1, float(s.max_window)
    acked, highest_sent = s.acked, s.highest_sent
    sent_before, acked_before, acked_at = highest_sent, acked, last_event
    first_acked, newest_sent = acked, s.newest_sent
    while first < following and not c.sending:
        now, packet = arrivals[first & mask], under_way[first & mask]
        if now >= limit or now > s.deadline or now > r.deadline or packet != r.last_in_order + 1:
            break
        any_mark = marks[packet & mask]
        for number in range(acked + 1, packet):
            any_mark |= marks[number & mask]
        if any_mark:
            break
        if timestamps:
            stamp = stamps[first & mask]
            if is_too_old(r, stamp):
                break
            note_stamp(r, packet, stamp)
        ack = on_arrival(r, a.board, packet, now)
        first += 1
        area += min(s.cwnd, widest) * (now - last_event)
        last_event = now
        if ack == SILENT:
            continue
        first_acked = acked + 1
        arrived = packet - acked
        newest_sent = sent_times[packet & mask]
        acked = s.acked = packet
        acked_at = now
        machine.note_delay(s, now - newest_sent, now)
        timers.sample(s, now - sent_times[first_acked & mask], now)
        growth.open_window(s, arrived, now)
        last_allowed = min(acked + min(int(s.cwnd + ROUNDING), max_window), last_packet)
        count, at = last_allowed - highest_sent, now + forward
        held = max(following - first, next_queued - first_queued, highest_sent + 1 - acked)
        last_start = max(at, free_at) + (count - 1) * packet_time
        if count > 0 and (held + count > mask or last_start >= spike_from):
            c.sending = True
            last_allowed = highest_sent
        sends = highest_sent < last_allowed
        while highest_sent < last_allowed:
            highest_sent += 1
            sent_times[highest_sent & mask] = now
            marks[highest_sent & mask] = 0
            arrives, free_at, crossed, bad_from, first_queued, next_queued = express.carry(
                c, a, at, rng, free_at, crossed, bad_from, first_queued, next_queued
            )
            if arrives != LOST:
                arrivals[following & mask] = arrives
                under_way[following & mask] = highest_sent
                stamps[following & mask] = now
                following += 1
        s.highest_sent = highest_sent
        if not timers.schedule_probe(s, a, not sends, now):
            timers.restart(s, a, now)
        if not c.sending:
            s.sent_any = sends
            growth.note_use(s)
    c.first_under_way, c.next_under_way = first, following
    c.first_queued, c.next_queued = first_queued, next_queued
    c.transmissions += highest_sent - sent_before
    c.free_at, c.crossed = free_at, crossed
    c.window_area, c.last_event = area, last_event
    s.packets_sent += highest_sent - sent_before
    if acked == acked_before:
        return
    # The values of these fields follow from the last ACK, or from the sum of all ACKs.
    s.retries = 0
    s.action = NOTHING
    s.sent_any = False
    s.arrived_count += acked - acked_before
    s.arrived_before = s.arrived_count - (acked + 1 - first_acked)
    s.original_arrived = first_acked < s.high_seq
    if has_sack:
        s.newest_sent = newest_sent
        rack.advance(s, 0, acked, newest_sent, acked_at)
        rack.adapt(s, newest_sent, acked_at)
    else:
        s.newest_sent = NEVER
