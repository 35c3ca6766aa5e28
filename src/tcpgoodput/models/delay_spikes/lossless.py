"""Renewal model without loss: after each spike a silence, slow start, then the path's rate."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from tcpgoodput.answers import Conditions
from tcpgoodput.models.base import LINK, PACKET, Model
from tcpgoodput.models.delay_spikes.connection import (
    LONG_SPIKES,
    PAUSES,
    SMALL_PRODUCT,
    check_rate,
    link,
    max_rate_pps,
    product_packets,
)
from tcpgoodput.models.delay_spikes.laws import (
    Floats,
    edges_between,
    integral,
    mean_excess,
    scales,
    states,
)
from tcpgoodput.models.limits import NO_BBR, round_trip_s
from tcpgoodput.models.registry import register
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.distributions import Constant, Distribution, Exponential, MarkovExponential


def rise_s(rtt_s: float, max_rate_pps: float) -> float:
    """Return L = (R / ln 2) ln C_max, the seconds of the rate's growth from 1 packet/s to C_max."""
    return rtt_s * math.log2(max_rate_pps)


def rate_pps(elapsed_s: Floats, rtt_s: float, max_rate_pps: float) -> Floats:
    """Return the rate X in packets/s by eq. (3), elementwise for times since a spike's end."""
    rising = np.exp2(np.clip(elapsed_s / rtt_s, 0, math.log2(max_rate_pps)))
    return np.where(elapsed_s < 0, 0.0, rising)


def packets(elapsed_s: ArrayLike, rtt_s: float, max_rate_pps: float) -> Floats:
    """Return A, the packets sent in `elapsed_s` after a spike's end, elementwise, by eq. (4)."""
    elapsed = np.asarray(elapsed_s, dtype=float)
    doubling = math.log(2) / rtt_s
    rise = rise_s(rtt_s, max_rate_pps)
    rising, full = np.clip(elapsed, 0, rise), np.maximum(elapsed - rise, 0)
    return np.expm1(doubling * rising) / doubling + max_rate_pps * full


def mean_packets(
    interval: Distribution, silence_s: ArrayLike, rtt_s: float, max_rate_pps: float
) -> Floats:
    """Return E(A), the mean number of packets sent between two spikes: eq. (4) averaged over T.

    T is the interval between spikes, `silence_s` the duration SD of a spike. Closed forms are used
    if they exist. The result has the shape of `silence_s`.
    """
    silence = np.asarray(silence_s, dtype=float)
    match interval:
        case Constant(mean_s=mean):
            return packets(mean - silence, rtt_s, max_rate_pps)
        case Exponential(mean_s=mean):
            return _exponential(mean, silence, rtt_s, max_rate_pps)
        case MarkovExponential():  # mean over the chain's states, the numerator of equation (11)
            return sum(
                share * mean_packets(law, silence, rtt_s, max_rate_pps)
                for share, law in states(interval)
            )
    return _by_ramps(interval, silence, rtt_s, max_rate_pps)


def _exponential(mean_s: float, silence_s: Floats, rtt_s: float, max_rate_pps: float) -> Floats:
    """Return E(A) for exponential intervals T (section 2.2).

    The study's factor (r − ln 2 · C^(1 − r/ln 2)) / (r − ln 2) is 0/0 at r = ln 2, with r = R/E(T)
    and path rate C. With z = (1 − r/ln 2) ln C, it equals eᶻ + (L/E(T)) (eᶻ − 1)/z, which tends to
    1 + ln C as r → ln 2.
    """
    rise = rise_s(rtt_s, max_rate_pps) / mean_s
    z = math.log(max_rate_pps) - rise
    average_growth = math.expm1(z) / z if z != 0 else 1.0
    return mean_s * np.exp(-silence_s / mean_s) * (math.exp(z) + rise * average_growth)


def _by_ramps(
    interval: Distribution, silence_s: Floats, rtt_s: float, max_rate_pps: float
) -> Floats:
    """Return E(A) from the mean excess e(d) = E(T − d)⁺.

    Equation (4) is a sum of positive ramps, A(T) = (T − SD)⁺ + ∫₀ᴸ 2^(s/R) (T − SD − s)⁺ ds (ln
    2)/R. E(A) is the same sum with e(d) in place of each ramp (T − d)⁺.
    """
    silence = silence_s[..., None]
    rise = rise_s(rtt_s, max_rate_pps)
    kinks = scales(interval, float(silence.max()) + rise) - silence
    growth = integral(
        lambda s: np.exp2(s / rtt_s) * mean_excess(interval, silence[..., None] + s),
        edges_between(0, rise, kinks),
    )
    return mean_excess(interval, silence_s) + math.log(2) / rtt_s * growth


@register
class Lossless(Model):
    """Renewal-reward goodput E(A)/E(T) without loss, by equations (1) to (4) and (11).

    During a spike, of mean duration SD, the sender is silent, and a timeout occurs. Then the rate
    doubles in each round trip R, from 1 packet/s up to C_max: the path's rate, or W/R if the
    receiver window W limits it. Without spikes the goodput is C_max.
    """

    name = "delay_spikes.lossless"
    title = "Renewal, lossless"
    equation = (
        "X = E(A)/E(T), A = ∫ min(C_max, 2^(t/R)) dt from a spike's end to the next spike. T: "
        "interval between spikes, start to start; during a spike, of mean duration, the sender is "
        "silent; C_max: rate of the path, packets/s, or W/R if the receiver window W is smaller "
        "than the path holds; R: round trip with one transmission."
    )
    source = "delay_spikes"
    citation = "lassila2008"
    inputs = (*PACKET, "tcp.max_window_packets", *LINK, "spikes")
    domain = (
        "no loss, C_max R < 6.5 packets, window of at least the bandwidth-delay product, "
        "spikes longer than the timeout"
    )
    conditions = (
        SMALL_PRODUCT,
        LONG_SPIKES,
        PAUSES,
        NO_BBR,
        *link(lambda s, _: product_packets(s)),
    )
    handles = frozenset({"delay spikes"})
    reduces = frozenset({"link retransmission"})
    counts_transmission = True

    def goodput_pps(self, scenario: Scenario, conditions: Conditions) -> float:
        """Return the goodput E(A)/E(T) in packets/s by equation (1), or C_max without spikes.

        Every spike is taken to last the mean spike duration.
        """
        check_rate(scenario)
        if scenario.spikes is None:
            return max_rate_pps(scenario)
        interval, silence_s = scenario.spikes.interval, scenario.spikes.duration.mean_s
        reward = mean_packets(interval, silence_s, round_trip_s(scenario), max_rate_pps(scenario))
        return float(reward) / interval.mean_s
