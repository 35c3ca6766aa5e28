"""Congestion cycles of 1/p packets, with (τ_SS) and without (τ_CA) a timeout and a slow start.

The module contains equations (5) and (14) to (18) and Table 1 of the study; p is the loss
probability and R the round trip. In the study the rate grows by 1/R packets/s in a second, the
window in packets is rate × R, and slow start begins with 1 packet/s. The units of that growth are
inconsistent. With times in round trips and rates in packets per round trip (R = 1) the same
equations are consistent.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from tcpgoodput.answers import Equations, Undefined
from tcpgoodput.models.losses import timeout_probability


@dataclass(frozen=True)
class Cycle:
    """Mean congestion cycle of a connection: the quantities of one row of the study's Table 1.

    C_max is the path's rate in packets/s.
    """

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
        """The mean duration of a cycle in seconds, E(Y) = β τ_SS + (1 − β) τ_CA."""
        beta = self.timeout_probability
        return beta * self.slow_start_s + (1 - beta) * self.avoidance_s


@dataclass(frozen=True)
class EquationSet:
    """The three equations of the study that have errata, all as printed or all as corrected.

    Arguments: loss probability p, round trip R in seconds, path rate C_max in packets/s, and x₀,
    the rate in packets/s at the start of a cycle without a timeout.
    """

    pure_start_pps: Callable[[float, float], float]
    """Function that returns x₀ in mode 1 in packets/s, given p and R; equation (15)."""
    linear_growth_s: Callable[[float, float, float], float]
    """Function that returns t₂, the seconds of linear growth after slow start, given x₀, p and R;
    equation (16)."""
    is_cut: Callable[[float, float, float], bool]
    """Function that returns whether the rate is sometimes below C_max, given p, R and C_max; this
    is a condition in Table 1."""


def pure_start_pps(p: float, rtt_s: float) -> float:
    """Return x₀⁽¹⁾ = √(2/(3pR)) in packets/s, the rate at the start of a cycle in mode 1.

    In mode 1 the rate stays below the path's rate. It grows by one packet/s in a round trip R. So
    the growth from x₀ to 2x₀ takes R x₀ seconds, in which 1/p packets are sent.
    """
    return math.sqrt(2 / (3 * p * rtt_s))


def printed_pure_start_pps(p: float, rtt_s: float) -> float:
    """Return x₀⁽¹⁾ as printed, √(2R/(3p)), which is in fact the duration of the cycle in seconds.

    x₀⁽¹⁾ should be the rate at the start of a cycle in mode 1; R is the round trip.
    """
    return math.sqrt(2 * rtt_s / (3 * p))


def linear_growth_s(start_pps: float, p: float, rtt_s: float) -> float:
    """Return t₂, the duration of linear growth in seconds, by equation (16).

    t₂ = R (√(x₀² − 2(x₀ − 1)/ln 2 + 2/(pR)) − x₀), computed without cancellation. x₀ is the rate
    at the end of slow start, R the round trip. The cycle has 1/p packets.
    """
    # packets of the cycle that are sent after slow start, 1/p − a₁
    left = 1 / p - rtt_s * (start_pps - 1) / math.log(2)
    return 2 * left / (start_pps + math.sqrt(start_pps**2 + 2 * left / rtt_s))


def printed_linear_growth_s(start_pps: float, p: float, rtt_s: float) -> float:
    """Return the seconds t₂ of linear growth as printed, with − 2/(pR) under the root.

    The rate grows after slow start; p is the loss probability, and R the round trip.

    Raises:
        Undefined: the number under the root is negative.

    """
    square = start_pps**2 - 2 * (start_pps - 1) / math.log(2) - 2 / (p * rtt_s)
    if square < 0:
        raise Undefined(
            f"the printed equation (16) has the square root of a negative number, {square:.4g}"
        )
    return rtt_s * (math.sqrt(square) - start_pps)


def is_cut(p: float, rtt_s: float, max_rate_pps: float) -> bool:
    """Return whether C_max cuts the saw-tooth: x₀⁽²⁾ < C_max, that is, p > 1/(R C_max²).

    C_max is the path's rate, R the round trip, and x₀⁽²⁾ the rate at the start of a cut cycle.
    """
    return 1 / (p * rtt_s) < max_rate_pps**2


def printed_is_cut(p: float, rtt_s: float, max_rate_pps: float) -> bool:
    """Return whether C_max cuts the saw-tooth, by the last sentence of the study's Appendix.

    The condition is that the discriminant of x₀⁽²⁾, the rate at a cycle's start, is not negative.
    """
    return 3 * max_rate_pps**2 - 2 / (p * rtt_s) >= 0


CORRECTED = EquationSet(pure_start_pps, linear_growth_s, is_cut)
PRINTED = EquationSet(printed_pure_start_pps, printed_linear_growth_s, printed_is_cut)


def equation_set(form: Equations) -> EquationSet:
    """Return the study's equations that have errata, either as printed or as corrected."""
    return CORRECTED if form == "corrected" else PRINTED


def cut_start_pps(p: float, rtt_s: float, max_rate_pps: float) -> float:
    """Return x₀⁽²⁾ = 2C − √(3C² − 2/(pR)), the rate in packets/s at a cycle's start in mode 2.

    In mode 2 the path's rate C cuts off the top of the saw-tooth; R is the round trip.
    """
    return 2 * max_rate_pps - math.sqrt(3 * max_rate_pps**2 - 2 / (p * rtt_s))


def slow_start_cycle_s(
    start_pps: float,
    max_rate_pps: float,
    p: float,
    rtt_s: float,
    timeout_s: float,
    equations: EquationSet = CORRECTED,
) -> float:
    """Return τ_SS, the duration in seconds of a cycle with a timeout.

    After the timeout the rate doubles in each round trip R up to x₀ = `start_pps`. Then it grows by
    1/R packets/s in a second up to C_max = `max_rate_pps`, and stays there until 1/p packets are
    sent. The result is equation (17) if C_max cuts the growth, (16) if C_max is infinite, and (18)
    if x₀ = C_max.
    """
    doubled = rtt_s * (start_pps - 1) / math.log(2)  # a₁, packets of slow start
    if 1 / p <= doubled:
        return timeout_s + rtt_s * math.log2(math.log(2) / (p * rtt_s) + 1)
    doubling_s = rtt_s * math.log2(start_pps)  # t₁, the duration of slow start
    # a₂, packets of linear growth
    grown = rtt_s * (max_rate_pps - start_pps) * (max_rate_pps + start_pps) / 2
    if 1 / p <= doubled + grown:
        return timeout_s + doubling_s + equations.linear_growth_s(start_pps, p, rtt_s)
    growth_s = rtt_s * (max_rate_pps - start_pps)
    return timeout_s + doubling_s + growth_s + (1 / p - doubled - grown) / max_rate_pps


def cycle(
    p: float,
    rtt_s: float,
    max_rate_pps: float,
    timeout_s: float,
    equations: EquationSet = CORRECTED,
) -> Cycle:
    """Return the mean congestion cycle by the study's Table 1.

    Args:
        p: loss probability, in (0, 1).
        rtt_s: round trip R in seconds.
        max_rate_pps: C_max, the path's rate, in packets/s.
        timeout_s: TO, the duration of a timeout, in seconds.
        equations: the equations with errata, as corrected or as printed.

    Raises:
        Undefined: the rate x₀ at a cycle's start is below 1 packet/s, at which slow start begins;
            or 1/p overflows; or an equation as printed has no value.

    """
    if math.isinf(1 / p):
        raise Undefined(f"1/p packets are too many for a floating-point number: p is {p:g}")
    start = equations.pure_start_pps(p, rtt_s)
    if start < max_rate_pps / 2:
        mode, ceiling, avoidance = 1, math.inf, math.sqrt(2 * rtt_s / (3 * p))
        window = 2 * start * rtt_s
    elif equations.is_cut(p, rtt_s, max_rate_pps):
        start = cut_start_pps(p, rtt_s, max_rate_pps)
        mode, ceiling, avoidance = 2, max_rate_pps, rtt_s * start
        window = max_rate_pps * rtt_s
    else:
        start = max_rate_pps
        mode, ceiling, avoidance = 3, max_rate_pps, 1 / (p * max_rate_pps)
        window = max_rate_pps * rtt_s
    if start < 1:
        raise Undefined(
            f"the model's slow start begins with 1 packet/s, but at p = {p:.3g} congestion "
            f"avoidance begins with {start:.3g} packets/s"
        )
    slow_start = slow_start_cycle_s(start, ceiling, p, rtt_s, timeout_s, equations)
    found = Cycle(mode, start, avoidance, slow_start, window, timeout_probability(window, p))
    if found.mean_s <= 0:
        raise Undefined(f"the printed equation (16) gives a mean cycle of {found.mean_s:.3g} s")
    return found


def cycle_in_round_trips(
    p: float,
    rtt_s: float,
    max_rate_pps: float,
    timeout_s: float,
    equations: EquationSet = CORRECTED,
) -> Cycle:
    """Return the mean cycle of a window that grows by one packet per round trip, from one packet.

    With a round trip of R seconds, the rate begins with 1/R packets/s and grows by 1/R² packets/s
    in a second. Arguments and errors are those of `cycle`.
    """
    unit = cycle(p, 1.0, max_rate_pps * rtt_s, timeout_s / rtt_s, equations)
    return replace(
        unit,
        start_pps=unit.start_pps / rtt_s,
        avoidance_s=unit.avoidance_s * rtt_s,
        slow_start_s=unit.slow_start_s * rtt_s,
    )
