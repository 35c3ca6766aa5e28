"""Reductions of a figure's line to a number, such as its minimum."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from tcpgoodput.studies.reductions import TooCoarse, Value, line_of, number_of
from tcpgoodput.studies.schema import Reduction

NAN = float("nan")
POINTS = [
    ("a", 1.0, 1.0, 1.0, 1.0),
    ("a", 2.0, 3.0, 3.0, 3.0),
    ("a", 4.0, 2.0, 2.0, 2.0),
    ("b", 1.0, 2.0, 2.0, 2.0),
    ("b", 4.0, 2.0, 2.0, 2.0),
    ("wide", 1.0, 2.0, -0.1, 4.1),
    ("wide", 4.0, 2.0, 1.0, 3.0),
    ("gone", 1.0, NAN, NAN, NAN),
]
ROWS = pd.DataFrame(POINTS, columns=["series", "x", "y", "y_low", "y_high"])


def found(series: str, **definition: Any) -> Value:
    reduction = Reduction(**definition)
    return number_of(line_of(ROWS, series, reduction), reduction)


@pytest.mark.parametrize(
    ("definition", "value"),
    [
        ({"take": "max"}, 3.0),
        ({"take": "argmax"}, 2.0),
        ({"take": "at", "at": 3.0}, 2.5),
        ({"take": "max", "divided_by": "b"}, 1.5),
        ({"take": "crossing", "minus": "b"}, 1.5),
        ({"take": "last", "over": [1.0, 2.0], "times": 100}, 300.0),
        ({"take": "first", "of_own": "last"}, 0.5),
        ({"take": "max", "of_own": "first", "minus": "b"}, 2.0),
        ({"take": "crossing", "of_own": "last", "minus": 0.75}, 1.25),
    ],
)
def test_numbers_are_computed_from_lines(definition: dict[str, Any], value: float) -> None:
    assert found("a", **definition).value == pytest.approx(value)


def test_the_interval_of_a_share_includes_that_of_the_total() -> None:
    share = line_of(ROWS, "wide", Reduction(of_own="last", over=[4.0, 4.0]))
    assert [share.low[0], share.y[0], share.high[0]] == [1.0, 1.0, 1.0]
    least = found("wide", take="first", of_own="last")
    assert least.value == 1.0
    assert least.high - least.low > 2.1


@pytest.mark.parametrize(
    ("series", "definition", "reason"),
    [
        ("a", {"take": "max", "divided_by": "wide"}, "not above zero"),
        ("a", {"take": "at", "at": 5.0}, "no data at x = 5"),
        ("a", {"take": "max", "over": [2.5, 3.5]}, "in the range that is asked for"),
        ("b", {"take": "crossing", "minus": 5.0}, "do not cross"),
        ("gone", {"take": "max"}, "no data of 'gone'"),
    ],
)
def test_a_too_coarse_line_is_refused_with_a_reason(
    series: str, definition: dict[str, Any], reason: str
) -> None:
    with pytest.raises(TooCoarse, match=reason):
        found(series, **definition)
