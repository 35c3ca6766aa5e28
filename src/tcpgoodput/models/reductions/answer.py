"""A model's goodput through reductions of a scenario: their choice, order and limits.

A reduction translates an impairment of a scenario into one that the model describes. Delay spikes
are removed first and added last, so that losses are counted per packet sent. Between these two
steps, losses are translated into those that the model describes. Then the goodput is limited by a
cap: the goodput that window, rate and buffer allow without losses.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tcpgoodput.answers import Answer, Conditions, Estimate, Undefined
from tcpgoodput.models.base import Model, goodput_of, reason_of
from tcpgoodput.models.limits import standstill
from tcpgoodput.models.mathis.square_root import Mathis, independent_loss_constant
from tcpgoodput.models.reductions import window
from tcpgoodput.models.reductions.catalogue import BURSTS, CAPACITY, INDEPENDENT, SPIKES, WINDOW
from tcpgoodput.models.reductions.events import (
    LossEvents,
    as_bursts,
    largest_fixed_point,
    losses_per_event,
    outside_overlay,
    sending_share,
)
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.loss import LOSS_KINDS, Bernoulli, GilbertElliott, NoLoss
from tcpgoodput.scenario.physics import impairments, window_limit_pps
from tcpgoodput.scenario.vocabulary import Handoffs

LOSSES = frozenset({"independent loss", "bursty loss", "hand-offs"})

BEYOND_THE_CAP = 4.0
"""Ratio of goodput to cap (the goodput without losses) at which the downward search for the goodput
under losses begins. For larger ratios the cap alone determines the result. Chosen by hand."""

LONGEST_INTERVAL_S = 1e100
"""Longest interval in seconds between the hand-offs that replace loss events. This limit prevents a
division by zero; losses at such long intervals have no effect. Chosen by hand."""

TRAP = (
    "with a timer backed off by spikes, a sender may lose each packet to a hand-off; no reduction "
    "describes how long this lasts"
)


def beyond_reductions(scenario: Scenario) -> str | None:
    """Return the name of the scenario's kind of loss if no reduction describes it, else None."""
    kind = scenario.loss.impairment
    return kind if kind and kind not in LOSSES else None


@dataclass
class Steps:
    """Reductions that a prediction has used, and the first reason why it is out of domain."""

    conditions: Conditions
    taken: list[str] = field(default_factory=list)
    reason: str | None = None

    def take(self, reduction: str, outside: str | None = None) -> None:
        """Record that a reduction was used, and the reason if its use is out of domain."""
        if reduction not in self.taken:
            self.taken.append(reduction)
        self.note(outside)

    def note(self, reason: str | None) -> None:
        """Record why the prediction is out of domain; only the first reason is stored."""
        self.reason = self.reason or reason


def reduced_answer(model: Model, scenario: Scenario, conditions: Conditions) -> Answer:
    """Return a model's goodput for a scenario that must be reduced to what the model describes."""
    steps = Steps(conditions)
    sending = changed(scenario, spikes=None)
    if not impairments(sending) & LOSSES - model.handles:
        reduced = sending
    elif "bursty loss" in model.handles:
        reduced = _as_channel(model, sending, steps)
    elif "independent loss" in model.handles:
        reduced = _as_independent(model, sending, steps)
    elif "hand-offs" in model.handles:
        reduced = _as_handoffs(model, sending, steps)
    elif own := sorted(model.handles & LOSS_KINDS):
        lost = " and ".join(sorted(impairments(sending) & LOSSES))
        raise Undefined(f"no reduction restates {lost} as {' or '.join(own)}")
    else:  # the model describes no losses
        reduced = changed(sending, loss=NoLoss(process="none"), handoffs=None)
    goodput = _capped(model, reduced, sending, steps)
    if scenario.spikes is not None and scenario.handoffs is not None:
        steps.note(TRAP)
    if scenario.spikes is not None:
        goodput = _spiky(model, reduced, scenario, goodput, steps)
    known = changed(
        reduced,
        spikes=scenario.spikes if "delay spikes" in model.handles else None,
        capacity=reduced.capacity if "varying capacity" in model.handles else None,
    )
    steps.note(reason_of(model, "outside_domain", known, conditions))
    return Answer(goodput, tuple(steps.taken), steps.reason)


def changed(scenario: Scenario, **parts: Any) -> Scenario:
    """Return the scenario with new values of some keys such as `loss`, without validation."""
    return scenario.model_copy(update=parts)


def bernoulli(p: float, scenario: Scenario) -> Bernoulli:
    """Return independent loss with probability p, at the same place as the scenario's losses."""
    return Bernoulli(process="bernoulli", probability=p, place=scenario.loss.place)


def _as_independent(model: Model, scenario: Scenario, steps: Steps) -> Scenario:
    """Return the scenario with its loss events replaced by independent losses of the same rate."""
    events = LossEvents(scenario)

    def at(p: float) -> Scenario:
        return changed(scenario, loss=bernoulli(p, scenario), handoffs=None, capacity=None)

    x = _agreeing_pps(model, lambda x: at(events.per_packet(x)), _top_pps(scenario), steps)
    return changed(at(_noted(events, x, steps)), capacity=scenario.capacity)


def _as_channel(model: Model, scenario: Scenario, steps: Steps) -> Scenario:
    """Return the scenario with its losses replaced by a Gilbert-Elliott channel."""
    loss, handoffs = scenario.loss, scenario.handoffs
    if handoffs is None:
        assert isinstance(loss, Bernoulli)  # the only loss for which this reduction is chosen
        steps.take(INDEPENDENT)
        return changed(scenario, loss=as_bursts(loss))
    _refuse_two(scenario, "one loss process")
    events = LossEvents(scenario)

    def at(alpha: float) -> Scenario:
        lost = GilbertElliott(
            process="gilbert-elliott", good_to_bad=alpha, bad_to_good=1 / handoffs.packets
        )
        return changed(scenario, loss=lost, handoffs=None)

    fastest_pps = scenario.rate_pps
    if reason := model.too_slow_to_search(at(events.per_packet(fastest_pps))):
        raise Undefined(reason)
    x = _agreeing_pps(model, lambda x: at(events.per_packet(x)), fastest_pps, steps)
    return at(_noted(events, x, steps))


def _as_handoffs(model: Model, scenario: Scenario, steps: Steps) -> Scenario:
    """Return the scenario with its loss events replaced by hand-offs that lose as many packets."""
    _refuse_two(scenario, "periodic hand-offs")
    loss, events = scenario.loss, LossEvents(scenario)
    rtt_s = scenario.propagation_rtt_s

    def at(x: float) -> Scenario:
        packets = 1
        if isinstance(loss, GilbertElliott):
            lost = losses_per_event(loss.good_to_bad, loss.bad_to_good, max(1.0, x * rtt_s))
            packets = round(lost)
        interval_s = 1 / max(events.per_packet(x) * x, 1 / LONGEST_INTERVAL_S)
        # Skip the checks of the scenario schema, because their bounds are for a user's input.
        hits = Handoffs.model_construct(
            interval_s=interval_s, packets=packets, fate="lost", late_s=None, delay_steps_s=[]
        )
        return changed(scenario, loss=NoLoss(process="none"), handoffs=hits)

    x = _agreeing_pps(model, at, _top_pps(scenario), steps)
    if isinstance(loss, Bernoulli):
        steps.take(INDEPENDENT)
    steps.take(BURSTS, events.outside(x))
    return at(x)


def _agreeing_pps(
    model: Model, at: Callable[[float], Scenario], top_pps: float, steps: Steps
) -> float:
    """Return the largest goodput X up to `top_pps` that the model gives for the scenario at(X)."""
    return largest_fixed_point(
        lambda x: value_of(goodput_of(model, at(x), steps.conditions)), top_pps
    )


def _refuse_two(scenario: Scenario, form: str) -> None:
    found = impairments(scenario) & LOSSES
    if len(found) > 1:
        raise Undefined(f"{' and '.join(sorted(found))} together cannot be restated as {form}")


def _noted(events: LossEvents, x: float, steps: Steps) -> float:
    """Return the loss events per packet at a goodput of x packets/s; record the reductions used."""
    for reduction in events.reductions:
        steps.take(reduction)
    steps.note(events.outside(x))
    return events.per_packet(x)


def _capped(model: Model, reduced: Scenario, sending: Scenario, steps: Steps) -> float | Estimate:
    """Return the goodput between delay spikes, limited by window, rate and buffer."""
    conditions = steps.conditions
    if "varying capacity" in impairments(reduced) - model.handles:
        return _under_varying_capacity(model, reduced, sending, steps)
    goodput = goodput_of(model, reduced, conditions)
    if impairments(sending) & LOSSES and not impairments(reduced) & LOSSES:
        return _with_losses(goodput, sending, steps)
    if reason_of(model, "limited", reduced, conditions) is None:
        return goodput
    return _under_cap(model, value_of(goodput), window.cap_pps(reduced), reduced, steps)


def _under_varying_capacity(
    model: Model, reduced: Scenario, sending: Scenario, steps: Steps
) -> float | Estimate:
    """Return the goodput under varying capacity of a model that describes only a constant one."""
    steady = changed(reduced, capacity=None)
    if not model.handles & LOSSES:
        steps.take(CAPACITY, standstill(reduced))
        carried = window.cap_pps(reduced)
        return _with_losses(carried, sending, steps) if impairments(sending) & LOSSES else carried
    goodput = value_of(goodput_of(model, steady, steps.conditions))
    cap = window.known_cap(reduced, goodput)
    if isinstance(cap, str):
        steps.note(cap)
        return goodput
    steps.take(CAPACITY, standstill(reduced))
    return _under_cap(model, goodput, cap, reduced, steps)


def _under_cap(
    model: Model, goodput_pps: float, cap_pps: float, reduced: Scenario, steps: Steps
) -> float:
    """Return the goodput limited by a cap, the goodput that the scenario allows without losses.

    If the cap is the receiver window and the model includes it, the goodput is not changed.
    """
    knows_window = "tcp.max_window_packets" in model.inputs
    if knows_window and window_limit_pps(reduced) <= cap_pps:
        return goodput_pps
    if not impairments(reduced) & LOSSES:
        steps.take(WINDOW)
        return min(goodput_pps, cap_pps)
    steps.take(WINDOW, window.outside_cap(reduced))
    return window.capped(goodput_pps, cap_pps)


def _with_losses(goodput: float | Estimate, sending: Scenario, steps: Steps) -> float | Estimate:
    """Return the goodput with losses, capped by a model's `goodput` without losses.

    Without the cap the goodput follows the square-root law. The law's constant is that of periodic
    losses if only hand-offs lose packets, else the constant of independent losses. `sending` is the
    original scenario without delay spikes.
    """
    events = LossEvents(sending)
    tcp, rtt_s = sending.tcp, sending.propagation_rtt_s
    if impairments(sending) & LOSSES == {"hand-offs"}:
        constant = math.sqrt(1.5 / tcp.packets_per_increment)
    else:
        constant = independent_loss_constant(growth_packets=1 / tcp.packets_per_increment)

    def response_pps(x: float) -> float:
        return constant / math.sqrt(events.per_packet(x)) / rtt_s

    x = largest_fixed_point(response_pps, BEYOND_THE_CAP * value_of(goodput))
    capped_pps = window.capped(x, value_of(goodput))
    p = _noted(events, capped_pps, steps)
    lossy = changed(sending, loss=bernoulli(p, sending), handoffs=None, capacity=None)
    steps.take(
        WINDOW,
        Mathis().outside_domain(lossy, steps.conditions)
        or window.outside_cap(sending)
        or window.outside_constant_cap(sending),
    )
    return scaled(goodput, capped_pps / value_of(goodput))


def _spiky(
    model: Model, reduced: Scenario, scenario: Scenario, goodput: float | Estimate, steps: Steps
) -> float | Estimate:
    """Return the goodput with spikes, by the model itself or by the reduction for spikes."""
    if "delay spikes" in model.handles:
        known = changed(reduced, spikes=scenario.spikes)
        return goodput_of(model, known, steps.conditions)
    steps.take(SPIKES, outside_overlay(scenario, value_of(goodput)))
    return scaled(goodput, sending_share(scenario, value_of(goodput)))


def _top_pps(scenario: Scenario) -> float:
    """Return the goodput in packets/s at which searches begin, above every cap of the scenario."""
    return BEYOND_THE_CAP * min(scenario.rate_pps, window_limit_pps(scenario))


def value_of(goodput: float | Estimate) -> float:
    """Return a goodput in packets/s, without the interval of an estimate."""
    return goodput.goodput_pps if isinstance(goodput, Estimate) else float(goodput)


def scaled(goodput: float | Estimate, factor: float) -> float | Estimate:
    """Return a goodput and its interval, multiplied by a factor."""
    if not isinstance(goodput, Estimate):
        return goodput * factor
    return Estimate(
        goodput.goodput_pps * factor,
        goodput.low_pps * factor,
        goodput.high_pps * factor,
        goodput.replications,
    )
