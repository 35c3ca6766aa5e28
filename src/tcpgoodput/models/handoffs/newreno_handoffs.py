"""The goodput of NewReno under periodic hand-offs, as a model of scenarios."""

from __future__ import annotations

from tcpgoodput.answers import Conditions, Undefined
from tcpgoodput.models.base import Model
from tcpgoodput.models.handoffs.finite_transfer import transfer_rtts
from tcpgoodput.models.handoffs.recovery_period import Handoff, fixed_point, landing_rtt
from tcpgoodput.models.handoffs.repeated_handoffs import (
    packets_per_period,
    packets_per_period_printed,
)
from tcpgoodput.models.limits import (
    DUPLICATE_ACKS,
    outside_bursts,
    outside_close_handoffs,
    outside_delay_steps,
    outside_duplicate_acks,
    outside_hit_window,
)
from tcpgoodput.models.registry import register
from tcpgoodput.scenario import Scenario

SACK_RECOVERY_RTTS = 3
"""Observation 2: with SACK the full ACK comes in the third round trip after the hand-off."""

RECOVERIES, PAUSE_RTTS = 2, 4
"""Where packet simulation has found the model within about a third in nine cases of ten: hand-offs
further apart than two recoveries and four round trips. (The rest is in `models.limits`.)

The source's sender delivers 0.86 to 0.99 of the model with packets late by more than a round trip
(1 to 15 packets, 70 to 150 ms, every 2 to 8 s), and 0.97 to 0.78 with lost ones, less the more they
are. With an ACK for two packets it delivers about 0.8."""


def window_limit_packets(scenario: Scenario) -> float:
    """Return W: the receiver window, at most what the path holds in a round trip.

    The source's emulator limits the rate, and its goodput is quoted at that limit; the window
    never exceeds C · RTT here, which also bounds a receiver window that is unlimited.

    Raises:
        Undefined: the round trip holds less than one packet.

    """
    path_packets = scenario.rate_pps * scenario.propagation_rtt_s
    if path_packets < 1:
        raise Undefined("the propagation round trip holds less than one packet")
    return min(scenario.tcp.max_window_packets or path_packets, path_packets)


def handoff_of(scenario: Scenario) -> Handoff:
    """Return what a scenario's hand-offs do, time in propagation round trips.

    r is d for lost packets; packets late by x land in round trip ⌈x/RTT⌉, and count as lost when
    fast recovery is over by then (r ≤ d). SACK leaves recovery by round trip 3.

    Raises:
        Undefined: no hand-offs, or more than one within a round trip.

    """
    handoff = handoff_of_printed(scenario)
    return handoff._replace(recovery_rtts=min(handoff.recovery_rtts, handoff.hit_packets))


def handoff_of_printed(scenario: Scenario) -> Handoff:
    """Return the same with SACK's r = 3 even where d < 3, which contradicts r ≤ d beside (16)."""
    hits, rtt_s = scenario.handoffs, scenario.propagation_rtt_s
    if hits is None:
        raise Undefined("without hand-offs nothing ends the window's growth")
    if hits.interval_s < rtt_s:
        raise Undefined("hand-offs come more than once in a round trip: there is no recovery")
    recovery: float = hits.packets
    if hits.fate == "late":
        recovery = min(recovery, landing_rtt((hits.late_s or 0.0) / rtt_s))
    if scenario.tcp.variant == "sack" and (recovery > SACK_RECOVERY_RTTS or hits.fate == "lost"):
        recovery = SACK_RECOVERY_RTTS
    return Handoff(hits.interval_s / rtt_s, hits.packets, recovery, scenario.tcp.ack_every)


@register
class Handoffs(Model):
    """NewReno's goodput when hand-offs delay or lose d packets every A_h seconds.

    A long flow gets its steady state: (13) where the window is regained, (18) at the fixed point
    where it is not, the cycle of Figure 5 where that ends in timeouts. A finite transfer iterates
    recovery periods from (21). The printed equations have no finite transfer of their own, and no
    value wherever (17) has none.
    """

    name = "handoffs"
    title = "Hand-off model"
    equation = (
        "X = (W T - r U - r²/2 - b W²/8) / A_h where the window W is regained between "
        "hand-offs. T = A_h/R: round trips between hand-offs; d: packets that one delays or "
        "loses; r: round trips of recovery (d where they are lost); U = W/2 + max(0, d-r); b: "
        "packets per ACK. Else windows follow W_(n+1) = (W_n + F)/2 to the fixed point F, or to "
        "a timeout where F < d + 2."
    )
    source = "handoffs"
    citation = "sharma"
    inputs = (
        "tcp.variant",
        "tcp.max_window_packets",
        "tcp.ack_every",
        "tcp.transfer_packets",
        "path.rate_bps",
        "path.forward_delay_s",
        "path.backward_delay_s",
        "handoffs",
    )
    domain = (
        "NewReno that deflates its window at partial ACKs, or SACK; Reno, or NewReno without "
        "deflation, where one packet is hit; limited by its window and not by a queue; "
        "periodic hand-offs well apart, of a finite transfer, too; no other loss; a window that "
        "survives a hand-off, and a timer that survives the recovery"
    )
    handles = frozenset({"hand-offs", "a finite transfer"})
    reduces = frozenset({"independent loss", "bursty loss", "delay spikes"})

    def goodput_pps(self, scenario: Scenario, conditions: Conditions) -> float:
        """Return new packets per hand-off interval over A_h, or packets over transfer time."""
        limit, transfer = window_limit_packets(scenario), scenario.tcp.transfer_packets
        if conditions.equations == "printed":
            handoff = handoff_of_printed(scenario)
            if transfer is not None:
                raise Undefined("(21) starts a finite transfer, but (17) has no value from it")
            packets = packets_per_period_printed(handoff, limit)
        else:
            handoff = handoff_of(scenario)
            if transfer is not None:
                rtts = transfer_rtts(transfer, handoff, limit)
                return transfer / (rtts * scenario.propagation_rtt_s)
            packets = packets_per_period(handoff, limit)
        return packets / (handoff.interval_rtts * scenario.propagation_rtt_s)

    def outside_domain(self, scenario: Scenario, conditions: Conditions) -> str | None:
        """Say where the sender, the path or the hand-offs are not those of the source."""
        tcp, path, hits = scenario.tcp, scenario.path, scenario.handoffs
        assert hits is not None  # or the goodput was undefined
        handoff = handoff_of(scenario)
        if tcp.variant in ("oldtahoe", "tahoe", "cubic"):
            return f"{tcp.variant} does not recover and grow as NewReno does"
        if tcp.variant == "reno" and hits.packets > 1:
            return "Reno does not stay in fast recovery for a second hole"
        if other := outside_duplicate_acks(scenario) or outside_bursts(scenario):
            return other
        if tcp.variant == "newreno" and hits.packets > 1 and not tcp.partial_window_deflation:
            # III-A: FlightSize falls by one, "and the sender can inject another new packet".
            return "without deflation of the window no new packet follows a repair"
        if tcp.variant == "newreno" and tcp.recovery == "impatient":
            # The first repair, a round trip into recovery, restarts the timer; no other does.
            # II-A has each restart it.
            since_s = (handoff.recovery_rtts - 1) * scenario.propagation_rtt_s
            if since_s >= scenario.timeout_s:
                return "an impatient NewReno times out in a recovery that outlasts the timeout"
        if steps := outside_delay_steps(hits):
            return steps
        if handoff.interval_rtts < RECOVERIES * handoff.recovery_rtts + PAUSE_RTTS:
            return "the next hand-off comes soon after fast recovery, or before it ends"
        if close := outside_close_handoffs(scenario, hits):
            return close
        if tcp.max_window_packets is None and path.buffer_packets is None:
            return "without a receiver window or a buffer slow start outgrows the path at once"
        product = scenario.rate_pps * scenario.propagation_rtt_s
        highest = min(fixed_point(handoff), tcp.max_window_packets or float("inf"))
        if highest > product:
            return f"the window outgrows the path ({product:.3g} packets): a queue builds up"
        if hits.fate == "late":
            # Of a window spread over the round trip; the other late ones follow the first, too.
            behind = (hits.late_s or 0.0) * highest / scenario.propagation_rtt_s
            if behind - (hits.packets - 1) < DUPLICATE_ACKS:
                return f"late packets are overtaken by fewer than {DUPLICATE_ACKS} others"
        if hit := outside_hit_window(scenario, hits, highest):
            return hit
        if path.buffer_packets is not None and path.buffer_packets < highest / 2:
            return "recovery may end with a burst of half the window, which the buffer cannot take"
        return None
