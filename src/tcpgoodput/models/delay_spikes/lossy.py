"""Renewal model with losses; Wald's equation gives the number of congestion cycles per interval."""

from __future__ import annotations

import math

from tcpgoodput.answers import Conditions
from tcpgoodput.models.base import Condition, Model
from tcpgoodput.models.delay_spikes.connection import (
    HALVING_SENDER,
    LINK,
    MODERATE_LOSS,
    PAUSES,
    SMALL_PRODUCT,
    check_rate,
    loss_probability,
    outside_link,
    outside_loss,
    outside_pauses,
    outside_rate_growth,
    round_trip_s,
)
from tcpgoodput.models.delay_spikes.cycles import Cycle, cycle, equation_set
from tcpgoodput.models.delay_spikes.laws import mean_excess
from tcpgoodput.models.registry import register
from tcpgoodput.scenario import Scenario

LOSSY_INPUTS = (
    "tcp.mss_bytes",
    "tcp.header_bytes",
    "tcp.rto",
    "path.rate_bps",
    "path.forward_delay_s",
    "path.backward_delay_s",
    "loss",
    "spikes",
)


def congestion_cycle(scenario: Scenario, conditions: Conditions) -> Cycle:
    """Return the scenario's mean congestion cycle, in which the rate grows as in the study.

    The study's rate grows by 1/R packets/s in a second, TCP's by 1/R²; R is the round trip.
    """
    check_rate(scenario)
    return cycle(
        loss_probability(scenario),
        round_trip_s(scenario),
        scenario.rate_pps,
        scenario.timeout_s,
        equation_set(conditions.equations),
    )


def wald_goodput_pps(scenario: Scenario, mean_cycle_s: float) -> float:
    """Return the goodput E(T − SD)⁺ / (p E(T) E(Y)) in packets/s, by equations (10), (12) and (13).

    T is the interval between spikes, SD the mean silence, p the loss probability, and E(Y) =
    `mean_cycle_s` the mean duration of a congestion cycle. Without spikes the goodput is
    1/(p E(Y)).
    """
    sending_share = 1.0
    if scenario.spikes is not None:
        interval, silence_s = scenario.spikes.interval, scenario.spikes.duration.mean_s
        sending_share = float(mean_excess(interval, silence_s)) / interval.mean_s
    return sending_share / (loss_probability(scenario) * mean_cycle_s)


SHORTEST_RTT_S = 0.2
"""Shortest round trip R in seconds at which it matters little that the rate grows by 1/R, as in the
study, instead of 1/R² packets/s in a second. Fitted by comparison with packet simulation."""

RATES_REACHED = 2
"""Smallest ratio of the rate √(2/(pR)) to the path's rate at which it matters little that the rate
grows by 1/R instead of 1/R² packets/s in a second. p is the loss probability, R the round trip. At
such ratios the path's rate limits the growth. Fitted by comparison with packet simulation."""

CONDITIONS = (
    SMALL_PRODUCT,
    HALVING_SENDER,
    MODERATE_LOSS,
    *LINK,
    PAUSES,
    Condition(
        f"a round trip of at least {SHORTEST_RTT_S:g} s, or a rate √(2/(pR)) of at least "
        f"{RATES_REACHED} times the path's",
        "fitted",
        "below both, a growth of the rate by 1/R instead of 1/R² changes the goodput on random "
        "connections",
    ),
)
"""Conditions of the lossy model's domain, which `outside_lossy` checks."""


def outside_lossy(scenario: Scenario, conditions: Conditions) -> str | None:
    """Return which assumption of the lossy model a scenario violates, or None."""
    window = congestion_cycle(scenario, conditions).window_packets
    return (
        outside_rate_growth(scenario)
        or outside_loss(scenario)
        or outside_link(scenario, window)
        or outside_pauses(scenario)
        or _outside_slope(scenario)
    )


def _outside_slope(scenario: Scenario) -> str | None:
    """Return an explanation if a rate growth of 1/R, not 1/R², changes the goodput, else None.

    R is the round trip. The model's rate grows by 1/R packets/s in a second, TCP's by 1/R².
    """
    rtt_s = round_trip_s(scenario)
    reached_pps = math.sqrt(2 / (loss_probability(scenario) * rtt_s))
    if rtt_s >= SHORTEST_RTT_S or reached_pps >= RATES_REACHED * scenario.rate_pps:
        return None
    return (
        f"the model's rate grows by 1/R packets/s in a second, to {reached_pps:.3g} packets/s; "
        "TCP's grows by 1/R², and so higher"
    )


@register
class Lossy(Model):
    """Renewal-reward goodput with loss, from the mean number of cycles between spikes.

    During a spike, of mean duration SD, the sender is silent. In the rest T′ of the interval it
    sends T′/E(Y) congestion cycles (Wald), by equations (9), (10), (12) and (13). A cycle has 1/p
    packets and the mean duration E(Y); p is the loss probability. A share β of the cycles contains
    a timeout and a slow start. The model has no slow start after a spike.
    """

    name = "delay_spikes.lossy"
    title = "Renewal, lossy (Wald)"
    equation = (
        "X = E(T')/(p E(Y) E(T)), E(Y) = β τ_SS + (1-β) τ_CA: cycles of 1/p packets between "
        "spikes, counted by Wald's equation. T: interval between spikes; T': T minus the spike's "
        "duration, at least 0; τ_CA, τ_SS: duration of a cycle without and with a timeout and "
        "slow start; β: share of cycles with a timeout; p: probability of loss."
    )
    source = "delay_spikes"
    citation = "lassila2008"
    inputs = LOSSY_INPUTS
    domain = (
        "independent loss up to 5 %, C_max R < 6.5 packets, window of at least the bandwidth-delay "
        "product or above the saw-tooth"
    )
    conditions = CONDITIONS
    handles = frozenset({"delay spikes", "independent loss"})
    reduces = frozenset({"bursty loss", "hand-offs"})

    def goodput_pps(self, scenario: Scenario, conditions: Conditions) -> float:
        """Return the goodput by equation (10) in packets/s; all spikes last their mean duration."""
        return wald_goodput_pps(scenario, congestion_cycle(scenario, conditions).mean_s)

    def outside_domain(self, scenario: Scenario, conditions: Conditions) -> str | None:
        """Return how link, loss or sender violate the study's assumptions, or None."""
        return outside_lossy(scenario, conditions)
