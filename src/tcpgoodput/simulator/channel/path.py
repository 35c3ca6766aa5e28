"""The path: drop-tail queue, server, fixed delay, loss, late packets, in this order.

`c` is the record of the path's state, `a` are the arrays of the run, `is_first` is whether a packet
is sent for the first time, and `now` is the time in ticks.
"""

from __future__ import annotations

from tcpgoodput.simulator.channel.capacity import service_ends
from tcpgoodput.simulator.channel.delay import delay_at
from tcpgoodput.simulator.channel.losses import is_lost
from tcpgoodput.simulator.channel.spikes import service_may_start
from tcpgoodput.simulator.channel.state import CONSTANT, LOST
from tcpgoodput.simulator.compiled import NEVER, compiled, mask_of


@compiled
def transmit(c, a, is_first, now, rng):  # type: ignore[no-untyped-def]
    """Send a packet; return the time in ticks at which its ACK can reach the sender, or LOST."""
    at = now + c.forward
    fate = scripted_fate(c, a)
    if c.before_queue and is_lost(c, a, at, rng):
        c.packets_lost += 1
        return LOST
    mask = mask_of(a.departures)
    while c.first_queued < c.next_queued and a.departures[c.first_queued & mask] <= at:
        c.first_queued += 1
    if c.next_queued - c.first_queued >= c.buffer:
        c.packets_dropped += 1
        return LOST
    start = max(at, c.free_at)
    if start >= c.spike_from:
        start = service_may_start(c, start, rng)
    if c.capacity == CONSTANT:
        # Limit the time, because a queue of many years would exceed the range of the clock.
        c.free_at = min(start + c.packet_time, NEVER)
    else:
        c.free_at = service_ends(c, start, a.capacity, rng)
    a.departures[c.next_queued & mask] = c.free_at
    c.next_queued += 1
    hit = is_hit(c, a, is_first, now)
    arrives = c.free_at + c.backward
    if c.delay_step > 0:
        arrives = max(c.free_at + delay_at(c, a.delays, c.free_at), c.in_order)
        c.in_order = arrives
    if not c.before_queue and is_lost(c, a, c.free_at, rng):
        c.packets_lost += 1
        return LOST
    if fate == LOST:
        c.packets_lost += 1
        return LOST
    arrives += fate
    if hit:
        if c.handoff_loses:
            c.packets_lost += 1
            return LOST
        arrives += c.handoff_late
    return min(arrives, NEVER)


@compiled
def put_under_way(c, a, packet, arrives, sent):  # type: ignore[no-untyped-def]
    """Add a packet to those under way, which are sorted by arrival: it may overtake delayed ones.

    `arrives` is the time at which its ACK can reach the sender, and `sent` the time at which the
    sender sent it.
    """
    mask = mask_of(a.arrivals)
    place = c.next_under_way
    while place > c.first_under_way and a.arrivals[(place - 1) & mask] > arrives:
        a.arrivals[place & mask] = a.arrivals[(place - 1) & mask]
        a.under_way[place & mask] = a.under_way[(place - 1) & mask]
        a.stamps[place & mask] = a.stamps[(place - 1) & mask]
        place -= 1
    a.arrivals[place & mask] = arrives
    a.under_way[place & mask] = packet
    a.stamps[place & mask] = sent
    c.next_under_way += 1


@compiled
def is_hit(c, a, is_first, now):  # type: ignore[no-untyped-def]
    """Return whether a hand-off affects a packet that is sent at `now`; begin those that are due.

    Hand-offs do not affect retransmissions.
    """
    if c.handoff_at <= now:
        _hand_off(c, a, now)
    if c.to_hit > 0 and now - (c.handoff_at - c.handoff_interval) > c.handoff_within:
        c.to_hit = 0
    hit = is_first and c.to_hit > 0
    if hit:
        c.to_hit -= 1
    return hit


@compiled
def _hand_off(c, a, now):  # type: ignore[no-untyped-def]
    """Begin the hand-offs that are due at the time `now`.

    A hand-off loses or delays the next new packets, and may change the delay after the bottleneck.
    """
    # Count the due hand-offs by division, because a loop over very many of them is slow.
    due = (now - c.handoff_at) // c.handoff_interval + 1
    c.handoff_at += due * c.handoff_interval
    c.handoffs += due
    if a.delays.size and c.delay_step == 0:
        c.backward = a.delays[(c.handoffs - 1) % a.delays.size]
    c.to_hit = c.handoff_packets


@compiled
def scripted_fate(c, a):  # type: ignore[no-untyped-def]
    """Return the additional delay prescribed for this transmission, in ticks (often 0), or LOST."""
    number = c.transmissions
    c.transmissions += 1
    if c.scripted < a.scripted.size and a.scripted[c.scripted] == number:
        c.scripted += 1
        return a.fates[c.scripted - 1]
    return 0
