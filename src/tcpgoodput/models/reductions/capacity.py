"""R-CAP: what a path of varying capacity carries where it varies slowly, fast, or in resonance.

Only overflows cut the window. ρ is the utilisation of a constant link (`saw_tooth`), C(t) swings
between C_min and C_max with frequency F, T_m is the round trip, B the buffer.
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
"""Largest F (C_max - C_min) T_m², swing in packets that a window opens in a period, that is slow:
it takes a packet per T_m to follow the capacity."""

RESONANT = 5.0
"""Smallest F (C_max - C_min) T_m² at which the window no longer follows at all."""

WITHIN_A_PERIOD = 0.3
"""Largest F T_m in resonance: the bottleneck is met by a window, not averaged over by it."""

SMALL_SWELL = 0.1
"""Part of the buffer that half a period may swell the queue by, (C_max - C_min)/(π F) packets at
most, so that a fast capacity is a constant one."""

WHOLE = 0.005
"""Part by which F T_m may miss a whole number."""

_PHASES = (np.arange(512) + 0.5) / 512
_WINDOWS = (np.arange(256) + 0.5) / 256


def carried_pps(scenario: Scenario) -> float:
    """Return the goodput of a window that only overflows of the buffer cut.

    Raises:
        Undefined: the capacity lies between the regimes, or is random.

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
    """Tell whether a round trip holds whole periods, and so carries the same at any time."""
    return turns > 0.5 and abs(turns - round(turns)) <= WHOLE * turns


def resonant_pps(levels_pps: Floats, largest_window: float, rtt_s: float) -> float:
    """Return the goodput of windows between W_x/2 and W_x, W_x = C_min T_m + B.

    At a window W the path carries g(W) = E_t[min(C(t), W/T_m)]; the window opens by a packet per W
    acknowledged, so that it stays at W for a time ∝ W/g(W). The mean of what is carried, g, over
    that time is ∫ W dW / ∫ W/g dW.
    """
    windows = largest_window * (1 + _WINDOWS) / 2
    carried = np.minimum(levels_pps[None, :], windows[:, None] / rtt_s).mean(axis=1)
    return float(windows.sum() / (windows / carried).sum())


def _levels_pps(scenario: Scenario) -> Floats:
    """Return the capacity at the phases of its period."""
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
