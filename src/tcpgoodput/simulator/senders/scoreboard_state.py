"""What the scoreboard's sender knows beyond the sender of the older RFCs."""

from __future__ import annotations

OPEN, DISORDER, RECOVERY, LOSS = range(4)
"""States of loss recovery: nothing amiss, something reported, repairing, after a timeout."""

TIMEOUT_TIMER, REORDER_TIMER, PROBE_TIMER = range(3)
"""What the sender's one timer stands for."""

NOTHING, LOST_FIRST, NEW_FIRST, HEAD, PROBE = range(5)
"""What an event lets the sender send before anything else."""

FIELDS = [
    ("scoreboard", "?"),
    # Switches.
    ("has_sack", "?"),
    ("rack", "?"),
    ("probes", "?"),
    ("proportional", "?"),
    ("counts_packets", "?"),  # growth by packets, not by ACKs
    ("whole_increment", "?"),
    ("validates", "?"),  # the window grows only where it is what limits the sender
    ("hystart", "?"),  # HyStart++
    ("hybrid_start", "?"),  # HyStart
    ("linux_cubic", "?"),
    ("finds_false_timeouts", "?"),  # F-RTO
    ("timestamps", "?"),
    ("dsack", "?"),
    ("floor_on_variation", "?"),
    # The state of loss recovery.
    ("state", "i8"),
    ("high_seq", "i8"),  # first packet not sent yet when the state was entered
    ("action", "i8"),
    ("sent_any", "?"),  # something was sent since the event
    ("sacked_out", "i8"),
    ("lost_out", "i8"),
    ("repeats_out", "i8"),
    ("repeat_from", "i8"),  # no packet below this one is lost and not repeated
    ("fack", "i8"),  # the highest packet reported
    ("marked_lost", "i8"),  # since the start
    ("arrived_count", "i8"),  # packets known to have arrived, since the start
    ("arrived_before", "i8"),  # the same before the event at hand
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
    ("conservative", "?"),  # growing slowly, to see whether round trips really grow
    ("conservative_rounds", "i8"),
    ("baseline_rtt", "i8"),  # least round trip when that began
    ("round_last", "i8"),  # packet whose ACK ends the round
    ("round_rtt", "i8"),  # the round's least round trip
    ("last_round_rtt", "i8"),
    ("round_samples", "i8"),
    # HyStart.
    ("found_end", "?"),
    ("round_began", "i8"),
    ("train_at", "i8"),  # last ACK of the round's train
    # Linux's CUBIC.
    ("least_delay", "i8"),  # 0 without one
    ("origin", "f8"),  # W(K)
    ("reno_counted", "f8"),  # packets towards the next one of w_est
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
    ("reordering", "i8"),  # duplicates that tell of a loss
    ("most_reordering", "i8"),  # what reordering may raise them to
    ("reorder_seen", "?"),
    ("reorder_steps", "i8"),
    ("reorder_kept", "i8"),  # recoveries for which the steps stay
    ("reorder_changed_at", "i8"),
    ("twice_seen", "?"),
    ("min_rtt", "i8"),
    ("min_rtt_at", "i8"),
    # Tail loss probe.
    ("probe_high", "i8"),  # first packet not sent when the probe was, NONE without a probe
    ("probe_repeats", "?"),
    # What the ACK at hand says.
    ("original_arrived", "?"),  # a packet never repeated, sent before the state was entered
    ("newest_sent", "i8"),
    # The timer.
    ("timer", "i8"),
    ("deviation_s", "f8"),
    ("most_deviation_s", "f8"),
    ("round_until", "i8"),
]
"""Of the sender's record; packets by number, times in ticks."""
