"""Model of Lakshman and Madhow: the saw-tooth of a single connection that overflows its buffer.

The utilisation ρ is that of the closed form of `variable_capacity`. The two models differ in how
they count the packet on the link. Here the transmission of that packet is part of the round trip, R
= τ + 1/C, with the propagation time τ and the path's rate C in packets/s. The buffer holds B
packets that wait behind it. On a path that holds few packets this way of counting agrees with
simulation.
"""

from __future__ import annotations

import math

from tcpgoodput.answers import Conditions
from tcpgoodput.models.base import LINK, PACKET, Condition, Model
from tcpgoodput.models.limits import PROMPT_ACKS, ROOM_FOR_BURSTS, held_packets, saw_tooth_sender
from tcpgoodput.models.registry import register
from tcpgoodput.models.variable_capacity.closed_form import enough_packets, utilisation
from tcpgoodput.scenario import Scenario

ROOM = 1.5
"""Smallest receiver window in the domain, relative to the packets that path and buffer hold,
unless they hold it. A smaller one blocks the new packets of fast recovery, and then releases
a burst that overflows the buffer. Fitted by comparison with packet simulation."""


def throughput_pps(rate_pps: float, propagation_s: float, waiting_packets: float) -> float:
    """Return the goodput ρ C in packets/s with ρ = ¾ (1+x)²/(1+x+x²), x = min(1, B/(C R))."""
    return rate_pps * utilisation(waiting_packets, rate_pps * propagation_s + 1)


@register
class LakshmanMadhow(Model):
    """Goodput of congestion avoidance on a constant link whose only losses are buffer overflows."""

    name = "lakshman_madhow"
    title = "Lakshman, Madhow"
    equation = (
        "X = ρ C with ρ = ¾ (1+x)² / (1+x+x²) and x = min(1, B/(C R)). C: rate of the path, "
        "packets/s; B: buffer, packets; R = τ + 1/C: round trip with one transmission."
    )
    source = "literature"
    citation = "lakshman1997"
    inputs = (*PACKET, "tcp.max_window_packets", *LINK, "path.buffer_packets")
    reduces = frozenset({"link retransmission"})
    counts_transmission = True
    domain = (
        "Reno, NewReno and SACK on a constant link; losses by overflow alone; "
        "a receiver window of at least 1.5 times what path and buffer hold, or one that they hold"
    )
    conditions = (
        Condition(
            f"a receiver window of at least {ROOM} times what path and buffer hold, or one that "
            "they hold",
            "fitted",
            "in packet simulation a window between these blocks new packets in recovery, and then "
            "releases a burst that overflows the buffer",
            lambda s, _: (
                (held := held_packets(s))
                < (window := s.tcp.max_window_packets or math.inf)
                < ROOM * held
                and f"the receiver window of {window:g} packets blocks new packets in recovery: it "
                f"is below {ROOM} times what path and buffer hold ({held:.3g})"
            ),
        ),
        *saw_tooth_sender(
            "derivation",
            "the formula of ρ is for a window that continues from half after a loss",
            "the formula of ρ is for a window that grows by one packet per round trip",
        ),
        enough_packets(lambda s: s.rate_pps),
        ROOM_FOR_BURSTS,
        PROMPT_ACKS,
    )

    def goodput_pps(self, scenario: Scenario, conditions: Conditions) -> float:
        """Return the goodput in packets/s: utilisation ρ times the path's rate C.

        If the receiver window cannot overflow the buffer, return the goodput of this window.
        """
        rate, rtt_s = scenario.rate_pps, scenario.propagation_rtt_s
        window = scenario.tcp.max_window_packets or math.inf
        if window <= held_packets(scenario):
            return min(rate, window / (rtt_s + 1 / rate))
        return throughput_pps(rate, rtt_s, (scenario.path.buffer_packets or math.inf) - 1)
