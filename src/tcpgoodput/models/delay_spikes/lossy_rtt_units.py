"""The lossy renewal model with consistent units of the window's growth."""

from __future__ import annotations

from tcpgoodput.answers import Conditions
from tcpgoodput.models.base import Model
from tcpgoodput.models.delay_spikes.connection import (
    HALVING_SENDER,
    LINK,
    PAUSES,
    SHORT_TIMEOUT,
    loss_probability,
    outside_link,
    outside_loss,
    outside_pauses,
    outside_timeouts,
    round_trip_s,
)
from tcpgoodput.models.delay_spikes.cycles import Cycle, cycle_in_round_trips, equation_set
from tcpgoodput.models.delay_spikes.lossy import LOSSY_INPUTS, wald_goodput_pps
from tcpgoodput.models.limits import ROOM_FOR_BURSTS, outside_bursts, rare_loss
from tcpgoodput.models.registry import register
from tcpgoodput.scenario import Scenario

MAX_LOSS = 0.02
"""Largest loss probability in the domain. For larger probabilities more timeouts occur than
equation (5) of the study predicts. The study calls its model very good up to this value."""


def congestion_cycle(scenario: Scenario, conditions: Conditions) -> Cycle:
    """Return the scenario's mean congestion cycle, in seconds and packets/s.

    The study's equations are evaluated with the round trip as the unit of time.
    """
    return cycle_in_round_trips(
        loss_probability(scenario),
        round_trip_s(scenario),
        scenario.rate_pps,
        scenario.timeout_s,
        equation_set(conditions.equations),
    )


@register
class LossyRttUnits(Model):
    """The delay-spike model with loss (Wald), whose window grows by one packet per round trip.

    In the study the rate grows by 1/R packets/s in a second, with the round trip R, and slow start
    begins with 1 packet/s. But if a window grows by one packet per round trip, the rate grows by
    1/R² packets/s in a second; and one packet per round trip is 1/R packets/s. The study's
    equations describe such a window if R is the unit of time.
    """

    name = "delay_spikes.lossy_rtt_units"
    title = "Renewal, slope 1/R²"
    equation = (
        "X = E(T')/(p E(Y) E(T)) as for delay_spikes.lossy, but the window grows by one packet in "
        "a round trip, so that the rate grows by 1/R². T: interval between spikes; T': T minus "
        "the spike's duration, at least 0; E(Y): mean duration of a cycle of 1/p packets; R: "
        "round trip."
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
        rare_loss(MAX_LOSS, "above this loss more timeouts occur than equation (5) predicts"),
        *LINK,
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
        """Return how link, loss or sender violate the study's assumptions, or None."""
        window = congestion_cycle(scenario, conditions).window_packets
        return (
            outside_loss(scenario, MAX_LOSS)
            or outside_link(scenario, window)
            or outside_pauses(scenario)
            or outside_timeouts(scenario)
            or outside_bursts(scenario)
        )
