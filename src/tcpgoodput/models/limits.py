"""Limits of the domains of several models, whose equations leave out bursts, queues and timeouts.

The fitted limits were found by comparison with packet simulation of about a thousand random
connections. Beyond these limits a model's goodput is often wrong by a third or more, even if all
other assumptions hold.
"""

from __future__ import annotations

import math

from tcpgoodput.models.base import Condition
from tcpgoodput.models.losses import independent_loss, peak_window_packets
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.physics import lost_share
from tcpgoodput.scenario.vocabulary import Handoffs

CRITERION = "beyond it errors of a third and more become common on random connections"
"""Criterion by which the limits of this module and most other fitted limits were chosen."""

DUPLICATE_ACKS = 3
"""Number of duplicate ACKs that trigger fast retransmit in every model (RFC 5681)."""

BURST_ROOM = 2
"""Largest buffer, in multiples of the packets per ACK, that is too small for the burst that an ACK
releases. Fitted: chosen by `CRITERION`."""

ACKS_PER_WINDOW = 4
"""Smallest number of ACKs per window at which the delay of the window's last ACK hardly changes the
goodput. Fitted: chosen by `CRITERION`."""

FILLED = 0.75
"""Largest window, in bandwidth-delay products, that causes no significant bottleneck queue. Fitted:
chosen by `CRITERION`."""


TIMEOUTS, HITS = 4, 1.5
"""TIMEOUTS: smallest interval between hand-offs, in units of the timeout. HITS: the window must
exceed HITS times the packets that a hand-off affects, plus the duplicate ACKs for fast retransmit.
Beyond these limits one timeout often leads to the next. Both are fitted: chosen by `CRITERION`."""

THREE_DUPLICATE_ACKS = Condition(
    f"fast retransmit after {DUPLICATE_ACKS} duplicate ACKs",
    "derivation",
    "the model's sender is that of RFC 5681; with another number a sender times out more often or "
    "less often",
)

ROOM_FOR_BURSTS = Condition(
    f"a buffer of more than {BURST_ROOM} b packets, b being the packets per ACK",
    "fitted",
    CRITERION,
)

PROMPT_ACKS = Condition(
    f"an ACK for each packet, or a window of at least {ACKS_PER_WINDOW} ACKs", "fitted", CRITERION
)

EMPTY_QUEUE = Condition(
    f"a window of at most {100 * FILLED:g} % of the bandwidth-delay product", "fitted", CRITERION
)

UNCUT_SAW_TOOTH = Condition(
    "a receiver window of at least the window at which a loss event ends the growth",
    "derivation",
    "the saw-tooth of the model's equation reaches that window",
)

CONSTANT_DELAY = Condition(
    "hand-offs that do not change the round-trip time",
    "derivation",
    "the model's equations have only one round-trip time",
)

FAR_HANDOFFS = Condition(f"at least {TIMEOUTS} timeouts between hand-offs", "fitted", CRITERION)

SURVIVING_WINDOW = Condition(
    f"a window of more than {HITS} times the packets that a hand-off affects, plus the duplicate "
    "ACKs for fast retransmit",
    "fitted",
    CRITERION,
)


def rare_loss(most: float, because: str = CRITERION) -> Condition:
    """Return the condition that at most a share `most` (0 to 1) of the packets is lost.

    `because` is the reason for the condition.
    """
    return Condition(f"at most {100 * most:g} % of packets lost", "fitted", because)


def short_timeout(most_rtts: float, because: str = CRITERION) -> Condition:
    """Return the condition that a timeout lasts at most `most_rtts` round trips.

    `because` is the reason for the condition.
    """
    return Condition(f"a timeout of at most {most_rtts:g} round trips", "fitted", because)


def held_packets(scenario: Scenario) -> float:
    """Return the largest window that path and buffer hold, in packets; infinite if the buffer is.

    It is the path's rate times the propagation round trip, plus the buffer.
    """
    buffer = scenario.path.buffer_packets or math.inf
    return scenario.rate_pps * scenario.propagation_rtt_s + buffer


def outside_duplicate_acks(scenario: Scenario) -> str | None:
    """Return an explanation if fast retransmit does not need three duplicate ACKs, else None."""
    if scenario.tcp.dupthresh == DUPLICATE_ACKS:
        return None
    return (
        f"the sender's fast retransmit needs {scenario.tcp.dupthresh} duplicate ACKs "
        f"(tcp.dupthresh), the model's {DUPLICATE_ACKS}"
    )


def outside_bursts(scenario: Scenario) -> str | None:
    """Return an explanation if the buffer cannot hold the burst that an ACK releases, else None."""
    buffer, b = scenario.path.buffer_packets, scenario.tcp.ack_every
    if buffer is None or buffer > BURST_ROOM * b:
        return None
    return (
        f"the buffer (path.buffer_packets: {buffer}) is too small for the bursts of {b + 1} "
        "packets that ACKs release"
    )


def outside_delayed_acks(scenario: Scenario) -> str | None:
    """Return an explanation if the delayed-ACK timer often delays a small window, else None."""
    b, window = scenario.tcp.ack_every, scenario.tcp.max_window_packets or math.inf
    if b == 1:
        return None
    if (p := independent_loss(scenario)) > 0:
        window = min(window, peak_window_packets(p, scenario.tcp.packets_per_increment))
    if window >= ACKS_PER_WINDOW * b:
        return None
    return (
        f"the window is small ({window:.3g} packets): the delayed-ACK timer often delays its last "
        "ACK"
    )


def outside_empty_queue(scenario: Scenario, window_packets: float) -> str | None:
    """Return an explanation if the window fills the path and so causes a queue, else None.

    Args:
        scenario: the scenario.
        window_packets: the largest window that a model's sender usually reaches, in packets.

    """
    window = min(window_packets, scenario.tcp.max_window_packets or math.inf)
    product = scenario.rate_pps * scenario.propagation_rtt_s
    if window <= FILLED * product:
        return None
    return (
        f"the window grows to {window:.3g} packets, more than {100 * FILLED:g} % of what the path "
        f"holds ({product:.3g}): a queue lengthens the round trip"
    )


def cut_saw_tooth(scenario: Scenario, peak_packets: float) -> str | None:
    """Return an explanation if the receiver window or a queue limits the saw-tooth, else None.

    The saw-tooth is the model's window, which grows up to `peak_packets` between losses.
    """
    window = scenario.tcp.max_window_packets
    if window is not None and window < peak_packets:
        return (
            f"the receiver window of {window} packets limits the window, which in the model grows "
            f"to {peak_packets:.3g}"
        )
    return outside_empty_queue(scenario, peak_packets)


def outside_rare_loss(scenario: Scenario, most: float) -> str | None:
    """Return an explanation if more than a share `most` of packets is lost, else None.

    The models concerned leave out timeouts, which matter above this share.
    """
    if (share := lost_share(scenario)) <= most:
        return None
    return (
        f"{100 * share:.3g} % of packets are lost; above {100 * most:g} % timeouts matter, which "
        "the model leaves out"
    )


def outside_delay_steps(handoffs: Handoffs) -> str | None:
    """Return an explanation if hand-offs change the round-trip time, else None."""
    if not handoffs.delay_steps_s:
        return None
    return (
        "the hand-offs change the round-trip time (handoffs.delay_steps_s), which the model "
        "assumes constant"
    )


def outside_undo(scenario: Scenario) -> str | None:
    """Return an explanation if the sender undoes window reductions for late packets, else None."""
    handoffs, tcp = scenario.handoffs, scenario.tcp
    if handoffs is None or handoffs.fate != "late" or not (tcp.timestamps or tcp.dsack):
        return None
    return (
        "the sender undoes a window reduction if time stamps or D-SACK show that packets were only "
        "late"
    )


def outside_close_handoffs(scenario: Scenario, handoffs: Handoffs) -> str | None:
    """Return an explanation if the RTO may still be backed off at the next hand-off, else None."""
    if handoffs.interval_s >= TIMEOUTS * scenario.timeout_s:
        return None
    return (
        f"hand-offs are {handoffs.interval_s:.3g} s apart, less than {TIMEOUTS} timeouts of "
        f"{scenario.timeout_s:.3g} s: one timeout may lead to the next"
    )


def outside_hit_window(scenario: Scenario, handoffs: Handoffs, window: float) -> str | None:
    """Return an explanation if a hand-off affects too many packets of the window, else None.

    Too few duplicate ACKs for fast retransmit may then arrive. `window` is in packets.
    """
    if window > HITS * handoffs.packets + scenario.tcp.dupthresh:
        return None
    return (
        f"each hand-off affects {handoffs.packets} packets of a window of {window:.3g}: too few "
        "duplicate ACKs may arrive for fast retransmit"
    )
