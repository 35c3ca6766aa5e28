"""PFTK's goodput: packets that arrive per loss event, over the mean time between loss events."""

from __future__ import annotations

from tcpgoodput.models.literature.padhye import Pftk, full_formula_pps
from tcpgoodput.models.losses import timeout_probability
from tcpgoodput.models.registry import register


def goodput_pps(
    p: float, rtt_s: float, timeout_s: float, b: int = 1, max_window: float | None = None
) -> float:
    """Return the goodput in packets/s, which counts the packets that reach the receiver.

    The goodput is [(1-p)/p + W/2 + Q] / [R(bW/2 + 1) + Q T0 f/(1-p)] for W below the limit, else
    [(1-p)/p + w/2 + Q] / [R(bw/8 + (1-p)/(pw) + 2) + Q T0 f/(1-p)] with w the limit. W is the mean
    window at a loss, Q the probability that a loss ends in a timeout, and f the factor for timeouts
    that double. Numerator and denominator are both multiplied by p. At p = 0 the second form is
    w/R.

    Args:
        p: loss probability, below 1.
        rtt_s: round trip R in seconds.
        timeout_s: duration T0 of the first timeout in seconds.
        b: packets per ACK.
        max_window: w, the receiver window in packets; None: no limit.

    Raises:
        Undefined: p = 0 without a window limit.

    """
    return full_formula_pps(_arrived, p, rtt_s, timeout_s, b, max_window)


def _arrived(w: float, p: float) -> float:
    return (1 - p) + p * (w / 2 + timeout_probability(w, p))


@register
class PftkGoodput(Pftk):
    """The full formula of Padhye et al. as a throughput: it counts packets that arrive."""

    name = "pftk"
    title = "PFTK goodput"
    equation = (
        "X = [(1-p)/p + W/2 + Q] / [R (bW/2 + 1) + Q T0 f(p)/(1-p)], with W = (2+b)/(3b) + "
        "√(8(1-p)/(3bp) + ((2+b)/(3b))²); where the receiver window w is below W, the time is R "
        "(bw/8 + (1-p)/(pw) + 2) + Q T0 f(p)/(1-p) and w replaces W. p: probability of loss; b: "
        "packets per ACK; R: round trip; T0: timeout; W: mean window at a loss; Q: probability "
        "that a loss ends in a timeout; f(p) = 1 + p + 2p² + 4p³ + 8p⁴ + 16p⁵ + 32p⁶: the "
        "doubling of timeouts."
    )
    citation = "padhye2000"
    formula = staticmethod(goodput_pps)
