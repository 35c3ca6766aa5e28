"""Independent loss of a scenario, and the probability that a timeout detects a loss."""

from __future__ import annotations

import math

from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.unsupported import missing_half
from tcpgoodput.scenario.vocabulary import Bernoulli, GilbertElliott, NoLoss


def independent_loss(scenario: Scenario) -> float:
    """Return the probability p of independent loss; 0 without loss, or if losses come in bursts."""
    match scenario.loss:
        case Bernoulli() as loss:
            return loss.probability
        case NoLoss() | GilbertElliott():
            return 0.0
    raise missing_half("models/losses.py", "independent_loss", scenario.loss)


def peak_window_packets(loss_probability: float, packets_per_ack: int = 1) -> float:
    """Return W in packets, the window at which a periodic loss happens.

    From 1/p = b · 3W²/8, the area under one tooth of b·W/2 round trips.
    """
    return math.sqrt(8 / (3 * packets_per_ack)) / math.sqrt(loss_probability)


def timeout_probability(window_packets: float, p: float) -> float:
    """Return Q(w), the probability that a loss in a window of w packets ends in a timeout.

    min(1, (1-q³)(1 + q³(1-q^{w-3})) / (1-q^w)) with q = 1-p; 3/w as p → 0, 1 for w ≤ 3. Padhye,
    Firoiu, Towsley and Kurose; written with log1p and expm1, so that every p has full precision.
    """
    if window_packets <= 3:
        return 1.0
    log_q = math.log1p(-p)
    within_three = -math.expm1(3 * log_q)
    beyond_three = 1 - math.exp(3 * log_q) * math.expm1((window_packets - 3) * log_q)
    return min(1.0, within_three * beyond_three / -math.expm1(window_packets * log_q))
