"""The held-out scenarios are those that the rule draws, and cover all regimes."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from tcpgoodput.comparison.families import regime, regimes
from tcpgoodput.comparison.held import SEED, STRATA, VARIANTS, as_yaml, drawn
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.files import load_scenarios
from tcpgoodput.scenario.plausibility import doubts

FOLDER = Path(__file__).parents[2] / "config" / "scenarios" / "held"


def test_the_files_are_what_the_rule_draws() -> None:
    written = {path.stem: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.yaml")}
    assert written == {scenario["id"]: as_yaml(scenario) for scenario in drawn()}


def test_they_cover_every_regime_and_variant() -> None:
    scenarios = load_scenarios(FOLDER).values()
    assert len(scenarios) == sum(count for count, _ in STRATA.values()) >= 20
    assert {regime(scenario) for scenario in scenarios} == set(regimes())
    assert {scenario.tcp.variant for scenario in scenarios} == set(VARIANTS)


@pytest.mark.parametrize("seed", range(SEED, SEED + 20))
def test_whatever_is_drawn_is_a_scenario_that_can_be_meant(seed: int) -> None:
    for data in drawn(seed):
        try:
            scenario = Scenario.model_validate(data)
        except ValidationError as error:
            raise AssertionError(data) from error
        assert not doubts(scenario)
