"""PFTK's goodput: packets that arrive per loss event, over the event's time."""

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
from tcpgoodput.models.registry import register
from tcpgoodput.models.timeout_probability import timeout_probability
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.physics import lost_share


def goodput_pps(
    p: float, rtt_s: float, timeout_s: float, b: int = 1, max_window: float | None = None
) -> float:
    """Return packets that reach the receiver per second.

    [(1-p)/p + W/2 + Q] / [R(bW/2 + 1) + Q T0 f/(1-p)] for W below the limit, else
    [(1-p)/p + w/2 + Q] / [R(bw/8 + (1-p)/(pw) + 2) + Q T0 f/(1-p)] with w the limit;
    both are evaluated times p. At p = 0 the second is w/R.

    Raises:
        Undefined: p = 0 without a window limit.

    """
    if p == 0:
        if max_window is None:
            raise Undefined("without loss and without a window limit it grows without bound")
        return max_window / rtt_s
    limit = limiting_window(max_window, p, b)
    w = window_at_loss(p, b) if limit is None else limit
    arrived = (1 - p) + p * (w / 2 + timeout_probability(w, p))
    return arrived / loss_event_rtts(limit, p, b, timeout_s / rtt_s) / rtt_s


@register
class Pftk(Model):
    """The full formula of Padhye et al. in its throughput form, which counts what arrives."""

    name = "pftk"
    title = "PFTK goodput"
    source = "literature"
    citation = "padhye2000"
    inputs = (
        "tcp.max_window_packets",
        "tcp.ack_every",
        "tcp.rto",
        "path.forward_delay_s",
        "path.backward_delay_s",
        "loss",
    )
    domain = (
        "independent loss: Reno up to 10 %, NewReno and SACK up to 3 % with a timeout of at most "
        "two round trips; the window or the loss limits, not the rate"
    )
    handles = frozenset({"independent loss"})
    reduces = frozenset({"bursty loss", "hand-offs", "delay spikes", "varying capacity"})

    def goodput_pps(self, scenario: Scenario, conditions: Conditions) -> float:
        """Return the formula's value at the propagation round trip and the smallest timeout."""
        return goodput_pps(
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
