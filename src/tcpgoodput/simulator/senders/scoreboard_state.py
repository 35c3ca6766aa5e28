"""Additional state of the sender with a scoreboard."""

from __future__ import annotations

OPEN, DISORDER, RECOVERY, LOSS = range(4)
"""States of loss recovery; see `scoreboard.machine`."""

TIMEOUT_TIMER, REORDER_TIMER, PROBE_TIMER = range(3)
"""Kinds of the sender's timer: retransmission timeout, reordering (RACK), tail loss probe."""

NOTHING, LOST_FIRST, NEW_FIRST, HEAD, PROBE = range(5)
"""Values of `action`: what the sender sends first after an event. HEAD is the first outstanding
packet."""

FIELDS = [
    ("scoreboard", "?"),
    # Features of the sender, on or off.
    ("has_sack", "?"),
    ("rack", "?"),
    ("probes", "?"),
    ("proportional", "?"),
    ("counts_packets", "?"),  # the window grows per acknowledged packet, not per ACK
    ("whole_increment", "?"),
    ("validates", "?"),  # the window grows only while it limits the sender
    ("hystart", "?"),  # HyStart++ (RFC 9406)
    ("hybrid_start", "?"),  # HyStart of Linux's CUBIC
    ("linux_cubic", "?"),
    ("finds_false_timeouts", "?"),  # F-RTO (RFC 5682)
    ("timestamps", "?"),
    ("dsack", "?"),
    ("floor_on_variation", "?"),
    # The state of loss recovery.
    ("state", "i8"),
    ("high_seq", "i8"),  # first packet not yet sent when the state was entered
    ("action", "i8"),
    ("sent_any", "?"),  # a packet was sent since the last event
    ("sacked_out", "i8"),
    ("lost_out", "i8"),
    ("repeats_out", "i8"),
    ("repeat_from", "i8"),  # every lost packet below this number was repeated
    ("fack", "i8"),  # the highest packet that a SACK block has reported
    ("marked_lost", "i8"),  # number of packets marked as lost since the start
    ("arrived_count", "i8"),  # packets known to have arrived, since the start
    ("arrived_before", "i8"),  # `arrived_count` before the current event
    ("retries", "i8"),  # timeouts since an ACK last acknowledged new packets
    # The window.
    ("counted", "f8"),  # acknowledged packets counted towards the next increment of cwnd
    ("prior_cwnd", "f8"),
    ("prior_ssthresh", "f8"),
    ("recover_flight", "f8"),  # RecoverFS of RFC 9937
    ("prr_arrived", "i8"),
    ("prr_sent", "i8"),
    ("is_limited", "?"),
    ("most_out", "i8"),
    ("usage_until", "i8"),
    # HyStart++.
    ("conservative", "?"),  # in Conservative Slow Start (RFC 9406)
    ("conservative_rounds", "i8"),
    ("baseline_rtt", "i8"),  # smallest round trip when Conservative Slow Start began
    ("round_last", "i8"),  # packet whose ACK ends the round
    ("round_rtt", "i8"),  # smallest round trip of the round
    ("last_round_rtt", "i8"),
    ("round_samples", "i8"),
    # HyStart.
    ("found_end", "?"),
    ("round_began", "i8"),
    ("train_at", "i8"),  # time of the last ACK of the round's ACK train
    # Linux's CUBIC.
    ("least_delay", "i8"),  # smallest round trip so far; 0 if there is none
    ("origin", "f8"),  # W(K), the window at the plateau of the cubic function
    ("reno_counted", "f8"),  # acknowledged packets towards the next increment of w_est
    # Undo.
    ("undo_from", "i8"),  # first packet outstanding at the reduction; NONE: no undo possible
    ("undo_repeats", "i8"),
    ("repeated_at", "i8"),  # time of this recovery's first retransmission, or NEVER
    ("false_timeout", "i8"),  # whether F-RTO's test is running
    ("twice_count", "i8"),
    # RACK.
    ("rack_at", "i8"),
    ("rack_packet", "i8"),
    ("rack_rtt", "i8"),
    ("rack_advanced", "?"),
    ("reordering", "i8"),  # number of duplicates that indicate a loss
    ("most_reordering", "i8"),  # largest value of `reordering`
    ("reorder_seen", "?"),
    ("reorder_steps", "i8"),
    ("reorder_kept", "i8"),  # recoveries for which `reorder_steps` is still kept
    ("reorder_changed_at", "i8"),
    ("twice_seen", "?"),
    ("min_rtt", "i8"),
    ("min_rtt_at", "i8"),
    # Tail loss probe.
    ("probe_high", "i8"),  # first unsent packet after the probe; NONE: no probe
    ("probe_repeats", "?"),
    # What the current ACK shows.
    ("original_arrived", "?"),  # it reports a packet sent once, before the state began
    ("newest_sent", "i8"),
    # The timer.
    ("timer", "i8"),
    ("deviation_s", "f8"),
    ("most_deviation_s", "f8"),
    ("round_until", "i8"),
]
"""Further fields of the sender's record. Packets are given by number, and times in ticks unless the
name ends in `_s`."""
