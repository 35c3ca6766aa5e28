"""R-GE, R-IID: loss events under bursts and under independent loss.

A Gilbert-Elliott channel turns bad with probability α per slot and good with β. After a loss event
that began a window of W slots ago the channel is bad with probability b_W; from there it takes
(1 - b_W)/α slots on average until it turns bad again, or none.

A sender meets a hand-off every A_h seconds, which is one in X A_h packets, and a burst of loss
once in N(X R) of them: the faster it sends, the rarer. A rate formula f(p) then has the goodput at
which X = f(p(X)).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from tcpgoodput.answers import Undefined
from tcpgoodput.models.limits import outside_close_handoffs, outside_delay_steps, outside_hit_window
from tcpgoodput.models.losses import losses_per_event, slots_per_event
from tcpgoodput.models.reductions.catalogue import BURSTS, HANDOFFS
from tcpgoodput.models.reductions.window import root_between
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.physics import lost_share
from tcpgoodput.scenario.unsupported import missing_half
from tcpgoodput.scenario.vocabulary import Bernoulli, GilbertElliott, NoLoss

LONGEST_BURST = 0.25
"""In windows, as packet simulation of random connections has it."""


def as_bursts(loss: Bernoulli) -> GilbertElliott:
    """Return independent loss as a Gilbert-Elliott channel: α = p, β = 1 - p; exact (R-IID)."""
    p = loss.probability
    return GilbertElliott(
        process="gilbert-elliott", good_to_bad=p, bad_to_good=1 - p, place=loss.place
    )


def outside_window(beta: float, window_packets: float) -> str | None:
    """Return a reason where bursts last so long that repairs are lost with what they repair."""
    if 1 / beta < LONGEST_BURST * window_packets:
        return None
    return (
        f"bursts of {1 / beta:.3g} slots reach a quarter of a window ({window_packets:.3g} "
        "packets): repairs are lost, too"
    )


STEP = 1.25
"""Between the rates at which a root is looked for from above."""

MOST_STEPS = 120
"""Down by eleven orders of magnitude."""

MOST_EVENTS = 0.5
"""Per packet; above, no formula of loss events means anything."""

MOST_HOLES = {"reno": 1.5, "newreno": 3.0}
"""Lost packets of an event up to which its recovery is not what counts: Reno times out at the
second, NewReno takes a round trip for each. SACK repairs them all at once."""


@dataclass(frozen=True)
class LossEvents:
    """The loss events of a scenario, as a sender of a certain rate meets them."""

    scenario: Scenario

    @property
    def reductions(self) -> tuple[str, ...]:
        """Which reductions turn the scenario's losses into events."""
        handed = self.scenario.handoffs is not None
        return (*([BURSTS] if self._bursty else []), *([HANDOFFS] if handed else []))

    @property
    def _bursty(self) -> GilbertElliott | None:
        """The scenario's bursts of loss."""
        match self.scenario.loss:
            case GilbertElliott() as loss:
                return loss if loss.good_to_bad > 0 else None
            case NoLoss() | Bernoulli():
                return None
        raise missing_half("models/reductions/events.py", "_bursty", self.scenario.loss)

    def per_packet(self, goodput_pps: float) -> float:
        """Return p_ev at a goodput X: p or 1/N(X R), and 1/(X A_h) for hand-offs.

        Raises:
            Undefined: more than every second packet would meet a loss event.

        """
        handoffs = self.scenario.handoffs
        if loss := self._bursty:
            window = max(1.0, goodput_pps * self.scenario.propagation_rtt_s)
            rate = 1 / slots_per_event(loss.good_to_bad, loss.bad_to_good, window)
        else:
            rate = lost_share(self.scenario)
        rate += 1 / (goodput_pps * handoffs.interval_s) if handoffs else 0.0
        if rate > MOST_EVENTS:
            raise no_goodput_agrees()
        return rate

    def outside(self, goodput_pps: float) -> str | None:
        """Return a reason where losses of an event last longer than the event."""
        handoffs, tcp = self.scenario.handoffs, self.scenario.tcp
        if loss := self._bursty:
            window = goodput_pps * self.scenario.propagation_rtt_s
            lost = losses_per_event(loss.good_to_bad, loss.bad_to_good, max(window, 1.0))
            if reason := (
                outside_window(loss.bad_to_good, window) or outside_holes(lost, tcp.variant)
            ):
                return reason
        return outside_single_event(self.scenario, goodput_pps) if handoffs else None


def outside_holes(lost_packets: float, variant: str) -> str | None:
    """Return a reason where repairing an event's losses is what costs."""
    most = MOST_HOLES.get(variant)
    if most is None or lost_packets <= most:
        return None
    return f"{variant} does not repair {lost_packets:.3g} packets in one round trip"


def outside_single_event(scenario: Scenario, goodput_pps: float) -> str | None:
    """Return a reason where a hand-off is more than one halving of the window."""
    handoffs = scenario.handoffs
    assert handoffs is not None  # or there is no such event
    window = goodput_pps * scenario.propagation_rtt_s
    return (
        outside_delay_steps(handoffs)
        or outside_holes(handoffs.packets, scenario.tcp.variant)
        or outside_close_handoffs(scenario, handoffs)
        or outside_hit_window(scenario, handoffs, window)
    )


def largest_agreeing(response_pps: Callable[[float], float], top_pps: float) -> float:
    """Return the largest X up to a top with X = f(X), the stable one.

    Roots come in pairs or not at all where f falls fast enough: plain iteration from a small X
    ends at zero, so the search goes down from the top in small steps.

    Args:
        response_pps: f, the goodput of a sender that meets losses as often as one of goodput X.
        top_pps: from which on it does not matter what X is.

    Raises:
        Undefined: no goodput agrees.

    """

    @cache  # the root finder begins with two points that were tried
    def excess(log_x: float) -> float:
        x = math.exp(log_x)
        return math.log(response_pps(x) / x)

    upper = math.log(top_pps)
    if excess(upper) >= 0:
        return top_pps
    for _ in range(MOST_STEPS):
        lower = upper - math.log(STEP)
        if excess(lower) >= 0:
            return math.exp(root_between(excess, lower, upper, within=1e-12))
        upper = lower
    raise no_goodput_agrees()


def no_goodput_agrees() -> Undefined:
    """Return the refusal where a sender of any rate meets more loss events than allow it."""
    return Undefined("no goodput agrees with the rate of loss events that it would meet")
