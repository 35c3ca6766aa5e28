"""Reductions of a figure's line to a number, such as its minimum."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from tcpgoodput.statistics import widening
from tcpgoodput.studies.reductions import Line, TooCoarse, Value, line_of, lines_of, number_of
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
    ("later", 2.0, 1.0, 1.0, 1.0),
    ("later", 5.0, 1.0, 1.0, 1.0),
    ("last", 5.0, 1.0, 1.0, 1.0),
]
LINES = lines_of(pd.DataFrame(POINTS, columns=["series", "x", "y", "y_low", "y_high"]))


def found(series: str, **definition: Any) -> Value:
    reduction = Reduction(**definition)
    return number_of(line_of(LINES, series, reduction), reduction)


@pytest.mark.parametrize(
    ("definition", "value"),
    [
        ({"take": "max"}, 3.0),
        ({"take": "argmax"}, 2.0),
        ({"take": "argmax", "times": -2}, -4.0),
        ({"take": "argmin", "times": -2}, -2.0),
        ({"take": "at", "at": 3.0}, 2.5),
        ({"take": "max", "divided_by": "b"}, 1.5),
        ({"take": "crossing", "minus": "b"}, 1.5),
        ({"take": "crossing", "minus": "b", "times": -10}, -15.0),
        ({"take": "last", "over": [1.0, 2.0], "times": 100}, 300.0),
        ({"take": "first", "of_own": "last"}, 0.5),
        ({"take": "max", "of_own": "first", "minus": "b"}, 2.0),
        ({"take": "crossing", "of_own": "last", "minus": 0.75}, 1.25),
        ({"take": "max", "minus": 2.5, "absolute": True}, 1.5),
        ({"take": "max", "minus": "b", "divided_by": "b", "absolute": True, "times": -2}, 0.0),
    ],
)
def test_numbers_are_computed_from_lines(definition: dict[str, Any], value: float) -> None:
    assert found("a", **definition).value == pytest.approx(value)


@pytest.mark.parametrize(
    ("level", "interval"),
    [
        (0.0, (1.0, 2.0, 3.0)),
        (4.0, (1.0, 2.0, 3.0)),  # all of the interval is below the level
        (1.5, (0.0, 0.5, 1.5)),  # the interval contains the level
    ],
)
def test_the_interval_of_an_absolute_value_is_that_of_the_distance_from_0(
    level: float, interval: tuple[float, float, float]
) -> None:
    distance = found("wide", take="last", minus=level, absolute=True)  # 2, from 1 to 3
    assert (distance.low, distance.value, distance.high) == interval


@pytest.mark.parametrize("operand", ["divided_by", "minus"])
def test_a_line_is_not_extrapolated(operand: str) -> None:
    line = line_of(LINES, "a", Reduction(**{operand: "later"}))
    assert line.x.tolist() == [2.0, 4.0]
    with pytest.raises(TooCoarse, match="no x in common"):
        line_of(LINES, "b", Reduction(**{operand: "last"}))


@pytest.mark.parametrize("where", [{"take": "at", "at": 4.0}, {"take": "min", "over": [3.0, 4.0]}])
def test_a_divisor_near_zero_does_not_matter_elsewhere(where: dict[str, Any]) -> None:
    assert found("a", divided_by="wide", **where).value == 1.0  # 2/2 at x = 4
    with pytest.raises(TooCoarse, match="not above zero"):
        line_of(LINES, "a", Reduction(divided_by="wide"))


def test_the_interval_of_a_share_includes_that_of_the_total() -> None:
    share = line_of(LINES, "wide", Reduction(of_own="last", over=[4.0, 4.0]))
    assert [share.low[0], share.y[0], share.high[0]] == [1.0, 1.0, 1.0]
    least = found("wide", take="first", of_own="last")
    assert least.value == 1.0
    assert least.high - least.low > 2.1


def measured(y: list[float], wide: list[float], runs: int = 20) -> Line:
    """Return a line at x = 0, 1, ... with the given half-widths of its intervals."""
    values, half = np.array(y), np.array(wide)
    return Line(np.arange(values.size) * 1.0, values, values - half, values + half, runs - 1.0)


@pytest.mark.parametrize("take", ["min", "max"])
def test_the_interval_of_an_extremum_allows_for_the_choice_of_its_point(take: str) -> None:
    sign = 1.0 if take == "min" else -1.0
    line = measured([1.0, 2.0, 3.0], [0.1, 0.9, 0.1]).times(sign)
    factor = float(widening(3, np.array(19.0)))
    found = number_of(line, Reduction(take=take))
    # The second point may be the smallest one, but none is above the widened end of the first.
    ends = sorted([sign * (2 - 0.9 * factor), sign * (1 + 0.1 * factor)])
    assert found.value == sign
    assert [found.low, found.high] == pytest.approx(ends)
    assert number_of(measured([2.0, 1.0], [0.0, 0.0]), Reduction(take="min")) == Value(1, 1, 1, 19)


def test_the_interval_of_a_flat_line_s_minimum_contains_it_in_most_trials() -> None:
    random, trials, quantile = np.random.default_rng(1), 400, 2.0930  # t at 97.5 %, 19 degrees
    hits = 0
    for _ in range(trials):
        runs = random.normal(size=(20, 20))
        half = quantile * runs.std(axis=1, ddof=1) / np.sqrt(20)
        line = measured(list(runs.mean(axis=1)), list(half))
        found = number_of(line, Reduction(take="min"))
        hits += found.low <= 0 <= found.high
    assert hits >= 0.95 * trials


def test_the_interval_of_a_mean_adds_squares_only_if_points_are_independent() -> None:
    line = measured([1.0, 2.0, 3.0, 4.0], [0.3, 0.4, 0.0, 1.2])
    mean = number_of(line, Reduction(take="mean"))
    assert mean.high - mean.value == pytest.approx(1.3 / 4)
    assert mean.value - mean.low == pytest.approx(1.3 / 4)
    # The random errors of a common divisor do not average out.
    common = number_of(line.of_own(1), Reduction(take="mean"))
    assert common.high - common.value > 0.2
    coarse = measured([1.0, 1.0], [0.3, 0.3])
    exact = measured([1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0])
    interpolated = Line(3 * coarse.x, coarse.y, coarse.low, coarse.high)
    for shared in (exact - interpolated, exact - coarse, (exact - coarse).times(1.0).plus(0.0)):
        mean = number_of(shared, Reduction(take="mean"))
        assert mean.high - mean.value == pytest.approx(0.3)
    # Neighbours of one exact line may be interpolated; they have no random errors.
    mean = number_of(line - measured([1.0, 1.0], [0.0, 0.0]), Reduction(take="mean"))
    assert mean.high - mean.value == pytest.approx(1.3 / 4)


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
