"""A link that retransmits (ARQ): its server repeats failed frames, and releases packets in order.

A frame is a packet on the link. Without ARQ the simulator knows the arrival of a packet when it is
sent. A repeated frame, however, takes its turn before packets that are sent later, and with a
turnaround it lets others pass. So this link is a server with events of its own: a frame begins, and
a frame ends. `advance` processes them up to the time at which the sender's next packet can arrive.

Frames are in a ring in the order of their arrival at the link. `next_fresh` is the first that the
server has not begun to send. `repeats` is a ring of the frames that wait for their repetition; as
the turnaround is constant, they are in the order of their times. A frame that waits for its
repetition keeps its place in the buffer, one that the far end holds back does not.

`c` is the record of the path's state, and `a` are the arrays of the run. `errors` is
`Arrays.errors`. It is None on other links, for which numba compiles the simulator a second time,
without this module: its mere presence would slow their simulation by 5 %. Times are in ticks.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.loss import Bernoulli, MarkovChannel
from tcpgoodput.simulator.channel.capacity import service_ends
from tcpgoodput.simulator.channel.delay import delay_at
from tcpgoodput.simulator.channel.losses import is_lost
from tcpgoodput.simulator.channel.path import is_hit, put_under_way, scripted_fate
from tcpgoodput.simulator.channel.spikes import service_may_start
from tcpgoodput.simulator.channel.state import CONSTANT, ERRORS, LISTED, LOST, fill_losses
from tcpgoodput.simulator.compiled import NEVER, compiled, mask_of, ticks

ON_LINK, HELD, GONE = range(3)
"""States of a frame: before its last attempt, held back at the far end until earlier packets have
come, and delivered or lost."""


def new_errors(scenario: Scenario, stream: np.random.Generator) -> NDArray[np.void] | None:
    """Return the record of the process by which attempts fail; None if the link has no ARQ.

    `stream` is the source of random numbers.
    """
    arq = scenario.arq
    if arq is None or not arq.repeats:
        return None
    errors = np.zeros(1, ERRORS)
    process = arq.error
    if not isinstance(process, MarkovChannel):
        process = Bernoulli(process="bernoulli", probability=process)
    fill_losses(errors[0], process, max(1, ticks(1 / scenario.rate_pps)), stream)
    return errors


@compiled
def repeats(errors):  # type: ignore[no-untyped-def]
    """Return whether the link repeats failed frames, which the compiler knows."""
    return errors is not None


@compiled
def accept(c, a, packet, is_first, now, rng):  # type: ignore[no-untyped-def]
    """Send a packet to the link, in the order of events of `path.transmit`.

    Return the number of its frame, or LOST.
    """
    late = scripted_fate(c, a)
    if c.before_queue and is_lost(c, a, now + c.forward, rng):
        c.packets_lost += 1
        return LOST
    if c.in_buffer >= c.buffer:
        c.packets_dropped += 1
        return LOST
    if is_hit(c, a, is_first, now):
        if c.handoff_loses:
            late = LOST
        elif late != LOST:
            late += c.handoff_late
    frame = a.frames[c.next_frame & mask_of(a.frames)]
    frame.packet = packet
    frame.sent = now
    frame.ready = now + c.forward
    frame.late = late
    frame.delay = c.backward
    frame.attempts = 0
    frame.state = ON_LINK
    c.next_frame += 1
    c.in_buffer += 1
    return c.next_frame - 1


@compiled
def advance(c, a, errors, others, rng):  # type: ignore[no-untyped-def]
    """Process the link's events up to the arrival of a packet that the sender sends next.

    The sender acts at the next arrival of an ACK, or at `others`, the earliest of its other times.
    An event of the link may bring an earlier ACK. Return False if further losses must be listed.
    """
    if errors is None:
        return True
    while True:
        acts = others
        if c.first_under_way < c.next_under_way:
            acts = min(acts, a.arrivals[c.first_under_way & mask_of(a.arrivals)])
        at = c.free_at if c.serving else _next_start(c, a)
        if at >= NEVER or at > acts + c.forward:
            return True
        if c.loss == LISTED and c.crossed == c.listed_until:
            return False
        if c.serving:
            _end(c, a, errors, at, rng)
        else:
            _begin(c, a, at, rng)


@compiled
def _next_start(c, a):  # type: ignore[no-untyped-def]
    """Return the time at which the idle server can begin a frame; NEVER if there is none."""
    mask = mask_of(a.frames)
    at = NEVER
    if c.first_repeat < c.next_repeat:
        at = a.frames[a.repeats[c.first_repeat & mask] & mask].ready
    if c.next_fresh < c.next_frame:
        at = min(at, a.frames[c.next_fresh & mask].ready)
    return max(at, c.free_at)


@compiled
def _begin(c, a, at, rng):  # type: ignore[no-untyped-def]
    """Begin a frame at time `at`: a repetition that is due, else the queue's head.

    During a delay spike the server waits until its end instead.
    """
    if at >= c.spike_from:
        start = service_may_start(c, at, rng)
        if start > at:
            c.free_at = start
            return
    mask = mask_of(a.frames)
    c.frame = c.next_fresh
    if c.first_repeat < c.next_repeat:
        repeat = a.repeats[c.first_repeat & mask]
        if a.frames[repeat & mask].ready <= at:
            c.frame = repeat
    if c.frame == c.next_fresh:
        c.next_fresh += 1
    else:
        c.first_repeat += 1
    c.serving = True
    if c.capacity == CONSTANT:
        c.free_at = min(at + c.packet_time, NEVER)
    else:
        c.free_at = service_ends(c, at, a.capacity, rng)


@compiled
def _end(c, a, errors, at, rng):  # type: ignore[no-untyped-def]
    """End an attempt at time `at`: repeat it later, or deliver or lose the packet."""
    mask = mask_of(a.frames)
    c.serving = False
    frame = a.frames[c.frame & mask]
    frame.attempts += 1
    failed = is_lost(errors[0], a, at, rng)
    if failed and frame.attempts < c.most_attempts:
        frame.ready = at + c.turnaround
        a.repeats[c.next_repeat & mask] = c.frame
        c.next_repeat += 1
        return
    c.in_buffer -= 1
    frame.state = HELD
    if failed or (not c.before_queue and is_lost(c, a, at, rng)) or frame.late == LOST:
        c.packets_lost += 1
        frame.state = GONE
        _note(a, frame, LOST)
    elif not c.in_sequence:
        _deliver(c, a, frame, at)
    while c.first_frame < c.next_fresh:
        head = a.frames[c.first_frame & mask]
        if head.state == ON_LINK:
            break
        if head.state == HELD:
            _deliver(c, a, head, at)
        c.first_frame += 1


@compiled
def _deliver(c, a, frame, at):  # type: ignore[no-untyped-def]
    """Let a packet leave the link at time `at`."""
    arrives = at + frame.delay
    if c.delay_step > 0:
        arrives = max(at + delay_at(c, a.delays, at), c.in_order)
        c.in_order = arrives
    arrives = min(arrives + frame.late, NEVER)
    put_under_way(c, a, frame.packet, arrives, frame.sent)
    frame.state = GONE
    _note(a, frame, arrives)


@compiled
def _note(a, frame, arrives):  # type: ignore[no-untyped-def]
    """Write the arrival of a packet into its record in the trace, if it has one."""
    if frame.record >= 0:
        a.sent[frame.record].arrives = arrives
