"""Evaluate predicates of claims: each holds, fails, or is undecided within the intervals.

Every kind of predicate compares points with a limit. Each point has a confidence interval; the
interval of an exact value has zero width. A point is above or below the limit only if its whole
interval is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.comparison.claims.schema import (
    Bound,
    Crossing,
    Extremum,
    Holds,
    Monotone,
    Ordering,
    Predicate,
    Ratio,
    Within,
)
from tcpgoodput.studies.reductions import Line, TooCoarse, Value, first_crossing, place_of_minimum

ROUNDING = 1e-9
"""Relative difference up to which two numbers count as equal, because of rounding errors."""

DIP = 0.05
"""Largest fall between two points, relative to the total rise, that a measured line may have and
still count as rising. The fall must not be significant. Chosen by hand."""

Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]


@dataclass(frozen=True)
class Finding:
    """The result of evaluating a predicate: whether it holds, and the value that decides."""

    holds: bool | None
    """True if the predicate holds, False if it fails, None if the intervals allow both."""
    value: float | None
    """The value that decides; None for lines that do not surely cross."""
    bound: str
    at: float | None = None
    """x of the point with the value `value`; None if the value belongs to no single point."""
    interval: tuple[float, float] | None = None
    """95 % interval of the value; None if the value is exact or a share of points."""
    ties: int = 0
    points: int = 1


def evaluate_predicate(predicate: Predicate, operands: Sequence[Line]) -> Finding:
    """Evaluate a predicate on lines; a number is a line of one point whose x is NaN."""
    rule: Callable[..., Finding] = _RULES[predicate.kind]
    if isinstance(predicate, Monotone | Extremum):
        # The first line that fails decides, else the first undecided one, else the first one.
        findings = [rule(predicate, line) for line in operands]
        finding = min(findings, key=lambda one: (False, None, True).index(one.holds))
    else:
        finding = rule(predicate, operands)
    if not predicate.negated or finding.holds is None:
        return finding
    return replace(finding, holds=not finding.holds, bound=f"not {finding.bound}")


def number(value: Value) -> Line:
    """Return a number as a line of one point, whose x is NaN."""
    point = (np.nan, value.value, value.low, value.high, value.degrees)
    return Line(*(np.array([part], dtype=float) for part in point))


def _is_number(line: Line) -> bool:
    return line.x.size == 1 and bool(np.isnan(line.x[0]))


def _aligned(operands: Sequence[Line]) -> list[Line]:
    """Return all lines at the same values of x: those of the line with the fewest points.

    Only values of x within the ranges of all lines are used. Other lines are interpolated there,
    and numbers are repeated.
    """
    lines = [line for line in operands if not _is_number(line)]
    if not lines:
        return list(operands)
    x = min(lines, key=lambda line: line.x.size).x
    x = x[(x >= max(line.x[0] for line in lines)) & (x <= min(line.x[-1] for line in lines))]
    if not x.size:
        raise TooCoarse("the lines have no x in common")
    ones = np.ones(x.size)
    return [
        Line(x, line.y * ones, line.low * ones, line.high * ones, line.degrees * ones)
        if _is_number(line)
        else line.at(x)
        for line in operands
    ]


def _scale(*parts: Floats) -> Floats:
    return np.maximum(np.max([np.abs(part) for part in parts], axis=0), np.finfo(float).tiny)


@dataclass(frozen=True)
class _Limit:
    """Limit of a line's values: a lower limit if `sign` is 1, an upper limit if it is -1."""

    line: Line
    limit: float
    scale: Floats
    """Magnitude of the numbers from which each point of the line was computed. Differences up to
    `ROUNDING` times this magnitude count as rounding errors."""
    sign: float = 1.0
    strict: bool = False

    @property
    def margin(self) -> Floats:
        """The distance of each point from the limit; positive if the point satisfies the limit."""
        return self.sign * (self.line.y - self.limit)

    def right(self, comparisons: int) -> Booleans:
        """Whether each whole interval, widened for the comparisons, satisfies the limit."""
        low = self._beyond(comparisons).low
        slack = ROUNDING * self.scale
        return low > slack if self.strict else low >= -slack

    def wrong(self, comparisons: int) -> Booleans:
        """Whether each whole interval, widened for the comparisons, violates the limit."""
        high = self._beyond(comparisons).high
        slack = ROUNDING * self.scale
        return high <= slack if self.strict else high < -slack

    def _beyond(self, comparisons: int) -> Line:
        return self.line.plus(-self.limit).times(self.sign).widened(comparisons)


def _right_and_wrong(holds: Holds, rows: Sequence[Sequence[_Limit]]) -> tuple[Booleans, Booleans]:
    """Return masks of the points that satisfy all limits, and of those that violate one.

    Each row of `rows` has the limits of the points of one line.

    One point is enough to refute `everywhere` or to prove `somewhere`. Among many points, some are
    outside their 95 % intervals by chance. In these two cases, the intervals are therefore widened
    until they contain all points at once with 95 % confidence. A proof of `everywhere` or a
    refutation of `somewhere` needs no such correction.
    """
    limits = [limit for row in rows for limit in row]
    random = int(np.sum([np.sum(limit.line.is_random) for limit in limits]))
    for_right = random if holds == "somewhere" else 1
    for_wrong = random if holds == "everywhere" else 1
    return (
        np.concatenate([np.all([one.right(for_right) for one in row], axis=0) for row in rows]),
        np.concatenate([np.any([one.wrong(for_wrong) for one in row], axis=0) for row in rows]),
    )


def _reported(
    holds: Holds, rows: Sequence[Sequence[_Limit]], line: Line, margins: Floats, bound: str
) -> Finding:
    """Return the finding with the value of the point that decides whether the predicate holds.

    The worst point decides for `everywhere`, the best one for `somewhere`. For `mostly`, the
    finding has the share of points that satisfy the limit instead.
    """
    right, wrong = _right_and_wrong(holds, rows)
    tied = ~(right | wrong)  # the interval contains a limit, so that neither side is certain
    ties, points = int(tied.sum()), right.size
    if holds == "everywhere":
        yes, no = right.all(), wrong.any()
    elif holds == "somewhere":
        yes, no = right.any(), wrong.all()
    else:
        yes, no = 2 * right.sum() > points, 2 * wrong.sum() >= points
    verdict = True if yes else False if no else None
    if holds == "mostly":
        share = float(right.mean())
        bound = f"> 0.5 of the points {bound}"
        return Finding(verdict, share, bound, ties=ties, points=points)
    if verdict is None:  # of the points whose interval contains the limit, report the closest to it
        deciding, distance = tied, np.abs(margins)
    elif holds == "everywhere":
        deciding, distance = np.full(points, True) if verdict else wrong, margins
    else:
        deciding, distance = right if verdict else np.full(points, True), -margins
    i = int(np.argmin(np.where(deciding, distance, np.inf)))
    at = None if np.isnan(line.x[i]) else float(line.x[i])
    interval = _interval(float(line.low[i]), float(line.high[i]))
    return Finding(verdict, float(line.y[i]), bound, at, interval, ties, points)


def _interval(low: float, high: float) -> tuple[float, float] | None:
    return (low, high) if high > low else None


def _ordering(predicate: Ordering, operands: Sequence[Line]) -> Finding:
    lines = _aligned(operands)
    pairs = list(pairwise(lines))
    scales = [_scale(lower.y, upper.y) for lower, upper in pairs]
    gaps = [upper - lower for lower, upper in pairs]
    if predicate.above is not None:
        level = np.full(lines[-1].y.size, predicate.above)
        scales.append(_scale(lines[-1].y, level))
        gaps.append(lines[-1].plus(-predicate.above))
    row = [
        _Limit(gap, 0.0, scale, strict=predicate.strict)
        for gap, scale in zip(gaps, scales, strict=True)
    ]
    relative = [gap.in_units_of(scale) for gap, scale in zip(gaps, scales, strict=True)]
    least = _chosen(relative, np.argmin([gap.y for gap in relative], axis=0))
    bound = "> 0" if predicate.strict else "≥ 0"
    return _reported(predicate.holds, [row], least, least.y, bound)


def _chosen(lines: Sequence[Line], which: NDArray[np.intp]) -> Line:
    """Return a line whose point i is the point i of the line with index `which[i]`."""
    points = np.arange(which.size)
    every = (np.array([getattr(line, part) for line in lines]) for part in ("y", "low", "high"))
    return Line(lines[0].x, *(part[which, points] for part in every))


def _limited(predicate: Bound | Ratio, lines: Sequence[Line]) -> Finding:
    sides = [
        (predicate.above, 1.0, True),
        (predicate.at_least, 1.0, False),
        (predicate.below, -1.0, True),
        (predicate.at_most, -1.0, False),
    ]
    given = [(limit, sign, strict) for limit, sign, strict in sides if limit is not None]
    rows = [
        [
            _Limit(line, limit, _scale(line.y, np.full(line.y.size, limit)), sign, strict)
            for limit, sign, strict in given
        ]
        for line in lines
    ]
    margins = np.concatenate([np.min([one.margin for one in row], axis=0) for row in rows])
    parts = ("x", "y", "low", "high")
    shown = Line(*(np.concatenate([getattr(line, part) for line in lines]) for part in parts))
    return _reported(predicate.holds, rows, shown, margins, limits_text(predicate))


def _ratio(predicate: Ratio, operands: Sequence[Line]) -> Finding:
    first, second = _aligned(operands)
    return _limited(predicate, [first / second])


def _within(predicate: Within, operands: Sequence[Line]) -> Finding:
    lines, target, allowed = _aligned(operands), predicate.target, predicate.allowed
    unit = np.ones(lines[0].y.size)
    if target is not None:
        off = lines
        bound = f"{target:.6g} ± {allowed:.3g}"
    else:
        if predicate.percent is not None:
            unit = _scale(*(line.y for line in lines))
        off = [(one - other).in_units_of(unit) for one, other in combinations(lines, 2)]
        bound = f"≤ {allowed:.3g}"
    centre = target or 0.0
    scale = _scale(*(line.y for line in lines)) / unit
    row = [_Limit(line, centre + sign * allowed, scale, -sign) for line in off for sign in (-1, 1)]
    worst = _chosen(off, np.argmax([np.abs(line.y - centre) for line in off], axis=0))
    shown = worst if target is not None else _size(worst)
    return _reported(predicate.holds, [row], shown, -np.abs(worst.y - centre), bound)


def _size(line: Line) -> Line:
    """Return the absolute values of a line, with their intervals."""
    ends = np.abs([line.low, line.high])
    across = (line.low < 0) & (line.high > 0)
    return Line(line.x, np.abs(line.y), np.where(across, 0.0, ends.min(axis=0)), ends.max(axis=0))


def _monotone(predicate: Monotone, line: Line) -> Finding:
    """Evaluate whether a line is rising or falling, from its changes between any two points.

    A line is rising if its last point is significantly above its first, and the interval of each
    change excludes falls of more than `DIP` times the total rise. The line is not rising if a fall
    between two points is significant. Otherwise the result is undecided. A falling line is
    evaluated with its sign changed.
    """
    rising = line if predicate.direction == "rising" else line.times(-1.0)
    if rising.y.size < 2:
        raise TooCoarse("a line of one point neither rises nor falls")
    before, after = np.triu_indices(rising.y.size, 1)
    steps = after == before + 1
    change = rising.taken(after) - rising.taken(before)
    slack = ROUNDING * float(np.abs(rising.y).max())
    surely = change.widened(int(change.is_random.sum()))
    span = rising.taken([-1]) - rising.taken([0])
    risen = bool(span.low[0] > slack)
    fallen = bool((surely.high < -slack).any())
    if predicate.strict:
        fallen |= bool((surely.high[steps] <= slack).any())
    exact = not rising.is_random.any()
    hidden = slack if exact else DIP * float(span.y[0])
    never_falls = bool((change.low >= -hidden).all())
    if predicate.strict and not exact:
        never_falls &= bool((change.low[steps] > 0).all())
    verdict = False if fallen or (exact and not risen) else True if risen and never_falls else None
    unit = np.full(change.y.size, max(float(np.ptp(rising.y)), slack, np.finfo(float).tiny))
    relative = change.in_units_of(unit).taken(np.flatnonzero(steps))
    worst = int(np.argmin(relative.y))
    bound = "> 0" if predicate.strict else "≥ 0"
    interval = _interval(float(relative.low[worst]), float(relative.high[worst]))
    return Finding(verdict, float(relative.y[worst]), bound, float(rising.x[worst + 1]), interval)


def _crossing(predicate: Crossing, operands: Sequence[Line]) -> Finding:
    """Return whether two lines cross, in the required range of x and from the required side.

    The lines cross if their difference is significantly on one side of 0 at one point, and on the
    other side at another. One such pair of points is enough, so the intervals are widened as for
    `somewhere`. If all points are on one side, the lines do not cross; this needs no correction.
    """
    first, second = _aligned(operands)
    gap = first - second
    between = predicate.between or [float(gap.x[0]), float(gap.x[-1])]
    bound = f"{between[0]:.6g} to {between[1]:.6g}"
    slack = ROUNDING * _scale(first.y, second.y)
    if (gap.low >= -slack).all() or (gap.high <= slack).all():
        return Finding(False, None, bound)
    joint = gap.widened(int(gap.is_random.sum()))
    sides = (joint.low > slack).astype(int) - (joint.high < -slack)
    certain = np.flatnonzero(sides)
    changes = np.flatnonzero(np.diff(sides[certain]))
    if not changes.size:
        return Finding(None, None, bound)
    before, after = certain[changes[0]], certain[changes[0] + 1]
    place = first_crossing(joint.over(float(gap.x[before]), float(gap.x[after])))
    start = sides[before]
    doubtful = np.flatnonzero(joint.times(float(start)).low[:before] < -slack[:before])
    if doubtful.size:  # there may be an earlier crossing
        place = replace(place, low=float(gap.x[0]))
        if doubtful[0] < certain[0]:  # from either side
            start = 0
    if predicate.side is not None and start != (1 if predicate.side == "above" else -1):
        return _placed(False if start else None, place, bound)
    return _placed(_inside(place, between), place, bound)


def _extremum(predicate: Extremum, line: Line) -> Finding:
    if line.x.size < 3:
        raise TooCoarse("a line of fewer than three points has no extremum")
    place = place_of_minimum(line if predicate.which == "min" else line.times(-1.0))
    between = predicate.between
    bound = f"{between[0]:.6g} to {between[1]:.6g}"
    return _placed(_inside(place, between), place, bound)


def _placed(holds: bool | None, place: Value, bound: str) -> Finding:
    return Finding(holds, place.value, bound, interval=_interval(place.low, place.high))


def _inside(value: Value, between: Sequence[float]) -> bool | None:
    first, last = between
    if first <= value.low and value.high <= last:
        return True
    return False if value.high < first or value.low > last else None


def limits_text(predicate: Bound | Ratio) -> str:
    """Return the limits as text, such as `> 0.6` or `≥ 0, < 1`."""
    signs = {">": predicate.above, "≥": predicate.at_least, "<": predicate.below}
    signs["≤"] = predicate.at_most
    return ", ".join(f"{sign} {limit:.6g}" for sign, limit in signs.items() if limit is not None)


_RULES = {
    "ordering": _ordering,
    "bound": _limited,
    "ratio": _ratio,
    "within": _within,
    "monotone": _monotone,
    "crossing": _crossing,
    "extremum": _extremum,
}
