"""CUBIC's window growth and reduction (RFC 9438); losses are repaired as in the module `sack`.

`s` is the record of the sender's state, `newly_acked` is the number of packets that the ACK
acknowledges, and `now` is the time in ticks.
"""

from __future__ import annotations

import math

from tcpgoodput.simulator.compiled import NEVER, TICKS_PER_S, compiled

C = 0.4
"""Constant C of CUBIC's window C (t − K)³ + W_max, in packets per second cubed (RFC 9438, 5.1)."""

BETA = 0.7
"""Factor by which a loss multiplies CUBIC's window (RFC 9438, 4.6)."""

ALPHA = 3 * (1 - BETA) / (1 + BETA)
"""Window growth in packets per round trip with which CUBIC's estimate of Reno's window has Reno's
mean window (RFC 9438, 4.3)."""

LARGEST_STEP = 1.5
"""Largest target window, relative to the current window (RFC 9438, 4.2)."""


@compiled
def reduce(s, flight):  # type: ignore[no-untyped-def]
    """Record the window at a loss, and return the reduced window (RFC 9438, 4.6 and 4.7).

    `flight`: the packets in flight, or the window, that `BETA` multiplies.
    """
    s.undo_w_max, s.undo_k_s, s.undo_w_est = s.w_max, s.k_s, s.w_est
    s.undo_cwnd_prior, s.undo_epoch_start = s.cwnd_prior, s.epoch_start
    s.undo_after_timeout = s.after_timeout
    cwnd = min(s.cwnd, s.grows_to)
    s.w_max = cwnd * (1 + BETA) / 2 if cwnd < s.w_max else cwnd  # fast convergence
    s.cwnd_prior = cwnd
    s.epoch_start = NEVER
    return BETA * flight


@compiled
def restore(s):  # type: ignore[no-untyped-def]
    """Restore CUBIC's epoch from before an unnecessary window reduction (RFC 9438, 4.9)."""
    s.w_max, s.k_s, s.w_est = s.undo_w_max, s.undo_k_s, s.undo_w_est
    s.cwnd_prior, s.epoch_start = s.undo_cwnd_prior, s.undo_epoch_start
    s.after_timeout = s.undo_after_timeout


@compiled
def open_window(s, newly_acked, now):  # type: ignore[no-untyped-def]
    """Grow cwnd towards W_cubic(t + RTT), or as Reno would (RFC 9438, 4.2 to 4.5).

    W_cubic is CUBIC's function of the time t since its epoch began.

    The window does not grow while the receiver's window limits the sender (section 5.8). Meanwhile
    the time t of the cubic function increases. This has no effect: only a loss makes the window
    smaller, and a loss begins a new epoch.
    """
    if s.cwnd >= s.grows_to:
        return
    if s.epoch_start == NEVER:
        _start_epoch(s, now)
    t = (now - s.epoch_start) / TICKS_PER_S
    ahead = t + max(s.srtt_s, 0.0) - s.k_s
    target = min(max(C * ahead * ahead * ahead + s.w_max, s.cwnd), LARGEST_STEP * s.cwnd)
    alpha = 1.0 if s.w_est >= s.cwnd_prior else ALPHA
    s.w_est += alpha * newly_acked / s.cwnd
    since = t - s.k_s
    if C * since * since * since + s.w_max < s.w_est:
        s.cwnd = s.w_est
    else:
        s.cwnd += (target - s.cwnd) / s.cwnd
    s.cwnd = min(s.cwnd, s.grows_to)


@compiled
def _start_epoch(s, now):  # type: ignore[no-untyped-def]
    s.epoch_start = now
    if s.after_timeout or s.w_max <= s.cwnd:  # RFC 9438, 4.8; if w_max < cwnd, K would be negative
        s.w_max = s.cwnd
        s.k_s = 0.0
    else:
        s.k_s = math.pow((s.w_max - s.cwnd) / C, 1 / 3)
    s.after_timeout = False
    s.w_est = s.cwnd
