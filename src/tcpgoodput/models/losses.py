"""Losses of a scenario: loss probability, probability of a timeout, and loss events of bursts.

A Gilbert-Elliott channel turns bad with probability α per slot (packet time) and good with
probability β. A loss event is all losses within W slots, the first slot being that of the event's
first loss. After these W slots the channel is bad with probability b_W. The next loss event begins
(1 - b_W)/α slots later on average.
"""

from __future__ import annotations

import math
import sys

from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.loss import Bernoulli, GilbertElliott, NoLoss, Periodic
from tcpgoodput.scenario.types import Undefined


def independent_loss(scenario: Scenario) -> float:
    """Return the probability p of independent or periodic loss; 0 without loss, or if it is bursty.

    Only a model that handles "periodic loss" is evaluated on a scenario that loses one packet in
    1/p. Losses of another kind are `Undefined`.
    """
    match scenario.loss:
        case Bernoulli(probability=p) | Periodic(probability=p):
            return p
        case GilbertElliott() | NoLoss():
            return 0.0
        case other if other.impairment is None:
            return 0.0
        case other:
            raise Undefined(f"the formula has no {other.kind()}")


def bursts_of(scenario: Scenario) -> GilbertElliott | None:
    """Return the scenario's Gilbert-Elliott channel if its bad state can occur, else None."""
    loss = scenario.loss
    return loss if isinstance(loss, GilbertElliott) and loss.impairment else None


def peak_window_packets(loss_probability: float, packets_per_ack: int = 1) -> float:
    """Return the window W at which a loss happens if one of every 1/p packets is lost.

    With b packets per ACK, the window grows from W/2 to W in b·W/2 round trips. W follows from the
    packets in these round trips, 1/p = b · 3W²/8.
    """
    return math.sqrt(8 / (3 * packets_per_ack)) / math.sqrt(loss_probability)


def timeout_probability(window_packets: float, p: float) -> float:
    """Return Q(w), the probability that a loss in a window of w packets ends in a timeout.

    Q = min(1, (1-q³)(1 + q³(1-q^{w-3})) / (1-q^w)) by Padhye, Firoiu, Towsley and Kurose, q = 1-p.
    It tends to 3/w as p → 0, and is 1 for w ≤ 3. log1p and expm1 keep it precise for tiny p.
    """
    if window_packets <= 3:
        return 1.0
    log_q = math.log1p(-p)
    within_three = -math.expm1(3 * log_q)
    beyond_three = 1 - math.exp(3 * log_q) * math.expm1((window_packets - 3) * log_q)
    return min(1.0, within_three * beyond_three / -math.expm1(window_packets * log_q))


RAREST = sys.float_info.min
"""Smallest α in formulas with 1/α, so that 1/α is finite. With a smaller α, loss events are too
rare to have an effect."""


def slots_per_event(alpha: float, beta: float, window_packets: float) -> float:
    """Return N(W) = W + (1 - b_W)/α, the mean number of slots from one loss event to the next.

    b_W = π_B + π_G (1-α-β)^W, where π_B = α/(α+β) and π_G = 1-π_B are the long-run shares of bad
    and good slots. For α + β > 1 b_W alternates from slot to slot; a cosine interpolates between
    whole slots. N(1) = 1 + β/α ≥ 1, and N is concave in W.
    """
    alpha = max(alpha, RAREST)
    bad, left = alpha / (alpha + beta), 1 - alpha - beta
    turns = math.cos(math.pi * window_packets) if left < 0 else 1.0
    bad_again = bad + (1 - bad) * abs(left) ** window_packets * turns
    return window_packets + (1 - bad_again) / alpha


def losses_per_event(alpha: float, beta: float, window_packets: float) -> float:
    """Return m = π_B N(W), the mean number of lost packets in a loss event, at least 1."""
    alpha = max(alpha, RAREST)
    bad = alpha / (alpha + beta)
    return max(1.0, bad * slots_per_event(alpha, beta, window_packets))
