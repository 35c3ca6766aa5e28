"""The saw-tooth of a window that only buffer overflows reduce, on a path of constant rate."""

from __future__ import annotations

import math

from tcpgoodput.scenario import Scenario


def utilisation(buffer_packets: float, bandwidth_delay_packets: float) -> float:
    """Return the utilisation ρ = ¾ (1 + β)²/(1 + β + β²), β = min(1, B/(C T_m)); section II."""
    # Compare before the division, which overflows if the bandwidth-delay product is tiny.
    beta = (
        1.0
        if buffer_packets >= bandwidth_delay_packets
        else buffer_packets / bandwidth_delay_packets
    )
    return 0.75 * (1 + beta) ** 2 / (1 + beta + beta**2)


def carried_pps(scenario: Scenario) -> float:
    """Return the goodput ρ C in packets/s, or that of a window that never overflows the buffer.

    A receiver window below C T_m + B prevents every loss.
    """
    bandwidth_delay = scenario.rate_pps * scenario.propagation_rtt_s
    buffer = scenario.path.buffer_packets or math.inf
    window = scenario.tcp.max_window_packets or math.inf
    if window < bandwidth_delay + buffer:
        return min(scenario.rate_pps, window / scenario.propagation_rtt_s)
    return scenario.rate_pps * utilisation(buffer, bandwidth_delay)
