"""Model of Misra, Gong and Towsley: losses occur at a rate proportional to the window."""

from __future__ import annotations

import math

from tcpgoodput.answers import Conditions, Undefined
from tcpgoodput.models.base import ACKS, ROUND_TRIP, Condition, Model
from tcpgoodput.models.limits import (
    CRITERION,
    HALVE_AND_GROW,
    PROMPT_ACKS,
    ROOM_FOR_BURSTS,
    THREE_DUPLICATE_ACKS,
    empty_queue,
    rare_loss,
    reno_newreno_or_sack,
    short_timeout,
)
from tcpgoodput.models.registry import register
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.physics import lost_share

MOST_LOSS = 0.01
LONGEST_TIMEOUT_RTTS = 8
"""Largest share of lost packets (MOST_LOSS), and longest timeout in round trips, up to which the
formula is within about a third of packet simulation. In the median it is 13 % too high, of
which the root mean square of the window in place of its mean explains 8 percentage points."""

WINDOW_ROOM = 2
"""Smallest receiver window in the domain, in units of the root mean square of the window. Fitted:
chosen by `CRITERION`."""


def throughput_pps(p: float, rtt_s: float, b: int = 1) -> float:
    """Return √(2/(bp))/R in packets/s, the root mean square of the window over the round trip.

    The window W follows dW = dt/(bR) - (W/2) dN. N counts the losses, which occur at the rate pW/R.
    The mean of W is constant if b p E[W²] = 2. The mean window itself is 1.3098/√(bp), 7.4 % less.
    """
    return math.sqrt(2 / b) / math.sqrt(p) / rtt_s


def _window_packets(scenario: Scenario) -> float:
    """Return the root mean square of the window in packets; 0 without loss."""
    p, b = lost_share(scenario), scenario.tcp.packets_per_increment
    return throughput_pps(p, 1.0, b) if p > 0 else 0.0


@register
class Misra(Model):
    """Goodput by the stochastic differential equation of the window, without timeouts."""

    name = "misra"
    title = "Misra et al."
    equation = (
        "X = √(2/(bp)) / R, the root of the mean squared window over the round trip. p: "
        "probability of loss; b: packets per ACK; R: round trip."
    )
    source = "literature"
    citation = "misra1999"
    inputs = (*ACKS, *ROUND_TRIP, "loss")
    domain = (
        "Reno, NewReno and SACK on independent loss up to 1 %, a timeout of at most 8 round "
        "trips; neither the receiver window nor the path's rate limits the window; the result "
        "uses the root mean square of the window, 8 % above its mean"
    )
    handles = frozenset({"independent loss"})
    conditions = (
        reno_newreno_or_sack(
            "the equation of the window: a loss halves it, and it grows by 1/b per round trip",
            HALVE_AND_GROW,
        ),
        rare_loss(MOST_LOSS),
        short_timeout(LONGEST_TIMEOUT_RTTS),
        THREE_DUPLICATE_ACKS,
        PROMPT_ACKS,
        ROOM_FOR_BURSTS,
        Condition(
            f"a receiver window of at least {WINDOW_ROOM} times the root mean squared window",
            "fitted",
            CRITERION,
            lambda s, _: (
                (limit := s.tcp.max_window_packets) is not None
                and limit < WINDOW_ROOM * _window_packets(s)
                and f"the receiver window of {limit} packets limits the window, whose mean in the "
                f"model is {_window_packets(s):.3g}"
            ),
            is_limit=True,
        ),
        empty_queue(lambda s: 4 / 3 * _window_packets(s)),
    )
    # Hand-offs are excluded: the model assumes a loss rate proportional to the window.
    reduces = frozenset({"bursty loss", "delay spikes", "varying capacity", "link retransmission"})

    def goodput_pps(self, scenario: Scenario, conditions: Conditions) -> float:
        """Return the goodput in packets/s at the propagation round trip."""
        p = lost_share(scenario)
        if p == 0:
            raise Undefined("without loss the formula has no finite value")
        return throughput_pps(p, scenario.propagation_rtt_s, scenario.tcp.packets_per_increment)
