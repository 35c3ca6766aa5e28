"""Misra, Gong and Towsley: a window driven by losses whose rate is the window's."""

from __future__ import annotations

import math

from tcpgoodput.models.base import Conditions, Model, Undefined, lost_share
from tcpgoodput.models.registry import register
from tcpgoodput.scenario import Scenario


def throughput_pps(p: float, rtt_s: float, b: int = 1) -> float:
    """Return √(2/(bp))/R, the root of the mean squared window over the round trip.

    dW = dt/(bR) - (W/2) dN with N of rate pW/R: in the mean of W², and of W, nothing changes when
    b p E[W²] = 2. The mean window itself is 1.3098/√(bp), 7.4 % less.
    """
    return math.sqrt(2 / b) / math.sqrt(p) / rtt_s


@register
class Misra(Model):
    """The stochastic differential equation of the window, without its timeouts."""

    name = "misra"
    title = "Misra, Gong, Towsley"
    source = "literature"
    citation = "misra1999"
    inputs = ("tcp.ack_every", "path.forward_delay_s", "path.backward_delay_s", "loss")
    domain = "to be measured"
    handles = frozenset({"independent loss"})

    def goodput_pps(self, scenario: Scenario, conditions: Conditions) -> float:
        """Return the formula's value at the propagation round trip."""
        p = lost_share(scenario)
        if p == 0:
            raise Undefined("without loss the formula grows without bound")
        return throughput_pps(p, scenario.propagation_rtt_s, scenario.tcp.ack_every)
