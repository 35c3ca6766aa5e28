"""Additional state of the sender with a scoreboard, which marks each outstanding packet."""

from __future__ import annotations

OPEN, DISORDER, RECOVERY, LOSS = range(4)
"""States of loss recovery; see `scoreboard.machine`."""

TIMEOUT_TIMER, REORDER_TIMER, PROBE_TIMER = range(3)
"""Kinds of the sender's timer: retransmission timeout, reordering (RACK), tail loss probe."""

NOTHING, LOST_FIRST, NEW_FIRST, HEAD, PROBE = range(5)
"""Values of `action`: what the sender sends first after an event. NOTHING: new packets only;
LOST_FIRST: lost packets; NEW_FIRST: new packets; HEAD: the first outstanding packet; PROBE: a tail
loss probe."""

FIELDS = [
    ("scoreboard", "?"),
    # Features of the sender, on or off.
    ("has_sack", "?"),
    ("rack", "?"),
    ("probes", "?"),
    ("proportional", "?"),
    ("counts_packets", "?"),  # cwnd grows per acknowledged packet, not per ACK
    ("whole_increment", "?"),
    ("validates", "?"),  # cwnd grows only while it limits the sender (RFC 7661)
    ("hystart", "?"),  # whether slow start ends by HyStart++ (RFC 9406)
    ("hybrid_start", "?"),  # whether slow start ends by the HyStart of Linux's CUBIC
    ("linux_cubic", "?"),
    ("finds_false_timeouts", "?"),  # whether the sender uses F-RTO (RFC 5682)
    ("timestamps", "?"),
    ("dsack", "?"),
    ("floor_on_variation", "?"),
    # Fields of loss recovery.
    ("state", "i8"),
    ("high_seq", "i8"),  # first unsent packet when the current state began
    ("action", "i8"),
    ("sent_any", "?"),  # whether a packet was sent since the last event
    ("sacked_out", "i8"),  # number of outstanding packets known to have arrived
    ("lost_out", "i8"),  # number of outstanding packets marked as lost
    ("repeats_out", "i8"),  # number of retransmissions believed to be in flight
    ("repeat_from", "i8"),  # all lost packets with lower numbers have been retransmitted
    ("first_repeat", "i8"),  # of the outstanding packets that were resent: the one resent first
    ("last_repeat", "i8"),  # the one resent last; NONE, like `first_repeat`, if there is none
    ("fack", "i8"),  # the highest packet that a SACK block has reported
    ("marked_lost", "i8"),  # number of times that a packet was marked as lost since the start
    ("arrived_count", "i8"),  # number of packets known to have arrived since the start
    ("arrived_before", "i8"),  # `arrived_count` before the current event
    ("retries", "i8"),  # number of timeouts since an ACK of new packets
    # Fields of the congestion window.
    ("counted", "f8"),  # packets acknowledged since cwnd last grew by one packet
    ("prior_cwnd", "f8"),
    ("prior_ssthresh", "f8"),
    ("recover_flight", "f8"),  # RecoverFS in packets (RFC 9937)
    ("prr_arrived", "i8"),
    ("prr_sent", "i8"),
    ("is_limited", "?"),
    ("most_out", "i8"),
    ("usage_until", "i8"),
    # Fields of HyStart++ (RFC 9406).
    ("conservative", "?"),  # whether in Conservative Slow Start (RFC 9406)
    ("conservative_rounds", "i8"),
    ("baseline_rtt", "i8"),  # smallest RTT when Conservative Slow Start began
    ("round_last", "i8"),  # packet whose ACK ends the current round
    ("round_rtt", "i8"),  # smallest RTT in the current round
    ("last_round_rtt", "i8"),
    ("round_samples", "i8"),
    # Fields of HyStart in Linux's CUBIC.
    ("found_end", "?"),
    ("round_began", "i8"),
    ("train_at", "i8"),  # time of the last ACK of the round's ACK train
    # Further fields of Linux's CUBIC.
    ("least_delay", "i8"),  # smallest RTT so far; 0 before the first sample
    ("origin", "f8"),  # W(K), the window at the plateau of the cubic function
    ("reno_counted", "f8"),  # packets acknowledged since w_est last grew by one packet
    # Fields for the undo of a window reduction.
    ("undo_from", "i8"),  # first outstanding packet at the reduction; NONE: no undo possible
    ("undo_repeats", "i8"),
    ("repeated_at", "i8"),  # time of this recovery's first retransmission, or NEVER
    ("false_timeout", "i8"),  # whether F-RTO's test is running
    ("twice_count", "i8"),
    # Fields of RACK (RFC 8985).
    ("rack_at", "i8"),
    ("rack_packet", "i8"),
    ("rack_rtt", "i8"),
    ("rack_advanced", "?"),
    ("reordering", "i8"),  # number of duplicate ACKs that indicate a loss
    ("most_reordering", "i8"),  # upper limit of `reordering`
    ("reorder_seen", "?"),
    ("reorder_steps", "i8"),
    ("reorder_kept", "i8"),  # number of further recoveries for which `reorder_steps` is kept
    ("reorder_changed_at", "i8"),
    ("twice_seen", "?"),
    ("min_rtt", "i8"),
    ("min_rtt_at", "i8"),
    # Fields of the tail loss probe (RFC 8985).
    ("probe_high", "i8"),  # first unsent packet when the probe was sent; NONE: no probe
    ("probe_repeats", "?"),
    # What the ACK that is being processed shows. `original_arrived`: whether the ACK reports a
    # packet that was sent only once, before the current state of loss recovery began.
    ("original_arrived", "?"),
    ("newest_sent", "i8"),
    # Fields of the sender's timer.
    ("timer", "i8"),
    ("deviation_s", "f8"),
    ("most_deviation_s", "f8"),
    ("round_until", "i8"),
]
"""Further fields of the record of the sender's state. Packets are given by their numbers. Times are
in ticks, or in seconds if the name ends in `_s`."""
