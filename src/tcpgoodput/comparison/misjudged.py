"""Scenarios as somebody sees them who misjudges the loss or the round trip."""

from __future__ import annotations

from tcpgoodput.scenario import Scenario, override
from tcpgoodput.scenario.vocabulary import Bernoulli, GilbertElliott

SHARE = 0.2
"""By which what is measured may be off, up or down."""

FACTORS = {"over": 1 + SHARE, "under": 1 - SHARE}


def misjudged(scenario: Scenario) -> dict[str, Scenario]:
    """Return a scenario with its loss and its round trip misjudged, as far as it has them."""
    path, loss = scenario.path, scenario.loss
    found = {}
    for name, factor in FACTORS.items():
        delays = {
            "path.forward_delay_s": factor * path.forward_delay_s,
            "path.backward_delay_s": factor * path.backward_delay_s,
        }
        found[f"rtt-{name}"] = override(scenario, delays)
        match loss:
            case Bernoulli(probability=p) if factor * p < 1:
                found[f"loss-{name}"] = override(scenario, {"loss.probability": factor * p})
            case GilbertElliott(good_to_bad=alpha) if factor * alpha < 1:
                found[f"loss-{name}"] = override(scenario, {"loss.good_to_bad": factor * alpha})
    return found
