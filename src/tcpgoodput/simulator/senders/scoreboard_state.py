"""Additional state of the sender with a scoreboard."""

from __future__ import annotations

OPEN, DISORDER, RECOVERY, LOSS = range(4)
"""States of loss recovery; see `scoreboard.machine`."""

TIMEOUT_TIMER, REORDER_TIMER, PROBE_TIMER = range(3)
"""Meanings of the sender's timer."""

NOTHING, LOST_FIRST, NEW_FIRST, HEAD, PROBE = range(5)
"""Packets that the sender sends first after an event."""

FIELDS = [
    ("scoreboard", "?"),
    # Switches.
    ("has_sack", "?"),
    ("rack", "?"),
    ("probes", "?"),
    ("proportional", "?"),
    ("counts_packets", "?"),  # the window grows by packets, not by ACKs
    ("whole_increment", "?"),
    ("validates", "?"),  # the window grows only while it limits the sender
    ("hystart", "?"),  # HyStart++
    ("hybrid_start", "?"),  # HyStart
    ("linux_cubic", "?"),
    ("finds_false_timeouts", "?"),  # F-RTO
    ("timestamps", "?"),
    ("dsack", "?"),
    ("floor_on_variation", "?"),
    # The state of loss recovery.
    ("state", "i8"),
    ("high_seq", "i8"),  # first packet not yet sent when the state was entered
    ("action", "i8"),
    ("sent_any", "?"),  # a packet was sent since the event
    ("sacked_out", "i8"),
    ("lost_out", "i8"),
    ("repeats_out", "i8"),
    ("repeat_from", "i8"),  # every lost packet below this one was repeated
    ("fack", "i8"),  # the highest packet reported
    ("marked_lost", "i8"),  # number of packets marked as lost since the start
    ("arrived_count", "i8"),  # packets known to have arrived, since the start
    ("arrived_before", "i8"),  # the same before the current event
    ("retries", "i8"),  # timeouts since the last progress
    # The window.
    ("counted", "f8"),  # packets towards the next whole increment
    ("prior_cwnd", "f8"),
    ("prior_ssthresh", "f8"),
    ("recover_flight", "f8"),  # RecoverFS
    ("prr_arrived", "i8"),
    ("prr_sent", "i8"),
    ("is_limited", "?"),
    ("most_out", "i8"),
    ("usage_until", "i8"),
    # HyStart++.
    ("conservative", "?"),  # slow growth, to check whether round trips really grow
    ("conservative_rounds", "i8"),
    ("baseline_rtt", "i8"),  # smallest round trip when slow growth began
    ("round_last", "i8"),  # packet whose ACK ends the round
    ("round_rtt", "i8"),  # smallest round trip of the round
    ("last_round_rtt", "i8"),
    ("round_samples", "i8"),
    # HyStart.
    ("found_end", "?"),
    ("round_began", "i8"),
    ("train_at", "i8"),  # last ACK of the round's train
    # Linux's CUBIC.
    ("least_delay", "i8"),  # 0 if there is none
    ("origin", "f8"),  # W(K)
    ("reno_counted", "f8"),  # acknowledged packets towards the next increment of w_est
    # Undo.
    ("undo_from", "i8"),  # NONE: nothing can be undone
    ("undo_repeats", "i8"),
    ("repeated_at", "i8"),  # first repeat of this recovery, NEVER if none
    ("false_timeout", "i8"),  # steps of F-RTO still possible
    ("twice_count", "i8"),
    # RACK.
    ("rack_at", "i8"),
    ("rack_packet", "i8"),
    ("rack_rtt", "i8"),
    ("rack_advanced", "?"),
    ("reordering", "i8"),  # number of duplicates that indicate a loss
    ("most_reordering", "i8"),  # limit for that number under reordering
    ("reorder_seen", "?"),
    ("reorder_steps", "i8"),
    ("reorder_kept", "i8"),  # recoveries for which the steps are kept
    ("reorder_changed_at", "i8"),
    ("twice_seen", "?"),
    ("min_rtt", "i8"),
    ("min_rtt_at", "i8"),
    # Tail loss probe.
    ("probe_high", "i8"),  # first packet not sent at the probe; NONE: no probe
    ("probe_repeats", "?"),
    # State from the current ACK.
    ("original_arrived", "?"),  # an ACK reports a packet sent once, before the state began
    ("newest_sent", "i8"),
    # The timer.
    ("timer", "i8"),
    ("deviation_s", "f8"),
    ("most_deviation_s", "f8"),
    ("round_until", "i8"),
]
"""Fields of the sender's record; packets are numbers, times are in ticks."""
