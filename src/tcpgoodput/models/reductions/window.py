"""Reduction R-WIN: window, rate and buffer cap the goodput under losses; Brent's root finder.

The root finder returns the same numbers, to the last bit, as `scipy.optimize.brentq`. The import of
`scipy.optimize` would take longer than the evaluation of all models.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from tcpgoodput.answers import Undefined
from tcpgoodput.models.limits import held_packets
from tcpgoodput.models.reductions.capacity import carried_pps
from tcpgoodput.models.variable_capacity import saw_tooth
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.physics import mean_capacity_bps

SMALLEST_STEP = 8.881784197001252e-16
"""Smallest relative step of the root finder: four times the spacing of numbers above 1."""

MOST_STEPS = 100


def root_between(f: Callable[[float], float], low: float, high: float, within: float) -> float:
    """Return the zero of a function between two points at which its signs differ.

    Args:
        f: a continuous function.
        low: one end.
        high: the other end.
        within: the largest error of the returned zero.

    Raises:
        ArithmeticError: the search takes too many steps.

    """
    before, x = low, high
    f_before, f_x = f(before), f(x)
    if f_before == 0:
        return before
    other, f_other = before, f_before  # a point where the sign differs from that of f(x)
    previous_step = step = x - before
    for _ in range(MOST_STEPS):
        if f_before != 0 and f_x != 0 and (f_before < 0) != (f_x < 0):
            other, f_other = before, f_before
            previous_step = step = x - before
        if abs(f_other) < abs(f_x):
            before, x, other = x, other, x
            f_before, f_x, f_other = f_x, f_other, f_x
        delta = (within + SMALLEST_STEP * abs(x)) / 2
        half = (other - x) / 2
        if f_x == 0 or abs(half) < delta:
            return x
        guess = _guess(before, x, other, f_before, f_x, f_other)
        near = 2 * abs(guess) < min(abs(previous_step), 3 * abs(half) - delta)
        if abs(previous_step) > delta and abs(f_x) < abs(f_before) and near:
            previous_step, step = step, guess
        else:
            previous_step = step = half
        before, f_before = x, f_x
        x += step if abs(step) > delta else delta if half > 0 else -delta
        f_x = f(x)
    raise ArithmeticError(f"no root between {low:g} and {high:g} in {MOST_STEPS} steps")


def _guess(
    before: float, x: float, other: float, f_before: float, f_x: float, f_other: float
) -> float:
    """Return the step from x to an estimate of the zero.

    The estimate is the zero of a line through two known points, or of a hyperbola through three.
    """
    if before == other:
        rise = f_x - f_before
        return -f_x * (x - before) / rise if rise else float("inf")
    slope = (f_before - f_x) / (before - x)
    other_slope = (f_other - f_x) / (other - x)
    divisor = other_slope * slope * (f_other - f_before)
    if divisor == 0:
        return float("inf")
    return -f_x * (f_other * other_slope - f_before * slope) / divisor


SHARPNESS = 4
"""Exponent in `capped` of the transition between the limit by losses and the cap; our choice.
Random losses end some windows below the cap and let others reach it, which smooths the
transition."""

NEAR = 2.0
"""Smallest ratio of mean capacity to goodput under losses at which an unknown cap is ignored. Such
a cap would reduce the goodput by less than 2 %."""


def capped(loss_pps: float, cap_pps: float) -> float:
    """Return the goodput under losses and a cap, (X_loss⁻⁴ + X_cap⁻⁴)^(-1/4), in packets/s."""
    low, high = min(loss_pps, cap_pps), max(loss_pps, cap_pps)
    return low * (1 + (low / high) ** SHARPNESS) ** (-1 / SHARPNESS)


def cap_pps(scenario: Scenario) -> float:
    """Return the goodput in packets/s that receiver window, path and buffer allow without losses.

    Raises:
        Undefined: the capacity varies in a way that only the fluid model describes.

    """
    if scenario.capacity is None:
        return saw_tooth.carried_pps(scenario)
    window = scenario.tcp.max_window_packets or math.inf
    return min(carried_pps(scenario), window / scenario.propagation_rtt_s)


def outside_cap(scenario: Scenario) -> str | None:
    """Return an explanation if half the largest window is too small to recover from loss."""
    fits = min(scenario.tcp.max_window_packets or math.inf, held_packets(scenario))
    needed = 2 * (scenario.tcp.dupthresh + 1)
    if fits >= needed:
        return None
    return f"of windows of at most {fits:.3g} packets half is too few for duplicate ACKs"


def outside_constant_cap(scenario: Scenario) -> str | None:
    """Return an explanation if the capacity varies, and with it the cap, else None."""
    if scenario.capacity is None:
        return None
    return "losses beside a capacity that varies: a rate and a cap that are not met at one time"


def known_cap(scenario: Scenario, goodput_pps: float) -> float | str:
    """Return the cap in packets/s, or text that says why a cap far above the goodput is unknown.

    Raises:
        Undefined: the cap is unknown and not far above the goodput.

    """
    try:
        return cap_pps(scenario)
    except Undefined as undefined:
        mean_pps = mean_capacity_bps(scenario) / scenario.packet_bits
        if NEAR * goodput_pps > mean_pps:
            raise
        return str(undefined)
