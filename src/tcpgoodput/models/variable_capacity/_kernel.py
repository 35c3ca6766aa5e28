"""The loops that run once per time step, compiled by numba. Import this module on use only."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tcpgoodput.numerics.compilation import kept
from tcpgoodput.scenario.capacity import _kernel as of_capacity

# The sender's phases. Until the duplicate ACKs are in, it goes on avoiding congestion.
AVOIDANCE = 0
DRAINING = 1  # a loss happened; B + DupThresh packets have still to leave the buffer
RETURNING = 2  # the last duplicate ACK is on its way back
SILENCE = 3  # loss noticed: nothing is sent until b W_f is acknowledged
ACK_CLOCK = 4  # as much is sent as is acknowledged, until the other (1 - b) W_f are in

DECREASE = 0.5
"""b: at a loss the window goes from W_f to (1 - b) W_f."""


class Path(NamedTuple):
    """What stays the same during a run; times in steps, amounts in packets."""

    forward: int
    backward: int
    buffer: float
    dupthresh: float
    max_window: float
    timeout: int
    restores: bool
    """The flight is made up to the window when recovery ends; equation (8) needs it."""
    empties: bool
    """A timeout needs a pipe with less than a packet; the text takes it for granted."""


class State(NamedTuple):
    """Where the connection stands between two blocks of steps."""

    queue: float = 0.0
    window: float = 1.0
    flight: float = 1.0
    phase: int = AVOIDANCE
    remaining: float = 0.0
    """Packets that have to leave the buffer (draining), or to be acknowledged (recovery)."""
    countdown: int = 0
    """Steps until the last duplicate ACK arrives."""
    loss_window: float = 0.0
    """W_f."""
    silent: int = 0
    """Steps since the loss was noticed."""


_compiled = kept(nogil=True, error_model="numpy")


@_compiled
def _serve(queue, arriving, capacity, buffer):  # type: ignore[no-untyped-def]
    """Pass one step's arrivals through the bottleneck: U(k), Q(k+1) and L(k)."""
    offered = queue + arriving
    departing = min(capacity, offered)
    waiting = offered - departing
    kept = min(waiting, buffer)
    return departing, kept, waiting - kept


@_compiled
def advance(state, path, capacity, sent, served, windows, queues, flights):  # type: ignore[no-untyped-def]
    """Advance the fluid by one block of steps and return the new state.

    Args:
        state: the `State` at the block's start.
        path: the `Path`.
        capacity: C(k), packets that the link can carry in each step; shape (n,).
        sent: shape (forward + n,); the first `forward` entries are on their way to the buffer
            and the rest is filled with R(k), so that sent[k] arrives at the buffer in step k.
        served: shape (backward + n,); likewise for U(k), whose ACKs arrive in step k.
        windows: filled with W after each step; shape (n,).
        queues: filled with Q; shape (n,).
        flights: filled with Y; shape (n,).

    """
    queue, window, flight, phase, remaining, countdown, loss_window, silent = state
    forward, backward, buffer, dupthresh, max_window, timeout, restores, empties = path
    steps = capacity.size
    k = 0
    while k < steps:
        if phase == AVOIDANCE:
            # Nearly all steps are spent here: what is rare leaves the loop and is seen to after it.
            lost = 0.0
            while k < steps:
                acked = served[k]
                growth = acked / window
                window += growth
                flight += growth
                sent[forward + k] = acked + growth
                departing, queue, lost = _serve(queue, sent[k], capacity[k], buffer)
                served[backward + k] = departing
                windows[k] = window
                queues[k] = queue
                flights[k] = flight
                k += 1
                if lost > 0.0 or window > max_window:
                    break
            last = k - 1
            if window > max_window:
                excess = window - max_window
                sent[forward + last] -= excess
                flight -= excess
                window = max_window
            if lost > 0.0:
                flight -= lost
                phase = DRAINING
                remaining = buffer + dupthresh
            windows[last] = window
            flights[last] = flight
            continue

        acked = served[k]
        if phase == RETURNING:
            countdown -= 1
            if countdown == 0:
                phase = SILENCE
                loss_window = window
                remaining = DECREASE * loss_window
                window = max(1.0, (1.0 - DECREASE) * loss_window)
                silent = 0

        if phase in (DRAINING, RETURNING):
            growth = min(acked / window, max_window - window)
            window += growth
            sending = acked + growth
        elif phase == SILENCE:
            sending = 0.0
            remaining -= acked
            silent += 1
            if remaining <= 0.0:
                sending = -remaining  # what the step acknowledges beyond b W_f
                remaining += (1.0 - DECREASE) * loss_window
                phase = ACK_CLOCK
        else:
            sending = acked
            remaining -= acked
            silent += 1
            if remaining <= 0.0:
                phase = AVOIDANCE
                if restores:
                    sending += max(0.0, window - flight)
        left = flight - acked
        in_recovery = phase in (SILENCE, ACK_CLOCK)
        stalled = left < 1.0 if empties else phase == SILENCE
        if in_recovery and silent >= timeout and stalled:
            phase = AVOIDANCE
            window = 1.0
            sending = 1.0 - left if empties else 1.0
        sent[forward + k] = sending

        departing, queue, lost = _serve(queue, sent[k], capacity[k], buffer)
        served[backward + k] = departing
        flight = left + sending - lost
        windows[k] = window
        queues[k] = queue
        flights[k] = flight
        if phase == DRAINING:
            remaining -= capacity[k]
            if remaining <= 0.0:
                phase = RETURNING
                countdown = backward
        elif phase == AVOIDANCE and lost > 0.0:
            phase = DRAINING
            remaining = buffer + dupthresh
        k += 1
    return State(queue, window, flight, phase, remaining, countdown, loss_window, silent)


@kept(nogil=True, error_model="numpy", fastmath={"reassoc"})
def totals(capacity, served, flight):  # type: ignore[no-untyped-def]
    """Return the sums of three arrays of the same length, in one pass and eight lanes."""
    of_capacity = of_served = of_flight = 0.0
    for k in range(capacity.size):
        of_capacity += capacity[k]
        of_served += served[k]
        of_flight += flight[k]
    return of_capacity, of_served, of_flight


def compile_all() -> None:
    """Call every loop once on a step or two: numba keeps what it compiled."""
    of_capacity.compile_all()
    two = np.ones(2)
    path = Path(1, 1, 1.0, 3.0, np.inf, 5, True, True)
    advance(State(), path, two, np.ones(3), np.ones(3), two.copy(), two.copy(), two.copy())
    totals(two, two, two)
