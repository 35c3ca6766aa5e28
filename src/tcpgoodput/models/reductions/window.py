"""R-WIN: window, rate and buffer as a cap on a rate that losses alone would set."""

from __future__ import annotations

import math

from tcpgoodput.answers import Undefined
from tcpgoodput.models.limits import held_packets
from tcpgoodput.models.reductions.capacity import carried_pps
from tcpgoodput.models.variable_capacity import saw_tooth
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.physics import mean_capacity_bps

SHARPNESS = 4
"""Of the kink, a choice: any power meets both limits. Losses at random hit some windows below the
cap and let others reach it, which rounds it off."""

NEAR = 2.0
"""A cap that many times above the rate changes it by less than two per cent, and is left out."""


def capped(loss_pps: float, cap_pps: float) -> float:
    """Return (X_loss⁻⁴ + X_cap⁻⁴)^(-1/4); the cap may be infinite."""
    low, high = min(loss_pps, cap_pps), max(loss_pps, cap_pps)
    return low * (1 + (low / high) ** SHARPNESS) ** (-1 / SHARPNESS)


def cap_pps(scenario: Scenario) -> float:
    """Return what receiver window, path and buffer let through without any other loss.

    Raises:
        Undefined: the capacity varies in a way that only the fluid answers.

    """
    if scenario.capacity is None:
        return saw_tooth.carried_pps(scenario)
    window = scenario.tcp.max_window_packets or math.inf
    return min(carried_pps(scenario), window / scenario.propagation_rtt_s)


def outside_cap(scenario: Scenario) -> str | None:
    """Return a reason where the window that fits is too small to be halved by a loss."""
    fits = min(scenario.tcp.max_window_packets or math.inf, held_packets(scenario))
    needed = 2 * (scenario.tcp.dupthresh + 1)
    if fits >= needed:
        return None
    return f"of windows of at most {fits:.3g} packets half is too few for duplicate ACKs"


def outside_constant_cap(scenario: Scenario) -> str | None:
    """Return a reason where the cap varies: what is lost below it is not made up for above."""
    if scenario.capacity is None:
        return None
    return "losses beside a capacity that varies: a rate and a cap that are not met at one time"


def known_cap(scenario: Scenario, goodput_pps: float) -> float | str:
    """Return the cap, or the reason why it is unknown where it is far above the goodput.

    Raises:
        Undefined: it is unknown and not far above.

    """
    try:
        return cap_pps(scenario)
    except Undefined as undefined:
        mean_pps = mean_capacity_bps(scenario) / scenario.packet_bits
        if NEAR * goodput_pps > mean_pps:
            raise
        return str(undefined)
