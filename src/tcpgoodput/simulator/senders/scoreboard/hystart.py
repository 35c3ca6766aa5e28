"""HyStart++ (RFC 9406): slow start ends gradually when round trips grow.

HyStart++ applies to the first slow start only, while ssthresh is infinite. `s` is the record of the
sender's state.
"""

from __future__ import annotations

import math

from tcpgoodput.simulator.compiled import NEVER, compiled, ticks

# Constants of RFC 9406, section 4.3.
MIN_RTT_THRESH = ticks(0.004)
MAX_RTT_THRESH = ticks(0.016)
MIN_RTT_DIVISOR = 8
N_RTT_SAMPLE = 8
CSS_GROWTH_DIVISOR = 4
CSS_ROUNDS = 5
LIMIT = 8
"""Largest growth of the window per ACK in packets, L of RFC 9406 for a sender without pacing."""


@compiled
def is_on(s):  # type: ignore[no-untyped-def]
    """Return whether the sender is in its first slow start and uses HyStart++."""
    return s.hystart and math.isinf(s.ssthresh)


@compiled
def note_rtt(s, rtt):  # type: ignore[no-untyped-def]
    """Record a round-trip sample, in ticks, for HyStart++'s current round."""
    s.round_rtt = min(s.round_rtt, rtt)
    s.round_samples += 1


@compiled
def step(s, acked):  # type: ignore[no-untyped-def]
    """Return by how many packets the window grows in slow start for an ACK of `acked` packets."""
    opened = float(min(acked, LIMIT))
    return opened / CSS_GROWTH_DIVISOR if s.conservative else opened


@compiled
def go_on(s):  # type: ignore[no-untyped-def]
    """Check whether round trips have grown; if the ACK ends HyStart++'s round, begin a new one."""
    known = s.round_samples >= N_RTT_SAMPLE and s.last_round_rtt != NEVER
    if s.conservative:
        if s.round_samples >= N_RTT_SAMPLE and s.round_rtt < s.baseline_rtt:
            s.conservative = False  # the increase was only jitter
    elif known:
        more = max(MIN_RTT_THRESH, min(s.last_round_rtt // MIN_RTT_DIVISOR, MAX_RTT_THRESH))
        if s.round_rtt >= s.last_round_rtt + more:
            s.conservative = True
            s.baseline_rtt = s.round_rtt
            s.conservative_rounds = 0
    if s.acked < s.round_last:
        return
    if s.conservative:
        s.conservative_rounds += 1
        if s.conservative_rounds == CSS_ROUNDS:
            s.ssthresh = s.cwnd
            return
    s.round_last = s.highest_sent
    s.last_round_rtt, s.round_rtt = s.round_rtt, NEVER
    s.round_samples = 0
