"""Expressions in configuration do arithmetic and nothing else."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tcpgoodput.studies.expressions import evaluate, resolved


@given(st.floats(-1e6, 1e6))
def test_arithmetic_expressions_are_evaluated(x: float) -> None:
    assert evaluate("= 2 * x - min(x, 5) + 3 ** 2", {"x": x}) == 2 * x - min(x, 5) + 9


def test_functions_are_evaluated() -> None:
    assert evaluate("= sqrt(2) + log2(8) + ceil(1.2)", {}) == math.sqrt(2) + 5


@pytest.mark.parametrize(
    "text",
    [
        "= __import__('os').system('true')",
        "= (1).__class__",
        "= [x for x in (1, 2)]",
        "= 'a' * 3",
        "= open('/etc/passwd')",
        "= 1 / 0",
        "= 9 ** 9 ** 9 ** 9",
        "= y + 1",
        "= ",
        "= lambda: 1",
        "= " + "1+" * 200 + "1",
        "= True",
    ],
)
def test_invalid_expressions_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"evaluated|calls|uses|finite|characters"):
        evaluate(text, {"x": 1.0})


def test_only_texts_with_an_equals_sign_are_expressions() -> None:
    data = {"variant": "tahoe", "list": ["= x", "x"], "deep": {"a": "= 2 * x"}}
    assert resolved(data, {"x": 3.0}) == {
        "variant": "tahoe",
        "list": [3.0, "x"],
        "deep": {"a": 6.0},
    }


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("= roundd(packets)", "calls 'roundd'; did you mean round"),
        ("= sqr(packets)", "calls 'sqr'; did you mean sqrt"),
        ("= round(packet)", "uses 'packet'; did you mean packets"),
        ("= zzz", "allowed: packets, min, max"),
        ("= 'a' + packets", "'a' is no arithmetic"),
    ],
)
def test_a_wrong_name_is_refused_with_similar_ones(text: str, hint: str) -> None:
    with pytest.raises(ValueError, match=r"cannot be evaluated|calls|uses") as error:
        evaluate(text, {"packets": 1.0})
    assert hint in str(error.value)
