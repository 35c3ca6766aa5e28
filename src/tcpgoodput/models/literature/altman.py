"""Model of Altman, Avrachenkov and Barakat: loss events whose times do not depend on the window.

The authors' result is valid for loss events at any stationary times. It depends on the mean and the
autocovariances of the times between events. Hand-offs, fades and bursts of a channel that changes
with time are such events. Independent losses of single packets are not such events. A large window
sends more packets and has a loss sooner, so that the losses are not Poisson in time. Symbols: R
round trip, b packets per ACK, p loss events per packet.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from tcpgoodput.answers import Conditions, Undefined
from tcpgoodput.models.base import ACKS, ROUND_TRIP, Condition, Model
from tcpgoodput.models.limits import (
    CONSTANT_DELAY,
    HALVE_AND_GROW,
    PROMPT_ACKS,
    ROOM_FOR_BURSTS,
    THREE_DUPLICATE_ACKS,
    held_packets,
    reno_newreno_or_sack,
    surviving_window,
    uncut_window,
)
from tcpgoodput.models.losses import independent_loss
from tcpgoodput.models.registry import register
from tcpgoodput.scenario import Scenario

PERIODIC: tuple[float, ...] = ()
POISSON = (1.0,)
"""Normalised autocovariances of the times between Poisson events: 1 at lag 0, else 0."""

FEWEST_RTTS = 15
"""Smallest interval between hand-offs in the domain, in units of b round trips with b packets per
ACK. With longer intervals, the round trip of the retransmission costs less than a fifth of the
goodput. Fitted by comparison with packet simulation."""

HIT_SHARE = 0.25
"""Largest share of a window's packets whose loss SACK repairs about as fast as a single loss.
Fitted by comparison with packet simulation."""


def constant(window_kept: float, normalised_autocovariances: Sequence[float]) -> float:
    """Return the constant c of X = c/(R √(bp)) from the autocovariances of times between losses.

    c = √((1+ν)/(2(1-ν)) + Ĉ(0)/2 + Σ_{k≥1} ν^k Ĉ(k)). For ν = ½ it is √1.5 for periodic events and
    √2 for Poisson events. ν is the factor by which a loss event multiplies the window. Ĉ(0), Ĉ(1),
    … are divided by the squared mean of the times; all further ones are 0.
    """
    nu = window_kept
    total = (1 + nu) / (2 * (1 - nu))
    for lag, covariance in enumerate(normalised_autocovariances):
        total += covariance * (0.5 if lag == 0 else nu**lag)
    return math.sqrt(total)


def throughput_pps(p: float, rtt_s: float, b: int = 1, c: float = math.sqrt(2)) -> float:
    """Return the rate c/(R √(bp)) in packets/s; the default c is that of Poisson events."""
    return c / math.sqrt(b) / math.sqrt(p) / rtt_s


def throughput_of_events_pps(
    interval_s: float, rtt_s: float, b: int = 1, c: float = math.sqrt(1.5)
) -> float:
    """Return the rate c² S/(b R²) in packets/s, for a loss event every S seconds on average.

    This is the formula of `throughput_pps` with p = 1/(X S) loss events per packet, where X is the
    result. The default c is that of periodic events.
    """
    return c**2 / b * (interval_s / rtt_s) / rtt_s


def _peak_packets(scenario: Scenario) -> float:
    """Return the packets to which the window grows between hand-offs; 0 without hand-offs."""
    interval_s = scenario.handoffs.interval_s if scenario.handoffs else 0.0
    return 2 * (interval_s / scenario.propagation_rtt_s) / scenario.tcp.packets_per_increment


def _close_handoffs(scenario: Scenario, _: Conditions) -> str | None:
    if scenario.handoffs is None:
        return None
    rtts = scenario.handoffs.interval_s / scenario.propagation_rtt_s
    if rtts >= (fewest := FEWEST_RTTS * scenario.tcp.packets_per_increment):
        return None
    return (
        f"hand-offs are {rtts:.3g} round trips apart; below {fewest} the time of recovery matters, "
        "which the model leaves out"
    )


def _slow_repair(scenario: Scenario, _: Conditions) -> str | None:
    variant, packets = scenario.tcp.variant, scenario.handoffs.packets if scenario.handoffs else 0
    if packets <= 1 or (variant == "sack" and packets <= HIT_SHARE * _peak_packets(scenario)):
        return None
    return (
        f"{variant} needs more than one round trip to retransmit the {packets} packets of a "
        "hand-off"
    )


@register
class Altman(Model):
    """Mean rate of a window that grows linearly and is halved by stationary loss events.

    The rate is c/(R √(bp)). Hand-offs come at fixed intervals, so that the autocovariances of the
    intervals are 0 and c is √1.5. For independent loss the model assumes events that are Poisson in
    time, as is usual, with c = √2. Such losses are not Poisson in time, because a large window has
    a loss sooner. The correct c is 1.3098 (`independent_loss_constant`), and √2 is 8 % above it.
    """

    name = "altman"
    title = "Altman et al."
    equation = (
        "X = c / (R √(bp)) with c = √2 for independent loss, taken as Poisson in time; for a "
        "loss event every S seconds X = 3 S / (2 b R²). p: probability of loss; b: packets per "
        "ACK; R: round trip."
    )
    source = "literature"
    citation = "altman2005"
    inputs = (*ACKS, *ROUND_TRIP, "loss", "handoffs.interval_s")
    domain = (
        "loss events whose times do not depend on the window: hand-offs that lose packets, far "
        "apart, whose losses are repaired in a round trip; no timeouts; neither the receiver "
        "window nor the path's rate limits the window"
    )
    conditions = (
        Condition(
            "loss events by hand-offs, and no independent losses of packets",
            "assumption",
            "the model's loss events come at times that do not depend on the window, but with a "
            "large window an independent loss comes sooner",
            lambda s, _: (
                s.handoffs is None
                and "each packet is lost with the same probability, so a large window has a loss "
                "sooner; the model assumes losses that are Poisson in time"
            ),
        ),
        reno_newreno_or_sack(
            "a loss event halves the window, which grows linearly between events", HALVE_AND_GROW
        ),
        Condition(
            "hand-offs that lose packets and do not delay them",
            "derivation",
            "a loss event multiplies the window by ν; for late packets this factor is not known",
            lambda s, _: (
                s.handoffs is not None
                and s.handoffs.fate == "late"
                and "the hand-offs only delay packets; how this reduces the window is unknown to "
                "the model"
            ),
        ),
        surviving_window(
            lambda s: min(_peak_packets(s), held_packets(s), s.tcp.max_window_packets or math.inf)
        ),
        Condition(
            f"at least {FEWEST_RTTS} b round trips between hand-offs, b being the packets per ACK",
            "fitted",
            "at this distance or more, the round trip of a retransmission costs less than a fifth "
            "of the goodput",
            _close_handoffs,
        ),
        Condition(
            f"loss events of one packet, or, with SACK, of at most {100 * HIT_SHARE:g} % of the "
            "window",
            "fitted",
            "up to this share SACK repairs the losses about as fast as a single loss",
            _slow_repair,
        ),
        CONSTANT_DELAY,
        THREE_DUPLICATE_ACKS,
        PROMPT_ACKS,
        ROOM_FOR_BURSTS,
        *uncut_window(_peak_packets),
    )
    handles = frozenset({"independent loss", "hand-offs"})
    reduces = frozenset({"bursty loss", "delay spikes", "varying capacity", "link retransmission"})

    def goodput_pps(self, scenario: Scenario, conditions: Conditions) -> float:
        """Return the goodput in packets/s for periodic hand-offs, or for independent losses."""
        p, hits = independent_loss(scenario), scenario.handoffs
        rtt_s, b = scenario.propagation_rtt_s, scenario.tcp.packets_per_increment
        if hits is not None and p > 0:
            raise Undefined(
                "hand-offs and random losses together are neither periodic nor a Poisson process"
            )
        if hits is not None:
            return throughput_of_events_pps(hits.interval_s, rtt_s, b, constant(0.5, PERIODIC))
        if p > 0:
            return throughput_pps(p, rtt_s, b, constant(0.5, POISSON))
        raise Undefined("without loss the formula has no finite value")
