"""CUBIC's response function (RFC 8312, equation 5; RFC 9438, section 5.1).

The response function is the mean window c (R/p)^(3/4), with the round trip R. It assumes a loss
every 1/p packets, which gives c = 1.054. Independent losses give a larger c: 1.196 with fast
convergence, 1.300 without it. The intervals between independent losses vary, and because growth is
cubic, long intervals add more to the mean window than short ones remove. The model `poojary`
computes c for independent losses.
"""

from __future__ import annotations

import math

from tcpgoodput.answers import Conditions, Undefined
from tcpgoodput.models.base import REDUCIBLE, ROUND_TRIP, Condition, Model
from tcpgoodput.models.limits import (
    CRITERION,
    PROMPT_ACKS,
    ROOM_FOR_BURSTS,
    THREE_DUPLICATE_ACKS,
    OfScenario,
    rare_loss,
    uncut_window,
)
from tcpgoodput.models.registry import register
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.physics import lost_share

C = 0.4
"""CUBIC's constant C in packets per second cubed (RFC 9438, section 5.1)."""

WINDOW_KEPT = 0.7
"""β, the factor by which a loss multiplies the window (RFC 9438, 4.6)."""

MOST_LOSS = 0.02
"""Largest share of lost packets in the domain; above it timeouts, which the formula leaves out,
reduce the goodput. Up to this loss, the simulated goodput is above the formula, by 10 % in the
median and by a third at most."""

PEAK = 1.5
"""Ratio of the largest usual window to the mean window; used to check window limits and queues.
Fitted: chosen by `CRITERION`."""

CUBIC_SENDER = Condition(
    "CUBIC",
    "assumption",
    "RFC 9438, section 4.2: W(t) = C (t-K)³ + W_max",
    lambda s, _: (
        s.tcp.variant != "cubic"
        and f"{s.tcp.variant}'s window does not grow with the cube of time, as CUBIC's does"
    ),
)


def uncut_growth(mean_packets: OfScenario) -> tuple[Condition, Condition]:
    """Return the conditions that neither receiver window nor a queue limits the growth."""
    return uncut_window(
        lambda s: PEAK * mean_packets(s),
        f"a receiver window of at least {PEAK} times the mean window",
        "fitted",
        CRITERION,
    )


def cubic_window_packets(p: float, rtt_s: float) -> float:
    """Return the mean window (C(3+β)/(4(1-β)))^¼ (R/p)^¾ = 1.054 (R/p)^¾ in packets.

    Between losses the window is W(t) = C(t-K)³ + W_max.
    """
    factor = C * (3 + WINDOW_KEPT) / (4 * (1 - WINDOW_KEPT))
    return factor**0.25 * rtt_s**0.75 / p**0.75


def reno_friendly_window_packets(p: float) -> float:
    """Return the mean window of the Reno-friendly region, √(α(1+β)/(2(1-β)p)) = √(1.5/p).

    A growth of α = 3(1-β)/(1+β) packets per round trip makes up for a decrease by less than half
    (RFC 9438, 4.3). As in the RFC, the formula leaves out that α becomes 1 once the window reaches
    its last maximum again.
    """
    growth = 3 * (1 - WINDOW_KEPT) / (1 + WINDOW_KEPT)
    return math.sqrt(growth * (1 + WINDOW_KEPT) / (2 * (1 - WINDOW_KEPT))) / math.sqrt(p)


def throughput_pps(p: float, rtt_s: float) -> float:
    """Return the larger mean window (CUBIC's or Reno-friendly) over the round trip, in packets/s.

    CUBIC counts packets acknowledged, not ACKs, so that delayed ACKs have no effect.
    """
    return max(cubic_window_packets(p, rtt_s), reno_friendly_window_packets(p)) / rtt_s


def _mean_packets(scenario: Scenario) -> float:
    p, rtt_s = lost_share(scenario), scenario.propagation_rtt_s
    return throughput_pps(p, rtt_s) * rtt_s if p > 0 else 0.0


@register
class Cubic(Model):
    """CUBIC's mean rate if exactly one of 1/p packets is lost, with the loss probability p."""

    name = "cubic"
    title = "CUBIC response"
    equation = (
        "X = max(1.054 (R/p)^(3/4), √(1.5/p)) / R: mean window of W(t) = C (t-K)³ + W_max, or "
        "mean window of the Reno-friendly region, with C = 0.4 and β = 0.7. p: probability of "
        "loss; R: round trip."
    )
    source = "literature"
    citation = "rfc9438"
    inputs = (*ROUND_TRIP, "loss")
    domain = (
        "CUBIC on independent loss up to 2 %, where the formula is 10 % too low; neither the "
        "receiver window nor the path's rate limits the window"
    )
    conditions = (
        CUBIC_SENDER,
        rare_loss(MOST_LOSS),
        THREE_DUPLICATE_ACKS,
        ROOM_FOR_BURSTS,
        PROMPT_ACKS,
        *uncut_growth(_mean_packets),
    )
    handles = frozenset({"independent loss"})
    reduces = REDUCIBLE - handles

    def goodput_pps(self, scenario: Scenario, conditions: Conditions) -> float:
        """Return the goodput in packets/s at the propagation round trip."""
        p = lost_share(scenario)
        if p == 0:
            raise Undefined("without loss the formula has no finite value")
        return throughput_pps(p, scenario.propagation_rtt_s)
