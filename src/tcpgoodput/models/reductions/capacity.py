"""Reduction R-CAP: goodput over a capacity that varies slowly, fast, or in resonance.

Only overflows reduce the window. ρ is the utilisation of a constant link (`saw_tooth`). C(t) varies
between C_min and C_max with frequency F; T_m is the round trip, B the buffer.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.answers import Undefined
from tcpgoodput.models.variable_capacity.saw_tooth import utilisation
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.vocabulary import Sinusoid, Square

Floats = NDArray[np.float64]

SLOW = 0.1
"""Largest F (C_max - C_min) T_m² at which the capacity counts as slow. This is the ratio of the
change of the bandwidth-delay product, (C_max - C_min) T_m packets, to the growth of the window in a
period, 1/(F T_m) packets."""

RESONANT = 5.0
"""Smallest F (C_max - C_min) T_m² in resonance, where the window does not follow the capacity."""

WITHIN_A_PERIOD = 0.3
"""Largest F T_m, the number of periods per round trip, in the resonant regime. For larger ones the
window averages over the capacity."""

SMALL_SWELL = 0.1
"""Largest change of the queue in half a period, relative to the buffer, at which a fast capacity
acts like a constant one. This change is (C_max - C_min)/(π F) packets."""

WHOLE = 0.005
"""Largest relative difference of F T_m from a whole number at which it counts as whole."""

_PHASES = (np.arange(512) + 0.5) / 512
_WINDOWS = (np.arange(256) + 0.5) / 256


def carried_pps(scenario: Scenario) -> float:
    """Return the goodput in packets/s if only overflows of the buffer reduce the window.

    Raises:
        Undefined: the capacity is neither slow, nor fast, nor resonant, or it is not periodic.

    """
    levels = _levels_pps(scenario)
    buffer = scenario.path.buffer_packets or math.inf
    rtt_s, frequency_hz = scenario.propagation_rtt_s, scenario.capacity.frequency_hz  # type: ignore[union-attr]
    swing_pps = float(levels.max() - levels.min())
    opening = frequency_hz * swing_pps * rtt_s**2
    if opening <= SLOW:
        return float(np.mean([c * utilisation(buffer, c * rtt_s) for c in levels]))
    mean_pps = float(levels.mean())
    if _averaged(frequency_hz * rtt_s) or (
        swing_pps / (math.pi * frequency_hz) <= SMALL_SWELL * buffer
    ):
        return mean_pps * utilisation(buffer, mean_pps * rtt_s)
    if opening >= RESONANT and frequency_hz * rtt_s <= WITHIN_A_PERIOD and buffer < math.inf:
        return resonant_pps(levels, float(levels.min()) * rtt_s + buffer, rtt_s)
    raise Undefined(
        "the capacity is neither slow, nor fast, nor in resonance with the window: only the fluid "
        "answers"
    )


def _averaged(turns: float) -> bool:
    """Return whether a round trip lasts whole periods, so that its mean capacity is constant."""
    return turns > 0.5 and abs(turns - round(turns)) <= WHOLE * turns


def resonant_pps(levels_pps: Floats, largest_window: float, rtt_s: float) -> float:
    """Return the goodput in packets/s of a window between W_x/2 and W_x = C_min T_m + B.

    At a window W the path carries g(W) = E_t[min(C(t), W/T_m)]. The window grows by a packet per W
    acknowledged ones, so that the time spent at W is proportional to W/g(W). The mean of g over
    that time is ∫ W dW / ∫ W/g dW.
    """
    windows = largest_window * (1 + _WINDOWS) / 2
    carried = np.minimum(levels_pps[None, :], windows[:, None] / rtt_s).mean(axis=1)
    return float(windows.sum() / (windows / carried).sum())


def _levels_pps(scenario: Scenario) -> Floats:
    """Return the capacity at evenly spaced phases of its period, in packets/s."""
    capacity = scenario.capacity
    if not isinstance(capacity, Sinusoid | Square):
        raise Undefined("only the fluid answers a capacity that is not periodic")
    phases = np.asarray(_PHASES)
    wave = (
        np.sin(2 * np.pi * phases)
        if isinstance(capacity, Sinusoid)
        else np.where(phases < 0.5, 1.0, -1.0)
    )
    swing = (capacity.max_bps - capacity.min_bps) / 2
    return (capacity.mean_capacity_bps + swing * wave) / scenario.packet_bits
