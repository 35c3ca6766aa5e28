"""The tree: whom it advises is at home, and its bounds are the models' own."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from tcpgoodput.answers import Conditions
from tcpgoodput.comparison.answers import AT_HOME
from tcpgoodput.comparison.files import Compared, load_comparison
from tcpgoodput.comparison.held import drawn
from tcpgoodput.comparison.regime import regimes
from tcpgoodput.comparison.tree import TREE, Walk, recorded, walk
from tcpgoodput.models import MODELS
from tcpgoodput.models.predict import predict
from tcpgoodput.scenario import Scenario
from tests.scenarios import scenario

ROOT = Path(__file__).parents[2]
SEEDS = range(8)
"""Of draws that no file holds: bounds are the models' wherever a scenario lies."""


@pytest.fixture(scope="module")
def compared() -> Compared:
    return load_comparison(ROOT / "config" / "comparison.yaml")


def every(compared: Compared) -> Iterator[Scenario]:
    for stem in (*compared.scenarios, *compared.held):
        yield from compared.rows(stem)
    for seed in SEEDS:
        yield from map(Scenario.model_validate, drawn(seed))


def test_every_regime_has_its_branch_of_known_families(compared: Compared) -> None:
    assert list(TREE) == regimes()
    named = {candidate.family for own in TREE.values() for candidate in own}
    assert named <= set(compared.families)


def test_whoever_is_advised_is_at_home(compared: Compared) -> None:
    advised = set()
    for asked in every(compared):
        family = walk(asked).family
        if family is None:
            continue
        advised.add(family)
        members = compared.families[family]
        found = [predict(MODELS[model], asked, Conditions(precision="draft")) for model in members]
        reasons = {f"{p.name}: {p.status}, {p.reason}" for p in found}
        assert any(p.status in AT_HOME for p in found), f"{asked.id}: {family}? {reasons}"
    assert len(advised) >= 6


LOSSY = {"process": "bernoulli", "probability": 0.01}


def test_the_first_who_passes_is_advised_and_the_others_are_not_asked() -> None:
    wide = scenario(path={"rate_bps": 1e8}, loss=LOSSY)
    assert walk(wide).family == "packet_trains"
    reno = scenario(tcp={"variant": "reno"}, path={"rate_bps": 1e8}, loss=LOSSY)
    found = walk(reno)
    assert found.family == "mathis"
    assert [step.holds for step in found.steps] == [False, *([True] * (len(found.steps) - 1))]


def test_several_at_once_are_simulated() -> None:
    hits = {"interval_s": 9, "packets": 1, "fate": "lost"}
    assert walk(scenario(loss=LOSSY, handoffs=hits)).family is None


def test_a_question_that_makes_no_sense_is_answered_by_no() -> None:
    close = {"interval_s": 0.001, "packets": 1, "fate": "lost"}
    found = walk(scenario(handoffs=close))
    assert found.family is None
    assert not found.steps[-1].holds


def test_as_data_a_walk_has_only_numbers_that_json_knows() -> None:
    told = recorded(walk(scenario(path={"rate_bps": 1e8}, loss=LOSSY)))
    values = [step["value"] for step in told["steps"]]
    assert all(value is None or math.isfinite(value) for value in values)
    assert isinstance(walk(scenario()), Walk)
