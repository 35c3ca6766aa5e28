"""HyStart of Linux's CUBIC: slow start ends if a train of ACKs is too long or round trips grow.

Source: hystart_update in net/ipv4/tcp_cubic.c since Linux 6.14, without pacing; after Ha and Rhee,
"Taming the elephants: new TCP slow start", 2011. In earlier kernels the first round begins when the
window reaches `LOW_WINDOW`. RFC 9406's HyStart++ is a different algorithm: see `hystart`.

`s` is the record of the sender's state, and `now` is the time in ticks.
"""

from __future__ import annotations

from tcpgoodput.simulator.compiled import NEVER, compiled, ticks

LOW_WINDOW = 16
"""Smallest window in packets at which slow start may end."""

SAMPLES = 8
"""Number of round-trip samples in a round after which their minimum is checked."""

DELAY_DIVISOR = 8
LEAST_INCREASE, MOST_INCREASE = ticks(0.004), ticks(0.016)
"""Bounds in ticks of the increase of the round-trip time that indicates a queue. Within these
bounds, an increase by an eighth of the smallest round-trip time indicates a queue."""

TRAIN_GAP = ticks(0.002)
"""Longest gap between ACKs of one train, in ticks."""

TRAIN_CUSHION = ticks(0.001)
"""Allowance in ticks for packets that hosts aggregate, added to the smallest round-trip time
(hystart_ack_delay)."""

UNSETTLED = ticks(1.0)
"""Time in ticks after the start of CUBIC's epoch during which round-trip samples are ignored."""


@compiled
def note_delay(s, delay, now):  # type: ignore[no-untyped-def]
    """End slow start if HyStart finds an ACK train or round trip too long (cubictcp_acked).

    `delay`: the round-trip sample in ticks.
    """
    if s.epoch_start != NEVER and now - s.epoch_start < UNSETTLED:
        return
    if s.least_delay == 0 or delay < s.least_delay:
        s.least_delay = delay
    looks = s.hybrid_start and not s.found_end
    if looks and s.cwnd < s.ssthresh and _is_at_end(s, delay, now):
        s.found_end = True
        s.ssthresh = s.cwnd


@compiled
def begin_round(s, now):  # type: ignore[no-untyped-def]
    """Begin a round; it ends when the next unsent packet is acknowledged (bictcp_hystart_reset)."""
    s.round_began = s.train_at = now
    s.round_last = s.highest_sent + 1
    s.round_rtt = NEVER
    s.round_samples = 0


@compiled
def _is_at_end(s, delay, now):  # type: ignore[no-untyped-def]
    """Return whether this round's train of ACKs, or its smallest round trip, is too long.

    A train is a series of ACKs with short gaps from the beginning of the round on. It is too long
    if it lasts more than half of the sum of the smallest round-trip time and `TRAIN_CUSHION`. Both
    are judged from a window of `LOW_WINDOW` packets on.
    """
    if s.acked >= s.round_last:
        begin_round(s, now)
    if s.cwnd < LOW_WINDOW:
        return False
    long_train = False
    if now - s.train_at <= TRAIN_GAP:
        s.train_at = now
        long_train = now - s.round_began > (s.least_delay + TRAIN_CUSHION) // 2
    s.round_rtt = min(s.round_rtt, delay)
    if s.round_samples < SAMPLES:
        s.round_samples += 1
        return long_train
    increase = max(LEAST_INCREASE, min(s.least_delay // DELAY_DIVISOR, MOST_INCREASE))
    return long_train or s.round_rtt > s.least_delay + increase
