"""The utilisation of a constant link with a finite buffer, from areas under the saw-tooth."""

from __future__ import annotations

import math

from tcpgoodput.answers import Conditions
from tcpgoodput.models.base import LINK, PACKET, REDUCIBLE, Condition, Model
from tcpgoodput.models.limits import PROMPT_ACKS, ROOM_FOR_BURSTS, OfScenario, saw_tooth_sender
from tcpgoodput.models.registry import register
from tcpgoodput.scenario import Scenario


def utilisation(
    buffer_packets: float, bandwidth_delay_packets: float, decrease: float = 0.5
) -> float:
    """Return the utilisation ρ if a loss reduces the window from W to (1 - b) W, b = `decrease`.

    C T_m is the bandwidth-delay product, and B the buffer. With W/(C T_m) = w, the window rises
    from w_0 = (1 - b)(1 + β) to 1 + β, where β = B/(C T_m) overflows the buffer. Up to w = 1 a
    round trip T_m has w C T_m packets, later the link is busy. So ρ = ((1 + β)² - w_0²)/(2 (1 -
    w_0) + (1 + β)² - 1). If w_0 ≥ 1, the link is always busy, and ρ = 1. The study has ρ for b =
    1/2 only: ¾ (1 + β)²/(1 + β + β²) with β = min(1, B/(C T_m)), section II.
    """
    # Compare before the division, which overflows if the bandwidth-delay product is tiny.
    if (1 - decrease) * (bandwidth_delay_packets + buffer_packets) >= bandwidth_delay_packets:
        return 1.0
    top = 1 + buffer_packets / bandwidth_delay_packets
    low = (1 - decrease) * top
    return (top**2 - low**2) / (2 * (1 - low) + top**2 - 1)


def carried_pps(scenario: Scenario, rate_pps: float) -> float:
    """Return the goodput ρ C, or that of a window that cannot overflow the buffer, in packets/s.

    C is `rate_pps`. A receiver window of at most C T_m + B prevents every loss.
    """
    bandwidth_delay = rate_pps * scenario.propagation_rtt_s
    buffer = scenario.path.buffer_packets or math.inf
    window = scenario.tcp.max_window_packets or math.inf
    if window <= bandwidth_delay + buffer:
        return min(rate_pps, window / scenario.propagation_rtt_s)
    return rate_pps * utilisation(buffer, bandwidth_delay)


SAW_TOOTH = saw_tooth_sender(
    "assumption",
    "section III: a loss multiplies the window by 1 - b, and slow start is left out",
    "section II: an ACK adds 1/cwnd to the window, and b is 1/2",
)
"""Conditions on the sender for the saw-tooth formula."""


def enough_packets(largest_rate_pps: OfScenario) -> Condition:
    """Return the condition that the largest window suffices for fast retransmit."""

    def fails(scenario: Scenario, _: Conditions) -> str | None:
        needed = scenario.tcp.dupthresh + 1
        held = largest_rate_pps(scenario) * scenario.propagation_rtt_s
        held += scenario.path.buffer_packets or math.inf
        largest = min(held, scenario.tcp.max_window_packets or math.inf)
        if largest >= needed:
            return None
        return (
            f"the window is at most {largest:.3g} packets; fast retransmit needs at least {needed}"
        )

    return Condition(
        "a window and a path of at least one packet more than the duplicate ACKs for fast "
        "retransmit",
        "derivation",
        "with fewer packets every loss ends in a timeout, but the saw-tooth has no timeouts",
        fails,
    )


@register
class ClosedForm(Model):
    """Closed form for a constant link, the limiting case of the fluid model."""

    name = "variable_capacity.closed_form"
    title = "Closed form"
    equation = (
        "X = ρ C with ρ = ¾ (1+β)² / (1+β+β²) and β = min(1, B/(C T_m)); where the receiver "
        "window is too small to overflow the buffer, X = min(C, W_max/T_m). C: rate, packets/s; "
        "B: buffer, packets; T_m: propagation round trip."
    )
    source = "variable_capacity"
    citation = "baiocchi"
    inputs = (*PACKET, "tcp.max_window_packets", *LINK, "path.buffer_packets")
    domain = "constant capacity, losses by overflow alone, large windows, no timeouts"
    conditions = (*SAW_TOOTH, enough_packets(lambda s: s.rate_pps), ROOM_FOR_BURSTS, PROMPT_ACKS)
    reduces = REDUCIBLE

    def goodput_pps(self, scenario: Scenario, conditions: Conditions) -> float:
        """Return ρ C in packets/s; the study does not treat a window that prevents overflow."""
        return carried_pps(scenario, scenario.rate_pps)
