"""BBR's modes, their gains, and the reaction to an ACK and to a timeout.

STARTUP: the rate doubles in each round trip until the bandwidth no longer grows. DRAIN: the queue
of start-up empties. PROBE_BW: the rate follows the bandwidth; for a short time in each cycle of
eight phases it is larger, to find more, and then smaller, to empty the queue. PROBE_RTT: for 200 ms
at least the window is four packets, so that a round trip without a queue can be measured.

`s` is the record of the sender's state, `now` is the time in ticks, and `rng` is the source of
random numbers.
"""

from __future__ import annotations

from typing import Any

from tcpgoodput.scenario.vocabulary import Tcp
from tcpgoodput.simulator.compiled import NEVER, compiled, ticks
from tcpgoodput.simulator.senders.bbr_state import DRAIN, PROBE_BW, PROBE_RTT, STARTUP
from tcpgoodput.simulator.senders.scoreboard.bbr import bandwidth, cwnd, pacing, policer, samples
from tcpgoodput.simulator.senders.scoreboard.marks import in_flight
from tcpgoodput.simulator.senders.scoreboard_state import LOSS
from tcpgoodput.simulator.senders.state import NONE

STARTUP_GAIN = 739 / 256
"""Gain of STARTUP, a little more than 2/ln 2 (bbr_high_gain, in units of 1/256)."""

DRAIN_GAIN = 88 / 256
"""Gain of DRAIN, the inverse of that of STARTUP (bbr_drain_gain)."""

WINDOW_GAIN = 2.0
"""Gain of the window in PROBE_BW (bbr_cwnd_gain)."""

PROBING, DRAINING = 5 / 4, 3 / 4
"""Pacing gains of the first and of the second phase of PROBE_BW (bbr_pacing_gain)."""

PHASES = 8
RTT_WINDOW = ticks(10.0)
"""Time for which a round trip counts, in ticks (bbr_min_rtt_win_sec)."""

PROBE_RTT_TIME = ticks(0.2)
"""Shortest time in ticks with few packets in flight (bbr_probe_rtt_mode_ms)."""


def start(s: Any, tcp: Tcp, handshake_rtt: int) -> None:
    """Begin a connection whose handshake took a round trip of some ticks (bbr_init)."""
    s.mss_bytes = tcp.mss_bytes
    s.path_rtt = handshake_rtt
    s.sample_packet = s.last_rtt = NONE
    s.pacing_gain = s.cwnd_gain = STARTUP_GAIN
    s.bandwidth = s.cwnd / handshake_rtt
    pacing.set_rate(s)
    s.bandwidth = 0.0


@compiled
def on_ack(s, arrived, lost, now, rng):  # type: ignore[no-untyped-def]
    """Update the estimates, the mode, the pacing rate and the window (bbr_main).

    `arrived` and `lost`: numbers of packets that the ACK reports, and that it shows to be lost.
    """
    samples.end(s, arrived, now)
    if bandwidth.update(s, lost, now):
        _probe_bandwidth(s, rng)
    bandwidth.note_surplus(s, arrived, now)
    if s.mode == PROBE_BW and _ends_phase(s, lost, now):
        _begin_phase(s)
    bandwidth.note_full(s)
    _check_drained(s, now, rng)
    _update_path_rtt(s, now, rng)
    _set_gains(s)
    pacing.set_rate(s)
    cwnd.update(s, arrived, lost)


@compiled
def on_timeout(s, rng):  # type: ignore[no-untyped-def]
    """React to a timeout: the estimates stay, but start-up's growth counts anew (bbr_set_state)."""
    s.state_before = LOSS
    s.full_bandwidth = 0.0
    s.begins_round = True
    if policer.sample(s, 1, False):
        _probe_bandwidth(s, rng)


@compiled
def on_undo(s):  # type: ignore[no-untyped-def]
    """React to a recovery that was not necessary (bbr_undo_cwnd)."""
    s.full_bandwidth = 0.0
    s.full_rounds = 0
    policer.forget(s)


@compiled
def _ends_phase(s, lost, now):  # type: ignore[no-untyped-def]
    """Return whether the phase of the gain cycle is over (bbr_is_next_cycle_phase)."""
    is_long = s.delivered_at - s.phase_at > s.path_rtt
    if s.pacing_gain == 1:
        return is_long
    flight = cwnd.flight_at_next_burst(s, s.prior_flight, now)
    if s.pacing_gain > 1:
        return is_long and (lost > 0 or flight >= cwnd.target_flight(s, s.pacing_gain))
    return is_long or flight <= cwnd.target_flight(s, 1.0)


@compiled
def _begin_phase(s):  # type: ignore[no-untyped-def]
    s.phase = (s.phase + 1) % PHASES
    s.phase_at = s.delivered_at


@compiled
def _probe_bandwidth(s, rng):  # type: ignore[no-untyped-def]
    """Enter PROBE_BW, at any phase but the second one (bbr_reset_probe_bw_mode)."""
    s.mode = PROBE_BW
    s.phase = PHASES - 1 - int((PHASES - 1) * rng.random())
    _begin_phase(s)


@compiled
def _check_drained(s, now, rng):  # type: ignore[no-untyped-def]
    """End STARTUP when the path is full, and DRAIN when the queue is empty (bbr_check_drain)."""
    if s.mode == STARTUP and s.is_full:
        s.mode = DRAIN
        s.ssthresh = float(cwnd.target_flight(s, 1.0))
    if s.mode == DRAIN:
        flight = cwnd.flight_at_next_burst(s, in_flight(s), now)
        if flight <= cwnd.target_flight(s, 1.0):
            _probe_bandwidth(s, rng)


@compiled
def _update_path_rtt(s, now, rng):  # type: ignore[no-untyped-def]
    """Update the path's round trip; begin or end PROBE_RTT (bbr_update_min_rtt).

    Since Linux 5.10 a round trip as small as the smallest does not postpone PROBE_RTT; it must be
    smaller.
    """
    expired = now > s.path_rtt_at + RTT_WINDOW
    if s.last_rtt >= 0 and (s.last_rtt < s.path_rtt or expired):
        s.path_rtt, s.path_rtt_at = s.last_rtt, now
    if expired and s.mode != PROBE_RTT:
        s.mode = PROBE_RTT
        cwnd.save(s)
        s.probe_rtt_ends = NEVER
    if s.mode != PROBE_RTT:
        return
    samples.limit(s)
    if s.probe_rtt_ends == NEVER:
        if in_flight(s) <= cwnd.LEAST:
            s.probe_rtt_ends = now + PROBE_RTT_TIME
            s.probe_rtt_round = False
            s.round_ends = s.arrived_count
        return
    if s.begins_round:
        s.probe_rtt_round = True
    if s.probe_rtt_round and now > s.probe_rtt_ends:
        s.path_rtt_at = now
        s.cwnd = max(s.cwnd, s.good_cwnd)
        if s.is_full:
            _probe_bandwidth(s, rng)
        else:
            s.mode = STARTUP


@compiled
def _set_gains(s):  # type: ignore[no-untyped-def]
    """Set the gains of pacing rate and window for the mode (bbr_update_gains)."""
    if s.mode == STARTUP:
        s.pacing_gain = s.cwnd_gain = STARTUP_GAIN
    elif s.mode == DRAIN:
        s.pacing_gain, s.cwnd_gain = DRAIN_GAIN, STARTUP_GAIN
    elif s.mode == PROBE_BW:
        s.cwnd_gain = WINDOW_GAIN
        s.pacing_gain = 1.0
        if not s.policed and s.phase == 0:
            s.pacing_gain = PROBING
        elif not s.policed and s.phase == 1:
            s.pacing_gain = DRAINING
    else:
        s.pacing_gain = s.cwnd_gain = 1.0
