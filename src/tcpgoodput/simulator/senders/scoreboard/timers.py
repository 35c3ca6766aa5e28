"""The sender's timer, which serves as timeout, as reordering timer, or as probe timer.

`s` is the record of the sender's state, `a` are the arrays of the run, and times are in ticks.
"""

from __future__ import annotations

import numpy as np

from tcpgoodput.simulator.compiled import NEVER, TICKS_PER_S, compiled, ticks
from tcpgoodput.simulator.senders import timer
from tcpgoodput.simulator.senders.scoreboard import hystart
from tcpgoodput.simulator.senders.scoreboard.bbr import pacing
from tcpgoodput.simulator.senders.scoreboard.marks import outstanding, sent_at
from tcpgoodput.simulator.senders.scoreboard_state import (
    DISORDER,
    PROBE_TIMER,
    REORDER_TIMER,
    TIMEOUT_TIMER,
)

LEAST = ticks(0.002)
"""Time in ticks added to the reordering and the probe timer (the kernel's TCP_TIMEOUT_MIN)."""

SHORTEST = ticks(1e-6)

FIRST_PROBE = ticks(1.0)
"""Time in ticks until a probe if no round trip is known (RFC 8985, 7.2)."""

MOST_ACK_DELAY = ticks(0.2)
"""Assumed largest delay in ticks of the ACK for a single packet (RFC 8985, 7.2)."""


@compiled
def start(s, kind, after, now):  # type: ignore[no-untyped-def]
    """Start the timer of the given kind; it expires `after` ticks after `now`.

    Timeouts and probes also wait for as long as pacing delays the next packet.
    """
    s.timer = kind
    s.deadline = now + after
    if s.bbr and kind != REORDER_TIMER:
        s.deadline += pacing.wait(s, now)


@compiled
def restart(s, a, now):  # type: ignore[no-untyped-def]
    """Restart the RTO timer.

    If the sender's timer was of another kind (reordering, probe), the RTO counts from the time at
    which the first outstanding packet was sent.
    """
    if outstanding(s) == 0:
        s.timer = TIMEOUT_TIMER
        s.deadline = NEVER
        return
    left = s.rto
    if s.timer != TIMEOUT_TIMER and s.deadline != NEVER:
        left = max(sent_at(a, s.acked + 1) + s.rto - now, SHORTEST)
    start(s, TIMEOUT_TIMER, left, now)


@compiled
def schedule_probe(s, a, progress, now):  # type: ignore[no-untyped-def]
    """Start the probe timer of two round trips (RFC 8985, 7.2); return whether it was started.

    If one packet is outstanding, the possible delay of its ACK is added; if several are, two
    milliseconds, as in Linux. The timer expires no later than the retransmission timeout would.
    `progress`: whether the timer is started by an ACK, not by sending a packet.
    """
    if not s.probes or outstanding(s) == 0 or s.state >= DISORDER:
        return False
    wait = FIRST_PROBE
    if s.srtt_s > 0:
        wait = int(2 * s.srtt_s * TICKS_PER_S)
        wait += _most_ack_delay(s) if outstanding(s) == 1 else LEAST
    timeout = s.rto if progress else sent_at(a, s.acked + 1) + s.rto - now
    if timeout > 0:
        wait = min(wait, timeout)
    start(s, PROBE_TIMER, wait, now)
    return True


@compiled
def _most_ack_delay(s):  # type: ignore[no-untyped-def]
    """Return TLP.max_ack_delay in ticks: the smallest RTO with Linux's rule, else a constant."""
    return int(s.min_rto_s * TICKS_PER_S) if s.floor_on_variation else MOST_ACK_DELAY


@compiled
def sample(s, rtt, now):  # type: ignore[no-untyped-def]
    """Process a round-trip sample, and compute the timeout.

    If `rto.floor` is `variation`, compute the timeout as Linux does (tcp_rtt_estimator): the
    deviation falls slowly after small samples, and its largest value in a round trip is used.
    """
    rtt_s = rtt / TICKS_PER_S
    if s.hystart:
        hystart.note_rtt(s, rtt)
    s.rtt_samples += 1
    s.rtt_sum_s += rtt_s
    if not s.floor_on_variation:
        timer.estimate(s, rtt_s)
        return
    if s.srtt_s < 0:
        s.srtt_s = rtt_s
        s.deviation_s = 2 * rtt_s
        s.rttvar_s = s.most_deviation_s = max(s.deviation_s, s.min_rto_s)
        s.round_until = s.highest_sent + 1
    else:
        error_s = rtt_s - s.srtt_s
        s.srtt_s += timer.SRTT_GAIN * error_s
        more_s = abs(error_s) - timer.RTTVAR_GAIN * s.deviation_s
        if error_s < 0 and more_s > 0:
            more_s *= timer.SRTT_GAIN
        s.deviation_s += more_s
        if s.deviation_s > s.most_deviation_s:
            s.most_deviation_s = s.deviation_s
            s.rttvar_s = max(s.rttvar_s, s.most_deviation_s)
        if s.acked >= s.round_until:
            if s.most_deviation_s < s.rttvar_s:
                s.rttvar_s -= timer.RTTVAR_GAIN * (s.rttvar_s - s.most_deviation_s)
            s.round_until = s.highest_sent + 1
            s.most_deviation_s = s.min_rto_s
    if not s.fixed_rto:
        rto_s = np.ceil((s.srtt_s + s.rttvar_s) / s.tick_s) * s.tick_s
        timer.set_rto(s, min(rto_s, s.max_rto_s))
