"""Estimate of a policer's rate, which replaces the bandwidth if many packets are lost.

Two intervals of at least four round trips with much loss and about equal delivery rates are taken
for a policer's work. The sender then uses their mean rate for 48 round trips (bbr_lt_bw_sampling).
`s` is the record of the sender's state. Rates are in packets per tick.
"""

from __future__ import annotations

from tcpgoodput.simulator.compiled import TICKS_PER_S, compiled, ticks
from tcpgoodput.simulator.senders.bbr_state import PROBE_BW

LEAST_ROUNDS, MOST_ROUNDS = 4, 16
"""Smallest and largest number of round trips in an interval (bbr_lt_intvl_min_rtts)."""

LEAST_LOSS = 50 / 256
"""Smallest number of lost packets, relative to the delivered ones (bbr_lt_loss_thresh)."""

RATIO = 1 / 8
"""Largest relative difference of two equal rates (bbr_lt_bw_ratio)."""

DIFFERENCE = 500.0 / 0.99
"""Largest difference of two equal rates in bytes per second (bbr_lt_bw_diff, with the margin)."""

KEPT_ROUNDS = 48
"""Number of round trips for which the estimate is used (bbr_lt_bw_max_rtts)."""

SHORTEST = ticks(0.001)


@compiled
def begin_interval(s):  # type: ignore[no-untyped-def]
    """Begin an interval (bbr_reset_lt_bw_sampling_interval)."""
    s.policer_at = s.delivered_at
    s.policer_delivered = s.arrived_count
    s.policer_lost = s.marked_lost
    s.policer_rounds = 0


@compiled
def forget(s):  # type: ignore[no-untyped-def]
    """Forget the estimate, and wait for a loss (bbr_reset_lt_bw_sampling)."""
    s.policed_rate = 0.0
    s.policed = False
    s.looks_for_policer = False
    begin_interval(s)


@compiled
def sample(s, lost, limited):  # type: ignore[no-untyped-def]
    """Continue the estimate; return whether its use has just ended.

    `lost`: number of packets newly found to be lost. `limited`: whether the sender's own limit
    decides the delivery rate.
    """
    if s.policed:
        if s.mode == PROBE_BW and s.begins_round:
            s.policer_rounds += 1
            if s.policer_rounds >= KEPT_ROUNDS:
                forget(s)
                return True
        return False
    if not s.looks_for_policer:
        if lost == 0:
            return False
        begin_interval(s)
        s.looks_for_policer = True
    if limited:
        forget(s)
        return False
    if s.begins_round:
        s.policer_rounds += 1
    if s.policer_rounds < LEAST_ROUNDS:
        return False
    if s.policer_rounds > MOST_ROUNDS:
        forget(s)
        return False
    if lost == 0:  # end the interval with a loss, when the policer has no tokens left
        return False
    delivered = s.arrived_count - s.policer_delivered
    if delivered == 0 or s.marked_lost - s.policer_lost < LEAST_LOSS * delivered:
        return False
    duration = s.delivered_at - s.policer_at
    if duration >= SHORTEST:
        _end_interval(s, delivered / duration)
    return False


@compiled
def _end_interval(s, rate):  # type: ignore[no-untyped-def]
    """Compare the rates of two successive intervals (bbr_lt_bw_interval_done)."""
    if s.policed_rate > 0:
        difference = abs(rate - s.policed_rate)
        bytes_per_s = difference * s.mss_bytes * TICKS_PER_S
        if difference <= RATIO * s.policed_rate or bytes_per_s <= DIFFERENCE:
            s.policed_rate = (rate + s.policed_rate) / 2
            s.policed = True
            s.pacing_gain = 1.0
            s.policer_rounds = 0
            return
    s.policed_rate = rate
    begin_interval(s)
