"""The lossy renewal model whose rate grows as printed; all other errata are corrected."""

from __future__ import annotations

import math
from typing import ClassVar

from tcpgoodput.answers import Conditions
from tcpgoodput.models.base import Condition
from tcpgoodput.models.delay_spikes.connection import (
    HALVING_SENDER,
    PAUSES,
    SMALL_PRODUCT,
    check_rate,
    link,
    loss_probability,
    moderate_loss,
    round_trip_s,
)
from tcpgoodput.models.delay_spikes.cycles import PRINTED, PRINTED_GROWTH, Cycle
from tcpgoodput.models.delay_spikes.lossy import Lossy
from tcpgoodput.models.registry import register
from tcpgoodput.scenario import Scenario

MAX_LOSS = 0.05
"""Largest loss probability in the domain. The study calls its model's accuracy good up to this
probability (abstract, section 4.1)."""

SHORTEST_RTT_S = 0.2
"""Shortest round trip R in seconds at which it matters little that the rate grows by 1/R, as in the
study, instead of 1/R² packets/s in a second. Fitted by comparison with packet simulation."""

RATES_REACHED = 2
"""Smallest ratio of the rate √(2/(pR)) to the path's rate at which it matters little that the rate
grows by 1/R instead of 1/R² packets/s in a second. p is the loss probability, R the round trip. At
such ratios the path's rate limits the growth. Fitted by comparison with packet simulation."""


def _grows_too_fast(scenario: Scenario, _: Conditions) -> str | None:
    """Return an explanation if a rate growth of 1/R, not 1/R², changes the goodput, else None."""
    rtt_s = round_trip_s(scenario)
    reached_pps = math.sqrt(2 / (loss_probability(scenario) * rtt_s))
    if rtt_s >= SHORTEST_RTT_S or reached_pps >= RATES_REACHED * scenario.rate_pps:
        return None
    return (
        f"the model's rate grows by 1/R packets/s in a second, to {reached_pps:.3g} packets/s; "
        "TCP's grows by 1/R², and so higher"
    )


@register
class LossyPrintedSlope(Lossy):
    """The delay-spike model with loss (Wald), whose rate grows by 1/R as printed.

    The study's equations as printed have no value on its own links, because of a sign in equation
    (16). This model corrects all errata except the growth of the rate. So it shows the effect of
    this erratum alone. The rate grows by 1/R packets/s in a second, from 1 packet/s after a
    timeout; R is the round trip.
    """

    name = "delay_spikes.lossy_printed_slope"
    title = "Renewal, slope 1/R"
    equation = (
        "X = E(T')/(p E(Y) E(T)) as for delay_spikes.lossy, but the rate grows by 1/R packets/s in "
        "a second, as printed, instead of 1/R². T: interval between spikes; T': T minus the "
        "spike's duration, at least 0; E(Y): mean duration of a cycle of 1/p packets; p: "
        "probability of loss; R: round trip."
    )
    domain = (
        "independent loss up to 5 %, C_max R < 6.5 packets, window of at least the bandwidth-delay "
        "product or above the saw-tooth"
    )
    conditions = (
        SMALL_PRODUCT,
        HALVING_SENDER,
        moderate_loss(
            MAX_LOSS,
            "assumption",
            "abstract and section 5: the study calls its accuracy good up to 5 % losses",
        ),
        *link(
            lambda s, settings: (
                LossyPrintedSlope.congestion_cycle(s, settings, s.rate_pps).window_packets
            )
        ),
        PAUSES,
        Condition(
            f"a round trip of at least {SHORTEST_RTT_S:g} s, or a rate √(2/(pR)) of at least "
            f"{RATES_REACHED} times the path's",
            "fitted",
            "below both, a growth of the rate by 1/R instead of 1/R² changes the goodput on random "
            "connections",
            _grows_too_fast,
        ),
    )
    equations: ClassVar = {"corrected": PRINTED_GROWTH, "printed": PRINTED}

    @classmethod
    def congestion_cycle(
        cls, scenario: Scenario, conditions: Conditions, most_pps: float | None = None
    ) -> Cycle:
        """Return the mean congestion cycle of a rate that grows by 1/R packets/s in a second."""
        check_rate(scenario)
        return super().congestion_cycle(scenario, conditions, most_pps)
