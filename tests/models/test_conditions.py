"""A model's domain is documented as conditions: one for each reason that its code can report.

A reason is a text that says why a connection is outside the domain.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from functools import cache
from types import FunctionType
from typing import Any, get_args

import pytest

from tcpgoodput.answers import Conditions, Undefined
from tcpgoodput.comparison.domains import fixed_scenarios
from tcpgoodput.models import MODELS, Condition, Model
from tcpgoodput.models.base import Basis
from tcpgoodput.models.limits import outside_bursts
from tcpgoodput.scenario import Scenario
from tests.models.test_base import FakeModel

NAMES = MODELS.names()
DRAFT = Conditions(precision="draft")
CONNECTIONS = 500
NUMBER = re.compile(r"\d+(?:\.\d+)?")

Place = tuple[str, int, int]
"""Place of a reason's text in the code: name of the function, and line and column within it."""


def functions(function: Callable[..., Any]) -> dict[str, Any]:
    """Return a function and all functions it calls, directly or not, that return a reason or None.

    The keys are the functions' full names.
    """
    found: dict[str, Any] = {}
    left = [inspect.unwrap(function)]
    while left:
        one = left.pop()
        name = f"{one.__module__}.{one.__qualname__}"
        if name in found:
            continue
        found[name] = one
        for node in ast.walk(tree(one)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                called = one.__globals__.get(node.func.id)
                if isinstance(called, FunctionType) and returns_a_reason(called):
                    left.append(called)
    return found


def returns_a_reason(function: FunctionType) -> bool:
    return function.__annotations__.get("return") == "str | None"


def tree(function: FunctionType) -> ast.AST:
    return ast.parse(textwrap.dedent(inspect.getsource(function)))


def texts(node: ast.AST | None) -> Iterator[ast.Constant | ast.JoinedStr]:
    """Yield the string constants and f-strings that an expression can evaluate to."""
    match node:
        case ast.Constant(value=str()) | ast.JoinedStr():
            yield node
        case ast.IfExp(body=body, orelse=other):
            yield from texts(body)
            yield from texts(other)
        case ast.BoolOp(values=values):
            for value in values:
                yield from texts(value)


def pattern(text: ast.Constant | ast.JoinedStr) -> str:
    """Return a regular expression that matches an f-string or string with any inserted values."""
    parts = text.values if isinstance(text, ast.JoinedStr) else [text]
    return "".join(
        re.escape(str(part.value)) if isinstance(part, ast.Constant) else ".*" for part in parts
    )


@cache
def places(model: type[Model]) -> dict[Place, str]:
    """Return the places at which a model's code returns a reason to be out of domain.

    The places are the keys. The values are regular expressions that match the reason's text.
    """
    return {
        (name, text.lineno, text.col_offset): pattern(text)
        for name, one in checks(model).items()
        for node in ast.walk(tree(one))
        if isinstance(node, ast.Return)
        for text in texts(node.value)
    }


def checks(model: type[Model]) -> dict[str, Any]:
    return functions(model.outside_domain) | functions(model.limited)


@pytest.mark.parametrize("name", NAMES)
def test_a_domain_has_a_condition_for_each_reason(name: str) -> None:
    """A domain has as many documented conditions, all different, as its checks have reasons."""
    conditions = MODELS[name].conditions
    assert len(conditions) == len(set(conditions)) == len(places(type(MODELS[name])))


class Branching(FakeModel):
    """A model with three reasons to be out of domain: two own ones, one of `outside_bursts`."""

    def outside_domain(self, scenario: Scenario, conditions: Conditions) -> str | None:
        """Return one of two reasons of this function, or what `outside_bursts` returns."""
        if scenario.tcp.ack_every > 2:
            return f"{scenario.tcp.ack_every} packets per ACK"
        return "CUBIC" if scenario.tcp.variant == "cubic" else outside_bursts(scenario)


def test_places_finds_each_branch() -> None:
    found = list(places(Branching).values())
    assert len(found) == 3
    assert "CUBIC" in found
    assert any(re.fullmatch(pattern, "3 packets per ACK") for pattern in found)


@pytest.fixture(scope="module")
def connections() -> list[Scenario]:
    return fixed_scenarios()[:CONNECTIONS]


@pytest.mark.parametrize("name", NAMES)
def test_every_reason_comes_from_a_listed_branch(name: str, connections: list[Scenario]) -> None:
    model = MODELS[name]
    found = {reason for connection in connections for reason in reasons(model, connection)}
    patterns = places(type(model)).values()
    assert found
    assert not [r for r in found if not any(re.fullmatch(p, r) for p in patterns)]


def reasons(model: Model, scenario: Scenario) -> Iterator[str]:
    """Yield all reasons why a connection is outside a model's domain."""
    for check in (model.outside_domain, model.limited):
        try:
            reason = check(scenario, DRAFT)
        # A check may need the goodput, which the model does not have for this connection.
        except (Undefined, AssertionError, ArithmeticError):
            continue
        if reason:
            yield reason


@pytest.mark.parametrize("name", NAMES)
def test_conditions_are_stated_in_full(name: str) -> None:
    assert MODELS[name].conditions
    for condition in MODELS[name].conditions:
        assert condition.basis in get_args(Basis)
        for text in (condition.text, condition.because):
            assert text == text.strip()
            assert text
            assert not text.endswith(".")
            assert text.isprintable()


@pytest.mark.parametrize("name", NAMES)
def test_numbers_of_fitted_conditions_are_constants_of_the_code(name: str) -> None:
    """Each number in the text of a condition fitted to simulations is a constant of the code.

    A percentage in the text is 100 times the constant.
    """
    constants = {
        f"{factor * number:g}"
        for function in checks(type(MODELS[name])).values()
        for key, value in function.__globals__.items()
        if key.isupper()
        for number in (value if isinstance(value, tuple) else (value,))
        if isinstance(number, int | float)
        for factor in (1, 100)
    }
    for condition in MODELS[name].conditions:
        if condition.basis == "fitted":
            text = re.sub(r"√\(\S+\)|1/R²?", "", condition.text)
            assert set(NUMBER.findall(text)) <= constants, condition.text


def test_a_users_own_model_needs_no_conditions() -> None:
    assert FakeModel(lambda: 1.0).record()["conditions"] == []


def test_the_record_of_a_model_has_its_conditions() -> None:
    first = MODELS["mathis"].record()["conditions"][0]
    assert Condition(**first) == MODELS["mathis"].conditions[0]
