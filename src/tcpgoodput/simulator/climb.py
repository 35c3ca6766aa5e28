"""Fastest code of the simulator, for phases in which each ACK lets the sender send one packet.

The results are the same as those of the function `go` in `express.py`, to the last tick. This
module processes only ACKs that are known in advance to release exactly one packet, and to cause no
RTT sample, no loss and no full buffer. The arguments are those of `express.py`.
"""

from __future__ import annotations

import math

from tcpgoodput.simulator.channel.capacity import service_ends
from tcpgoodput.simulator.channel.state import CONSTANT, NO_LOSS, PER_SLOT
from tcpgoodput.simulator.compiled import NEVER, compiled, mask_of
from tcpgoodput.simulator.senders.window import ROUNDING, window

FEWEST = 32
"""Smallest number of consecutive ACKs for which this module's `run` is used, because with fewer it
is not faster than `express.go`."""

SEVERAL_ROUNDS = 16 * FEWEST
"""Number of ACKs that `express.go` processes before this module's `run` is tried again, if the
window is small, grows by slow start, or otherwise excludes `run`. Chosen by hand."""


@compiled
def run(s, r, c, a, end, rng):  # type: ignore[no-untyped-def]
    """Process ACKs as long as each one lets the sender send exactly one packet.

    Return the number of ACKs that `express.go` processes before the next call of `run`.
    """
    whole = window(s)
    if whole < FEWEST or s.cwnd < s.ssthresh or s.cubic or s.floor_increment:
        return SEVERAL_ROUNDS
    number = _released_one_by_one(s, c, a, whole)
    if number < FEWEST:
        return FEWEST
    arrivals, under_way, departures = a.arrivals, a.under_way, a.departures
    mask = mask_of(arrivals)
    first, following, next_queued = c.first_under_way, c.next_under_way, c.next_queued
    acked, highest_sent, cwnd = s.acked, s.highest_sent, s.cwnd
    free_at, area, last_event = c.free_at, c.window_area, c.last_event
    forward, backward, packet_time = c.forward, c.backward, c.packet_time
    constant = c.capacity == CONSTANT
    rto, deadline, limit = s.rto, s.deadline, min(end, c.handoff_at)
    undisturbed_until = min(c.spike_from, c.bad_from if c.loss == PER_SLOT else NEVER)
    widest = float(s.max_window)
    two_released_at = whole + 1.0 if whole < s.max_window else math.inf
    done = 0
    while done < number:
        now = arrivals[(first + done) & mask]
        opened = cwnd + 1.0 / cwnd
        start = max(now + forward, free_at)
        in_order = under_way[(first + done) & mask] == acked + done + 1
        if now >= limit or now > deadline or not in_order or opened + ROUNDING >= two_released_at:
            break
        if constant:
            if start + packet_time >= undisturbed_until:
                break
            free_at = start + packet_time
        else:
            free_at = service_ends(c, start, a.capacity, rng)
        area += min(cwnd, widest) * (now - last_event)
        last_event, deadline, cwnd = now, now + rto, opened
        departures[(next_queued + done) & mask] = free_at
        arrivals[(following + done) & mask] = free_at + backward
        done += 1
        under_way[(following + done - 1) & mask] = highest_sent + done
    c.first_under_way, c.next_under_way = first + done, following + done
    c.next_queued = next_queued + done
    c.transmissions += done
    c.crossed += done if c.loss != NO_LOSS else 0
    c.free_at, c.window_area, c.last_event = free_at, area, last_event
    s.acked, s.highest_sent, s.cwnd = acked + done, highest_sent + done, cwnd
    s.next_packet = s.highest_sent + 1
    s.packets_sent += done
    s.deadline = deadline
    r.last_in_order = r.highest = s.acked
    r.delivered += done
    return 1


@compiled
def _released_one_by_one(s, c, a, whole):  # type: ignore[no-untyped-def]
    """Return how many of the next ACKs are certain to release exactly one packet each."""
    outstanding, mask = s.highest_sent - s.acked, mask_of(a.arrivals)
    full = outstanding == min(whole, s.max_window) and outstanding < mask + 1 - s.dupthresh
    if not full or (c.loss == PER_SLOT and c.capacity != CONSTANT):
        return 0
    now = a.arrivals[c.first_under_way & mask]
    if now > s.deadline:
        return 0  # the timer expires first: do not yet remove departed packets from the queue
    at = now + c.forward
    while c.first_queued < c.next_queued and a.departures[c.first_queued & mask] <= at:
        c.first_queued += 1
    room = min(c.buffer, mask) - (c.next_queued - c.first_queued)
    untimed = s.timed_packet - s.acked - 1
    number = min(c.next_under_way - c.first_under_way, untimed, room)
    number = min(number, s.transfer - 1 - s.highest_sent)
    if c.loss == NO_LOSS or c.loss == PER_SLOT:
        return number
    return min(number, c.bad_from - c.crossed)
