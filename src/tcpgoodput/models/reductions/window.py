"""Reductions of scenarios: R-WIN and R-CAP, in which a cap limits the goodput.

The cap of R-WIN follows from receiver window, path rate and buffer. The cap of R-CAP follows from a
varying capacity.

R-CAP is valid for a capacity that varies slowly, fast, or in resonance, if only overflows reduce
the window. ρ is the utilisation of a constant link. C(t) varies between C_min and C_max with
frequency F; T_m is the round trip, B the buffer. A receiver window W of at most C_min T_m + B never
overflows the buffer: the path carries min(C, W/T_m), if C changes little in a round trip.

The root finder returns the same numbers, to the last bit, as `scipy.optimize.brentq`. The import of
`scipy.optimize` would take longer than the evaluation of all models.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.answers import Undefined
from tcpgoodput.models.limits import held_packets
from tcpgoodput.models.variable_capacity.closed_form import carried_pps
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.physics import mean_capacity_bps
from tcpgoodput.scenario.vocabulary import Sinusoid, Square

SMALLEST_STEP = 8.881784197001252e-16
"""Smallest relative step of the root finder: four times the spacing of floats just above 1."""

MOST_STEPS = 100


def root_between(f: Callable[[float], float], low: float, high: float, within: float) -> float:
    """Return the zero of a continuous function between two points at which its signs differ.

    `within` is the largest absolute error of the zero, besides rounding.
    """
    before, x = low, high
    f_before, f_x = f(before), f(x)
    if f_before == 0:
        return before
    other, f_other = before, f_before  # a point at which f has another sign than at x
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
    """Return the step from x to an estimate of the zero; infinite if there is no estimate."""
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
"""Exponent in `capped`: how sharp the transition from the limit by losses to the cap is. The value
is our choice. Random losses end some windows below the cap and let others reach it, which smooths
the transition."""

NEAR = 2.0
"""Smallest ratio of the mean capacity to the goodput under losses at which an unknown cap is
ignored. A cap so far above the goodput would reduce it by less than 2 %."""


def capped(loss_pps: float, cap_pps: float) -> float:
    """Return the goodput under losses and a cap, (X_loss⁻⁴ + X_cap⁻⁴)^(-1/4), in packets/s."""
    low, high = min(loss_pps, cap_pps), max(loss_pps, cap_pps)
    return low * (1 + (low / high) ** SHARPNESS) ** (-1 / SHARPNESS)


def cap_pps(scenario: Scenario) -> float:
    """Return the goodput that receiver window, path and buffer allow without losses."""
    if scenario.capacity is None:
        return carried_pps(scenario, scenario.rate_pps)
    return carried_by_varying_pps(scenario)


def outside_cap(scenario: Scenario) -> str | None:
    """Return an explanation if half the largest window cannot cause fast retransmit, or None."""
    fits = min(scenario.tcp.max_window_packets or math.inf, held_packets(scenario))
    needed = 2 * (scenario.tcp.dupthresh + 1)
    if fits >= needed:
        return None
    return (
        f"the window is at most {fits:.3g} packets; half of it is too small for the "
        f"{scenario.tcp.dupthresh} duplicate ACKs of fast retransmit"
    )


def outside_constant_cap(scenario: Scenario) -> str | None:
    """Return an explanation if the cap changes over time because the capacity varies, else None."""
    if scenario.capacity is None:
        return None
    return (
        "losses and a varying capacity limit the goodput at different times, which one cap does "
        "not describe"
    )


def known_cap(scenario: Scenario, goodput_pps: float) -> float | str:
    """Return the cap in packets/s, or text that says why a cap far above the goodput is unknown.

    Far above: the mean capacity is at least `NEAR` times the goodput. Else it is `Undefined`.
    """
    try:
        return cap_pps(scenario)
    except Undefined as undefined:
        mean_pps = mean_capacity_bps(scenario) / scenario.packet_bits
        if NEAR * goodput_pps > mean_pps:
            raise
        return str(undefined)


Floats = NDArray[np.float64]

SLOW = 0.1
"""Largest F (C_max - C_min) T_m² at which the capacity counts as slow: the change of the
bandwidth-delay product, (C_max - C_min) T_m packets, over the growth of the window in a
period, 1/(F T_m) packets. Chosen by hand."""

RESONANT = 5.0
"""Smallest F (C_max - C_min) T_m² of the resonant regime, in which the window does not follow
the changes of the capacity. Chosen by hand."""

WITHIN_A_PERIOD = 0.3
"""Largest number of periods of the capacity per round trip in the resonant regime, and for a window
that never overflows the buffer. For a larger number of periods the window responds to the mean
capacity. Chosen by hand."""

SMALL_SWELL = 0.1
"""Largest change of the queue in half a period, (C_max - C_min)/(π F) packets, relative to the
buffer, at which a fast capacity has the effect of a constant one. Chosen by hand."""

WHOLE = 0.005
"""Largest relative difference of the number of capacity periods per round trip from a whole number
at which it counts as whole. Chosen by hand."""

_PHASES = (np.arange(512) + 0.5) / 512
_WINDOWS = (np.arange(256) + 0.5) / 256


def carried_by_varying_pps(scenario: Scenario) -> float:
    """Return the goodput in packets/s if only overflows reduce the window.

    It is `Undefined` if the capacity is neither slow, nor fast, nor resonant, or not periodic.
    """
    levels = _levels_pps(scenario)
    buffer = scenario.path.buffer_packets or math.inf
    rtt_s, frequency_hz = scenario.propagation_rtt_s, scenario.capacity.frequency_hz  # type: ignore[union-attr]
    least_pps = float(levels.min())
    swing_pps = float(levels.max()) - least_pps
    opening, turns = frequency_hz * swing_pps * rtt_s**2, frequency_hz * rtt_s
    # If a round trip lasts a whole number of periods, the mean capacity over it is constant.
    averaged = turns > 0.5 and abs(turns - round(turns)) <= WHOLE * turns
    is_fast = averaged or swing_pps / (math.pi * frequency_hz) <= SMALL_SWELL * buffer
    is_resonant = opening >= RESONANT and turns <= WITHIN_A_PERIOD
    if not (opening <= SLOW or is_fast or is_resonant):
        raise Undefined(
            "the capacity varies about as fast as the window grows, which only the fluid model "
            "describes"
        )
    largest = least_pps * rtt_s + buffer
    overflows = (scenario.tcp.max_window_packets or math.inf) > largest
    if opening <= SLOW or (turns <= WITHIN_A_PERIOD and not overflows):
        # The sum is exact if all levels carry W/T_m, which is then known to be the window's limit.
        return math.fsum(carried_pps(scenario, level) for level in levels.tolist()) / levels.size
    if is_fast:
        return carried_pps(scenario, float(levels.mean()))
    return resonant_pps(levels, largest, rtt_s)


def resonant_pps(levels_pps: Floats, largest_window: float, rtt_s: float) -> float:
    """Return the goodput in packets/s of a window that grows from W_x/2 to W_x = `largest_window`.

    With a window W the path carries g(W) = E_t[min(C(t), W/T_m)]. The window grows by a packet per
    W acknowledged ones, so that the time spent at W is proportional to W/g(W). The mean of g over
    the time is ∫ W dW / ∫ W/g dW.
    """
    windows = largest_window * (1 + _WINDOWS) / 2
    carried = np.minimum(levels_pps[None, :], windows[:, None] / rtt_s).mean(axis=1)
    return float(windows.sum() / (windows / carried).sum())


def _levels_pps(scenario: Scenario) -> Floats:
    """Return the capacity at evenly spaced phases of its period, in packets/s."""
    capacity = scenario.capacity
    if not isinstance(capacity, Sinusoid | Square):
        raise Undefined("the capacity is not periodic, which only the fluid model describes")
    phases = np.asarray(_PHASES)
    wave = (
        np.sin(2 * np.pi * phases)
        if isinstance(capacity, Sinusoid)
        else np.where(phases < 0.5, 1.0, -1.0)
    )
    swing = (capacity.max_bps - capacity.min_bps) / 2
    return (capacity.mean_capacity_bps + swing * wave) / scenario.packet_bits
