"""Regimes: scenarios by what happens to their connections."""

from __future__ import annotations

from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.physics import impairments

REGIMES = {
    frozenset(): "overflow alone",
    frozenset({"independent loss"}): "independent loss",
    frozenset({"bursty loss"}): "bursts of loss",
    frozenset({"delay spikes"}): "delay spikes",
    frozenset({"delay spikes", "independent loss"}): "delay spikes and loss",
    frozenset({"hand-offs"}): "hand-offs",
    frozenset({"varying capacity"}): "varying capacity",
}
SEVERAL = "several at once"


def regime(scenario: Scenario) -> str:
    """Return what a scenario is a case of."""
    return REGIMES.get(impairments(scenario), SEVERAL)


def regimes() -> list[str]:
    """Return the regimes in the order in which they are shown."""
    return [*dict.fromkeys(REGIMES.values()), SEVERAL]
