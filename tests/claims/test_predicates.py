"""Each kind of predicate on data with an obvious result: holds, fails, undecided, an error."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from tcpgoodput.comparison.claims.predicates import Finding, evaluate_predicate, number
from tcpgoodput.comparison.claims.schema import Predicate
from tcpgoodput.studies.reductions import Line, Value

ADAPTER: TypeAdapter[Any] = TypeAdapter(Predicate)


def line(*y: float, wide: float = 0.0) -> Line:
    values = np.array(y, dtype=float)
    return Line(np.arange(float(values.size)), values, values - wide, values + wide)


def value(y: float, wide: float = 0.0) -> Line:
    return number(Value(y, y - wide, y + wide))


def measured(*y: float, wide: float, runs: int) -> Line:
    return replace(line(*y, wide=wide), degrees=np.full(len(y), runs - 1.0))


def finding(kind: str, *operands: Line, **rest: Any) -> Finding:
    return evaluate_predicate(ADAPTER.validate_python({"kind": kind, **rest}), operands)


def holds(kind: str, *operands: Line, **rest: Any) -> bool | None:
    return finding(kind, *operands, **rest).holds


HELD: dict[str, list[tuple[list[Line], dict[str, Any], bool | None]]] = {
    "ordering": [
        ([line(1, 2), line(2, 3), line(3, 4)], {}, True),
        ([line(1, 5), line(2, 3)], {}, False),
        ([line(1, 1), line(1, 1)], {}, False),
        ([line(1, 1), line(1, 1)], {"strict": False}, True),
        ([line(1, 5), line(2, 3)], {"holds": "somewhere"}, True),
        ([line(1, 2, 9), line(2, 3, 4)], {"holds": "mostly"}, True),
        ([line(1, 9), line(2, 3)], {"holds": "mostly"}, False),
        ([line(1, wide=0.8), line(2, wide=0.8)], {}, None),
        # The difference of both lines is 1 ± 0.6 √2, which excludes 0.
        ([line(1, wide=0.6), line(2, wide=0.6)], {}, True),
        ([line(1, wide=0.4), line(2, wide=0.4)], {}, True),
        ([line(3, wide=0.4), line(2, wide=0.4)], {}, False),
        ([value(1), line(2, 3)], {}, True),
        ([value(1), value(2)], {"negated": True}, False),
        ([value(-1), value(2)], {"above": 0}, True),
        ([value(-2), value(-1)], {"above": 0}, False),
        ([value(-2), value(0.1, 0.2)], {"above": 0}, None),
    ],
    "bound": [
        ([line(1, 2)], {"above": 0.5}, True),
        ([line(1, 2)], {"above": 1}, False),
        ([line(1, 2)], {"at_least": 1}, True),
        ([line(1, 2), value(5)], {"below": 4}, False),
        ([line(1, 2)], {"above": 0.5, "below": 1.5, "holds": "somewhere"}, True),
        ([line(1, 2, wide=0.2)], {"above": 0.9}, None),
        ([line(1, 2, wide=0.2)], {"below": 0.7}, False),
    ],
    "ratio": [
        ([line(2, 4), line(4, 8)], {"at_most": 0.5}, True),
        ([line(2, 5), line(4, 8)], {"at_most": 0.5}, False),
        ([value(2, wide=0.2), value(4)], {"below": 0.52}, None),
    ],
    "within": [
        ([value(8.684)], {"printed": "8.68"}, True),
        ([value(8.686)], {"printed": "8.68"}, False),
        ([value(1449)], {"printed": "1.4e3"}, True),
        ([value(1451)], {"printed": "1.4e3"}, False),
        ([line(1, 1.04), line(1, 1)], {"percent": 5}, True),
        ([line(1, 1.2), line(1, 1)], {"percent": 5}, False),
        ([value(1), value(1.2), value(1.1)], {"tolerance": 0.15}, False),
        # The confidence interval, 8 to 12, exceeds the allowed 9 to 11 on both sides.
        ([value(10, wide=2)], {"of": 10, "tolerance": 1}, None),
        # Part of the confidence interval, 10 to 14, is within the allowed 9 to 11.
        ([value(12, wide=2)], {"of": 10, "tolerance": 1}, None),
        ([value(14, wide=2)], {"of": 10, "tolerance": 1}, False),
    ],
    "monotone": [
        ([line(1, 2, 2, 3)], {"direction": "rising"}, True),
        ([line(1, 2, 2, 3)], {"direction": "rising", "strict": True}, False),
        ([line(1, 3, 2, 4)], {"direction": "rising"}, False),
        ([line(3, 2, 1)], {"direction": "falling"}, True),
        ([line(3, 2, 1), line(1, 2, 3)], {"direction": "falling"}, False),
        ([line(1, 1, 1)], {"direction": "rising"}, False),
        # With wide intervals, the fall from 3 to 2 is not significant, but may be large.
        ([line(1, 3, 2, 9, wide=0.6)], {"direction": "rising"}, None),
        # The intervals allow that there is no fall from 3 to 2.9. In the next row they do not.
        ([line(1, 3, 2.9, 9, wide=0.1)], {"direction": "rising"}, True),
        ([line(1, 3, 2.9, 9, wide=0.01)], {"direction": "rising"}, False),
        ([line(1, 3, 5, 9, wide=0.1)], {"direction": "rising", "strict": True}, True),
        ([line(1, 5, 2, 9, wide=0.6)], {"direction": "rising"}, False),
        ([line(1, 1.1, 1.2, wide=0.6)], {"direction": "rising"}, None),
        ([line(1, 3, 2)], {"direction": "rising", "negated": True}, True),
    ],
    "crossing": [
        ([line(0, 1, 2), line(1.5, 1.5, 1.5)], {}, True),
        ([line(0, 1, 2), line(1.5, 1.5, 1.5)], {"between": [1, 2], "side": "below"}, True),
        ([line(0, 1, 2), line(1.5, 1.5, 1.5)], {"between": [0, 1]}, False),
        ([line(0, 1, 2), line(1.5, 1.5, 1.5)], {"side": "above"}, False),
        ([line(0, 1, 2), line(3, 3, 3)], {}, False),
        ([line(0, 1, 2, wide=0.8), line(3, 3, 3, wide=0.8)], {}, None),
        ([line(0, 1, 2, 3, wide=0.3), line(1.5, 1.5, 1.5, 1.5)], {"between": [1.4, 1.6]}, None),
        ([line(0, 1, 2, 3, wide=0.3), line(1.5, 1.5, 1.5, 1.5)], {"between": [1, 2]}, True),
        ([line(0, 1, 2, 3, wide=0.3), line(1.5, 1.5, 1.5, 1.5)], {"between": [2.2, 3]}, False),
        # The lines change sides, but no point of one side is significant.
        ([line(0, 1, 2, wide=0.3), line(1.9, 1.9, 1.9)], {}, None),
        ([line(0, 1, 2, wide=0.3), line(1.9, 1.9, 1.9)], {"negated": True}, None),
        ([line(0, 1, 2, wide=0.3), line(3, 3, 3)], {"negated": True}, True),
        ([line(0, 1, 2, 3, wide=0.3), line(1.5, 1.5, 1.5, 1.5)], {"negated": True}, False),
        # The lines touch, or are the same, and do not change sides.
        ([line(0, 1, 0), line(1, 1, 1)], {}, False),
        ([line(1, 1, 1), line(1, 1, 1)], {}, False),
        # At the first point the first line may be above or below. A crossing from above follows.
        ([line(1.1, 3, 0, wide=0.3), line(1, 1, 1)], {}, True),
        ([line(1.1, 3, 0, wide=0.3), line(1, 1, 1)], {"side": "above"}, None),
        ([line(1.1, 3, 0, wide=0.3), line(1, 1, 1)], {"side": "below"}, None),
        ([line(1.1, 3, 0, wide=0.3), line(1, 1, 1)], {"between": [1, 2]}, None),
        ([line(2, 3, 0, wide=0.3), line(1, 1, 1)], {"side": "below"}, False),
        # At the second point the lines may have crossed and crossed back.
        ([line(10, -1, 10, -10, wide=1.5), line(0, 0, 0, 0)], {}, True),
        ([line(10, -1, 10, -10, wide=1.5), line(0, 0, 0, 0)], {"between": [2, 3]}, None),
        ([line(10, -1, 10, -10, wide=1.5), line(0, 0, 0, 0)], {"side": "above"}, True),
        ([line(10, -1, 10, -10, wide=1.5), line(0, 0, 0, 0)], {"side": "below"}, False),
    ],
    "extremum": [
        ([line(3, 1, 2)], {"which": "min", "between": [1, 1]}, True),
        ([line(3, 1, 2)], {"which": "max", "between": [1, 2]}, False),
        ([line(3, 1, 2), line(1, 3, 2)], {"which": "min", "between": [1, 1]}, False),
        ([line(3, 1, 1.1, wide=0.3)], {"which": "min", "between": [1, 1]}, None),
        ([line(3, 1, 2, wide=0.3)], {"which": "min", "between": [1, 1]}, True),
    ],
}
"""Operands and keys of each kind of predicate, and whether it then holds; None: undecided."""


@pytest.mark.parametrize(
    ("kind", "operands", "rest", "expected"),
    [(kind, *case) for kind, cases in HELD.items() for case in cases],
)
def test_a_predicate_holds_fails_or_is_undecided(
    kind: str, operands: list[Line], rest: dict[str, Any], expected: bool | None
) -> None:
    assert holds(kind, *operands, **rest) is expected


@pytest.mark.parametrize(
    ("kind", "operands", "rest", "message"),
    [
        ("ordering", [line(1, 2), Line(*[np.array([9.0, 10.0])] * 4)], {}, "no x in common"),
        ("ratio", [line(1, 2), line(0, 1)], {"above": 1}, "not above zero"),
        ("monotone", [line(1)], {"direction": "rising"}, "one point"),
        ("extremum", [line(1, 2)], {"which": "min", "between": [0, 1]}, "fewer than three"),
    ],
)
def test_impossible_operands_are_an_error(
    kind: str, operands: list[Line], rest: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        holds(kind, *operands, **rest)


def test_the_point_that_decides_is_reported() -> None:
    found = finding("bound", line(1, 7, 5), below=3)
    assert (found.value, found.at, found.bound) == (7, 1, "< 3")
    ratio = finding("ratio", value(1), value(4), above=1)
    assert (ratio.value, ratio.at) == (0.25, None)


@pytest.mark.parametrize("y", [(0, 1, 2), (0, 1, 3.5)])
def test_lines_that_do_not_surely_cross_have_no_place(y: tuple[float, ...]) -> None:
    found = finding("crossing", line(*y, wide=0.8), line(3, 3, 3))
    assert found.holds is not True
    assert found.value is None


@pytest.mark.parametrize(
    ("kind", "operands", "rest", "expected"),
    [
        ("bound", [line(1, 5, wide=0.5)], {"above": 0}, (1, (0.5, 1.5))),
        ("bound", [line(1, 5)], {"above": 0}, (1, None)),  # exact values have no interval
        ("bound", [line(1, 5, 6, wide=0.5)], {"above": 2, "holds": "mostly"}, (2 / 3, None)),
        ("ordering", [line(1, wide=0.3), line(2, wide=0.4)], {}, (0.5, (0.25, 0.75))),
        ("ratio", [line(6, wide=1), line(3)], {"above": 1}, (2, (5 / 3, 7 / 3))),
        ("within", [line(2, wide=0.5)], {"of": 3, "tolerance": 2}, (2, (1.5, 2.5))),
        # The difference is 1 ± 3, but the interval of an absolute difference begins at 0.
        ("within", [line(2, wide=3), line(3)], {"tolerance": 9}, (1, (0, 4))),
        ("within", [line(7, wide=3), line(3)], {"tolerance": 9}, (4, (1, 7))),
        (  # the smallest step, 1 ± 0.1 √2, divided by the rise of 4
            "monotone",
            [line(0, 1, 4, wide=0.1)],
            {"direction": "rising"},
            (0.25, (0.25 - 2**0.5 / 40, 0.25 + 2**0.5 / 40)),
        ),
    ],
)
def test_the_deciding_value_is_reported_with_its_interval(
    kind: str,
    operands: list[Line],
    rest: dict[str, Any],
    expected: tuple[float, tuple[float, float] | None],
) -> None:
    found = finding(kind, *operands, **rest)
    assert found.value == pytest.approx(expected[0])
    assert found.interval == (expected[1] and pytest.approx(expected[1]))


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=8), st.floats(1e-3, 1e3))
def test_a_bound_holds_only_for_the_whole_interval(y: list[float], wide: float) -> None:
    found = finding("bound", line(*y, wide=wide), above=0)
    assert found.interval is not None
    low, high = found.interval
    assert low <= found.value <= high
    if found.holds:
        assert low > -1e-3
    elif found.holds is None:
        assert low <= 1e-3


floats = st.floats(-1e3, 1e3).map(lambda x: round(x, 3))


@given(st.lists(floats, min_size=2, max_size=9))
def test_ordering_agrees_with_sorting(y: list[float]) -> None:
    expected = all(a < b for a, b in pairwise(y))
    assert holds("ordering", *(value(v) for v in y)) is expected
    weakly = y == sorted(y)
    assert holds("ordering", *(value(v) for v in y), strict=False) is weakly


@given(st.lists(floats, min_size=2, max_size=9), st.floats(0.1, 10))
def test_monotone_agrees_with_sorting(y: list[float], factor: float) -> None:
    rising = y == sorted(y) and y[-1] > y[0]
    assert holds("monotone", line(*y), direction="rising") is rising
    assert holds("monotone", line(*reversed(y)), direction="falling") is rising
    assert holds("monotone", line(*(factor * v for v in y)), direction="rising") is rising


@given(st.lists(floats, min_size=2, max_size=6), st.floats(0.01, 100))
def test_wider_intervals_only_turn_verdicts_into_ties(y: list[float], wide: float) -> None:
    exact = holds("ordering", *(value(v) for v in y))
    blurred = holds("ordering", *(value(v, wide) for v in y))
    assert blurred in (exact, None)


def test_one_of_many_points_refutes_only_beyond_the_joint_interval() -> None:
    """If one of twenty 95 % confidence intervals violates a claim's limit, this may be chance.

    The claim is refuted only if a joint interval for all points violates the limit, too.
    """
    off = measured(*[1.0] * 19, -0.11, wide=0.1, runs=20)
    assert holds("bound", off, at_least=0) is None
    assert holds("bound", measured(-0.11, wide=0.1, runs=20), at_least=0) is False
    assert holds("bound", measured(*[1.0] * 19, -0.2, wide=0.1, runs=20), at_least=0) is False


def test_one_of_many_points_proves_somewhere_only_beyond_the_joint_interval() -> None:
    above = [*[-1.0] * 19, 0.11]
    assert holds("bound", measured(*above, wide=0.1, runs=20), above=0, holds="somewhere") is None
    above[-1] = 0.2
    assert holds("bound", measured(*above, wide=0.1, runs=20), above=0, holds="somewhere") is True


def test_few_replications_need_a_larger_deviation() -> None:
    off = [*[1.0] * 9, -0.2]
    assert holds("bound", measured(*off, wide=0.1, runs=20), at_least=0) is False
    assert holds("bound", measured(*off, wide=0.1, runs=3), at_least=0) is None


def noise(random: np.random.Generator) -> Line:
    """Return a line of twelve points, each the mean of six random values with expected value 0."""
    points, runs = 12, 6
    values = random.normal(size=(points, runs))
    mean = values.mean(axis=1)
    # 2.5706 is Student's t at 97.5 % for 5 degrees of freedom.
    half = 2.5706 * values.std(axis=1, ddof=1) / np.sqrt(runs)
    degrees = np.full(points, runs - 1.0)
    return Line(np.arange(points) * 1.0, mean, mean - half, mean + half, degrees)


def test_noise_alone_proves_no_crossing() -> None:
    random = np.random.default_rng(2)
    found = [holds("crossing", noise(random), noise(random)) for _ in range(400)]
    assert found.count(True) <= 1
    assert found.count(False) <= 0.05 * 400


@pytest.mark.parametrize("kind", ["ordering", "monotone"])
def test_noise_alone_refutes_at_most_one_run_in_twenty(kind: str) -> None:
    """If all values have the same mean, at most 5 % of the true claims are refuted by noise."""
    random = np.random.default_rng(1)
    refuted, trials = 0, 400
    rest = {"strict": False} if kind == "ordering" else {"direction": "rising"}
    for _ in range(trials):
        lines = [noise(random), noise(random)][: 2 if kind == "ordering" else 1]
        refuted += holds(kind, *lines, **rest) is False
    assert refuted <= 0.05 * trials + 3 * np.sqrt(0.05 * 0.95 * trials)
