"""Reduction R-SP: delay spikes as a silence and a slow start, applied to any model."""

from __future__ import annotations

import math

from tcpgoodput.models.delay_spikes.connection import outside_pauses, outside_spikes
from tcpgoodput.models.delay_spikes.laws import mean_excess
from tcpgoodput.scenario import Scenario

MOST_GROWTH = 0.1
"""Largest share of the time between two spikes that the window's growth after a spike may cost."""


def slow_start_delay_s(goodput_pps: float, rtt_s: float, ack_every: int = 1) -> float:
    """Return D, the time in seconds lost in slow start up to the usual window w = X R.

    Slow start grows by the factor g = 1 + 1/b per round trip. It lasts R ln w / ln g and delivers
    (w - 1)/ln g packets, as many as the usual rate does in R (w - 1)/(w ln g).
    """
    window = max(2.0, goodput_pps * rtt_s)
    return rtt_s * (math.log(window) - (window - 1) / window) / math.log1p(1 / ack_every)


def sending_share(scenario: Scenario, goodput_pps: float) -> float:
    """Return E[(T - S - D)⁺]/E[T], the share of time at the usual rate.

    T is the interval between spikes, S the spike's length, D the time lost in slow start.

    A spike delays packets and loses none. Waiting packets leave when it ends, so the silence is the
    length of the spike, not the timer's back-off. A spike that is shorter than the timeout costs no
    slow start.
    """
    spikes, rtt_s = scenario.spikes, scenario.propagation_rtt_s
    assert spikes is not None  # this reduction is used only with spikes
    silence_s = spikes.duration.mean_s
    if silence_s > scenario.timeout_s:
        silence_s += slow_start_delay_s(goodput_pps, rtt_s, scenario.tcp.packets_per_increment)
    return float(mean_excess(spikes.interval, silence_s)) / spikes.interval.mean_s


def outside_overlay(scenario: Scenario, goodput_pps: float) -> str | None:
    """Return an explanation if a spike costs more or less than a slow start, else None."""
    return (
        outside_spikes(scenario)
        or outside_pauses(scenario)
        or _outside_halving(scenario, goodput_pps)
    )


def _outside_halving(scenario: Scenario, goodput_pps: float) -> str | None:
    """Return an explanation if the window grows back slowly after a timeout, else None.

    From w/2 on the window grows by one packet in b round trips. This costs b w²/8 packets, or the
    time b w R/8.
    """
    spikes, rtt_s = scenario.spikes, scenario.propagation_rtt_s
    assert spikes is not None  # this reduction is used only with spikes
    cost_s = scenario.tcp.packets_per_increment * goodput_pps * rtt_s**2 / 8
    between_s = spikes.interval.mean_s - spikes.duration.mean_s
    if cost_s <= MOST_GROWTH * between_s:
        return None
    return "the window that a spike halves takes a good part of the time between two to grow back"
