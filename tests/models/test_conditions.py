"""A model's domain is a tuple of conditions, each with the check that gives a reason to users."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from types import FunctionType
from typing import get_args

import pytest

from tcpgoodput.answers import Conditions, Undefined
from tcpgoodput.comparison.domains import SCENARIOS, fixed_scenarios
from tcpgoodput.configuration.mathematics import misplaced_markup
from tcpgoodput.models import ERRATA, MODELS, Condition
from tcpgoodput.models.base import Basis, Check, first_violation
from tcpgoodput.models.limits import ROOM_FOR_BURSTS
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.files import load_scenarios
from tests.models.test_base import FakeModel
from tests.scenarios import scenario

NAMES = MODELS.names()
DRAFT = Conditions(precision="draft")
CONNECTIONS = 500
NUMBER = re.compile(r"\d+(?:\.\d+)?")


@pytest.mark.parametrize("name", NAMES)
def test_each_condition_has_a_check_of_its_own(name: str) -> None:
    conditions = MODELS[name].conditions
    assert conditions
    assert len(conditions) == len(set(conditions))
    checks = [condition.fails for condition in conditions]
    assert None not in checks
    assert len(set(checks)) == len(checks)


@pytest.fixture(scope="module")
def connections() -> list[Scenario]:
    return fixed_scenarios(load_scenarios(SCENARIOS))[:CONNECTIONS]


@pytest.mark.parametrize("name", NAMES)
def test_the_reason_is_that_of_the_first_violated_condition(
    name: str, connections: list[Scenario]
) -> None:
    model = MODELS[name]
    found = 0
    for connection in connections:
        for is_limit, method in ((False, model.outside_domain), (True, model.limited)):
            try:
                reason = method(connection, DRAFT)
            # A check may need the goodput, which the model does not have for this connection.
            except (Undefined, ArithmeticError):
                continue
            checked = [c for c in model.conditions if c.is_limit == is_limit]
            assert reason == next(violations(checked, connection), None)
            found += reason is not None
    assert found


def violations(conditions: list[Condition], connection: Scenario) -> Iterator[str]:
    """Yield the reasons of all violated conditions, in order; each is a text of one line."""
    for condition in conditions:
        reason = first_violation([condition], connection, DRAFT)
        if reason is not None:
            assert reason.isprintable()
            assert reason == reason.strip().rstrip(".")
            yield reason


def test_the_first_violated_condition_is_the_reason() -> None:
    class Branching(FakeModel):
        conditions = (
            Condition("no CUBIC", "assumption", "…", lambda s, _: s.tcp.variant == "cubic" and "C"),
            ROOM_FOR_BURSTS,
            Condition("any window", "assumption", "…", lambda *_: "W", is_limit=True),
        )

    model = Branching(lambda: 1.0)
    small = {"path": {"buffer_packets": 1}}
    assert model.outside_domain(scenario(**small, tcp={"variant": "cubic"}), DRAFT) == "C"
    assert "that ACKs release" in str(model.outside_domain(scenario(**small), DRAFT))
    assert model.outside_domain(scenario(), DRAFT) is None
    assert model.limited(scenario(), DRAFT) == "W"


@pytest.mark.parametrize("name", NAMES)
def test_conditions_are_stated_in_full(name: str) -> None:
    for condition in MODELS[name].conditions:
        assert condition.basis in get_args(Basis)
        for text in (condition.text, condition.because):
            assert text == text.strip()
            assert text
            assert not text.endswith(".")
            assert text.isprintable()


@pytest.mark.parametrize("name", NAMES)
def test_numbers_of_fitted_conditions_are_numbers_of_their_checks(name: str) -> None:
    """Each number in a fitted condition's text, or a hundredth of it, is a number of its check."""
    for condition in MODELS[name].conditions:
        if condition.basis == "fitted":
            assert condition.fails is not None
            numbers = {f"{f * n:g}" for n in numbers_of(condition.fails) for f in (1, 100)}
            text = re.sub(r"√\(\S+\)|1/R²?", "", condition.text)
            assert set(NUMBER.findall(text)) <= numbers, condition.text


def numbers_of(check: Check) -> Iterator[float]:
    """Yield the numbers that a check and the functions nested in it or called by it refer to."""
    left, known = [check], set()
    while left:
        function = left.pop()
        known.add(function)
        variables = inspect.getclosurevars(function)
        for value in (variables.globals | variables.nonlocals).values():
            if isinstance(value, int | float):
                yield value
            elif isinstance(value, FunctionType) and value not in known:
                left.append(value)


def test_the_record_of_a_model_has_its_conditions() -> None:
    first = MODELS["mathis"].record()["conditions"][0]
    assert Condition(**first) == MODELS["mathis"].conditions[0]


@pytest.mark.parametrize("name", ERRATA.names())
def test_texts_of_errata_are_prose_with_mathematics(name: str) -> None:
    effect = ERRATA[name].effect()
    for text in (effect.quantity, effect.point):
        assert misplaced_markup(text) is None
        assert "\\" not in re.sub(r"\$[^$]*\$", "", text)
