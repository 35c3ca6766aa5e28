"""Model of Misra, Gong and Towsley: losses occur at a rate proportional to the window."""

from __future__ import annotations

import math

from tcpgoodput.answers import Conditions, Undefined
from tcpgoodput.models.base import Condition, Model
from tcpgoodput.models.limits import (
    CRITERION,
    EMPTY_QUEUE,
    PROMPT_ACKS,
    ROOM_FOR_BURSTS,
    THREE_DUPLICATE_ACKS,
    outside_bursts,
    outside_delayed_acks,
    outside_duplicate_acks,
    outside_empty_queue,
    outside_rare_loss,
    rare_loss,
    short_timeout,
)
from tcpgoodput.models.registry import register
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.physics import lost_share

MOST_LOSS = 0.01
LONGEST_TIMEOUT_RTTS = 8
"""Largest share of lost packets (MOST_LOSS), and longest timeout in round trips, up to which the
formula is within about a third of packet simulation. In the median the formula is 13 % too high.
Of these 13 percentage points, 8 come from the use of the window's root mean square instead of its
mean."""

WINDOW_ROOM = 2
"""Smallest receiver window in the domain, in units of the root mean square of the window. Fitted:
chosen by `CRITERION`."""


def throughput_pps(p: float, rtt_s: float, b: int = 1) -> float:
    """Return √(2/(bp))/R in packets/s, the root mean square of the window over the round trip.

    The window W follows dW = dt/(bR) - (W/2) dN. N counts the losses, which occur at the rate pW/R;
    p is the loss probability, R the round trip, and b the packets per ACK. The mean of W is
    constant if b p E[W²] = 2. The mean window itself is 1.3098/√(bp), 7.4 % less.
    """
    return math.sqrt(2 / b) / math.sqrt(p) / rtt_s


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
    inputs = (
        "tcp.ack_every",
        "tcp.growth",
        "path.forward_delay_s",
        "path.backward_delay_s",
        "loss",
    )
    domain = (
        "Reno, NewReno and SACK on independent loss up to 1 %, a timeout of at most 8 round "
        "trips; neither the receiver window nor the path's rate limits the window; the result "
        "uses the root mean square of the window, 8 % above its mean"
    )
    handles = frozenset({"independent loss"})
    conditions = (
        Condition(
            "Reno, NewReno or SACK",
            "assumption",
            "the equation of the window: a loss halves it, and it grows by 1/b per round trip",
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
        ),
        EMPTY_QUEUE,
    )
    # Hand-offs are excluded: the model assumes a loss rate proportional to the window.
    reduces = frozenset({"bursty loss", "delay spikes", "varying capacity"})

    def goodput_pps(self, scenario: Scenario, conditions: Conditions) -> float:
        """Return the goodput in packets/s at the propagation round trip."""
        p = lost_share(scenario)
        if p == 0:
            raise Undefined("without loss the formula has no finite value")
        return throughput_pps(p, scenario.propagation_rtt_s, scenario.tcp.packets_per_increment)

    def outside_domain(self, scenario: Scenario, conditions: Conditions) -> str | None:
        """Return an explanation if losses do not halve the window or timeouts matter, else None."""
        tcp = scenario.tcp
        if tcp.variant in ("oldtahoe", "tahoe", "cubic"):
            return (
                f"{tcp.variant} does not halve its window at a loss and let it grow by a packet "
                "per round trip"
            )
        if reason := outside_rare_loss(scenario, MOST_LOSS):
            return reason
        if scenario.timeout_s > LONGEST_TIMEOUT_RTTS * scenario.propagation_rtt_s:
            return (
                f"the timeout of {scenario.timeout_s:.3g} s is above {LONGEST_TIMEOUT_RTTS} round "
                f"trips of {scenario.propagation_rtt_s:.3g} s, so that even rare timeouts matter"
            )
        return (
            outside_duplicate_acks(scenario)
            or outside_delayed_acks(scenario)
            or outside_bursts(scenario)
        )

    def limited(self, scenario: Scenario, conditions: Conditions) -> str | None:
        """Return an explanation if receiver window or queue limits the window, else None."""
        tcp, p = scenario.tcp, lost_share(scenario)
        if p == 0:  # without loss the goodput is undefined
            return None
        window = math.sqrt(2 / tcp.packets_per_increment) / math.sqrt(p)
        if tcp.max_window_packets is not None and tcp.max_window_packets < WINDOW_ROOM * window:
            return (
                f"the receiver window of {tcp.max_window_packets} packets limits the window, whose "
                f"mean in the model is {window:.3g}"
            )
        return outside_empty_queue(scenario, 4 / 3 * window)
