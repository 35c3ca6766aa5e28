"""Predicates: each holds, fails, or is a tie within the intervals of what it was shown.

Every kind comes down to points with intervals on one side or the other of a limit. A point is
clear when its whole interval is; what is exact has an interval without width.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.claims.schema import (
    Bound,
    Crossing,
    Extremum,
    Monotone,
    Ordering,
    Predicate,
    Ratio,
    Within,
)
from tcpgoodput.studies.reductions import Line, Value, first_crossing, place_of_minimum

ROUNDING = 1e-9
"""Of floating-point arithmetic, relative: what differs by less is equal."""

Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]


@dataclass(frozen=True)
class Finding:
    """What a predicate found."""

    holds: bool | None
    """None: a tie within the intervals."""
    value: float
    bound: str
    at: float | None = None
    """The x of the value, where there is one."""
    ties: int = 0
    points: int = 1


@dataclass(frozen=True)
class Judged:
    """Points on the right side of a limit, on the wrong one, or with an interval across it."""

    right: Booleans
    wrong: Booleans

    @property
    def tied(self) -> Booleans:
        """The points that are neither."""
        return ~(self.right | self.wrong)

    def __and__(self, other: Judged) -> Judged:
        return Judged(self.right & other.right, self.wrong | other.wrong)


def find(predicate: Predicate, operands: Sequence[Line]) -> Finding:
    """Hold a predicate against its operands; a number is a line of one point, at no x.

    Raises:
        ValueError: the operands cannot be compared.

    """
    rule: Callable[..., Finding] = _RULES[predicate.kind]
    finding = rule(predicate, operands)
    if not predicate.negated or finding.holds is None:
        return finding
    return Finding(
        not finding.holds,
        finding.value,
        f"not {finding.bound}",
        finding.at,
        finding.ties,
        finding.points,
    )


def number(value: Value) -> Line:
    """Return a number as an operand."""
    point = ((value.value,), (value.low,), (value.high,))
    return Line(np.array([np.nan]), *(np.array(part, dtype=float) for part in point))


def _is_number(line: Line) -> bool:
    return line.x.size == 1 and bool(np.isnan(line.x[0]))


def _aligned(operands: Sequence[Line]) -> list[Line]:
    """Return the operands at the x of the one with the fewest points, numbers at each of them."""
    lines = [line for line in operands if not _is_number(line)]
    if not lines:
        return list(operands)
    x = min(lines, key=lambda line: line.x.size).x
    x = x[(x >= max(line.x[0] for line in lines)) & (x <= min(line.x[-1] for line in lines))]
    if not x.size:
        raise ValueError("the lines have no x in common")
    ones = np.ones(x.size)
    return [
        Line(x, line.y * ones, line.low * ones, line.high * ones)
        if _is_number(line)
        else line.at(x)
        for line in operands
    ]


def _beyond(line: Line, limit: float, scale: Floats, *, strict: bool) -> Judged:
    """Judge which points lie above a limit; equal ones do unless that is to be strict."""
    slack = ROUNDING * scale
    low, high = line.low - limit, line.high - limit
    if strict:
        return Judged(low > slack, high <= slack)
    return Judged(low >= -slack, high < -slack)


def _scale(*parts: Floats) -> Floats:
    return np.maximum(np.max([np.abs(part) for part in parts], axis=0), np.finfo(float).tiny)


def _quantified(holds: str, judged: Judged) -> bool | None:
    right, wrong, count = judged.right.sum(), judged.wrong.sum(), judged.right.size
    if holds == "everywhere":
        yes, no = right == count, wrong > 0
    elif holds == "somewhere":
        yes, no = right > 0, wrong == count
    else:
        yes, no = 2 * right > count, 2 * wrong >= count
    return True if yes else False if no else None


def _reported(
    holds: str, judged: Judged, values: Floats, margins: Floats, x: Floats, bound: str
) -> Finding:
    """Report the point that decides: the worst of all, the best of some, or the share of most."""
    verdict = _quantified(holds, judged)
    ties, points = int(judged.tied.sum()), judged.right.size
    if holds == "mostly":
        share = float(judged.right.mean())
        return Finding(verdict, share, f"> 0.5 of the points {bound}", None, ties, points)
    i = int(np.argmin(margins) if holds == "everywhere" else np.argmax(margins))
    if verdict is None:  # of what is tied, the point nearest to the limit
        tied = np.flatnonzero(judged.tied)
        i = int(tied[np.argmin(np.abs(margins[tied]))])
    at = None if np.isnan(x[i]) else float(x[i])
    return Finding(verdict, float(values[i]), bound, at, ties, points)


def _ordering(predicate: Ordering, operands: Sequence[Line]) -> Finding:
    lines = _aligned(operands)
    judged: Judged | None = None
    gaps = []
    for lower, upper in pairwise(lines):
        scale = _scale(lower.y, upper.y)
        one = _beyond(upper - lower, 0.0, scale, strict=predicate.strict)
        judged = one if judged is None else judged & one
        gaps.append((upper.y - lower.y) / scale)
    assert judged is not None  # files are checked to list two readings
    gap = np.min(gaps, axis=0)
    bound = "> 0" if predicate.strict else "≥ 0"
    return _reported(predicate.holds, judged, gap, gap, lines[0].x, bound)


def _limited(predicate: Bound | Ratio, lines: Sequence[Line]) -> Finding:
    judged, values, margins, x = [], [], [], []
    sides = [
        (predicate.above, 1.0, True),
        (predicate.at_least, 1.0, False),
        (predicate.below, -1.0, True),
        (predicate.at_most, -1.0, False),
    ]
    for line in lines:
        whole, margin = None, np.full(line.y.size, np.inf)
        for limit, sign, strict in sides:
            if limit is None:
                continue
            scale = _scale(line.y, np.full(line.y.size, limit))
            one = _beyond(line.times(sign), sign * limit, scale, strict=strict)
            whole = one if whole is None else whole & one
            margin = np.minimum(margin, sign * (line.y - limit))
        assert whole is not None  # the schema demands a limit
        judged.append(whole)
        values.append(line.y)
        margins.append(margin)
        x.append(line.x)
    together = Judged(
        np.concatenate([one.right for one in judged]), np.concatenate([one.wrong for one in judged])
    )
    parts = (np.concatenate(part) for part in (values, margins, x))
    return _reported(predicate.holds, together, *parts, limits_text(predicate))


def _bound(predicate: Bound, operands: Sequence[Line]) -> Finding:
    return _limited(predicate, operands)


def _ratio(predicate: Ratio, operands: Sequence[Line]) -> Finding:
    first, second = _aligned(operands)
    return _limited(predicate, [first / second])


def _within(predicate: Within, operands: Sequence[Line]) -> Finding:
    lines = _aligned(operands)
    y = np.array([line.y for line in lines])
    low = np.array([line.low for line in lines])
    high = np.array([line.high for line in lines])
    target = predicate.target
    if target is not None:
        off, allowed = y - target, predicate.allowed
        worst = np.argmax(np.abs(off), axis=0)
        values = np.take_along_axis(y, worst[None], axis=0)[0]
        distance = np.abs(off).max(axis=0)
        nearest = np.maximum(np.maximum(low - target, target - high), 0).max(axis=0)
        bound = f"{target:.6g} ± {allowed:.3g}"
    else:
        unit = np.abs(y).max(axis=0) if predicate.percent is not None else np.ones(y.shape[1])
        unit = np.maximum(unit, np.finfo(float).tiny)
        allowed = predicate.allowed
        values = distance = (y.max(axis=0) - y.min(axis=0)) / unit
        nearest = np.maximum(low.max(axis=0) - high.min(axis=0), 0) / unit
        bound = f"≤ {allowed:.3g}"
    half_width = ((high - low) / 2).max(axis=0) / (1.0 if target is not None else unit)
    slack = allowed + ROUNDING * np.abs(y).max(axis=0)
    judged = Judged((distance <= slack) & (half_width <= slack), nearest > slack)
    return _reported(predicate.holds, judged, values, -distance, lines[0].x, bound)


def _monotone(predicate: Monotone, operands: Sequence[Line]) -> Finding:
    return _of_all([_monotone_line(predicate, line) for line in operands])


def _monotone_line(predicate: Monotone, line: Line) -> Finding:
    rising = line if predicate.direction == "rising" else line.times(-1.0)
    if rising.y.size < 2:
        raise ValueError("a line of one point neither rises nor falls")
    slack = ROUNDING * float(np.abs(rising.y).max())
    before = np.maximum.accumulate(rising.low)[:-1]
    fallen = bool((rising.high[1:] < before - slack).any())
    if predicate.strict:
        fallen |= bool((rising.high[1:] - rising.low[:-1] <= slack).any())
    risen = bool(rising.low[-1] > rising.high[0] + slack)
    exact = bool((rising.high == rising.low).all())
    verdict = False if fallen or (exact and not risen) else True if risen else None
    steps = np.diff(rising.y) / max(float(np.ptp(rising.y)), np.finfo(float).tiny)
    worst = int(np.argmin(steps))
    bound = "> 0" if predicate.strict else "≥ 0"
    return Finding(verdict, float(steps[worst]), bound, float(rising.x[worst + 1]))


def _of_all(findings: Sequence[Finding]) -> Finding:
    """Return the finding that decides: one that fails, else a tie, else the first."""
    for outcome in (False, None):
        for finding in findings:
            if finding.holds is outcome:
                return finding
    return findings[0]


def _crossing(predicate: Crossing, operands: Sequence[Line]) -> Finding:
    first, second = _aligned(operands)
    gap = first - second
    between = predicate.between or [float(gap.x[0]), float(gap.x[-1])]
    bound = f"{between[0]:.6g} to {between[1]:.6g}"
    try:
        crossing = first_crossing(gap)
    except ValueError:
        clear = bool((gap.low > 0).all() or (gap.high < 0).all())
        return Finding(False if clear else None, float("nan"), bound)
    start = np.sign(gap.y[0])
    if predicate.side is not None and start != (1 if predicate.side == "above" else -1):
        clear = bool(np.sign(gap.low[0]) == np.sign(gap.high[0]))
        return Finding(False if clear else None, crossing.value, bound)
    return Finding(_inside(crossing, between), crossing.value, bound)


def _extremum(predicate: Extremum, operands: Sequence[Line]) -> Finding:
    return _of_all([_extremum_of_line(predicate, line) for line in operands])


def _extremum_of_line(predicate: Extremum, line: Line) -> Finding:
    if line.x.size < 3:
        raise ValueError("a line of fewer than three points has no extremum")
    place = place_of_minimum(line if predicate.which == "min" else line.times(-1.0))
    between = predicate.between
    bound = f"{between[0]:.6g} to {between[1]:.6g}"
    return Finding(_inside(place, between), place.value, bound)


def _inside(value: Value, between: Sequence[float]) -> bool | None:
    first, last = between
    if first <= value.low and value.high <= last:
        return True
    return False if value.high < first or value.low > last else None


def limits_text(predicate: Bound | Ratio) -> str:
    """Return the limits as they are read: `> 0.6`, `≥ 0, < 1`."""
    signs = {">": predicate.above, "≥": predicate.at_least, "<": predicate.below}
    signs["≤"] = predicate.at_most
    return ", ".join(f"{sign} {limit:.6g}" for sign, limit in signs.items() if limit is not None)


_RULES = {
    "ordering": _ordering,
    "bound": _bound,
    "ratio": _ratio,
    "within": _within,
    "monotone": _monotone,
    "crossing": _crossing,
    "extremum": _extremum,
}
