"""Changed copies of a scenario: without one of its impairments, or with misjudged inputs."""

from __future__ import annotations

from typing import Any

from tcpgoodput.scenario import Scenario, override
from tcpgoodput.scenario.loss import Bernoulli, GilbertElliott, Periodic
from tcpgoodput.scenario.physics import impairments

TAKEN_AWAY: dict[str, dict[str, Any]] = {
    "loss": {"loss": {"process": "none"}},
    "link retransmission": {"arq": None},
    "delay spikes": {"spikes": None},
    "hand-offs": {"handoffs": None},
    "varying capacity": {"capacity": None},
    "varying delay": {"delay": None},
}


def ablations(scenario: Scenario) -> dict[str, Scenario]:
    """Return copies of a scenario without one of its impairments, by the impairment's name."""
    present = impairments(scenario) | ({"loss"} if scenario.loss.impairment else set())
    return {
        name: override(scenario, changes) for name, changes in TAKEN_AWAY.items() if name in present
    }


SHARE = 0.2
"""Relative error of a misjudged loss or round trip, in both directions. Chosen by hand."""

FACTORS = {"over": 1 + SHARE, "under": 1 - SHARE}


def misjudged(scenario: Scenario) -> dict[str, Scenario]:
    """Return copies of a scenario with the round trip or the loss 20 % too large or too small.

    The keys are `rtt-over`, `rtt-under`, `loss-over` and `loss-under`. For bursty loss, the
    probability of a burst is changed. Copies whose probability would be 1 or more are left out.
    """
    path, loss = scenario.path, scenario.loss
    found = {}
    for name, factor in FACTORS.items():
        delays = {
            "path.forward_delay_s": factor * path.forward_delay_s,
            "path.backward_delay_s": factor * path.backward_delay_s,
        }
        found[f"rtt-{name}"] = override(scenario, delays)
        match loss:
            case Bernoulli(probability=p) | Periodic(probability=p) if factor * p < 1:
                found[f"loss-{name}"] = override(scenario, {"loss.probability": factor * p})
            case GilbertElliott(good_to_bad=alpha) if factor * alpha < 1:
                found[f"loss-{name}"] = override(scenario, {"loss.good_to_bad": factor * alpha})
    return found
