"""Loops of the fluid model over time steps, compiled by numba.

Other modules import this module inside functions, because the import of numba takes long.

Each step needs the result of a division in the step before, so a single run leaves most of a
processor idle. During congestion avoidance one loop therefore advances four independent runs,
called lanes. In all other phases a lane is advanced alone. Both kinds of loops have the same
operations in the same order, and so the same results.
"""

from __future__ import annotations

import numpy as np

from tcpgoodput.compilation import kept
from tcpgoodput.scenario.capacity import _kernel as of_capacity

# Phases of the sender. In DRAINING and RETURNING its window still grows, as in AVOIDANCE.
AVOIDANCE = 0
DRAINING = 1  # after a loss, until the link could have carried B (buffer) + DupThresh packets
RETURNING = 2  # until the last duplicate ACK has returned to the sender
SILENCE = 3  # loss detected: nothing is sent until b W_f packets are acknowledged
ACK_CLOCK = 4  # each ACK releases a packet, until the other (1 - b) W_f are acknowledged

PARALLEL_LANES = 4
"""Number of lanes (independent runs) that one loop advances together."""

LANE = np.dtype(
    [
        # Constants of the connection; times in steps, amounts in packets.
        ("buffer", "f8"),
        ("dupthresh", "f8"),
        ("max_window", "f8"),
        ("decrease", "f8"),  # b: a loss reduces the window from W_f to (1 - b) W_f
        ("timeout", "i8"),
        # whether recovery sends lost data again, so that the study's equation (8) holds
        ("restores", "?"),
        # whether a timeout occurs only if less than a packet is in flight, as the study assumes
        ("empties", "?"),
        # Current state of the connection.
        ("at", "i8"),  # index of the next time step in the block of steps
        ("queue", "f8"),
        ("window", "f8"),
        ("flight", "f8"),
        ("phase", "i8"),
        ("remaining", "f8"),  # packets that the link has yet to carry (DRAINING), or to be ACKed
        ("countdown", "i8"),  # time steps until the last duplicate ACK arrives
        ("loss_window", "f8"),  # W_f, the window when the loss is detected
        ("silent", "i8"),  # time steps since the loss was detected
        # Sums of capacity, served packets and packets in flight since the last call of `take_sums`.
        ("of_capacity", "f8"),
        ("of_served", "f8"),
        ("of_flight", "f8"),
    ],
    align=True,
)

_compiled = kept(nogil=True, error_model="numpy")


@_compiled
def advance(lanes, forward, backward, last, capacity, sent, served, course):  # type: ignore[no-untyped-def]
    """Advance the fluid of each lane from its current step to step `last` of its block.

    Args:
        lanes: array of structures `LANE`, one for each independent run; one or `PARALLEL_LANES`.
        forward: delay from the sender to the buffer in time steps.
        backward: delay from the buffer back to the sender in time steps.
        last: index in the block of the first step that is not computed.
        capacity: C(k), packets that the link can carry in each step; shape (lanes, n).
        sent: packets R(k) sent in each step; shape (forward + n, lanes); sent[k] reaches the buffer
            in step k.
        served: packets U(k) that leave the buffer; shape (backward + n, lanes); their ACKs arrive
            in step k.
        course: output array of W, Q and Y after each step of a single lane; shape (n, 3); or None.
    """
    if lanes.size == PARALLEL_LANES:
        while _all_avoid(lanes, forward, backward, last, capacity, sent, served):
            _avoid_in_parallel(lanes, forward, backward, last, capacity, sent, served)
    for lane in range(lanes.size):
        s = lanes[lane]
        while s.at < last:
            if s.phase == AVOIDANCE:
                _avoid(s, lane, forward, backward, last, capacity, sent, served, course)
            else:
                _recover(s, lane, forward, backward, capacity, sent, served, course)


@_compiled
def _all_avoid(lanes, forward, backward, last, capacity, sent, served):  # type: ignore[no-untyped-def]
    """Advance each lane in recovery until its recovery ends; return whether all have steps left."""
    left = True
    for lane in range(PARALLEL_LANES):
        s = lanes[lane]
        while s.phase != AVOIDANCE and s.at < last:
            _recover(s, lane, forward, backward, capacity, sent, served, None)
        left = left and s.at < last
    return left


@_compiled
def _step(window, flight, queue, acked, arriving, carried, buffer):  # type: ignore[no-untyped-def]
    """Advance congestion avoidance by a step; return W, Y, Q and the packets sent, served, lost."""
    growth = acked / window
    departing, waiting, lost = _serve(queue, arriving, carried, buffer)
    return window + growth, flight + growth, waiting, acked + growth, departing, lost


@_compiled
def _serve(queue, arriving, carried, buffer):  # type: ignore[no-untyped-def]
    """Return the packets served U(k), queued Q(k+1) and lost L(k) in a step of the bottleneck."""
    offered = queue + arriving
    departing = min(carried, offered)
    waiting = offered - departing
    held = min(waiting, buffer)
    return departing, held, waiting - held


@_compiled
def _avoid(s, lane, forward, backward, last, capacity, sent, served, course):  # type: ignore[no-untyped-def]
    """Advance congestion avoidance of a lane to a loss, the receiver window or step `last`."""
    window, flight, queue = s.window, s.flight, s.queue
    buffer, max_window = s.buffer, s.max_window
    of_capacity, of_served, of_flight = s.of_capacity, s.of_served, s.of_flight
    k, departing, lost = s.at, 0.0, 0.0
    while k < last:
        carried = capacity[lane, k]
        window, flight, queue, sending, departing, lost = _step(
            window, flight, queue, served[k, lane], sent[k, lane], carried, buffer
        )
        sent[forward + k, lane] = sending
        served[backward + k, lane] = departing
        if lost > 0.0 or window > max_window:
            break
        of_capacity += carried
        of_served += departing
        of_flight += flight
        if course is not None:
            course[k, 0], course[k, 1], course[k, 2] = window, queue, flight
        k += 1
    s.window, s.flight, s.queue, s.at = window, flight, queue, k
    s.of_capacity, s.of_served, s.of_flight = of_capacity, of_served, of_flight
    if k < last:
        _settle(s, lane, forward, lost, departing, capacity, sent, course)


@_compiled
def _avoid_in_parallel(lanes, forward, backward, last, capacity, sent, served):  # type: ignore[no-untyped-def]
    """Advance congestion avoidance of all lanes until one has a loss or reaches a limit."""
    a, b, c, d = lanes[0], lanes[1], lanes[2], lanes[3]
    steps = last - max(max(a.at, b.at), max(c.at, d.at))
    # Use unsigned indices, because numba checks at each access whether a signed one is negative.
    one, ahead, back = np.uint64(1), np.uint64(forward), np.uint64(backward)
    ka, kb, kc, kd = np.uint64(a.at), np.uint64(b.at), np.uint64(c.at), np.uint64(d.at)
    wa, wb, wc, wd = a.window, b.window, c.window, d.window
    ya, yb, yc, yd = a.flight, b.flight, c.flight, d.flight
    qa, qb, qc, qd = a.queue, b.queue, c.queue, d.queue
    ba, bb, bc, bd = a.buffer, b.buffer, c.buffer, d.buffer
    ma, mb, mc, md = a.max_window, b.max_window, c.max_window, d.max_window
    ca, cb, cc, cd = a.of_capacity, b.of_capacity, c.of_capacity, d.of_capacity
    ua, ub, uc, ud = a.of_served, b.of_served, c.of_served, d.of_served
    fa, fb, fc, fd = a.of_flight, b.of_flight, c.of_flight, d.of_flight
    la = lb = lc = ld = ea = eb = ec = ed = 0.0
    done = 0
    while done < steps:
        xa, xb, xc, xd = capacity[0, ka], capacity[1, kb], capacity[2, kc], capacity[3, kd]
        wa, ya, qa, ra, ea, la = _step(wa, ya, qa, served[ka, 0], sent[ka, 0], xa, ba)
        wb, yb, qb, rb, eb, lb = _step(wb, yb, qb, served[kb, 1], sent[kb, 1], xb, bb)
        wc, yc, qc, rc, ec, lc = _step(wc, yc, qc, served[kc, 2], sent[kc, 2], xc, bc)
        wd, yd, qd, rd, ed, ld = _step(wd, yd, qd, served[kd, 3], sent[kd, 3], xd, bd)
        sent[ahead + ka, 0] = ra
        sent[ahead + kb, 1] = rb
        sent[ahead + kc, 2] = rc
        sent[ahead + kd, 3] = rd
        served[back + ka, 0] = ea
        served[back + kb, 1] = eb
        served[back + kc, 2] = ec
        served[back + kd, 3] = ed
        lost = la > 0.0 or lb > 0.0 or lc > 0.0 or ld > 0.0
        if lost or wa > ma or wb > mb or wc > mc or wd > md:
            break
        ca, cb, cc, cd = ca + xa, cb + xb, cc + xc, cd + xd
        ua, ub, uc, ud = ua + ea, ub + eb, uc + ec, ud + ed
        fa, fb, fc, fd = fa + ya, fb + yb, fc + yc, fd + yd
        ka, kb, kc, kd = ka + one, kb + one, kc + one, kd + one
        done += 1
    a.at, b.at, c.at, d.at = ka, kb, kc, kd
    a.window, b.window, c.window, d.window = wa, wb, wc, wd
    a.flight, b.flight, c.flight, d.flight = ya, yb, yc, yd
    a.queue, b.queue, c.queue, d.queue = qa, qb, qc, qd
    a.of_capacity, b.of_capacity, c.of_capacity, d.of_capacity = ca, cb, cc, cd
    a.of_served, b.of_served, c.of_served, d.of_served = ua, ub, uc, ud
    a.of_flight, b.of_flight, c.of_flight, d.of_flight = fa, fb, fc, fd
    if done < steps:
        _settle(a, 0, forward, la, ea, capacity, sent, None)
        _settle(b, 1, forward, lb, eb, capacity, sent, None)
        _settle(c, 2, forward, lc, ec, capacity, sent, None)
        _settle(d, 3, forward, ld, ed, capacity, sent, None)


@_compiled
def _settle(s, lane, forward, lost, departing, capacity, sent, course):  # type: ignore[no-untyped-def]
    """Finish a step of congestion avoidance that has a loss or exceeds the receiver window."""
    if s.window > s.max_window:
        excess = s.window - s.max_window
        sent[forward + s.at, lane] -= excess
        s.flight -= excess
        s.window = s.max_window
    if lost > 0.0:
        s.flight -= lost
        s.phase = DRAINING
        s.remaining = s.buffer + s.dupthresh
    _count(s, capacity[lane, s.at], departing, course)


@_compiled
def _count(s, carried, departing, course):  # type: ignore[no-untyped-def]
    """Add a lane's finished step to its sums, and write its state to `course`, if there is one."""
    s.of_capacity += carried
    s.of_served += departing
    s.of_flight += s.flight
    if course is not None:
        course[s.at, 0], course[s.at, 1], course[s.at, 2] = s.window, s.queue, s.flight
    s.at += 1


@_compiled
def _recover(s, lane, forward, backward, capacity, sent, served, course):  # type: ignore[no-untyped-def]
    """Advance a lane by one step of the phases between a loss and the end of its recovery."""
    acked = served[s.at, lane]
    if s.phase == RETURNING:
        s.countdown -= 1
        if s.countdown == 0:
            s.phase = SILENCE
            s.loss_window = s.window
            s.remaining = s.decrease * s.loss_window
            s.window = max(1.0, (1.0 - s.decrease) * s.loss_window)
            s.silent = 0

    if s.phase == DRAINING or s.phase == RETURNING:
        growth = min(acked / s.window, s.max_window - s.window)
        s.window += growth
        sending = acked + growth
    elif s.phase == SILENCE:
        sending = 0.0
        s.remaining -= acked
        s.silent += 1
        if s.remaining <= 0.0:
            # packets acknowledged in this step after the sender's silence has ended
            sending = -s.remaining
            s.remaining += (1.0 - s.decrease) * s.loss_window
            s.phase = ACK_CLOCK
    else:
        sending = acked
        s.remaining -= acked
        s.silent += 1
        if s.remaining <= 0.0:
            s.phase = AVOIDANCE
            if s.restores:
                sending += max(0.0, s.window - s.flight)
    left = s.flight - acked
    in_recovery = s.phase == SILENCE or s.phase == ACK_CLOCK
    stalled = left < 1.0 if s.empties else s.phase == SILENCE
    if in_recovery and s.silent >= s.timeout and stalled:
        s.phase = AVOIDANCE
        s.window = 1.0
        sending = 1.0 - left if s.empties else 1.0
    sent[forward + s.at, lane] = sending

    carried = capacity[lane, s.at]
    departing, s.queue, lost = _serve(s.queue, sent[s.at, lane], carried, s.buffer)
    served[backward + s.at, lane] = departing
    s.flight = left + sending - lost
    if s.phase == DRAINING:
        s.remaining -= carried
        if s.remaining <= 0.0:
            s.phase = RETURNING
            s.countdown = backward
    elif s.phase == AVOIDANCE and lost > 0.0:
        s.phase = DRAINING
        s.remaining = s.buffer + s.dupthresh
    _count(s, carried, departing, course)


def compile_all() -> None:
    """Run every loop for one or two steps, so that numba compiles it and caches the code."""
    of_capacity.compile_all()
    for count, course in ((1, np.empty((2, 3))), (1, None), (PARALLEL_LANES, None)):
        lanes = np.zeros(count, LANE)
        lanes["window"] = lanes["flight"] = 1.0
        ways = np.ones((3, count)), np.ones((3, count))
        advance(lanes, 1, 1, 2, np.ones((count, 2)), *ways, course)
