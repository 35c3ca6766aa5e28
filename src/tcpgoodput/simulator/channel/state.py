"""State of the path, as one record that compiled functions read and write."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.loss import Bernoulli, LossProcess, MarkovChannel
from tcpgoodput.simulator.channel.spikes import fill_law
from tcpgoodput.simulator.compiled import NEVER, record_type, ticks
from tcpgoodput.simulator.senders.state import UNLIMITED

NO_LOSS, INDEPENDENT, PER_PACKET, PER_SLOT, LISTED = range(5)
"""Kinds of loss: none, independent, a Markov chain in steps of packets or of time slots, or runs of
lost packets that are listed in advance (see `Arrays.bad_runs`)."""

CONSTANT, PERIODIC, AUTOREGRESSIVE, SHADOWED = range(4)
"""Kinds of capacity: constant, periodic, first-order autoregressive, shadowed radio link."""

FAR_AHEAD = 2
"""Longest gap between two packets for which good and bad runs of a loss process in time slots are
drawn one by one. The unit is the mean duration of a good run plus that of a bad run. After a longer
gap, the state of the loss process is drawn from the Markov chain's transition probability. Chosen
by hand."""

LOST = -1
"""Value that is returned as the arrival time of a lost packet."""


def _law_fields(name: str) -> list[tuple[str, str]]:
    """Return the record's fields for a distribution of durations; see `spikes.fill_law`."""
    numbers = [(f"{name}_{field}", "f8") for field in ("a_s", "b_s", "mean_s", "p01", "p10")]
    return [(f"{name}_law", "i8"), (f"{name}_state", "i8"), *numbers]


_LOSS_FIELDS = [
    # Positions are numbers of packets, or times in ticks.
    ("loss", "i8"),
    ("loss_step", "i8"),  # step of the loss process: 1 packet, or a slot in ticks
    ("before_queue", "?"),
    ("good_to_bad", "f8"),
    ("bad_to_good", "f8"),
    ("log_stays_good", "f8"),  # log(1 - good_to_bad)
    ("log_stays_bad", "f8"),  # log(1 - bad_to_good)
    ("crossed", "i8"),
    ("bad_from", "i8"),
    ("bad_until", "i8"),
    ("far_ahead", "i8"),  # gap in ticks after which `losses.jump` draws the loss state
    ("bad_run", "i8"),  # number of runs of `Arrays.bad_runs` that have been used
    ("listed_until", "i8"),  # number of packets whose losses are listed
    ("packets_lost", "i8"),
    # Sums of random draws minus their expected values; see `simulation.Counts`.
    ("excess_good_runs", "f8"),
    ("excess_bad_runs", "f8"),
]
"""Fields of a record for a loss process."""

ERRORS = record_type(_LOSS_FIELDS)
"""Record of the process by which attempts to send a frame fail (`arq`)."""

FRAME = record_type(
    [
        ("packet", "i8"),
        ("sent", "i8"),  # time at which the sender sent the packet
        ("ready", "i8"),  # time of its arrival at the link, later of its next repetition
        ("late", "i8"),  # additional delay beyond the link; LOST: lost there
        ("delay", "i8"),  # delay from the link to the sender
        ("attempts", "i8"),
        ("state", "i8"),  # see `arq.ON_LINK`
        ("record", "i8"),  # index of the packet's record in `Arrays.sent`; -1 if none
    ]
)
"""A packet on a link that retransmits (`arq`)."""

CHANNEL = record_type(
    [
        # Two propagation delays and the bottleneck between them; times in ticks.
        ("forward", "i8"),
        ("backward", "i8"),
        ("packet_time", "i8"),
        ("horizon", "i8"),  # time at which the simulation ends at the latest
        ("buffer", "i8"),
        ("free_at", "i8"),  # time at which the server becomes idle
        ("first_queued", "i8"),  # index of the first queued packet in `departures`
        ("next_queued", "i8"),
        ("transmissions", "i8"),
        ("scripted", "i8"),  # number of prescribed losses and delays that have been used
        ("packets_dropped", "i8"),
        ("first_under_way", "i8"),  # index of the first packet under way in `arrivals`
        ("next_under_way", "i8"),
        ("last_event", "i8"),
        ("event_kind", "i8"),
        ("event_packet", "i8"),
        ("sending", "?"),  # whether packets that the last event allows are still to be sent
        ("may_express", "?"),
        ("window_area", "f8"),  # integral of the window over time, in packets times ticks
        ("largest_window", "f8"),
        ("stalled_area", "f8"),  # see `simulation.Counts`; in packets times ticks
        *_LOSS_FIELDS,
        ("excess_spikes", "f8"),
        ("excess_durations", "f8"),
        ("excess_capacity", "f8"),
        # Fields of delay spikes.
        ("spike_from", "i8"),
        ("spike_until", "i8"),
        ("silent", "?"),  # whether spikes overlap for ever, so that no packet passes
        *_law_fields("interval"),
        *_law_fields("duration"),
        # Fields of hand-offs.
        ("handoff_at", "i8"),
        ("handoff_interval", "i8"),
        ("handoff_packets", "i8"),
        ("handoff_loses", "?"),
        ("handoff_late", "i8"),
        ("handoff_within", "i8"),  # time after a hand-off during which packets are affected
        ("handoffs", "i8"),
        ("to_hit", "i8"),  # number of further new packets that the last hand-off affects
        # Fields of a delay from a trace, which is constant within a step.
        ("delay_step", "i8"),  # duration of a step in ticks; 0: the delay is constant
        ("delay_until", "i8"),
        ("delay_number", "i8"),
        ("in_order", "i8"),  # latest arrival time so far; no later packet arrives earlier
        # Fields of a link that retransmits (`arq`).
        ("in_sequence", "?"),  # whether the far end holds later packets back
        ("serving", "?"),
        ("most_attempts", "i8"),
        ("turnaround", "i8"),
        ("in_buffer", "i8"),
        ("frame", "i8"),  # the frame that the server sends
        ("first_frame", "i8"),  # index in `frames` of the first one not released
        ("next_fresh", "i8"),  # index of the first frame that was never sent
        ("next_frame", "i8"),
        ("first_repeat", "i8"),  # index in `repeats` of the next repetition
        ("next_repeat", "i8"),
        # Fields of the capacity, which is constant within a step.
        ("capacity", "i8"),
        ("step", "i8"),  # duration of a step of the capacity in ticks
        ("step_until", "i8"),
        ("step_number", "i8"),
        ("packet_ticks", "f8"),  # transmission time of a packet at the current capacity
        ("level", "f8"),
        ("memory", "f8"),  # α, the correlation of consecutive values of the autoregression
        ("innovation", "f8"),
        ("low", "f8"),
        ("high", "f8"),
        ("snr", "f8"),
        ("scale", "f8"),
        ("mean_offered", "f8"),  # mean number of packets that a step can carry
    ]
)


def new_channel(
    scenario: Scenario, stream: np.random.Generator, phase: float | None
) -> NDArray[np.void]:
    """Return the record of a scenario's path before the first packet.

    Args:
        scenario: the scenario; call `capacity.fill_capacity` to add its capacity.
        stream: the source of random numbers.
        phase: phase at which periodic processes start, in periods; None: each at a random one.

    """
    channel = np.zeros(1, CHANNEL)
    c = channel[0]  # fields are set by key, because setting attributes takes ten times as long
    c["forward"] = ticks(scenario.path.forward_delay_s)
    c["backward"] = ticks(scenario.path.backward_delay_s)
    c["packet_time"] = max(1, ticks(1 / scenario.rate_pps))
    c["buffer"] = min(scenario.path.buffer_packets or UNLIMITED, UNLIMITED)
    c["before_queue"] = scenario.loss.place == "before"
    fill_losses(c, scenario.loss, int(c["packet_time"]), stream)
    if (arq := scenario.arq) and arq.repeats:
        c["in_sequence"] = arq.delivery == "in-order"
        c["most_attempts"] = arq.attempts
        c["turnaround"] = ticks(arq.turnaround_s)
    c["spike_from"] = c["handoff_at"] = NEVER
    if spikes := scenario.spikes:
        fill_law(c, "interval", spikes.interval, stream)
        fill_law(c, "duration", spikes.duration, stream)
    if handoffs := scenario.handoffs:
        c["handoff_interval"] = max(1, ticks(handoffs.interval_s))
        waited = stream.random() if phase is None else phase
        c["handoff_at"] = c["handoff_interval"] + int(waited * c["handoff_interval"])
        c["handoff_packets"] = handoffs.packets
        c["handoff_loses"] = handoffs.fate == "lost"
        c["handoff_late"] = ticks(handoffs.late_s or 0.0)
        c["handoff_within"] = NEVER if handoffs.within_s is None else ticks(handoffs.within_s)
    return channel


def fill_losses(c: Any, loss: LossProcess, packet_time: int, stream: np.random.Generator) -> None:
    """Write the parameters of a loss process into a record, and draw its state at the start.

    Args:
        c: the record, with the fields of `ERRORS`.
        loss: the loss process.
        packet_time: duration of a slot in ticks, for processes that count slots.
        stream: the source of random numbers.

    """
    c["bad_from"] = c["bad_until"] = c["far_ahead"] = NEVER
    c["loss_step"] = 1
    if loss.impairment is None:
        return
    if isinstance(loss, Bernoulli):
        c["loss"] = INDEPENDENT
        c["good_to_bad"], c["bad_to_good"] = loss.probability, 1.0
        c["bad_from"] = c["bad_until"] = 0
        c["log_stays_good"] = _log_of(loss.probability)
    elif isinstance(loss, MarkovChannel):
        c["loss"] = PER_SLOT if loss.counts_slots else PER_PACKET
        c["good_to_bad"], c["bad_to_good"] = loss.good_to_bad, loss.bad_to_good
        c["log_stays_good"] = _log_of(loss.good_to_bad)
        c["log_stays_bad"] = _log_of(loss.bad_to_good)
        if loss.counts_slots:
            c["loss_step"] = packet_time
            c["far_ahead"] = int(min(FAR_AHEAD * loss.steps_per_run * c["loss_step"], NEVER))
        starts_bad = stream.random() < loss.bad_share
        c["bad_from"] = c["bad_until"] = 0
        if starts_bad:
            steps = math.log1p(-stream.random()) / _log_of(loss.bad_to_good)
            longest = NEVER / 4 / c["loss_step"]  # keep the time within the clock's range
            c["bad_until"] = (1 + int(min(steps, longest))) * int(c["loss_step"])
    else:
        c["loss"] = LISTED


def _log_of(leaving: float) -> float:
    """Return log(1 - leaving): with u uniform in (0, 1], a run has 1 + ⌊log(u) / it⌋ steps."""
    return math.log1p(-leaving) if leaving < 1 else -math.inf
