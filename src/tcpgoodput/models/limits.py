"""Limits that several models share: bursts, queues and timeouts that they leave out.

The numbers were read off some thousand random connections, model beside packet simulation: beyond
them errors of a third and more become common, whatever else is in order.
"""

from __future__ import annotations

import math

from tcpgoodput.models.losses import independent_loss, peak_window_packets
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.physics import lost_share
from tcpgoodput.scenario.vocabulary import Handoffs

DUPLICATE_ACKS = 3
"""What fast retransmit waits for in all models (RFC 5681)."""

ACKS_PER_WINDOW = 4
"""ACKs in a window from which on it hardly matters that its last packets wait for a timer."""

FILLED = 0.75
"""Part of the bandwidth-delay product up to which a window does not queue enough to matter."""


TIMEOUTS, HITS = 4, 1.5
"""Hand-offs are at least so many timeouts apart, and windows exceed so many times what one hits by
three duplicate ACKs: what is below leads from one timeout to the next."""


def held_packets(scenario: Scenario) -> float:
    """Return C R + B, the largest window that path and buffer hold."""
    buffer = scenario.path.buffer_packets or math.inf
    return scenario.rate_pps * scenario.propagation_rtt_s + buffer


def outside_duplicate_acks(scenario: Scenario) -> str | None:
    """Return a reason where another number of duplicate ACKs triggers fast retransmit."""
    if scenario.tcp.dupthresh == DUPLICATE_ACKS:
        return None
    return f"assumes {DUPLICATE_ACKS} duplicate ACKs"


def outside_bursts(scenario: Scenario) -> str | None:
    """Return a reason where the buffer cannot take the b + 1 packets that an ACK sets free."""
    buffer, b = scenario.path.buffer_packets, scenario.tcp.ack_every
    if buffer is None or buffer > 2 * b:
        return None
    return f"a buffer of {buffer} drops packets of the bursts of {b + 1} that ACKs set free"


def outside_delayed_acks(scenario: Scenario) -> str | None:
    """Return a reason where a small window waits for the receiver's timer again and again."""
    b, window = scenario.tcp.ack_every, scenario.tcp.max_window_packets or math.inf
    if (p := independent_loss(scenario)) > 0:
        window = min(window, peak_window_packets(p, b))
    if b == 1 or window >= ACKS_PER_WINDOW * b:
        return None
    return f"of a window of {window:.3g} packets the last often waits for the delayed-ACK timer"


def outside_empty_queue(scenario: Scenario, window_packets: float) -> str | None:
    """Return a reason where a window fills the path, so that a queue lengthens the round trip.

    Args:
        scenario: the scenario.
        window_packets: the largest window that a model's sender usually reaches.

    """
    window = min(window_packets, scenario.tcp.max_window_packets or math.inf)
    product = scenario.rate_pps * scenario.propagation_rtt_s
    if window <= FILLED * product:
        return None
    return (
        f"the window ({window:.3g} packets) fills the path ({product:.3g}): its queue lengthens "
        "the round trip"
    )


def cut_saw_tooth(scenario: Scenario, peak_packets: float) -> str | None:
    """Return a reason where the receiver window or a queue cuts a saw-tooth of such a peak."""
    window = scenario.tcp.max_window_packets
    if window is not None and window < peak_packets:
        return f"the receiver window cuts the saw-tooth, which reaches {peak_packets:.3g} packets"
    return outside_empty_queue(scenario, peak_packets)


def outside_rare_loss(scenario: Scenario, most: float) -> str | None:
    """Return a reason where more than a share of the packets is lost, and timeouts matter."""
    if lost_share(scenario) <= most:
        return None
    return f"above {100 * most:g} % loss timeouts matter, which are left out here"


def outside_delay_steps(handoffs: Handoffs) -> str | None:
    """Return a reason where hand-offs change the round-trip time."""
    return (
        "assumes one round-trip time; delay_steps_s changes it" if handoffs.delay_steps_s else None
    )


def outside_close_handoffs(scenario: Scenario, handoffs: Handoffs) -> str | None:
    """Return a reason where a hand-off may find the timer of the last one still backed off."""
    if handoffs.interval_s >= TIMEOUTS * scenario.timeout_s:
        return None
    return f"hand-offs less than {TIMEOUTS} timeouts apart: one may lead to the next"


def outside_hit_window(scenario: Scenario, handoffs: Handoffs, window: float) -> str | None:
    """Return a reason where a hand-off takes so much of a window that its sender times out."""
    if window > HITS * handoffs.packets + scenario.tcp.dupthresh:
        return None
    return f"of a window of {window:.3g} packets too few arrive for fast retransmit"
