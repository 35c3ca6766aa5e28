"""What a model of independent loss reads of a scenario's loss."""

from __future__ import annotations

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
