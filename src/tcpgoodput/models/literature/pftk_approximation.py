"""PFTK's approximation: the square-root law and a term for timeouts in one denominator."""

from __future__ import annotations

import math

from tcpgoodput.answers import Conditions, Undefined
from tcpgoodput.models.base import Model
from tcpgoodput.models.literature.padhye import limited_by_rate, outside_measured_domain
from tcpgoodput.models.literature.pftk import Pftk
from tcpgoodput.models.registry import register
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.physics import lost_share


def approximate_send_rate_pps(
    p: float, rtt_s: float, timeout_s: float, b: int = 1, max_window: float | None = None
) -> float:
    """Return min(w/R, 1/(R√(2bp/3) + T0 min(1, 3√(3bp/8)) p (1 + 32p²))).

    Without the inner minimum and the window it is the equation of TFRC (RFC 5348); the two differ
    above p = 8/(27b).

    Raises:
        Undefined: p = 0 without a window limit.

    """
    window_rate = math.inf if max_window is None else max_window / rtt_s
    if p == 0:
        if max_window is None:
            raise Undefined("without loss and without a window limit it grows without bound")
        return window_rate
    timeouts = min(1.0, 3 * math.sqrt(3 * b * p / 8)) * p * (1 + 32 * p**2)
    rtts_per_packet = math.sqrt(2 * b / 3) * math.sqrt(p) + timeout_s / rtt_s * timeouts
    return min(window_rate, 1 / rtts_per_packet / rtt_s)


@register
class PftkApproximation(Model):
    """The approximate formula of Padhye et al., with its window limit."""

    name = "pftk_approximation"
    title = "PFTK approximation"
    source = "literature"
    citation = "padhye1998"
    inputs = Pftk.inputs
    domain = f"{Pftk.domain}; a send rate"
    handles = Pftk.handles
    reduces = Pftk.reduces

    def goodput_pps(self, scenario: Scenario, conditions: Conditions) -> float:
        """Return the formula's value at the propagation round trip and the smallest timeout."""
        return approximate_send_rate_pps(
            lost_share(scenario),
            scenario.propagation_rtt_s,
            scenario.timeout_s,
            scenario.tcp.ack_every,
            scenario.tcp.max_window_packets,
        )

    def outside_domain(self, scenario: Scenario, conditions: Conditions) -> str | None:
        """Say where the sender or the loss is not the formula's."""
        return outside_measured_domain(scenario)

    def limited(self, scenario: Scenario, conditions: Conditions) -> str | None:
        """Say where the path's rate limits, not the loss or the window."""
        return limited_by_rate(scenario)
