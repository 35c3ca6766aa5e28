"""Model of NewReno's goodput under periodic hand-offs."""

from __future__ import annotations

from dataclasses import replace

from tcpgoodput.answers import Conditions, Undefined
from tcpgoodput.models.base import ACKS, LINK, Condition, Model
from tcpgoodput.models.handoffs.recovery_period import Handoff, fixed_point, landing_rtt
from tcpgoodput.models.handoffs.repeated_handoffs import (
    packets_per_period,
    packets_per_period_printed,
    transfer_rtts,
)
from tcpgoodput.models.limits import (
    CONSTANT_DELAY,
    FAR_HANDOFFS,
    NO_UNDO,
    ROOM_FOR_BURSTS,
    THREE_DUPLICATE_ACKS,
    overtaking,
    patient_recovery,
    reno_newreno_or_sack,
    surviving_window,
)
from tcpgoodput.models.registry import register
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.vocabulary import Handoffs as Periodic

SACK_RECOVERY_RTTS = 3
"""Number of the round trip after a hand-off in which SACK's full ACK arrives (the paper's
Observation 2)."""

RECOVERIES, PAUSE_RTTS = 2, 4
"""Smallest interval between hand-offs: two fast recoveries plus four round trips. For longer
intervals, the model is within about a third of packet simulation for nine of ten random
connections; `models.limits` has further limits."""


def window_limit_packets(scenario: Scenario) -> float:
    """Return W in packets: the receiver window, at most what path and buffer hold.

    Without a receiver window, W is what the path holds without its buffer.
    """
    held = path_packets(scenario)
    buffer = scenario.path.buffer_packets
    most = float("inf") if buffer is None else held + buffer
    return min(scenario.tcp.max_window_packets or held, most)


def path_packets(scenario: Scenario) -> float:
    """Return C · RTT, the packets that the path's rate C lets through in a propagation round trip.

    The paper's emulator limits the rate to C, so the goodput is at most C (section IV-B).
    """
    held = scenario.rate_pps * scenario.propagation_rtt_s
    if held < 1:
        raise Undefined(
            f"the bandwidth-delay product is {held:.3g} packets; the model needs at least 1"
        )
    return held


def handoff_of(scenario: Scenario) -> Handoff:
    """Return the parameters of a scenario's hand-offs, with times in propagation round trips.

    For lost packets r = d. Packets late by x arrive in round trip ⌈x/RTT⌉ after the hand-off, and
    count as lost if fast recovery is over by then, so that r ≤ d. With SACK r is at most 3.
    """
    handoff = handoff_of_printed(scenario)
    return handoff._replace(recovery_rtts=min(handoff.recovery_rtts, handoff.hit_packets))


def handoff_of_printed(scenario: Scenario) -> Handoff:
    """Return the hand-off parameters as the paper prints them, without the limit r ≤ d."""
    hits, rtt_s = hits_of(scenario), scenario.propagation_rtt_s
    if hits.interval_s < rtt_s:
        raise Undefined(
            f"hand-offs are {hits.interval_s:.3g} s apart, less than the round trip of {rtt_s:.3g} "
            "s: the sender cannot recover between them"
        )
    recovery: float = hits.packets
    if hits.fate == "late":
        recovery = landing_rtt((hits.late_s or 0.0) / rtt_s)
    if scenario.tcp.variant == "sack" and (recovery > SACK_RECOVERY_RTTS or hits.fate == "lost"):
        recovery = SACK_RECOVERY_RTTS
    return Handoff(
        hits.interval_s / rtt_s, hits.packets, recovery, scenario.tcp.packets_per_increment
    )


def hits_of(scenario: Scenario) -> Periodic:
    """Return a scenario's hand-offs, or raise `Undefined` if there are none."""
    if scenario.handoffs is None:
        raise Undefined(
            "the scenario has no hand-offs, and without them the model's window grows without end"
        )
    return scenario.handoffs


def _highest_packets(scenario: Scenario) -> float:
    """Return the fixed point of the window, at most the receiver window, in packets."""
    return min(fixed_point(handoff_of(scenario)), scenario.tcp.max_window_packets or float("inf"))


@register
class Handoffs(Model):
    """NewReno's goodput when hand-offs delay or lose d packets every A_h seconds.

    A long flow reaches a steady state. Its goodput follows equation (13) if the window recovers
    between hand-offs, and equation (18) at the fixed point of the window if it does not. If there
    are timeouts, the steady state is the cycle of Figure 5. A finite transfer is computed from
    hand-off to hand-off, beginning with the window of equation (21). The printed equations have no
    value for a finite transfer, or if equation (17), the number of hand-offs until a timeout, has
    none.
    """

    name = "handoffs"
    title = "Hand-off model"
    equation = (
        "X = (W T - r U - r²/2 - b W²/8) / A_h if the window is W again before the next hand-off. "
        "T = A_h/R: round trips between hand-offs; d: packets that a hand-off delays or loses; r: "
        "round trips of recovery (d if the packets are lost); U = W/2 + max(0, d-r); b: packets "
        "per ACK. Else windows follow W_(n+1) = (W_n + F)/2 to the fixed point F, or to a timeout "
        "where F < d + 2."
    )
    source = "handoffs"
    citation = "sharma"
    inputs = (
        "tcp.variant",
        "tcp.max_window_packets",
        *ACKS,
        "tcp.transfer_packets",
        *LINK,
        "handoffs",
    )
    domain = (
        "NewReno that deflates or keeps its window at partial ACKs, or SACK; Reno, or NewReno that "
        "sets it to ssthresh, if a hand-off affects one packet; the window is the limit and there "
        "is no queue; long or finite transfers; periodic hand-offs far apart; no other loss; a "
        "window large enough for fast retransmit after a hand-off, and a timeout longer than the "
        "recovery"
    )
    conditions = (
        reno_newreno_or_sack(
            "section II-A: the sender is NewReno; section III-B, observation 2, adds SACK",
            "recover, or let its window grow, as NewReno does",
        ),
        Condition(
            "if the sender is Reno, at most one packet affected by a hand-off",
            "derivation",
            "Reno leaves fast recovery at the first partial ACK, and section III-A repairs all "
            "packets in one recovery",
            lambda s, _: (
                s.tcp.variant == "reno"
                and (hit := hits_of(s).packets) > 1
                and f"Reno leaves fast recovery before all {hit} packets of a hand-off are "
                "retransmitted"
            ),
        ),
        NO_UNDO,
        replace(THREE_DUPLICATE_ACKS, basis="assumption", because="section II-A, fast retransmit"),
        ROOM_FOR_BURSTS,
        Condition(
            "a NewReno that deflates or keeps its window at a partial ACK, or one packet affected",
            "assumption",
            "section III-A: at a partial ACK FlightSize falls by one and a new packet may be sent",
            # In section III-A, a retransmission lowers FlightSize by one and releases a new packet.
            lambda s, _: (
                s.tcp.variant == "newreno"
                and hits_of(s).packets > 1
                and s.tcp.partial_window_deflation == "ssthresh"
                and "a partial ACK does not deflate the window, so no new packet follows a "
                "retransmission"
            ),
        ),
        # In section II-A of the paper, each partial ACK restarts the RTO timer.
        patient_recovery(
            lambda s: handoff_of(s).recovery_rtts,
            "assumption",
            "section II-A: a partial ACK resets the retransmit timer (slow but steady)",
        ),
        CONSTANT_DELAY,
        Condition(
            f"hand-offs at least {RECOVERIES} recoveries and {PAUSE_RTTS} round trips apart",
            "fitted",
            "at this distance or more, the model is within about a third of packet simulation on "
            "nine of ten random connections",
            lambda s, _: (
                (handoff := handoff_of(s)).interval_rtts
                < (least_rtts := RECOVERIES * handoff.recovery_rtts + PAUSE_RTTS)
                and f"hand-offs are {hits_of(s).interval_s:.3g} s apart, and the model needs at "
                f"least {least_rtts * s.propagation_rtt_s:.3g} s between them for recovery"
            ),
        ),
        FAR_HANDOFFS,
        Condition(
            "a receiver window or a finite buffer",
            "derivation",
            "slow start continues up to W, the limit of the window (21), which exists only with "
            "one of the two",
            lambda s, _: (
                s.tcp.max_window_packets is None
                and s.path.buffer_packets is None
                and "neither receiver window nor buffer is limited, so slow start has no limit"
            ),
        ),
        Condition(
            "a window of at most the bandwidth-delay product",
            "derivation",
            "equation (3) counts W packets in each round trip of constant length, and a queue "
            "lengthens the round trip",
            lambda s, _: (
                (highest := _highest_packets(s)) > (product := s.rate_pps * s.propagation_rtt_s)
                and f"the window grows to {highest:.3g} packets and the path holds {product:.3g}: "
                "a queue lengthens the round trip"
            ),
        ),
        overtaking(_highest_packets),
        surviving_window(_highest_packets),
        Condition(
            "a buffer of at least half the window",
            "derivation",
            "section III-B: a full ACK sets the window to W/2 at once, which releases a burst of "
            "packets",
            lambda s, _: (
                (buffer := s.path.buffer_packets) is not None
                and buffer < (half := _highest_packets(s) / 2)
                and f"recovery may end with a burst of {half:.3g} packets, half the window, and "
                f"the buffer holds {buffer}"
            ),
        ),
    )
    handles = frozenset({"hand-offs", "a finite transfer"})
    reduces = frozenset({"independent loss", "bursty loss", "delay spikes", "link retransmission"})

    def goodput_pps(self, scenario: Scenario, conditions: Conditions) -> float:
        """Return the mean goodput in packets/s of a hand-off interval, or of a finite transfer."""
        limit, transfer = window_limit_packets(scenario), scenario.tcp.transfer_packets
        held = path_packets(scenario)
        if conditions.equations == "printed":
            handoff = handoff_of_printed(scenario)
            if transfer is not None:
                raise Undefined(
                    "the printed equation (17) has no value for a finite transfer, which begins "
                    "with (21)"
                )
            packets = packets_per_period_printed(handoff, min(limit, held))
        else:
            handoff = handoff_of(scenario)
            if transfer is not None:
                rtts = transfer_rtts(transfer, handoff, limit, held)
                return transfer / (rtts * scenario.propagation_rtt_s)
            packets = packets_per_period(handoff, limit, held)
        return packets / (handoff.interval_rtts * scenario.propagation_rtt_s)
