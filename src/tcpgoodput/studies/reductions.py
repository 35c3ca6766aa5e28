"""Reduce a series of a figure to a line or to one number, with a confidence interval."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tcpgoodput.statistics import widening
from tcpgoodput.studies.schema import Reduction


class TooCoarse(ValueError):
    """Error: a line has too few points, or too wide intervals, to compute a number from it.

    This can happen in runs at precision `draft`, which have few points.
    """


@dataclass(frozen=True)
class Line:
    """Points of a series with 95 % intervals; the interval of an exact value has zero width."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    degrees: NDArray[np.float64] | float = math.inf
    """Degrees of freedom of Student's t: one number for each point's interval, or one for all."""
    shared: bool = False
    """Whether random errors of one measurement enter several points, because they were computed
    with the same divisor or from the same interpolated line."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "degrees", np.broadcast_to(self.degrees, self.x.shape))

    def at(self, x: NDArray[np.float64]) -> Line:
        """Return the line interpolated linearly at other values of x."""
        parts = (np.interp(x, self.x, part) for part in (self.y, self.low, self.high))
        interpolated = not np.isin(x, self.x).all()
        shared = self.shared or (interpolated and bool(self.is_random.any()))
        return Line(x, *parts, self._degrees_at(x), shared)

    def _degrees_at(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the degrees of freedom at each x; between two points, the smaller of the two."""
        degrees = np.asarray(self.degrees)
        last = self.x.size - 1
        before = np.clip(np.searchsorted(self.x, x, side="right") - 1, 0, last)
        after = np.clip(np.searchsorted(self.x, x, side="left"), 0, last)
        return np.minimum(degrees[before], degrees[after])

    def __sub__(self, other: Line) -> Line:
        """Subtract an independent line; squares of the half-widths add, as for standard errors."""
        other = other.at(self.x)
        y = self.y - other.y
        down = np.hypot(self.y - self.low, other.high - other.y)
        up = np.hypot(self.high - self.y, other.y - other.low)
        return self._with(other, y, y - down, y + up)

    def __truediv__(self, other: Line) -> Line:
        """Divide by an independent line whose intervals are all above zero.

        Raises:
            TooCoarse: an interval of the divisor reaches zero.

        """
        other = other.at(self.x)
        if not (other.low > 0).all():
            raise TooCoarse("a line is divided by one that is not above zero")
        y = self.y / other.y
        by_other = np.sort([y - self.y / end for end in (other.low, other.high)], axis=0)
        down = np.hypot((self.y - self.low) / other.y, by_other[1])
        up = np.hypot((self.high - self.y) / other.y, by_other[0])
        return self._with(other, y, y - down, y + up)

    def _with(self, other: Line, *parts: NDArray[np.float64]) -> Line:
        """Return a line with the given y, low and high, computed from this line and another."""
        degrees = np.minimum(self.degrees, other.degrees)
        return Line(self.x, *parts, degrees, self.shared or other.shared)

    def times(self, factor: float) -> Line:
        """Return the line with y multiplied by a factor."""
        ends = np.sort([self.low * factor, self.high * factor], axis=0)
        return Line(self.x, self.y * factor, *ends, self.degrees, self.shared)

    def plus(self, level: float) -> Line:
        """Return the line with a constant added to y."""
        ends = self.low + level, self.high + level
        return Line(self.x, self.y + level, *ends, self.degrees, self.shared)

    def absolute(self) -> Line:
        """Return the line of the absolute values of y; an interval that contains 0 begins there."""
        nearest = np.maximum(0.0, np.maximum(self.low, -self.high))
        furthest = np.maximum(-self.low, self.high)
        return Line(self.x, np.abs(self.y), nearest, furthest, self.degrees, self.shared)

    def over(self, first: float, last: float) -> Line:
        """Return the points of the line from x = `first` to x = `last`, both included."""
        inside = (self.x >= first) & (self.x <= last)
        parts = (part[inside] for part in (self.x, self.y, self.low, self.high))
        return Line(*parts, np.asarray(self.degrees)[inside], self.shared)

    def within(self, other: Line) -> Line:
        """Return the points of the line in the range of another line, which is not extrapolated.

        Raises:
            TooCoarse: there are no such points.

        """
        found = self.over(float(other.x[0]), float(other.x[-1]))
        if not found.x.size:
            raise TooCoarse("the lines have no x in common")
        return found

    def in_units_of(self, unit: NDArray[np.float64]) -> Line:
        """Return the line with y of each point divided by an exact positive number from `unit`."""
        with np.errstate(over="ignore"):  # if a divisor is small, an interval's end may overflow
            parts = [part / unit for part in (self.y, self.low, self.high)]
        return Line(self.x, *parts, self.degrees, self.shared)

    def of_own(self, index: int) -> Line:
        """Return the line divided by its own value at one point, where the result is exactly 1."""
        parts = (self.x, self.y, self.low, self.high, np.asarray(self.degrees))
        own = self / Line(*(part[[index]] for part in parts))
        for part in (own.y, own.low, own.high):
            part[index] = 1.0
        return own

    def taken(self, points: Sequence[int] | NDArray[np.intp]) -> Line:
        """Return a line of the points with the given indices, in this order, at x = 0, 1, ..."""
        parts = (part[points] for part in (self.y, self.low, self.high, np.asarray(self.degrees)))
        return Line(np.arange(float(len(points))), *parts, self.shared)

    @property
    def is_random(self) -> NDArray[np.bool_]:
        """Whether each point has an interval of nonzero width."""
        return self.high > self.low

    def widened(self, comparisons: int) -> Line:
        """Return the line with intervals so wide that they hold jointly for several comparisons."""
        if comparisons < 2:
            return self
        factor = widening(comparisons, np.asarray(self.degrees))
        down, up = factor * (self.y - self.low), factor * (self.high - self.y)
        return Line(self.x, self.y, self.y - down, self.y + up, self.degrees, self.shared)


@dataclass(frozen=True)
class Value:
    """A number, reduced from a line, with its 95 % confidence interval."""

    value: float
    low: float
    high: float
    degrees: float = math.inf
    """Degrees of freedom of Student's t from which the interval was computed."""

    def scaled(self, factor: float) -> Value:
        """Return the value and its interval multiplied by a factor."""
        ends = sorted((self.low * factor, self.high * factor))
        return Value(self.value * factor, *ends, self.degrees)


PLACES = ("argmin", "argmax", "crossing")
"""Reductions to a place, an x of the line; a factor is the place's, not that of the line's y."""


def lines_of(rows: pd.DataFrame) -> dict[str, Line]:
    """Return the line of each series of a panel, without points that have no value."""
    rows = rows[rows["y"].notna()].sort_values("x", kind="stable")
    return {str(series): _line(own) for series, own in rows.groupby("series")}


def _line(rows: pd.DataFrame) -> Line:
    y = rows["y"].to_numpy(float)
    given = [rows[name].to_numpy(float) if name in rows else y for name in ("y_low", "y_high")]
    ends = [np.where(np.isnan(end), y, end) for end in given]
    # Control variates cost further degrees of freedom, but tables do not have their number. At 20
    # replications the difference is small.
    runs = rows["n"].to_numpy(float) if "n" in rows else np.ones(y.size)
    return Line(rows["x"].to_numpy(float), y, *ends, np.where(runs > 1, runs - 1, math.inf))


def line_of(lines: Mapping[str, Line], series: str, reduction: Reduction) -> Line:
    """Return the line that a reduction defines for one series: a difference, ratio or range of it.

    `lines` are those of a panel, by series.

    Raises:
        ValueError: there are no data, or the line cannot be computed.

    """
    line = _needed(_read(lines, series, reduction), reduction)
    if not line.x.size:
        raise TooCoarse(f"no data of {series!r} in the range that is asked for")
    if isinstance(reduction.minus, str):
        other = _read(lines, reduction.minus, reduction)
        line = line.within(other) - other
    elif reduction.minus is not None:
        line = line.plus(-reduction.minus)
    if reduction.divided_by is not None:
        other = _read(lines, reduction.divided_by, reduction)
        line = line.within(other) / other
    if reduction.absolute:
        line = line.absolute()
    return scaled(line, reduction)


def scaled(line: Line, reduction: Reduction) -> Line:
    """Return a line times a reduction's factor; that of `PLACES` is for the number instead."""
    return line if reduction.take in PLACES else line.times(reduction.times)


def _needed(line: Line, reduction: Reduction) -> Line:
    """Return the points that a reduction uses; elsewhere a divisor may be too near to zero."""
    if reduction.over is not None:
        line = line.over(*reduction.over)
    if reduction.take == "at" and reduction.at is not None:
        before, after = line.x[line.x <= reduction.at], line.x[line.x >= reduction.at]
        if before.size and after.size:
            line = line.over(float(before[-1]), float(after[0]))
    return line


def number_of(line: Line, reduction: Reduction) -> Value:
    """Return the number to which a reduction reduces a line, such as its maximum (`take: max`).

    Raises:
        ValueError: the number does not exist, for example if two series do not cross.

    """
    match reduction.take:
        case "first" | "last":
            return _point(line, 0 if reduction.take == "first" else -1)
        case "min":
            return _smallest(line)
        case "max":
            return _smallest(line.times(-1.0)).scaled(-1.0)
        case "mean":
            return _mean(line)
        case "argmin":
            return place_of_minimum(line).scaled(reduction.times)
        case "argmax":
            return place_of_minimum(line.times(-1.0)).scaled(reduction.times)
        case "at":
            position = float(reduction.at or 0)
            if not line.x[0] <= position <= line.x[-1]:
                raise TooCoarse(f"no data at x = {position:g}")
            return _point(line.at(np.array([position])), 0)
        case "crossing":
            return first_crossing(line).scaled(reduction.times)
    raise ValueError("nothing to take")


def _smallest(line: Line) -> Value:
    """Return the smallest y of a line; its interval takes into account that the point is chosen.

    The intervals of all points are widened until they hold at the same time. The smallest of the
    true values then lies between the smallest lower and the smallest upper end.
    """
    joint = line.widened(int(line.is_random.sum()))
    parts = (float(part.min()) for part in (line.y, joint.low, joint.high))
    return Value(*parts, float(np.min(line.degrees)))


def _mean(line: Line) -> Value:
    """Return the mean y of a line.

    Measurements are independent, because each scenario has its own random numbers, so the squares
    of half-widths add. If points share errors, the ends of their intervals are averaged instead;
    this holds for any dependence.
    """
    y, degrees = float(line.y.mean()), float(np.min(line.degrees))
    if line.shared:
        return Value(y, float(line.low.mean()), float(line.high.mean()), degrees)
    down, up = (
        float(np.linalg.norm(part)) / line.y.size
        for part in (line.y - line.low, line.high - line.y)
    )
    return Value(y, y - down, y + up, degrees)


def place_of_minimum(line: Line) -> Value:
    """Return the x of the line's smallest value, and the range in which this x may lie.

    The range contains every point whose interval overlaps that of the smallest value.
    """
    smallest = int(np.argmin(line.y))
    possible = line.x[line.low <= line.high[smallest]]
    return Value(float(line.x[smallest]), float(possible.min()), float(possible.max()))


def first_crossing(line: Line) -> Value:
    """Return the x at which a line first reaches zero, and the range in which this x may lie.

    Raises:
        TooCoarse: all points of the line have the same sign.

    """
    crossing = _zero(line.x, line.y)
    if crossing is None:
        raise TooCoarse("the series do not cross")
    ends = [_zero(line.x, part) for part in (line.low, line.high)]
    sides = [x for x in ends if x is not None]
    if len(sides) < 2:  # if low or high never crosses zero, the whole range of x is possible
        sides += [float(line.x[0]), float(line.x[-1])]
    return Value(crossing, min(crossing, *sides), max(crossing, *sides))


def _zero(x: NDArray[np.float64], y: NDArray[np.float64]) -> float | None:
    changes = np.flatnonzero(np.sign(y[:-1]) * np.sign(y[1:]) <= 0)
    if not changes.size or not y.any():
        return None
    i = changes[0]
    if y[i] == y[i + 1]:  # both values are zero, so the line touches zero at x[i]
        return float(x[i])
    return float(x[i] - y[i] * (x[i + 1] - x[i]) / (y[i + 1] - y[i]))


def _point(line: Line, index: int) -> Value:
    parts = (line.y, line.low, line.high, np.asarray(line.degrees))
    return Value(*(float(part[index]) for part in parts))


def _read(lines: Mapping[str, Line], series: str, reduction: Reduction) -> Line:
    """Return the line of a series; if `of_own` is set, divide it by its value at one end."""
    if series not in lines:
        raise TooCoarse(f"no data of {series!r}")
    line = lines[series]
    if reduction.of_own is None:
        return line
    return line.of_own(0 if reduction.of_own == "first" else -1)
