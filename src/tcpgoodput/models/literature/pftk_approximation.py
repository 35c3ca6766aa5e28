"""PFTK's approximation: the square-root law and a term for timeouts in one denominator."""

from __future__ import annotations

import math

from tcpgoodput.models.literature.pftk import Pftk, without_loss_pps
from tcpgoodput.models.registry import register


def approximate_send_rate_pps(
    p: float, rtt_s: float, timeout_s: float, b: int = 1, max_window: float | None = None
) -> float:
    """Return min(w/R, 1/(R√(2bp/3) + T0 min(1, 3√(3bp/8)) p (1 + 32p²))) in packets/s.

    The arguments are those of `pftk.goodput_pps`. Without the inner minimum and the window limit
    this is the equation of TFRC (RFC 5348). Without a window limit the two formulas differ only for
    p > 8/(27b).
    """
    if p == 0:
        return without_loss_pps(rtt_s, max_window)
    window_rate = math.inf if max_window is None else max_window / rtt_s
    timeouts = min(1.0, 3 * math.sqrt(3 * b * p / 8)) * p * (1 + 32 * p**2)
    rtts_per_packet = math.sqrt(2 * b / 3) * math.sqrt(p) + timeout_s / rtt_s * timeouts
    return min(window_rate, 1 / rtts_per_packet / rtt_s)


@register
class PftkApproximation(Pftk):
    """The approximate formula of Padhye et al., with its window limit."""

    name = "pftk_approximation"
    title = "PFTK approximation"
    equation = (
        "X = min(w/R, 1 / [R √(2bp/3) + T0 min(1, 3 √(3bp/8)) p (1 + 32p²)]). p: probability of "
        "loss; b: packets per ACK; R: round trip; T0: timeout; w: receiver window."
    )
    citation = "padhye1998"
    domain = f"{Pftk.domain}; a send rate"
    formula = staticmethod(approximate_send_rate_pps)
