"""A scenario without one of its impairments: what each of them costs."""

from __future__ import annotations

from typing import Any

from tcpgoodput.scenario import Scenario, override
from tcpgoodput.scenario.physics import impairments

TAKEN_AWAY: dict[str, dict[str, Any]] = {
    "loss": {"loss": {"process": "none"}},
    "delay spikes": {"spikes": None},
    "hand-offs": {"handoffs": None},
    "varying capacity": {"capacity": None},
    "varying delay": {"delay": None},
}

OF_LOSS = ("independent loss", "bursty loss")


def ablations(scenario: Scenario) -> dict[str, Scenario]:
    """Return the scenario without each impairment that it has, by the impairment's name."""
    present = {"loss" if name in OF_LOSS else name for name in impairments(scenario)}
    return {
        name: override(scenario, changes) for name, changes in TAKEN_AWAY.items() if name in present
    }
