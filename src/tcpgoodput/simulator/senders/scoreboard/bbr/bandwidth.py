"""Estimate of the bandwidth: the largest delivery rate of the last ten round trips.

`s` is the record of the sender's state, and `now` is the time in ticks. Rates are in packets per
tick.
"""

from __future__ import annotations

from tcpgoodput.simulator.compiled import compiled, ticks
from tcpgoodput.simulator.senders.scoreboard.bbr import policer

ROUNDS = 10
"""Number of round trips for which a delivery rate counts (bbr_bw_rtts)."""

GROWTH = 1.25
"""Smallest growth of the bandwidth in a round trip of start-up (bbr_full_bw_thresh)."""

FULL_ROUNDS = 3
"""Number of round trips with less growth after which the path is full (bbr_full_bw_cnt)."""

SURPLUS_ROUNDS = 5
"""Number of round trips in each half of the surplus' window (bbr_extra_acked_win_rtts)."""

LARGEST_SURPLUS = ticks(0.1)
"""Largest surplus of acknowledged packets, as time at the bandwidth (bbr_extra_acked_max_us)."""

MOST_BURST_ARRIVED = 2**20
"""Number of packets after which the surplus is counted anew (bbr_ack_epoch_acked_reset_thresh)."""


@compiled
def bandwidth(s):  # type: ignore[no-untyped-def]
    """Return the estimated bandwidth (bbr_bw)."""
    return s.policed_rate if s.policed else s.bandwidth


@compiled
def update(s, lost, now):  # type: ignore[no-untyped-def]
    """Update round trips and bandwidth with the ACK's sample (bbr_update_bw).

    Return whether a policer's estimate has just ended, so that the gain cycle begins anew.
    """
    s.begins_round = False
    if s.sample_interval <= 0:
        return False
    if s.sample_before >= s.round_ends:
        s.round_ends = s.arrived_count
        s.rounds += 1
        s.begins_round = True
        s.conserves = False
    restarts = policer.sample(s, lost, s.sample_limited)
    rate = (s.arrived_count - s.sample_before) / s.sample_interval
    if not s.sample_limited or rate >= s.bandwidth:
        _take_rate(s, rate)
    return restarts


@compiled
def _take_rate(s, rate):  # type: ignore[no-untyped-def]
    """Keep the largest rate of the last rounds and its followers (minmax_running_max)."""
    round_ = s.rounds
    if rate >= s.bandwidth or round_ - s.bandwidth_3_at > ROUNDS:
        s.bandwidth = s.bandwidth_2 = s.bandwidth_3 = rate
        s.bandwidth_at = s.bandwidth_2_at = s.bandwidth_3_at = round_
        return
    if rate >= s.bandwidth_2:
        s.bandwidth_2 = s.bandwidth_3 = rate
        s.bandwidth_2_at = s.bandwidth_3_at = round_
    elif rate >= s.bandwidth_3:
        s.bandwidth_3, s.bandwidth_3_at = rate, round_
    age = round_ - s.bandwidth_at
    if age > ROUNDS:
        _drop_best(s, rate)
        if round_ - s.bandwidth_at > ROUNDS:
            _drop_best(s, rate)
    elif s.bandwidth_2_at == s.bandwidth_at and age > ROUNDS // 4:
        s.bandwidth_2 = s.bandwidth_3 = rate
        s.bandwidth_2_at = s.bandwidth_3_at = round_
    elif s.bandwidth_3_at == s.bandwidth_2_at and age > ROUNDS // 2:
        s.bandwidth_3, s.bandwidth_3_at = rate, round_


@compiled
def _drop_best(s, rate):  # type: ignore[no-untyped-def]
    s.bandwidth, s.bandwidth_at = s.bandwidth_2, s.bandwidth_2_at
    s.bandwidth_2, s.bandwidth_2_at = s.bandwidth_3, s.bandwidth_3_at
    s.bandwidth_3, s.bandwidth_3_at = rate, s.rounds


@compiled
def note_surplus(s, arrived, now):  # type: ignore[no-untyped-def]
    """Measure by how much bursts of ACKs exceed the bandwidth (bbr_update_ack_aggregation)."""
    if arrived <= 0 or s.sample_interval <= 0:
        return
    if s.begins_round:
        s.surplus_rounds += 1
        if s.surplus_rounds >= SURPLUS_ROUNDS:
            s.surplus_rounds = 0
            s.surplus_before, s.surplus = s.surplus, 0
    expected = int(bandwidth(s) * (now - s.burst_at))
    if s.burst_arrived <= expected or s.burst_arrived + arrived >= MOST_BURST_ARRIVED:
        s.burst_arrived = 0
        s.burst_at = now
        expected = 0
    s.burst_arrived += arrived
    s.surplus = max(s.surplus, min(s.burst_arrived - expected, int(s.cwnd)))


@compiled
def surplus(s):  # type: ignore[no-untyped-def]
    """Return the packets by which bursts of ACKs enlarge cwnd (bbr_ack_aggregation_cwnd)."""
    if not s.is_full:
        return 0
    return min(max(s.surplus, s.surplus_before), int(bandwidth(s) * LARGEST_SURPLUS))


@compiled
def note_full(s):  # type: ignore[no-untyped-def]
    """Find out whether start-up has filled the path (bbr_check_full_bw_reached)."""
    if s.is_full or not s.begins_round or s.sample_limited:
        return
    if s.bandwidth >= GROWTH * s.full_bandwidth:
        s.full_bandwidth = s.bandwidth
        s.full_rounds = 0
        return
    s.full_rounds += 1
    s.is_full = s.full_rounds >= FULL_ROUNDS
