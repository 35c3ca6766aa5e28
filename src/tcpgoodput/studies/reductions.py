"""Reductions of a figure's published series: a line, or one number of it, with its interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tcpgoodput.studies.schema import Reduction


@dataclass(frozen=True)
class Line:
    """Points of a series with their 95 % intervals, which are points where nothing is random."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    def at(self, x: NDArray[np.float64]) -> Line:
        """Return the line at other values of x, interpolated."""
        return Line(x, *(np.interp(x, self.x, part) for part in (self.y, self.low, self.high)))

    def __sub__(self, other: Line) -> Line:
        other = other.at(self.x)
        return Line(self.x, self.y - other.y, self.low - other.high, self.high - other.low)

    def __truediv__(self, other: Line) -> Line:
        """Divide by a line above zero."""
        other = other.at(self.x)
        if not (other.low > 0).all():
            raise ValueError("a line is divided by one that is not above zero")
        ends = [end / by for end in (self.low, self.high) for by in (other.low, other.high)]
        return Line(self.x, self.y / other.y, np.min(ends, axis=0), np.max(ends, axis=0))

    def times(self, factor: float) -> Line:
        """Return the line scaled."""
        ends = np.sort([self.low * factor, self.high * factor], axis=0)
        return Line(self.x, self.y * factor, *ends)

    def plus(self, level: float) -> Line:
        """Return the line moved upwards."""
        return Line(self.x, self.y + level, self.low + level, self.high + level)

    def over(self, first: float, last: float) -> Line:
        """Return the part of the line between two values of x."""
        inside = (self.x >= first) & (self.x <= last)
        return Line(self.x[inside], self.y[inside], self.low[inside], self.high[inside])


@dataclass(frozen=True)
class Value:
    """One number and what its interval leaves open."""

    value: float
    low: float
    high: float

    def scaled(self, factor: float) -> Value:
        """Return the value in another unit."""
        ends = sorted((self.low * factor, self.high * factor))
        return Value(self.value * factor, *ends)


def line_of(rows: pd.DataFrame, series: str, reduction: Reduction) -> Line:
    """Return the line that a reduction makes of one series of a panel's rows.

    Raises:
        ValueError: there are no data, or the line cannot be made.

    """
    line = _series(rows, series)
    if isinstance(reduction.minus, str):
        line = line - _series(rows, reduction.minus)
    elif reduction.minus is not None:
        line = line.plus(-reduction.minus)
    if reduction.divided_by is not None:
        line = line / _series(rows, reduction.divided_by)
    if reduction.over is not None:
        line = line.over(*reduction.over)
    if not line.x.size:
        raise ValueError(f"no data of {series!r} in the range that is asked for")
    return line.times(reduction.times)


def number_of(line: Line, reduction: Reduction) -> Value:
    """Return the number that a reduction takes of a line.

    Raises:
        ValueError: there is nothing to take, as where two series do not cross.

    """
    match reduction.take:
        case "min" | "first":
            return _point(line, 0 if reduction.take == "first" else int(np.argmin(line.y)))
        case "max" | "last":
            return _point(line, -1 if reduction.take == "last" else int(np.argmax(line.y)))
        case "mean":
            return Value(*(float(part.mean()) for part in (line.y, line.low, line.high)))
        case "argmin":
            return place_of_minimum(line).scaled(reduction.times)
        case "argmax":
            return place_of_minimum(line.times(-1.0)).scaled(reduction.times)
        case "at":
            position = float(reduction.at or 0)
            if not line.x[0] <= position <= line.x[-1]:
                raise ValueError(f"no data at x = {position:g}")
            return _point(line.at(np.array([position])), 0)
        case "crossing":
            return first_crossing(line).scaled(reduction.times)
    raise ValueError("nothing to take")


def place_of_minimum(line: Line) -> Value:
    """Return the x of the smallest value, and between which x its interval lets it lie."""
    smallest = int(np.argmin(line.y))
    possible = line.x[line.low <= line.high[smallest]]
    return Value(float(line.x[smallest]), float(possible.min()), float(possible.max()))


def first_crossing(line: Line) -> Value:
    """Return the x at which a line first changes its sign, and where its interval lets it do so."""
    crossing = _zero(line.x, line.y)
    if crossing is None:
        raise ValueError("the series do not cross")
    ends = [_zero(line.x, part) for part in (line.low, line.high)]
    sides = [x for x in ends if x is not None]
    if len(sides) < 2:  # an interval that never leaves zero on one side leaves that side open
        sides += [float(line.x[0]), float(line.x[-1])]
    return Value(crossing, min(crossing, *sides), max(crossing, *sides))


def _zero(x: NDArray[np.float64], y: NDArray[np.float64]) -> float | None:
    changes = np.flatnonzero(np.sign(y[:-1]) * np.sign(y[1:]) <= 0)
    if not changes.size or not y.any():
        return None
    i = changes[0]
    if y[i] == y[i + 1]:  # zero on both sides
        return float(x[i])
    return float(x[i] - y[i] * (x[i + 1] - x[i]) / (y[i + 1] - y[i]))


def _point(line: Line, index: int) -> Value:
    return Value(float(line.y[index]), float(line.low[index]), float(line.high[index]))


def _series(rows: pd.DataFrame, series: str) -> Line:
    own = (rows["series"] == series).to_numpy()
    x, y = (rows[name].to_numpy(float)[own] for name in ("x", "y"))
    order = np.argsort(x, kind="stable")
    order = order[~np.isnan(y[order])]
    if not order.size:
        raise ValueError(f"no data of {series!r}")
    ends = []
    for name in ("y_low", "y_high"):
        given = rows[name].to_numpy(float)[own] if name in rows else np.full(y.size, np.nan)
        ends.append(np.where(np.isnan(given), y, given)[order])
    return Line(x[order], y[order], *ends)
