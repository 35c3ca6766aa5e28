"""Every model gives a prediction for every valid scenario, without failures or warnings."""

from __future__ import annotations

from pathlib import Path
from random import Random
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings

from tcpgoodput.answers import Conditions, Equations
from tcpgoodput.models import MODELS
from tcpgoodput.models.variable_capacity import fluid
from tcpgoodput.scenario import Scenario
from tests.random_scenarios import (
    checked_prediction,
    random_scenario,
    scenarios,
    write_random_traces,
)

SEED = 20
SCENARIOS_PER_PART = 400
PARTS = [*range(3), *(pytest.param(part, marks=pytest.mark.weekly) for part in range(3, 8))]
EQUATIONS: tuple[Equations, Equations] = ("corrected", "printed")
CHEAP = [model for model in MODELS.values() if not model.costly]
SMALL_CHAINS = 2_000
"""Largest number of states of a Markov chain in these tests, to save time; larger chains use the
same code."""


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return write_random_traces(Random(SEED), tmp_path_factory.mktemp("traces"))


@pytest.fixture(autouse=True)
def small_chains(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tcpgoodput.models.packet_trains.model.MOST_WINDOWS", SMALL_CHAINS)


def faults(scenario: Scenario, number: int | str, equations: Equations) -> list[str]:
    return [
        f"scenario {number}, {model.name}, {equations}: {fault}"
        for model in CHEAP
        if (fault := checked_prediction(model, scenario, Conditions(equations, "draft"))[1])
    ]


@pytest.mark.parametrize("part", PARTS)
def test_models_do_not_fail_on_random_scenarios(part: int, traces: list[Path]) -> None:
    """No model fails on random scenarios; corrected and printed equations alternate."""
    found = []
    for number in range(part * SCENARIOS_PER_PART, (part + 1) * SCENARIOS_PER_PART):
        scenario = random_scenario(Random(f"{SEED}/{number}"), traces)
        found += faults(scenario, number, EQUATIONS[number % 2])
    assert not found


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(scenarios())
def test_models_do_not_fail_on_scenarios_of_hypothesis(scenario: Scenario) -> None:
    for equations in EQUATIONS:
        assert not faults(scenario, "", equations)


def test_the_fluid_model_does_not_fail_on_random_scenarios(traces: list[Path]) -> None:
    """To save time, its limits are divided by 100; longer runs use the same code."""
    model = MODELS["variable_capacity.fluid"]
    with (
        mock.patch.object(fluid, "MOST_STEPS", fluid.MOST_STEPS // 100),
        mock.patch.object(fluid, "MOST_LEVELS", fluid.MOST_LEVELS // 100),
    ):
        for number in range(400):
            scenario = random_scenario(Random(f"{SEED}/{number}"), traces)
            conditions = Conditions(EQUATIONS[number % 2], "draft")
            assert checked_prediction(model, scenario, conditions)[1] is None, number


def test_random_scenarios_cover_the_whole_vocabulary(traces: list[Path]) -> None:
    seen: set[str] = set()

    def note(part: object) -> None:
        if isinstance(part, dict):
            for name, value in part.items():
                if name in ("variant", "process", "distribution", "fate", "place", "clock"):
                    seen.add(f"{name} {value}")
                note(value)

    for number in range(400):
        note(random_scenario(Random(f"{SEED}/{number}"), traces).model_dump())
    assert {f"variant {v}" for v in "oldtahoe tahoe reno newreno sack cubic bbr".split()} <= seen
    losses = ["none", "bernoulli", "gilbert-elliott"]
    capacities = ["sinusoid", "square", "ar1", "shadowing", "trace"]
    assert {f"process {p}" for p in losses + capacities} <= seen
    laws = ["constant", "uniform", "exponential", "pareto", "markov-exponential"]
    assert {f"distribution {d}" for d in laws} <= seen
    assert {"fate late", "fate lost", "clock packet", "place before"} <= seen
