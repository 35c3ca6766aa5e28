"""Lakshman and Madhow: the saw-tooth of one connection that alone overflows its buffer.

The areas are those of the closed form of `variable_capacity`, and so is ρ. The two differ in where
the packet on the link is counted: here its transmission belongs to the round trip, R = τ + 1/C, and
B are the packets that wait behind it. On a path of a few packets this is what simulation shows.
"""

from __future__ import annotations

import math

from tcpgoodput.answers import Conditions
from tcpgoodput.models.base import Condition, Model
from tcpgoodput.models.limits import (
    PROMPT_ACKS,
    ROOM_FOR_BURSTS,
    held_packets,
    outside_bursts,
    outside_delayed_acks,
)
from tcpgoodput.models.registry import register
from tcpgoodput.models.variable_capacity.closed_form import (
    ENOUGH_PACKETS,
    outside_saw_tooth,
    too_few_packets,
)
from tcpgoodput.models.variable_capacity.saw_tooth import utilisation
from tcpgoodput.scenario import Scenario

ROOM = 1.5
"""Smallest receiver window, relative to what path and buffer hold. A smaller one stops the new
packets of fast recovery, and then releases a burst that overflows the buffer."""


def throughput_pps(rate_pps: float, propagation_s: float, waiting_packets: float) -> float:
    """Return ρ C with ρ = ¾ (1+x)²/(1+x+x²), x = min(1, B/(C R)) and R = τ + 1/C."""
    return rate_pps * utilisation(waiting_packets, rate_pps * propagation_s + 1)


@register
class LakshmanMadhow(Model):
    """The utilisation of a constant link by congestion avoidance, losses by overflow alone."""

    name = "lakshman_madhow"
    title = "Lakshman, Madhow"
    equation = (
        "X = ρ C with ρ = ¾ (1+x)² / (1+x+x²) and x = min(1, B/(C R)). C: rate of the path, "
        "packets/s; B: buffer, packets; R = τ + 1/C: round trip with one transmission."
    )
    source = "literature"
    citation = "lakshman1997"
    inputs = (
        "tcp.mss_bytes",
        "tcp.header_bytes",
        "tcp.max_window_packets",
        "path.rate_bps",
        "path.forward_delay_s",
        "path.backward_delay_s",
        "path.buffer_packets",
    )
    domain = (
        "Reno, NewReno and SACK on a constant link; losses by overflow alone; "
        "a receiver window of at least 1.5 times what path and buffer hold, or one that they hold"
    )
    conditions = (
        Condition(
            f"a receiver window of at least {ROOM} times what path and buffer hold, or one that "
            "they hold",
            "fitted",
            "in packet simulation a smaller one stops the recovery, and then lets a burst go that "
            "overflows the buffer",
        ),
        Condition(
            "a sender with fast recovery, unlike Tahoe",
            "derivation",
            "the areas of ρ are those of a window that goes on from half after a loss",
        ),
        Condition(
            "no CUBIC",
            "derivation",
            "the areas of ρ are those of a window that grows by one packet per round trip",
        ),
        ENOUGH_PACKETS,
        ROOM_FOR_BURSTS,
        PROMPT_ACKS,
    )

    def goodput_pps(self, scenario: Scenario, conditions: Conditions) -> float:
        """Return ρ C, or what a receiver window that never overflows the buffer carries."""
        rate, rtt_s = scenario.rate_pps, scenario.propagation_rtt_s
        window = scenario.tcp.max_window_packets or math.inf
        if window <= held_packets(scenario):
            return min(rate, window / (rtt_s + 1 / rate))
        return throughput_pps(rate, rtt_s, (scenario.path.buffer_packets or math.inf) - 1)

    def outside_domain(self, scenario: Scenario, conditions: Conditions) -> str | None:
        """Return an explanation if the saw-tooth differs or recovery has no room, else None."""
        held = held_packets(scenario)
        window = scenario.tcp.max_window_packets or math.inf
        if held < window < ROOM * held:
            return (
                f"the receiver window leaves recovery no room: below {ROOM} times the {held:.3g} "
                "packets of path and buffer"
            )
        return (
            outside_saw_tooth(scenario)
            or too_few_packets(scenario, scenario.rate_pps)
            or outside_bursts(scenario)
            or outside_delayed_acks(scenario)
        )
