"""Independent loss: what models read of it in a scenario, and how far it lets a window open."""

from __future__ import annotations

import math

from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.halves import missing_half
from tcpgoodput.scenario.vocabulary import Bernoulli, GilbertElliott, NoLoss


def independent_loss(scenario: Scenario) -> float:
    """Return p of independent loss; 0 where nothing is lost, or in bursts, which are no p."""
    match scenario.loss:
        case Bernoulli() as loss:
            return loss.probability
        case NoLoss() | GilbertElliott():
            return 0.0
    raise missing_half("models/losses.py", "independent_loss", scenario.loss)


def peak_window_packets(loss_probability: float, packets_per_ack: int = 1) -> float:
    """Return W, the window at which the periodic loss happens.

    From 1/p = b · 3W²/8, the area under one tooth of b·W/2 round trips.
    """
    return math.sqrt(8 / (3 * packets_per_ack)) / math.sqrt(loss_probability)
