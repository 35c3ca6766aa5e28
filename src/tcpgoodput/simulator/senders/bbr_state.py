"""Additional state of the sender BBR; see `senders.scoreboard.bbr`."""

from __future__ import annotations

STARTUP, DRAIN, PROBE_BW, PROBE_RTT = range(4)
"""BBR's modes: how fast the sender sends."""

FIELDS = [
    ("bbr", "?"),  # whether pacing rate and cwnd follow from BBR's estimates
    ("mss_bytes", "f8"),
    # Delivery-rate samples. `arrived_count` is the number of delivered packets.
    ("first_sent_at", "i8"),  # when the packet delivered last was sent; begins the send phase
    ("delivered_at", "i8"),  # when the last packets were delivered
    ("limited_until", "i8"),  # later deliveries are not limited by the sender; 0: none is
    ("sample_packet", "i8"),  # the last sent of the packets that an ACK reports, or NONE
    ("sample_before", "i8"),  # number of packets delivered before it was sent
    ("sample_began", "i8"),  # `delivered_at` when it was sent
    ("sample_sending", "i8"),  # duration of its send phase
    ("sample_limited", "?"),  # whether the sender, not the path, limits this sample
    ("sample_interval", "i8"),  # time over which the sample is taken; 0: no valid sample
    ("prior_flight", "i8"),  # packets in flight before the ACK
    ("last_rtt", "i8"),  # round-trip sample of the ACK; negative if it gives none
    # Estimates. Rates are in packets per tick.
    ("rounds", "i8"),  # number of packet-timed round trips so far
    ("round_ends", "i8"),  # number of delivered packets at which the next round begins
    ("begins_round", "?"),
    ("bandwidth", "f8"),  # the largest delivery rate of the last ten rounds
    ("bandwidth_2", "f8"),  # the second and third best, which follow when the best one expires
    ("bandwidth_3", "f8"),
    ("bandwidth_at", "i8"),  # rounds of these three rates
    ("bandwidth_2_at", "i8"),
    ("bandwidth_3_at", "i8"),
    ("path_rtt", "i8"),  # the smallest round trip of the last ten seconds
    ("path_rtt_at", "i8"),
    ("full_bandwidth", "f8"),
    ("full_rounds", "i8"),  # rounds in which the bandwidth hardly grew
    ("is_full", "?"),  # whether start-up has filled the path
    # Surplus of acknowledged packets over what the bandwidth explains.
    ("surplus", "i8"),  # largest surplus in the current five rounds
    ("surplus_before", "i8"),  # largest surplus in the five rounds before
    ("surplus_rounds", "i8"),
    ("burst_at", "i8"),  # when the current burst of ACKs began
    ("burst_arrived", "i8"),
    # Estimate of a policer's rate.
    ("policed", "?"),  # whether the estimate replaces the bandwidth
    ("policed_rate", "f8"),
    ("looks_for_policer", "?"),
    ("policer_rounds", "i8"),
    ("policer_at", "i8"),  # time, delivered and lost packets at the start of the interval
    ("policer_delivered", "i8"),
    ("policer_lost", "i8"),
    # Modes.
    ("mode", "i8"),
    ("phase", "i8"),  # phase of the gain cycle in PROBE_BW
    ("phase_at", "i8"),
    ("probe_rtt_ends", "i8"),  # NEVER until few enough packets are in flight
    ("probe_rtt_round", "?"),  # whether a round has passed in PROBE_RTT
    ("pacing_gain", "f8"),
    ("cwnd_gain", "f8"),
    # Window.
    ("state_before", "i8"),  # state of loss recovery at the previous ACK
    ("conserves", "?"),  # whether the sender sends a packet for each delivered one
    ("good_cwnd", "f8"),  # cwnd before loss recovery or PROBE_RTT
    # Pacing.
    ("pacing_rate", "f8"),
    ("packet_time", "f8"),  # time of a packet at the pacing rate
    ("burst", "i8"),  # packets in a burst
    ("pacing_deadline", "i8"),  # when a waiting packet may be sent; NEVER if none waits
    ("next_send_at", "i8"),  # earliest time of the next burst
    ("burst_left", "i8"),  # packets that may still be sent in the current burst
    ("credit", "f8"),  # time by which the current burst begins late
]
"""Further fields of the record of the sender's state. Packets are given by their numbers, and times
are in ticks."""
