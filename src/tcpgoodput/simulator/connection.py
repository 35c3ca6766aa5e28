"""One connection: sender, path and receiver, simulated ACK by ACK.

There is no queue of events. The path is a first-come, first-served link followed by a delay, so all
later times of a packet are known when it is sent. A ring (an array indexed modulo its size)
contains, in order, the time at which each packet's ACK can reach the sender. The simulator lets the
receiver process the packet at this time. This does not change the results: only the sum of two
delays matters, from the bottleneck to the receiver and from the receiver to the sender.

`s`, `r`, `c` and `t` are the records of sender, receiver, channel (the path) and trace; `a` are the
arrays of the run. Times are in ticks.
"""

from __future__ import annotations

from tcpgoodput.simulator import express, express_scoreboard
from tcpgoodput.simulator.channel import arq
from tcpgoodput.simulator.channel.path import put_under_way, transmit
from tcpgoodput.simulator.channel.state import LISTED, LOST
from tcpgoodput.simulator.compiled import NEVER, compiled, entry_point, mask_of
from tcpgoodput.simulator.receiver import (
    REPORTS_NEW,
    SILENT,
    is_too_old,
    note_stamp,
    on_arrival,
    on_deadline,
    on_old_arrival,
)
from tcpgoodput.simulator.senders import timer
from tcpgoodput.simulator.senders.scoreboard import machine
from tcpgoodput.simulator.senders.sender import next_packet, on_ack, on_timeout
from tcpgoodput.simulator.senders.state import NONE
from tcpgoodput.simulator.trace import (
    ACK,
    DELAYED_ACK,
    PACED,
    SILENT_ARRIVAL,
    START,
    TIMEOUT,
    TIMER,
    record_event,
    record_sent,
)

REACHED, PAUSED, FINISHED, FULL = range(4)
"""Reasons for the end of a run: its time is reached, the sender noticed the given number of loss
events, all data are acknowledged, or the arrays must be extended. They must be extended if they
have no room for the next packet, or if the losses drawn in advance do not reach it."""

MOST_OUTSTANDING = 3
"""Largest usual number of outstanding packets, relative to the largest window so far. In a recovery
a sender with SACK sends a window of new packets at most for each round trip, and an ordinary
recovery takes one or two round trips."""


@entry_point
def run(sender, receiver, channel, trace, a, end, rng):  # type: ignore[no-untyped-def]
    """Run from the current state up to the first event at or after `end`.

    Return REACHED, PAUSED, FINISHED or FULL. Records are passed in arrays of length one, because
    numba accepts them forty times faster.

    Args:
        sender: the sender's record.
        receiver: the receiver's record.
        channel: the channel's record.
        trace: the trace's record.
        a: the run's arrays; after FULL, call again with larger rings or further losses.
        end: the time in ticks at which to stop.
        rng: the source of random numbers.

    """
    s, r, c, t = sender[0], receiver[0], channel[0], trace[0]
    mask = mask_of(a.arrivals)
    while True:
        if not c.sending:
            if s.scoreboard:
                if express_scoreboard.is_possible(s, r, c, t, a):
                    express_scoreboard.run(s, r, c, a, end, rng)
            elif express.is_possible(s, r, c, t, a):
                express.run(s, r, c, a, end, rng)
        if not c.sending:
            others = min(r.deadline, s.deadline, s.pacing_deadline, end)
            if not arq.advance(c, a, a.errors, others, rng):
                return FULL
            arrival = a.arrivals[c.first_under_way & mask]
            if c.first_under_way == c.next_under_way:
                arrival = NEVER
            now = min(arrival, r.deadline, s.deadline, s.pacing_deadline)
            if c.transmissions == 0:
                now = 0
            if now >= end:
                return REACHED if now < NEVER else FINISHED
            allowed, elapsed = min(s.cwnd, float(s.max_window)), now - c.last_event
            c.window_area += allowed * elapsed
            c.largest_window = max(c.largest_window, allowed)
            usual = MOST_OUTSTANDING * c.largest_window
            c.stalled_area += max(0.0, s.highest_sent - s.acked - usual) * elapsed
            c.last_event = now
            c.event_packet = NONE
            if c.transmissions == 0:
                c.event_kind = START
            elif arrival == now:
                c.event_kind = ACK
                c.event_packet = a.under_way[c.first_under_way & mask]
                follows = _arrive(s, r, a, c, now)
                if follows == SILENT:
                    c.first_under_way += 1
                    record_event(t, a, s, c, SILENT_ARRIVAL, c.event_packet, now)
                    continue
                c.first_under_way += 1
                reports_new = follows == REPORTS_NEW
                if s.scoreboard:
                    machine.on_ack(s, r, a, c.event_packet if reports_new else NONE, now, rng)
                else:
                    on_ack(s, r, a.board, reports_new, now)
            elif r.deadline == now:
                c.event_kind = DELAYED_ACK
                on_deadline(r)
                if s.scoreboard:
                    r.twice = NONE
                    machine.on_ack(s, r, a, NONE, now, rng)
                else:
                    on_ack(s, r, a.board, False, now)
            elif s.pacing_deadline == now:
                c.event_kind = PACED
                machine.on_pacing(s)
            else:
                timeouts = s.timeouts
                if s.scoreboard:
                    machine.on_timer(s, a, now, rng)
                else:
                    on_timeout(s, now)
                c.event_kind = TIMEOUT if s.timeouts > timeouts else TIMER
        c.sending = not send(s, r, c, t, a, c.last_event, rng)
        if c.sending:
            return FULL
        record_event(t, a, s, c, c.event_kind, c.event_packet, c.last_event)
        if s.loss_events >= s.pause_at:
            if r.delivered >= s.pause_delivered:
                return PAUSED
            s.pause_at = s.loss_events + 1  # at the next loss event


@compiled
def _arrive(s, r, a, c, now):  # type: ignore[no-untyped-def]
    """Process the next packet's arrival at the receiver; see `receiver.on_arrival`."""
    sent = a.stamps[c.first_under_way & mask_of(a.stamps)]
    if s.timestamps:
        if is_too_old(r, sent):
            return on_old_arrival(r, c.event_packet)
        note_stamp(r, c.event_packet, sent)
    return on_arrival(r, a.board, c.event_packet, now)


@compiled
def send(s, r, c, t, a, now, rng):  # type: ignore[no-untyped-def]
    """Send all packets that the sender may send; return False if an array must be extended."""
    mask = mask_of(a.arrivals)
    while True:
        held = max(c.next_under_way - c.first_under_way, c.next_queued - c.first_queued)
        if arq.repeats(a.errors):
            held += c.next_frame - c.first_frame
        if max(held, s.highest_sent + 1 - s.acked) > mask:
            return False
        if c.loss == LISTED and c.crossed == c.listed_until:
            return False
        before = s.highest_sent
        packet = machine.next_packet(s, a, now) if s.scoreboard else next_packet(s, r, a.board)
        if packet == NONE:
            return True
        if arq.repeats(a.errors):
            frame = arq.accept(c, a, packet, packet > before, now, rng)
            if not s.scoreboard:
                timer.on_sent(s, packet, now)
            record = record_sent(t, a, packet, LOST if frame == LOST else NEVER)
            if frame != LOST:
                a.frames[frame & mask].record = record
            continue
        arrives = transmit(c, a, packet > before, now, rng)
        if not s.scoreboard:
            timer.on_sent(s, packet, now)
        record_sent(t, a, packet, arrives)
        if arrives != LOST:
            put_under_way(c, a, packet, arrives, now)
