"""Congestion cycles of 1/p packets, with (τ_SS) and without (τ_CA) a timeout and a slow start.

The module contains equations (5) and (14) to (18) and Table 1 of the study. Symbols: p the loss
probability, R the round trip, C_max the path's rate in packets/s, x₀ the rate at the start of a
cycle without a timeout. The window in packets is rate × R. A window that grows by one packet per
round trip, from one packet, is a rate that grows by 1/R² packets/s in a second, from 1/R packets/s.
In the study's text the rate grows by 1/R, from 1 packet/s.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from tcpgoodput.answers import Undefined
from tcpgoodput.models.losses import timeout_probability


@dataclass(frozen=True)
class Growth:
    """Growth of the sending rate: doubling in slow start, linear in congestion avoidance."""

    rtt_s: float
    """R, the round trip in seconds, in which slow start doubles the rate."""
    first_pps: float
    """The rate in packets/s with which slow start begins."""
    slope_pps2: float
    """Growth of the rate in congestion avoidance, in packets/s in a second."""

    def doubling_s(self, rate_pps: float) -> float:
        """Return t₁, the seconds of slow start up to a rate."""
        return self.rtt_s * math.log2(rate_pps / self.first_pps)

    def doubled_packets(self, rate_pps: float) -> float:
        """Return a₁, the packets that slow start sends up to a rate."""
        return self.rtt_s * (rate_pps - self.first_pps) / math.log(2)

    def linear_s(self, low_pps: float, high_pps: float) -> float:
        """Return the seconds of linear growth from one rate to another."""
        return (high_pps - low_pps) / self.slope_pps2

    def linear_packets(self, low_pps: float, high_pps: float) -> float:
        """Return a₂, the packets that linear growth sends from one rate to another."""
        return self.linear_s(low_pps, high_pps) * (high_pps + low_pps) / 2


def growth_of_a_window(rtt_s: float) -> Growth:
    """Return the growth of a window by one packet per round trip, from one packet, as a rate."""
    return Growth(rtt_s, first_pps=1 / rtt_s, slope_pps2=1 / rtt_s**2)


def printed_growth(rtt_s: float) -> Growth:
    """Return the growth of the rate as printed: by 1/R packets/s in a second, from 1 packet/s."""
    return Growth(rtt_s, first_pps=1.0, slope_pps2=1 / rtt_s)


@dataclass(frozen=True)
class Cycle:
    """Mean congestion cycle of a connection: the quantities of one row of the study's Table 1."""

    mode: int
    """Mode of a cycle in the study's Table 1. Mode 1: the rate stays below C_max. Mode 2: C_max
    cuts off the top of the saw-tooth. Mode 3: the rate is always C_max."""
    start_pps: float
    """x₀ in packets/s, the rate at the start of a cycle without a timeout, and at the end of slow
    start; C_max in mode 3."""
    avoidance_s: float
    """τ_CA, the duration of a cycle without a timeout, in seconds."""
    slow_start_s: float
    """τ_SS, the duration of a cycle with a timeout and a slow start, in seconds."""
    window_packets: float
    """Window w in packets at which the loss at the end of a cycle happens."""
    timeout_probability: float
    """β, the share of cycles that contain a timeout and a slow start."""

    @property
    def mean_s(self) -> float:
        """Mean duration of a cycle in seconds, E(Y) = β τ_SS + (1 − β) τ_CA."""
        beta = self.timeout_probability
        return beta * self.slow_start_s + (1 - beta) * self.avoidance_s


class EquationSet(NamedTuple):
    """The equations of the study that have errata, as printed or as corrected.

    Their functions below describe the arguments and results.
    """

    growth: Callable[[float], Growth]
    pure_start_pps: Callable[[float, Growth], float]
    linear_growth_s: Callable[[float, float, Growth], float]
    is_cut: Callable[[float, Growth, float], bool]


def pure_start_pps(p: float, growth: Growth) -> float:
    """Return x₀⁽¹⁾ = √(2g/(3p)) in packets/s, the rate at the start of a cycle in mode 1.

    Growth with the slope g to 2x₀ takes x₀/g seconds, in which 3x₀²/(2g) = 1/p packets are sent.
    """
    return math.sqrt(2 * growth.slope_pps2 / (3 * p))


def printed_pure_start_pps(p: float, growth: Growth) -> float:
    """Return x₀⁽¹⁾ as printed, √(2R/(3p)), which is in fact a cycle's duration in seconds."""
    return math.sqrt(2 * growth.rtt_s / (3 * p))


def linear_growth_s(start_pps: float, p: float, growth: Growth) -> float:
    """Return t₂, the duration of linear growth in seconds, by equation (16).

    t₂ = (√(x₀² + 2g(1/p − a₁)) − x₀)/g, computed without cancellation. x₀ is the rate at the end of
    slow start, g the slope, a₁ the packets of slow start.
    """
    left = 1 / p - growth.doubled_packets(start_pps)
    return 2 * left / (start_pps + math.sqrt(start_pps**2 + 2 * growth.slope_pps2 * left))


def printed_linear_growth_s(start_pps: float, p: float, growth: Growth) -> float:
    """Return t₂ as printed, with − 2/(pR) under the root; `Undefined` if that is negative."""
    square = start_pps**2 - 2 * (start_pps - 1) / math.log(2) - 2 / (p * growth.rtt_s)
    if square < 0:
        raise Undefined(
            f"the printed equation (16) has the square root of a negative number, {square:.4g}"
        )
    return growth.rtt_s * (math.sqrt(square) - start_pps)


def is_cut(p: float, growth: Growth, max_rate_pps: float) -> bool:
    """Return whether C_max cuts the saw-tooth: x₀⁽²⁾ < C_max, that is, p > g/C_max²."""
    return growth.slope_pps2 / p < max_rate_pps**2


def printed_is_cut(p: float, growth: Growth, max_rate_pps: float) -> bool:
    """Return whether the discriminant of x₀⁽²⁾ is not negative, the condition of the Appendix."""
    return 3 * max_rate_pps**2 - 2 / (p * growth.rtt_s) >= 0


CORRECTED = EquationSet(growth_of_a_window, pure_start_pps, linear_growth_s, is_cut)
PRINTED = EquationSet(
    printed_growth, printed_pure_start_pps, printed_linear_growth_s, printed_is_cut
)
PRINTED_GROWTH = CORRECTED._replace(growth=printed_growth)
"""The corrected equations of a rate that grows as printed."""


def cut_start_pps(p: float, growth: Growth, max_rate_pps: float) -> float:
    """Return x₀⁽²⁾ = 2C − √(3C² − 2g/p), the rate in packets/s at a cycle's start in mode 2."""
    return 2 * max_rate_pps - math.sqrt(3 * max_rate_pps**2 - 2 * growth.slope_pps2 / p)


def slow_start_cycle_s(
    start_pps: float,
    max_rate_pps: float,
    p: float,
    timeout_s: float,
    growth: Growth,
    equations: EquationSet = CORRECTED,
) -> float:
    """Return τ_SS, the duration in seconds of a cycle with a timeout.

    After the timeout the rate doubles in each round trip up to x₀. Then it grows linearly up to
    C_max, and stays there until 1/p packets are sent. The result is equation (17) if C_max cuts the
    growth, (16) if C_max is infinite, and (18) if x₀ = C_max.
    """
    doubled = growth.doubled_packets(start_pps)
    if 1 / p <= doubled:
        further = math.log(2) / (p * growth.rtt_s * growth.first_pps)
        return timeout_s + growth.rtt_s * math.log2(further + 1)
    grown = growth.linear_packets(start_pps, max_rate_pps)
    if 1 / p <= doubled + grown:
        linear_s, full_s = equations.linear_growth_s(start_pps, p, growth), 0.0
    else:
        linear_s = growth.linear_s(start_pps, max_rate_pps)
        full_s = (1 / p - doubled - grown) / max_rate_pps
    return timeout_s + growth.doubling_s(start_pps) + linear_s + full_s


def cycle(
    p: float,
    rtt_s: float,
    max_rate_pps: float,
    timeout_s: float,
    equations: EquationSet = CORRECTED,
) -> Cycle:
    """Return the mean congestion cycle by the study's Table 1.

    It is `Undefined` if x₀ is below the rate with which slow start begins, if 1/p overflows, or if
    an equation as printed has no value.
    """
    if math.isinf(1 / p):
        raise Undefined(f"1/p packets are too many for a floating-point number: p is {p:g}")
    growth = equations.growth(rtt_s)
    start = equations.pure_start_pps(p, growth)
    if start < max_rate_pps / 2:
        mode, ceiling = 1, math.inf
        # printed (15) has a wrong x₀, but printed (14) the right duration of the growth from x₀
        avoidance = growth.linear_s(0, pure_start_pps(p, growth))
        window = 2 * start * rtt_s
    elif equations.is_cut(p, growth, max_rate_pps):
        start = cut_start_pps(p, growth, max_rate_pps)
        mode, ceiling, avoidance = 2, max_rate_pps, growth.linear_s(0, start)
        window = max_rate_pps * rtt_s
    else:
        start = max_rate_pps
        mode, ceiling, avoidance = 3, max_rate_pps, 1 / (p * max_rate_pps)
        window = max_rate_pps * rtt_s
    if start < growth.first_pps * (1 - 1e-12):  # rounding, if the window is one packet
        raise Undefined(
            f"the model's slow start begins with {growth.first_pps:.3g} packets/s, but at p = "
            f"{p:.3g} congestion avoidance begins with {start:.3g} packets/s"
        )
    slow_start = slow_start_cycle_s(start, ceiling, p, timeout_s, growth, equations)
    found = Cycle(mode, start, avoidance, slow_start, window, timeout_probability(window, p))
    if found.mean_s <= 0:
        raise Undefined(f"the printed equation (16) gives a mean cycle of {found.mean_s:.3g} s")
    return found
