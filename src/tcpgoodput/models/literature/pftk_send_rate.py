"""PFTK's send rate: packets sent per loss event, lost and repeated ones included."""

from __future__ import annotations

from tcpgoodput.answers import Conditions, Undefined
from tcpgoodput.models.base import Model
from tcpgoodput.models.literature.padhye import (
    limited_by_rate,
    limiting_window,
    loss_event_rtts,
    outside_measured_domain,
    window_at_loss,
)
from tcpgoodput.models.literature.pftk import Pftk
from tcpgoodput.models.registry import register
from tcpgoodput.models.timeout_probability import timeout_probability
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.physics import lost_share


def send_rate_pps(
    p: float, rtt_s: float, timeout_s: float, b: int = 1, max_window: float | None = None
) -> float:
    """Return packets sent per second.

    [(1-p)/p + W + Q/(1-p)] over the same time as the goodput, W being the limit where it limits;
    evaluated times p. At p = 0 it is w/R.

    Raises:
        Undefined: p = 0 without a window limit.

    """
    if p == 0:
        if max_window is None:
            raise Undefined("without loss and without a window limit it grows without bound")
        return max_window / rtt_s
    limit = limiting_window(max_window, p, b)
    w = window_at_loss(p, b) if limit is None else limit
    sent = (1 - p) + p * (w + timeout_probability(w, p) / (1 - p))
    return sent / loss_event_rtts(limit, p, b, timeout_s / rtt_s) / rtt_s


@register
class PftkSendRate(Model):
    """The full formula of Padhye et al. as first published: what is sent, above what arrives."""

    name = "pftk_send_rate"
    title = "PFTK send rate"
    source = "literature"
    citation = "padhye1998"
    inputs = Pftk.inputs
    domain = f"{Pftk.domain}; a send rate, by 2 to 13 % above the goodput form"
    handles = Pftk.handles
    reduces = Pftk.reduces

    def goodput_pps(self, scenario: Scenario, conditions: Conditions) -> float:
        """Return the send rate, which the literature often takes for goodput."""
        return send_rate_pps(
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
