"""Renewal model with losses; Wald's equation gives the number of congestion cycles per interval."""

from __future__ import annotations

from tcpgoodput.answers import Conditions
from tcpgoodput.models.base import LINK, PACKET, Model
from tcpgoodput.models.delay_spikes.connection import (
    HALVING_SENDER,
    PAUSES,
    SHORT_TIMEOUT,
    link,
    loss_probability,
    max_rate_pps,
    moderate_loss,
    round_trip_s,
)
from tcpgoodput.models.delay_spikes.cycles import Cycle, cycle, equation_set
from tcpgoodput.models.delay_spikes.laws import mean_excess
from tcpgoodput.models.limits import ROOM_FOR_BURSTS
from tcpgoodput.models.registry import register
from tcpgoodput.scenario import Scenario

LOSSY_INPUTS = (*PACKET, "tcp.max_window_packets", "tcp.rto", *LINK, "loss", "spikes")


def congestion_cycle(
    scenario: Scenario, conditions: Conditions, most_pps: float | None = None
) -> Cycle:
    """Return the scenario's mean congestion cycle, in seconds and packets/s.

    `most_pps` is C_max in packets/s; None: the limit by the path or the receiver window.
    """
    return cycle(
        loss_probability(scenario),
        round_trip_s(scenario),
        max_rate_pps(scenario) if most_pps is None else most_pps,
        scenario.timeout_s,
        equation_set(conditions.equations),
    )


def peak_window_packets(scenario: Scenario, conditions: Conditions) -> float:
    """Return the largest window of the cycles in packets if no receiver window limits it."""
    return congestion_cycle(scenario, conditions, scenario.rate_pps).window_packets


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


MAX_LOSS = 0.02
"""Largest loss probability in the domain. For larger probabilities more timeouts occur than
equation (5) of the study predicts. The study calls its model very good up to this value."""


@register
class Lossy(Model):
    """Renewal-reward goodput with loss, from the mean number of cycles between spikes.

    During a spike, of mean duration SD, the sender is silent. In the rest T′ of the interval it
    sends T′/E(Y) congestion cycles (Wald), by equations (9), (10), (12) and (13). A cycle has 1/p
    packets and the mean duration E(Y); p is the loss probability. A share β of the cycles contains
    a timeout and a slow start. The model has no slow start after a spike. The corrected equations
    have a window that grows by one packet per round trip R, so that the rate grows by 1/R²
    packets/s in a second; as printed it grows by 1/R.
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
        "independent loss up to 2 %, window of at least the bandwidth-delay product or above the "
        "saw-tooth"
    )
    conditions = (
        HALVING_SENDER,
        moderate_loss(
            MAX_LOSS, "fitted", "above this loss more timeouts occur than equation (5) predicts"
        ),
        *link(peak_window_packets),
        PAUSES,
        SHORT_TIMEOUT,
        ROOM_FOR_BURSTS,
    )
    handles = frozenset({"delay spikes", "independent loss"})
    reduces = frozenset({"bursty loss", "hand-offs"})

    def goodput_pps(self, scenario: Scenario, conditions: Conditions) -> float:
        """Return the goodput by equation (10) in packets/s; all spikes last their mean duration."""
        return wald_goodput_pps(scenario, congestion_cycle(scenario, conditions).mean_s)

    def outside_domain(self, scenario: Scenario, conditions: Conditions) -> str | None:
        """Return how link, loss or sender violate the study's assumptions, or None.

        Raises:
            Undefined: the printed equations have no value without a receiver window.

        """
        peak_window_packets(scenario, conditions)
        return super().outside_domain(scenario, conditions)
