"""PFTK's send rate: packets sent per loss event, including lost and retransmitted ones."""

from __future__ import annotations

from tcpgoodput.models.literature.pftk import Pftk, full_formula_pps
from tcpgoodput.models.losses import timeout_probability
from tcpgoodput.models.registry import register


def send_rate_pps(
    p: float, rtt_s: float, timeout_s: float, b: int = 1, max_window: float | None = None
) -> float:
    """Return the send rate in packets/s, including lost and retransmitted packets.

    The arguments and the time between loss events are those of `pftk.goodput_pps`. If the receiver
    window w is smaller than W, w replaces W. At p = 0 the result is w/R.
    """
    return full_formula_pps(
        lambda w, p: (1 - p) + p * (w + timeout_probability(w, p) / (1 - p)),
        p, rtt_s, timeout_s, b, max_window,
    )  # fmt: skip


@register
class PftkSendRate(Pftk):
    """The full formula of Padhye et al. as first published, which counts packets sent.

    The send rate is above the rate of packets that arrive. The literature often takes this formula
    for the goodput.
    """

    name = "pftk_send_rate"
    title = "PFTK send rate"
    equation = (
        "X = [(1-p)/p + W + Q/(1-p)] / [R (bW/2 + 1) + Q T0 f(p)/(1-p)]: packets sent per loss "
        "event, over the mean time between loss events; symbols as for pftk."
    )
    citation = "padhye1998"
    domain = f"{Pftk.domain}; the result is a send rate, which is 2 to 13 % above PFTK's goodput"
    formula = staticmethod(send_rate_pps)
