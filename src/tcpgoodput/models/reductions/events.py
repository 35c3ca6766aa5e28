"""Reductions of scenarios: R-GE (bursts of loss), R-IID (independent loss), R-SP (delay spikes).

For a sender with the goodput X, one hand-off occurs in X A_h packets, that is, every A_h seconds.
One burst of loss occurs in N(X R) packets (`losses.slots_per_event`), where R is the round trip. So
the loss event rate p per packet falls with X. The goodput of a model with the formula f(p) is the
solution of X = f(p(X)). A delay spike counts as a silence and a slow start.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from tcpgoodput.answers import Conditions, Undefined
from tcpgoodput.models.base import first_violation
from tcpgoodput.models.delay_spikes.connection import LONG_SPIKES, PAUSES
from tcpgoodput.models.delay_spikes.laws import mean_excess
from tcpgoodput.models.limits import (
    CONSTANT_DELAY,
    FAR_HANDOFFS,
    NO_UNDO,
    overtaking,
    surviving_window,
)
from tcpgoodput.models.losses import bursts_of, losses_per_event, slots_per_event
from tcpgoodput.models.reductions.catalogue import BURSTS, HANDOFFS
from tcpgoodput.models.reductions.window import root_between
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.loss import Bernoulli, GilbertElliott
from tcpgoodput.scenario.physics import lost_share

LONGEST_BURST = 0.25
"""Largest ratio of a burst's mean length to the window in the domain, chosen by comparison with
packet simulation of random connections."""


def as_bursts(loss: Bernoulli) -> GilbertElliott:
    """Return independent loss as a Gilbert-Elliott channel: α = p, β = 1 - p; exact (R-IID)."""
    p = loss.probability
    return GilbertElliott(
        process="gilbert-elliott", good_to_bad=p, bad_to_good=1 - p, place=loss.place
    )


def outside_window(beta: float, window_packets: float) -> str | None:
    """Return an explanation if bursts are so long that retransmissions are lost, else None."""
    if 1 / beta < LONGEST_BURST * window_packets:
        return None
    return (
        f"bursts of loss last {1 / beta:.3g} packet times, a quarter of the window of "
        f"{window_packets:.3g} packets or more: retransmissions are lost, too"
    )


def outside_bounded_back_off(loss: GilbertElliott) -> str | None:
    """Return an explanation if the mean time of a back-off has no bound, else None.

    If the channel has a step per packet, a sender that has timed out gives it one step per
    retransmission, and each timeout is twice as long as the one before. So the mean time until a
    retransmission arrives is RTO Σ (2(1-β))^k, which is finite only if β > 1/2.
    """
    if loss.clock == "slot" or loss.bad_to_good > 0.5:
        return None
    return (
        f"bursts of {1 / loss.bad_to_good:.3g} packets with loss.clock: packet do not end while "
        "the sender waits: from two packets on the mean time of a back-off has no bound"
    )


STEP = 1.25
"""Ratio of successive goodputs in the downward search of `largest_fixed_point`. Chosen by hand."""

MOST_STEPS = 120
"""Largest number of steps of `largest_fixed_point`; the steps cover eleven orders of magnitude."""

MOST_EVENTS = 0.5
"""Largest loss event rate per packet; at larger rates the formulas are meaningless. Chosen by
hand."""

MOST_LOST_PER_EVENT = {"reno": 1.5, "newreno": 3.0}
"""Largest mean number of lost packets per loss event for which the time of recovery is
negligible. Reno times out at the second lost packet, NewReno takes a round trip for each, and
SACK repairs all at once."""


@dataclass(frozen=True)
class LossEvents:
    """The loss events of a scenario, and their rate per packet at a given goodput."""

    scenario: Scenario

    @property
    def reductions(self) -> tuple[str, ...]:
        """Names of the reductions that translate the scenario's losses into loss events."""
        handed = self.scenario.handoffs is not None
        return (*([BURSTS] if bursts_of(self.scenario) else []), *([HANDOFFS] if handed else []))

    def per_packet(self, goodput_pps: float) -> float:
        """Return the loss event rate per packet at a goodput X in packets/s.

        The rate is the sum of two terms: the probability of independent loss, or 1/N(X R) for
        bursts; and 1/(X A_h) for hand-offs every A_h seconds.
        """
        handoffs = self.scenario.handoffs
        if loss := bursts_of(self.scenario):
            window = max(1.0, goodput_pps * self.scenario.propagation_rtt_s)
            rate = 1 / slots_per_event(loss.good_to_bad, loss.bad_to_good, window)
        else:
            rate = lost_share(self.scenario)
        rate += 1 / (goodput_pps * handoffs.interval_s) if handoffs else 0.0
        if rate > MOST_EVENTS:
            raise no_goodput_agrees()
        return rate

    def outside(self, goodput_pps: float) -> str | None:
        """Return an explanation if a loss event costs more than one window reduction, else None."""
        handoffs, tcp = self.scenario.handoffs, self.scenario.tcp
        if loss := bursts_of(self.scenario):
            window = goodput_pps * self.scenario.propagation_rtt_s
            lost = losses_per_event(loss.good_to_bad, loss.bad_to_good, max(window, 1.0))
            if reason := (
                outside_bounded_back_off(loss)
                or outside_window(loss.bad_to_good, window)
                or outside_lost_per_event(lost, tcp.variant)
            ):
                return reason
        return outside_single_event(self.scenario, goodput_pps) if handoffs else None


def outside_lost_per_event(lost_packets: float, variant: str) -> str | None:
    """Return an explanation if the sender repairs a loss event's packets too slowly, else None."""
    most = MOST_LOST_PER_EVENT.get(variant)
    if most is None or lost_packets <= most:
        return None
    return f"{variant} cannot retransmit {lost_packets:.3g} packets in one round trip"


def outside_single_event(scenario: Scenario, goodput_pps: float) -> str | None:
    """Return an explanation if a hand-off costs more or less than a window reduction, else None."""
    handoffs = scenario.handoffs
    assert handoffs is not None  # this function is used only for scenarios with hand-offs
    window = goodput_pps * scenario.propagation_rtt_s
    return (
        first_violation((CONSTANT_DELAY, NO_UNDO), scenario, Conditions())
        or outside_lost_per_event(handoffs.packets, scenario.tcp.variant)
        or first_violation(
            (FAR_HANDOFFS, overtaking(lambda _: window), surviving_window(lambda _: window)),
            scenario,
            Conditions(),
        )
    )


def largest_fixed_point(response_pps: Callable[[float], float], top_pps: float) -> float:
    """Return the largest goodput X up to `top_pps` with X = f(X), or raise `Undefined`.

    f = `response_pps` is the goodput of a sender at the loss event rate that follows from X. If f
    falls fast enough towards small X, there are two solutions or none; the largest is the stable
    one. Plain iteration from a small X would end at zero, so the search goes down from `top_pps` in
    small steps. If f(X) ≥ X there, the exact X does not matter.
    """

    @cache  # because the root finder evaluates both ends of its interval again
    def excess(log_x: float) -> float:
        x = math.exp(log_x)
        return math.log(response_pps(x) / x)

    upper = math.log(top_pps)
    if excess(upper) >= 0:
        return top_pps
    for _ in range(MOST_STEPS):
        lower = upper - math.log(STEP)
        if excess(lower) >= 0:
            return math.exp(root_between(excess, lower, upper, within=1e-12))
        upper = lower
    raise no_goodput_agrees()


def no_goodput_agrees() -> Undefined:
    """Return the error that loss events are too frequent for any goodput."""
    return Undefined("loss events are so frequent that no goodput is consistent with their rate")


MOST_GROWTH = 0.1
"""Largest share of the time between two spikes that the window's growth after a spike may cost in
the domain of the reduction R-SP. Chosen by hand."""


def slow_start_delay_s(goodput_pps: float, rtt_s: float, ack_every: int = 1) -> float:
    """Return D, the time in seconds lost in slow start up to the usual window w = X R.

    Slow start grows by the factor g = 1 + 1/b per round trip. It lasts R ln w / ln g and delivers
    (w - 1)/ln g packets, as many as the usual rate does in R (w - 1)/(w ln g).
    """
    window = max(2.0, goodput_pps * rtt_s)
    return rtt_s * (math.log(window) - (window - 1) / window) / math.log1p(1 / ack_every)


def sending_share(scenario: Scenario, goodput_pps: float) -> float:
    """Return E[(T - S - D)⁺]/E[T], the share of time at the usual rate.

    T is the interval between spikes, S the mean length of a spike. A spike delays packets and loses
    none. Waiting packets leave when it ends, so the silence is the length of the spike, not the
    timer's back-off. If S is at most the timeout, no slow start follows, and D is 0.
    """
    spikes, rtt_s = scenario.spikes, scenario.propagation_rtt_s
    assert spikes is not None  # this reduction is used only with spikes
    silence_s = spikes.duration.mean_s
    if silence_s > scenario.timeout_s:
        silence_s += slow_start_delay_s(goodput_pps, rtt_s, scenario.tcp.packets_per_increment)
    return float(mean_excess(spikes.interval, silence_s)) / spikes.interval.mean_s


def outside_overlay(scenario: Scenario, goodput_pps: float) -> str | None:
    """Return an explanation if a spike costs more or less than a slow start, else None.

    After slow start to half the usual window w, the window grows by one packet in b round trips R.
    This growth costs b w²/8 packets, or the time b w R/8.
    """
    if reason := first_violation((LONG_SPIKES, PAUSES), scenario, Conditions()):
        return reason
    spikes, rtt_s = scenario.spikes, scenario.propagation_rtt_s
    assert spikes is not None  # this reduction is used only with spikes
    cost_s = scenario.tcp.packets_per_increment * goodput_pps * rtt_s**2 / 8
    between_s = spikes.interval.mean_s - spikes.duration.mean_s
    if cost_s <= MOST_GROWTH * between_s:
        return None
    return (
        f"after a spike the window grows slowly back from half, which costs {cost_s:.3g} s of the "
        f"{between_s:.3g} s between spikes"
    )
