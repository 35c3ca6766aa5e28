"""Fast code of the simulator for ordinary ACKs of a sender without a scoreboard.

ACKs are ordinary if packets arrive in order, none is retransmitted, and no hand-off or delay spike
occurs. At low loss nearly all ACKs are of this kind. The results are the same as those of
`connection.run`, to the last tick, but all state is in local variables. Any other event returns to
`connection.run`. Large windows use even faster code; see `climb`.

`s`, `r`, `c` and `t` are the records of sender, receiver, path and trace; `a` are the arrays of the
run. `end` is the time in ticks at which to stop.
"""

from __future__ import annotations

from tcpgoodput.simulator import climb
from tcpgoodput.simulator.channel.capacity import service_ends
from tcpgoodput.simulator.channel.losses import is_lost
from tcpgoodput.simulator.channel.state import CONSTANT, LISTED, LOST, NO_LOSS, PER_SLOT
from tcpgoodput.simulator.compiled import NEVER, compiled, mask_of
from tcpgoodput.simulator.senders import timer
from tcpgoodput.simulator.senders.state import NONE
from tcpgoodput.simulator.senders.window import ROUNDING, open_window


@compiled
def is_possible(s, r, c, t, a):  # type: ignore[no-untyped-def]
    """Return whether the states of sender, receiver and channel allow this module's fast code."""
    sender = (
        not s.scoreboard
        and not s.in_recovery
        and s.duplicates == 0
        and s.next_packet == s.highest_sent + 1
    )
    receiver = r.highest == s.acked and r.ack_every == 1
    return c.may_express and sender and receiver and path_allows(c, t, a)


@compiled
def path_allows(c, t, a):  # type: ignore[no-untyped-def]
    """Return whether the path allows fast code: nothing prescribed, late, or to be recorded."""
    path = c.to_hit == 0 and c.scripted == a.scripted.size and c.loss != LISTED
    serving = c.capacity == CONSTANT or c.spike_from == NEVER
    if not (path and serving and t.events == a.events.size):
        return False
    if c.first_under_way == c.next_under_way:
        return False
    last = a.arrivals[(c.next_under_way - 1) & mask_of(a.arrivals)]
    return last <= c.free_at + c.backward  # no late packet is under way


@compiled
def run(s, r, c, a, end, rng):  # type: ignore[no-untyped-def]
    """Process ordinary ACKs until an event of another kind is next."""
    ordinary = True
    while ordinary:
        most = climb.run(s, r, c, a, end, rng)
        ordinary = go(s, r, c, a, end, rng, most)


@compiled
def go(s, r, c, a, end, rng, most):  # type: ignore[no-untyped-def]
    """Process at most `most` ordinary ACKs; return whether at least one was processed."""
    arrivals, under_way = a.arrivals, a.under_way
    mask = mask_of(arrivals)
    first, following = c.first_under_way, c.next_under_way
    first_queued, next_queued = c.first_queued, c.next_queued
    acked, highest_sent, cwnd = s.acked, s.highest_sent, s.cwnd
    timed_packet, rto, deadline = s.timed_packet, s.rto, s.deadline
    free_at, crossed, bad_from = c.free_at, c.crossed, c.bad_from
    area, last_event = c.window_area, c.last_event
    sent_before, acked_before = highest_sent, acked
    limit = min(end, c.handoff_at)
    forward, packet_time = c.forward, c.packet_time
    spike_from, plain_growth = c.spike_from, not s.cubic and not s.floor_increment
    ssthresh, max_window, last_packet = s.ssthresh, s.max_window, s.transfer - 1
    grows_to = s.grows_to
    widest = float(max_window)
    room = mask + 1 - s.dupthresh
    through = acked + most
    while first < following and acked < through:
        now = arrivals[first & mask]
        at = now + forward
        if now >= limit or now > deadline or under_way[first & mask] != acked + 1:
            break
        if max(at, free_at) + packet_time >= spike_from:
            break
        # Stop before a ring is full. It can contain retransmissions besides unacknowledged packets.
        if max(highest_sent - acked, following - first, next_queued - first_queued) >= room:
            break
        first += 1
        acked += 1
        area += min(cwnd, widest) * (now - last_event)
        last_event = now
        if acked >= timed_packet != NONE:
            timer.sample(s, now)
            timed_packet, rto = NONE, s.rto
        if cwnd < ssthresh:
            cwnd = min(cwnd + 1.0, grows_to)
        elif plain_growth:
            cwnd += 1.0 / cwnd
        else:
            s.cwnd = cwnd
            open_window(s, 1, now)
            cwnd = s.cwnd
        last_allowed = acked + min(int(cwnd + ROUNDING), max_window)
        last_allowed = min(last_allowed, last_packet)
        while highest_sent < last_allowed:
            highest_sent += 1
            if timed_packet == NONE:
                timed_packet = highest_sent
                s.timed_at = now
            arrives, free_at, crossed, bad_from, first_queued, next_queued = carry(
                c, a, at, rng, free_at, crossed, bad_from, first_queued, next_queued
            )
            if arrives != LOST:
                arrivals[following & mask] = arrives
                under_way[following & mask] = highest_sent
                following += 1
        deadline = now + rto if highest_sent > acked else NEVER
    c.first_under_way, c.next_under_way = first, following
    c.first_queued, c.next_queued = first_queued, next_queued
    c.transmissions += highest_sent - sent_before
    c.free_at, c.crossed = free_at, crossed
    c.window_area, c.last_event = area, last_event
    s.acked, s.highest_sent, s.cwnd = acked, highest_sent, cwnd
    s.next_packet = highest_sent + 1
    s.packets_sent += highest_sent - sent_before
    s.timed_packet, s.deadline = timed_packet, deadline
    r.last_in_order = r.highest = acked
    r.delivered += acked - acked_before
    return acked > acked_before


@compiled
def carry(c, a, at, rng, free_at, crossed, bad_from, first_queued, next_queued):  # type: ignore[no-untyped-def]
    """Carry a packet that reaches the bottleneck at time `at`, as `path.transmit` does.

    Return the time in ticks at which its ACK can reach the sender, or LOST, and then the new values
    of `free_at`, `crossed`, `bad_from`, `first_queued` and `next_queued`. The caller holds these
    five fields of `c` in local variables.
    """
    departures = a.departures
    mask = mask_of(departures)
    is_lossy = c.loss != NO_LOSS
    if is_lossy and c.before_queue:
        lost, crossed, bad_from = _is_lost(c, a, at, rng, crossed, bad_from)
        if lost:
            return LOST, free_at, crossed, bad_from, first_queued, next_queued
    while first_queued < next_queued and departures[first_queued & mask] <= at:
        first_queued += 1
    if next_queued - first_queued >= c.buffer:
        c.packets_dropped += 1
        return LOST, free_at, crossed, bad_from, first_queued, next_queued
    if c.capacity == CONSTANT:
        free_at = max(at, free_at) + c.packet_time
    else:
        free_at = service_ends(c, max(at, free_at), a.capacity, rng)
    departures[next_queued & mask] = free_at
    next_queued += 1
    arrives = free_at + c.backward
    if is_lossy and not c.before_queue:
        lost, crossed, bad_from = _is_lost(c, a, free_at, rng, crossed, bad_from)
        if lost:
            arrives = LOST
    return arrives, free_at, crossed, bad_from, first_queued, next_queued


@compiled
def _is_lost(c, a, at, rng, crossed, bad_from):  # type: ignore[no-untyped-def]
    """Return whether a packet is lost at time `at`, and the new values of `crossed`, `bad_from`."""
    if (at if c.loss == PER_SLOT else crossed) < bad_from:
        return False, crossed + 1, bad_from
    c.crossed = crossed
    lost = is_lost(c, a, at, rng)
    if lost:
        c.packets_lost += 1
    return lost, c.crossed, c.bad_from
