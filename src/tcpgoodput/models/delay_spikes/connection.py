"""Quantities of a connection in the delay-spike study, and checks of the study's assumptions."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from tcpgoodput.answers import Conditions, Undefined
from tcpgoodput.models.base import Condition
from tcpgoodput.models.limits import (
    rare_loss,
    reno_newreno_or_sack,
    round_trip_s,
    short_timeout,
)
from tcpgoodput.models.losses import independent_loss
from tcpgoodput.scenario import Scenario

MAX_PRODUCT_PACKETS = 6.5
"""Upper limit of the bandwidth-delay product C_max R in packets, in the domain of the model
without loss and of the model with the printed slope. For larger products a sending rate that
starts at 1 packet/s, and grows by 1/R packets/s in a second if there is loss, is not close to
TCP's rate. The largest value in the study is 6.2 packets."""

FEWEST_ROUND_TRIPS = 10
"""Smallest mean time from a spike's end to the next spike in the domain, in round trips. With
longer mean times the models' goodput is within about 15 % of packet simulation."""

LONGEST_TIMEOUT_RTTS = 8
"""Longest RTO in the domain of the models with loss, in round trips. For longer RTOs, equation (5)
of the study, the share of cycles with a timeout, counts too many timeouts."""

ROUNDING = 0.5
"""Packets by which a receiver window may be below a number of packets that is no whole number, and
still count as this number. The study's windows are its bandwidth-delay products in whole packets
(section 4.1): 3 for 2.7 packets, 5 for 5.3."""


def max_rate_pps(scenario: Scenario) -> float:
    """Return C_max in packets/s: the path's rate, or W/R if the receiver window W limits the rate.

    A window that is the bandwidth-delay product in whole packets does not limit the rate.
    """
    window, rtt_s = scenario.tcp.max_window_packets, round_trip_s(scenario)
    if window is None or window > product_packets(scenario) - ROUNDING:
        return scenario.rate_pps
    return window / rtt_s


def product_packets(scenario: Scenario) -> float:
    """Return the bandwidth-delay product in packets: path rate times round trip R."""
    return scenario.rate_pps * round_trip_s(scenario)


def loss_probability(scenario: Scenario) -> float:
    """Return the probability p of independent loss, or raise `Undefined` if it is 0."""
    p = independent_loss(scenario)
    if p == 0:
        raise Undefined(
            "the model's cycles of 1/p packets need random loss, and the scenario has none"
        )
    return p


def check_rate(scenario: Scenario) -> None:
    """Refuse a C_max below 1 packet/s, the rate at which the study's slow start begins."""
    if (rate := max_rate_pps(scenario)) < 1:
        raise Undefined(
            "the model's slow start begins with 1 packet/s, and path or receiver window limit the "
            f"rate to {rate:.3g} packets/s"
        )


SMALL_PRODUCT = Condition(
    f"C_max R below {MAX_PRODUCT_PACKETS:g} packets",
    "fitted",
    "above this product a rate that grows by 1/R from 1 packet/s is not close to TCP's rate; the "
    "study's largest C_max R is 6.2 packets",
    lambda s, _: (
        (product := product_packets(s)) >= MAX_PRODUCT_PACKETS
        and f"the bandwidth-delay product is {product:.3g} packets; the model's growth from "
        f"1 packet/s suits products below {MAX_PRODUCT_PACKETS:g} packets"
    ),
)

HALVING_SENDER = reno_newreno_or_sack(
    "section 2.3: in congestion avoidance a loss halves the rate, which then grows linearly",
    "halve its window at a loss and then grow linearly",
)

SHORT_TIMEOUT = short_timeout(
    LONGEST_TIMEOUT_RTTS,
    "above this length, equation (5) counts too many timeouts",
    rtt_s=round_trip_s,
    effect=": equation (5) counts too many timeouts",
)

PAUSES = Condition(
    f"at least {FEWEST_ROUND_TRIPS} round trips between two spikes on average",
    "fitted",
    "with at least so many round trips, the models are within about 15 % of packet simulation",
    lambda s, _: (
        s.spikes is not None
        and (between_s := s.spikes.interval.mean_s - s.spikes.duration.mean_s)
        < FEWEST_ROUND_TRIPS * round_trip_s(s)
        and f"between spikes there are {max(0.0, between_s):.3g} s on average, less than "
        f"{FEWEST_ROUND_TRIPS} round trips of {round_trip_s(s):.3g} s"
    ),
)

LONG_SPIKES = Condition(
    "spikes longer than the timeout on average",
    "assumption",
    "sections 2.2 and 4.1: every spike results in a timeout and a slow start",
    lambda s, _: (
        s.spikes is not None
        and s.spikes.duration.mean_s <= s.timeout_s
        and f"spikes last {s.spikes.duration.mean_s:.3g} s on average, and the timeout is "
        f"{s.timeout_s:.3g} s, so no slow start follows"
    ),
)


moderate_loss = partial(
    rare_loss, lost=loss_probability, effect="equation (5) does not give TCP's share of timeouts"
)
"""Condition that at most a share of the packets is lost; equation (5) counts the timeouts."""


def link(peak_packets: Callable[[Scenario, Conditions], float]) -> tuple[Condition, ...]:
    """Return the conditions of the models' domains that concern the link.

    In the study the window limit is the bandwidth-delay product in whole packets. So a receiver
    window of `peak_packets` in whole packets is in the domain: path rate times R, or the largest
    window in the model's cycles if no receiver window limits it. The goodput with a smaller
    receiver window is shown, but the study did not compare it with simulation.
    """

    def cut_window(scenario: Scenario, conditions: Conditions) -> str | None:
        window = scenario.tcp.max_window_packets or math.inf
        if window > (peak := peak_packets(scenario, conditions)) - ROUNDING:
            return None
        return (
            f"the receiver window of {window} packets limits the window, which would grow to "
            f"{peak:.3g}; the study has no smaller window than the path holds"
        )

    def overflow(scenario: Scenario, conditions: Conditions) -> str | None:
        window, product = scenario.tcp.max_window_packets or math.inf, product_packets(scenario)
        room = product + (scenario.path.buffer_packets or math.inf)
        if window <= room or peak_packets(scenario, conditions) < product:
            return None
        return "the buffer overflows, and the model has no losses by overflow"

    return (
        Condition(
            "an ACK for each packet",
            "derivation",
            "equation (2) doubles the rate in each round trip, and in section 2.3 the rate grows "
            "linearly; fewer ACKs slow down both kinds of growth",
            lambda s, _: (
                s.tcp.packets_per_increment > 1
                and f"the receiver sends an ACK for {s.tcp.ack_every} packets; the model has one "
                "for each packet"
            ),
        ),
        Condition(
            "a receiver window of at least the model's largest window, in whole packets",
            "assumption",
            "section 4.1: the maximum window is the bandwidth-delay product; below it the "
            "equations have C_max = W/R, which the study did not compare with simulation",
            cut_window,
        ),
        Condition(
            "if the model's window fills the path: an unlimited buffer, or a receiver window that "
            "path and buffer can hold",
            "assumption",
            "section 2.2 has no loss, and section 2.3 places losses elsewhere on the path",
            overflow,
        ),
    )
