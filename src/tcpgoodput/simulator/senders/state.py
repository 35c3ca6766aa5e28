"""State of a sender, as one record that compiled functions read and write."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.scenario.types import unsupported
from tcpgoodput.scenario.vocabulary import Tcp
from tcpgoodput.simulator.compiled import NEVER, record_type, ticks
from tcpgoodput.simulator.senders.bbr_state import FIELDS as BBR_FIELDS
from tcpgoodput.simulator.senders.scoreboard_state import FIELDS

NONE = -1
"""Value of a packet number that stands for no packet."""

UNLIMITED = 2**40
"""Value that means an unlimited window or transfer."""

OLDTAHOE, TAHOE, RENO, NEWRENO, SACK = range(5)

RECOVERIES = {
    "oldtahoe": OLDTAHOE,
    "tahoe": TAHOE,
    "reno": RENO,
    "newreno": NEWRENO,
    "sack": SACK,
    "cubic": SACK,  # use SACK, because RFC 9438 defines no loss recovery
    "bbr": SACK,
}

DEFLATED, SSTHRESH, UNCHANGED = range(3)

PARTIAL_WINDOWS = {"deflated": DEFLATED, "ssthresh": SSTHRESH, "unchanged": UNCHANGED}

SENDER = record_type(
    [
        # Settings of the sender.
        ("recovery", "i8"),  # algorithm of loss recovery: OLDTAHOE, …, SACK
        ("cubic", "?"),  # whether cwnd grows by CUBIC (RFC 9438)
        ("dupthresh", "i8"),
        ("max_window", "i8"),
        ("grows_to", "f8"),  # largest value in packets to which cwnd grows
        ("transfer", "i8"),
        ("limited_transmit", "?"),
        ("steady", "?"),  # each partial ACK, not only the first, restarts NewReno's timer
        ("partial_window", "i8"),  # NewReno's cwnd at a partial ACK: DEFLATED, …, UNCHANGED
        ("ends_at_flight", "?"),  # whether a full ACK limits NewReno's cwnd to the flight
        ("floor_increment", "?"),
        ("halves_window", "?"),  # after a loss, ssthresh follows from cwnd, not from flight
        # Sequence numbers, in packets from 0.
        ("acked", "i8"),  # the highest packet acknowledged in order
        ("highest_sent", "i8"),
        ("next_packet", "i8"),
        ("recover", "i8"),  # highest packet sent when a loss was last detected
        ("timed_out", "i8"),  # first outstanding packet at the last timeout
        # Fields of the congestion window.
        ("cwnd", "f8"),
        ("ssthresh", "f8"),
        ("cwnd_after", "f8"),  # cwnd after fast recovery, without inflation
        ("duplicates", "i8"),
        ("in_recovery", "?"),
        ("partial_acks", "i8"),
        # What the last event allows the sender to send.
        ("repeat_first", "?"),  # resend the first outstanding packet before all else
        ("beyond_window", "i8"),  # number of new packets beyond cwnd by limited transmit
        ("fills_pipe", "?"),  # SACK may send all packets for which `pipe` has room
        # SACK's scoreboard (RFC 6675), in addition to the receiver's array `board`.
        ("high_rxt", "i8"),
        ("arrived_below", "i8"),  # number of unacknowledged arrivals up to high_rxt
        ("holes_from", "i8"),  # all missing packets below this number were resent
        ("rescue_rxt", "i8"),
        ("lost_below", "i8"),  # missing packets with lower numbers count as lost
        ("pipe", "i8"),
        # Fields of CUBIC (RFC 9438).
        ("w_max", "f8"),
        ("cwnd_prior", "f8"),
        ("epoch_start", "i8"),  # NEVER: set at the next ACK in congestion avoidance
        ("k_s", "f8"),
        ("w_est", "f8"),
        ("after_timeout", "?"),
        # Values of CUBIC's fields before the last window reduction, which an undo restores.
        ("undo_w_max", "f8"),
        ("undo_cwnd_prior", "f8"),
        ("undo_epoch_start", "i8"),
        ("undo_k_s", "f8"),
        ("undo_w_est", "f8"),
        ("undo_after_timeout", "?"),
        # Fields of the retransmission timer (RFC 6298).
        ("fixed_rto", "?"),
        ("min_rto_s", "f8"),
        ("max_rto_s", "f8"),
        ("tick_s", "f8"),
        ("rto_s", "f8"),
        ("rto", "i8"),  # current RTO in ticks of the simulator's clock
        ("srtt_s", "f8"),  # smoothed RTT; negative before the first sample
        ("rttvar_s", "f8"),
        ("timed_packet", "i8"),
        ("timed_at", "i8"),
        ("deadline", "i8"),
        # Counts and sums since the start, and limits for counting loss events.
        ("packets_sent", "i8"),
        ("retransmissions", "i8"),
        ("timeouts", "i8"),
        ("fast_retransmits", "i8"),
        ("loss_events", "i8"),
        ("pause_at", "i8"),  # number of loss events after which a run stops
        ("pause_delivered", "i8"),  # unless fewer packets are delivered
        ("event_until", "i8"),  # highest packet sent at the last loss event
        ("rtt_samples", "i8"),
        ("rtt_sum_s", "f8"),
        *FIELDS,
        *BBR_FIELDS,
    ]
)


def new_sender(tcp: Tcp) -> NDArray[np.void]:
    """Return the record of a sender that has sent nothing."""
    return _fresh(tcp).copy().view(SENDER)


@lru_cache
def _fresh(tcp: Tcp) -> NDArray[np.uint8]:
    # Copy the record as bytes, because numpy's own copy works field by field and is slower.
    fresh = np.zeros(1, SENDER)
    s = fresh[0]
    if tcp.variant not in RECOVERIES:
        raise unsupported("simulator/senders/state.py", "RECOVERIES", tcp.variant)
    s.recovery = RECOVERIES[tcp.variant]
    s.linux_cubic = tcp.variant == "cubic" and tcp.ca_increment == "whole"
    s.cubic = tcp.variant == "cubic" and not s.linux_cubic
    s.dupthresh = tcp.dupthresh
    s.max_window = min(tcp.max_window_packets or UNLIMITED, UNLIMITED)
    validates = s.linux_cubic and tcp.window_validation
    s.grows_to = s.max_window if tcp.variant == "cubic" and not validates else UNLIMITED
    s.transfer = min(tcp.transfer_packets or UNLIMITED, UNLIMITED)
    s.limited_transmit = tcp.limited_transmit
    s.steady = tcp.recovery == "slow-but-steady"
    s.partial_window = PARTIAL_WINDOWS[tcp.partial_window_deflation]
    s.ends_at_flight = tcp.full_ack_window == "flight"
    s.floor_increment = tcp.ca_increment == "floor"
    s.halves_window = tcp.ssthresh_from == "window"
    s.acked = s.highest_sent = -1
    s.recover = s.timed_out = s.event_until = -2
    s.cwnd = tcp.initial_window_packets
    s.ssthresh = math.inf
    s.high_rxt = s.rescue_rxt = NONE
    s.epoch_start = NEVER
    s.fixed_rto = tcp.rto.fixed_s is not None
    s.min_rto_s = tcp.rto.min_s
    s.max_rto_s = tcp.rto.max_s
    s.tick_s = tcp.rto.tick_s
    s.rto_s = tcp.rto.fixed_s or min(tcp.rto.initial_s, tcp.rto.max_s)
    s.rto = ticks(s.rto_s)
    s.srtt_s = -1.0
    s.timed_packet = NONE
    s.deadline = s.pacing_deadline = NEVER
    s.bbr = tcp.variant == "bbr"
    _fill_scoreboard(s, tcp)
    return fresh.view(np.uint8)


def _fill_scoreboard(s: Any, tcp: Tcp) -> None:
    s.scoreboard = tcp.is_todays
    s.has_sack = s.recovery == SACK
    s.rack = tcp.loss_detection == "rack"
    s.probes = tcp.tail_loss_probe
    s.proportional = tcp.reduction == "proportional"
    s.counts_packets = tcp.growth == "packets"
    s.whole_increment = tcp.ca_increment == "whole"
    s.validates = tcp.window_validation
    s.hystart = tcp.slow_start == "hystart++"
    s.round_rtt = s.last_round_rtt = NEVER
    s.hybrid_start = tcp.slow_start == "hystart"
    if s.hystart:
        s.round_last = tcp.initial_window_packets - 1
    s.finds_false_timeouts = tcp.f_rto
    s.timestamps = tcp.timestamps
    s.dsack = tcp.dsack
    s.floor_on_variation = tcp.rto.floor == "variation"
    s.undo_from = s.probe_high = s.first_repeat = s.last_repeat = NONE
    s.fack = s.rack_packet = s.rack_at = -1
    s.repeated_at = s.min_rtt = NEVER
    s.reordering = tcp.dupthresh
    s.most_reordering = tcp.max_dupthresh or NONE
    s.reorder_steps = 1
