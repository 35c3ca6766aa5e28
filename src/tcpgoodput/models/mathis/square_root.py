"""The square-root formula: one in 1/p packets is lost, and the window varies from W/2 to W."""

from __future__ import annotations

import math

from tcpgoodput.answers import Conditions, Undefined
from tcpgoodput.models.base import Condition, Model
from tcpgoodput.models.limits import (
    CRITERION,
    EMPTY_QUEUE,
    PROMPT_ACKS,
    ROOM_FOR_BURSTS,
    THREE_DUPLICATE_ACKS,
    UNCUT_SAW_TOOTH,
    cut_saw_tooth,
    outside_bursts,
    outside_delayed_acks,
    outside_duplicate_acks,
    rare_loss,
    short_timeout,
)
from tcpgoodput.models.losses import independent_loss, peak_window_packets
from tcpgoodput.models.registry import register
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.physics import lost_share

MOST_LOSS = 0.02
LONGEST_TIMEOUT_RTTS = 8
"""Longest timeout in round trips at which the formula is within about a third of packet
simulation."""


def throughput_pps(loss_probability: float, rtt_s: float, packets_per_ack: int = 1) -> float:
    """Return C / (RTT √p) in packets/s, with C = √(3/(2b)).

    This is the 1/p packets of a tooth divided by its duration.
    """
    constant = math.sqrt(3 / (2 * packets_per_ack))
    return constant / math.sqrt(loss_probability) / rtt_s


@register
class Mathis(Model):
    """The square-root formula of Mathis et al., T = MSS · C / (RTT √p)."""

    name = "mathis"
    title = "Mathis"
    equation = (
        "X = √(3/(2b)) / (R √p). p: probability of loss; b: packets per ACK; R: propagation "
        "round trip."
    )
    source = "mathis"
    citation = "mathis1997"
    inputs = (
        "tcp.mss_bytes",
        "tcp.ack_every",
        "tcp.growth",
        "path.forward_delay_s",
        "path.backward_delay_s",
        "loss",
    )
    domain = (
        "independent loss up to 2 %, a timeout of at most 8 round trips, a buffer for bursts; "
        "neither window nor rate in the way"
    )
    conditions = (
        Condition(
            "a sender with fast recovery, unlike Tahoe",
            "assumption",
            "the source: a loss event sets cwnd to half its value",
        ),
        Condition(
            "no CUBIC",
            "assumption",
            "the source: cwnd grows by one packet per round trip; it measures CUBIC all the same",
        ),
        rare_loss(MOST_LOSS, f"{CRITERION}; the source measures 1 to 10 %"),
        short_timeout(
            LONGEST_TIMEOUT_RTTS,
            "up to there the formula is within about a third of packet simulation",
        ),
        THREE_DUPLICATE_ACKS,
        PROMPT_ACKS,
        ROOM_FOR_BURSTS,
        UNCUT_SAW_TOOTH,
        EMPTY_QUEUE,
    )
    handles = frozenset({"independent loss"})
    reduces = frozenset({"bursty loss", "hand-offs", "delay spikes", "varying capacity"})

    def goodput_pps(self, scenario: Scenario, conditions: Conditions) -> float:
        """Return the goodput in packets/s at the propagation round trip."""
        p = independent_loss(scenario)
        if p == 0:
            raise Undefined("without loss the formula grows without bound")
        return throughput_pps(p, scenario.propagation_rtt_s, scenario.tcp.packets_per_increment)

    def outside_domain(self, scenario: Scenario, conditions: Conditions) -> str | None:
        """Return why timeouts, Tahoe's slow starts or CUBIC invalidate the saw-tooth, or None."""
        tcp, p = scenario.tcp, lost_share(scenario)
        if tcp.variant in ("oldtahoe", "tahoe"):
            return f"{tcp.variant} has no fast recovery: its window does not saw from W/2"
        if tcp.variant == "cubic":
            return "CUBIC's window is no saw-tooth"
        if p > MOST_LOSS:
            return f"above {100 * MOST_LOSS:g} % loss timeouts matter, which the formula leaves out"
        if scenario.timeout_s > LONGEST_TIMEOUT_RTTS * scenario.propagation_rtt_s:
            return (
                f"a timeout above {LONGEST_TIMEOUT_RTTS} round trips matters even where it is "
                "rare, and the formula leaves it out"
            )
        return (
            outside_duplicate_acks(scenario)
            or outside_delayed_acks(scenario)
            or outside_bursts(scenario)
        )

    def limited(self, scenario: Scenario, conditions: Conditions) -> str | None:
        """Return why the receiver window or a queue limits the saw-tooth, or None."""
        p = lost_share(scenario)
        if p == 0:  # without loss there is no saw-tooth
            return None
        return cut_saw_tooth(scenario, peak_window_packets(p, scenario.tcp.packets_per_increment))
