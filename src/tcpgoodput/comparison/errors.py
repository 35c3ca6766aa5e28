"""Errors of models relative to a measured goodput, and their statistics by group.

An error is ln(model / measured), shown in per cent as 100 ln(model / measured). A small error is
almost equal to the usual relative error; a factor of two is +69 or −69. `errors_by` summarises the
errors of a group. What `paper/numbers.yaml` takes of several rows is computed by the same functions
`quantile` and `spread_of`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tcpgoodput.configuration.problems import alternatives
from tcpgoodput.statistics import CONFIDENCE, quantile_interval, student_quantile

FACTOR_OF_TWO = math.log(2)
"""Absolute value of an error of a factor of two, ln 2."""

RIGHT = 0.10
"""Largest |ln(model / measured)| at which a prediction counts as right. Chosen by hand."""

BOUNDS = (0.05, RIGHT, 0.25)
"""Bounds of |ln(model / measured)| between the classes of errors that pictures and tables show.
Chosen by hand."""

TIED = 1e-9
"""Largest difference between two errors that count as equal; it allows for rounding errors."""

QUANTILES = {"median": 0.5, "q90": 0.9}
"""Quantiles of the sizes of errors, by the name of their column."""

SHARES = {**{f"within_{100 * bound:g}": bound for bound in BOUNDS}, "off_by_two": FACTOR_OF_TWO}
"""Limits of the sizes of errors, by the name of the column with the share of errors. An error is
off by two if it is at least the limit; it is within a bound if it is at most the limit."""

SPREAD_LEVELS = {"q05": 0.05, "q25": 0.25, "q50": 0.5, "q75": 0.75, "q95": 0.95}
"""Quantiles that show the spread of values, by the name of their column in `ratios_by`."""

ENDINGS = ("", "_low", "_high")
"""Ends of the names of the columns with a value, and with both ends of its 95 % interval."""

STATISTICS = [
    *("n", "bias_%", "above_%"),
    *(f"{name}{end}_%" for name in (*QUANTILES, *SHARES) for end in ENDINGS),
]
"""Columns that `errors_by` adds to those of the groups."""

RATIOS = [
    "n",
    *(f"{name}{end}" for name in SPREAD_LEVELS for end in ENDINGS),
    *(f"above{end}_%" for end in ENDINGS),
]
"""Columns that `ratios_by` adds to those of the groups."""


def log_error(goodput: float | None, measured: float | None) -> float | None:
    """Return ln(model / measured), or None if either has no positive value (None, 0, NaN)."""
    if not goodput or not measured or math.isnan(goodput) or math.isnan(measured):
        return None
    return math.log(goodput / measured)


def per_cent(error: float) -> float:
    """Return 100 times an error or a share, which is the number in per cent, with its sign."""
    return 100 * error


def share(name: str, count: int, of: int) -> dict[str, float]:
    """Return a share in per cent with Wilson's 95 % interval, as columns that begin with `name`.

    The columns end in `_%`, `_low_%` and `_high_%`. If there are no cases at all, all values are
    NaN.
    """
    return with_ends(name, count / of if of else math.nan, _binomial(count, of, "wilson"))


def order_of_errors(one: float, other: float, half_width: float) -> int:
    """Return which of two models has the smaller error: -1 the first, 1 the second, 0 a tie.

    The true goodput lies within the measurement's interval, whose half-width is relative to the
    measured goodput. Another true goodput would shift both errors, ln(model / measured), equally.
    If the order of the errors depends on the true goodput, the result is a tie.
    """
    largest = -math.log1p(-half_width) if half_width < 1 else math.inf
    shifts = (-math.log1p(half_width), 0.0, largest)
    leads = (abs(one + shift) - abs(other + shift) for shift in shifts)
    orders = {(lead > 0) - (lead < 0) for lead in leads}
    return orders.pop() if len(orders) == 1 else 0


def ratio_of(
    our: tuple[float, float, float], their: tuple[float, float, float]
) -> tuple[float, float, float]:
    """Return a ratio of goodputs with its interval; each goodput has the ends of its own."""
    ratio = our[0] / their[0]
    down = math.hypot(_log_ratio(our[0], our[1]), _log_ratio(their[2], their[0]))
    up = math.hypot(_log_ratio(our[2], our[0]), _log_ratio(their[0], their[1]))
    return ratio, ratio * math.exp(-down), ratio * math.exp(up)


def _log_ratio(above: float, below: float) -> float:
    """Return ln(above / below); infinite if `below` is not positive."""
    return math.log(above / below) if below > 0 else math.inf


def errors_by(
    rows: pd.DataFrame,
    by: str | Sequence[str] = (),
    weights: str | None = None,
    cluster: str | None = None,
    error: str = "log_error",
) -> pd.DataFrame:
    """Return statistics of the errors in each group of rows, with 95 % intervals.

    Args:
        rows: a row for each prediction. Rows without an error (NaN) are left out; if a missing
            prediction is to count as a factor of two, fill it with `FACTOR_OF_TWO` first.
        by: one or more columns whose values define the groups; none: all rows are one group. The
            groups are in the order of their first row.
        weights: a column with a weight for each row; None: all rows count alike.
        cluster: a column that names what the errors of several rows have in common, such as the
            connection. The intervals allow for errors that depend on each other within a cluster;
            the column `clusters` has their number. None: the errors are independent.
        error: the column with the errors, ln(model / measured).

    Returns:
        A table with the columns `by`, `n` (number of errors), `clusters`, and in per cent: `bias_%`
        (mean error with its sign), `above_%` (share of predictions above the measurement),
        `median_%` and `q90_%` (median and 90 % quantile of the errors' sizes), `within_5_%`,
        `within_10_%`, `within_25_%` and `off_by_two_%` (share of errors of at most 0.05, 0.1 and
        0.25, and of at least ln 2). The ends of the intervals are in `median_low_%`,
        `median_high_%` and so on; NaN if there are too few errors, or fewer than six clusters, for
        an interval. A group without errors has no row.

    Raises:
        ValueError: a column does not exist, a row has no weight or cluster, or a weight is not
            positive.

    The intervals of independent errors are order statistics (see `statistics.quantile_interval`)
    and Wilson's. For clusters they are from a bootstrap of whole clusters, and in large tables and
    with weights from linearisation (Woodruff 1952, Journal of the American Statistical Association
    47).

    Example:
        >>> import tcpgoodput
        >>> rows = pd.DataFrame({"model": ["a", "a", "b"], "log_error": [0.1, -0.3, 0.02]})
        >>> tcpgoodput.errors_by(rows, "model")[["model", "n", "bias_%", "median_%"]].round(1)
          model  n  bias_%  median_%
        0     a  2   -10.0      20.0
        1     b  1     2.0       2.0

    """
    names = [by] if isinstance(by, str) else list(by)
    known = _known(rows, error, *names, *filter(None, (weights, cluster)))
    for column in filter(None, (weights, cluster)):
        if known[column].isna().any():
            raise ValueError(f"rows with an error have no value of {column!r}")
    if weights is not None and not (known[weights] > 0).all():
        raise ValueError(f"the weights in {weights!r} are not all positive")
    found = []
    for values, own in _groups(known, names):
        errors = own[error].to_numpy(float)
        inside = None if cluster is None else own[cluster]
        counted = {} if inside is None else {"clusters": inside.nunique()}
        weight = None if weights is None else own[weights].to_numpy(float)
        found.append(
            dict(zip(names, values, strict=True)) | counted | _statistics(errors, weight, inside)
        )
    columns = [*names, *([] if cluster is None else ["clusters"]), *STATISTICS]
    return pd.DataFrame(found, columns=columns)


def errors_of_all(
    rows: pd.DataFrame, by: str | Sequence[str], cluster: str | None = None
) -> pd.DataFrame:
    """Return statistics of the errors in each group of rows, also of rows without a prediction.

    A missing prediction counts as an error of a factor of two. In the bias, and in the share of
    predictions above the measurement, it does not count.

    Args:
        rows: a row for each connection and way to predict; `log_error` is NaN if there is no
            prediction.
        by: one or more columns whose values define the groups.
        cluster: as in `errors_by`.

    Returns:
        The table of `errors_by`, with `answered_%`, the share of rows with a prediction, and
        `median_of_answers_%`, the median size of their errors.

    """
    names = [by] if isinstance(by, str) else list(by)
    counted = rows.assign(
        log_error=rows["log_error"].fillna(FACTOR_OF_TWO),
        answered=per_cent(1) * rows["log_error"].notna(),
    )
    sizes = errors_by(counted, names, cluster=cluster).drop(columns=["bias_%", "above_%"])
    shares = counted.groupby(names, sort=False, observed=True, dropna=False)["answered"].mean()
    known = rows[rows["log_error"].notna()]
    of_answers = errors_by(known, names)[[*names, "bias_%", "above_%", "median_%"]]
    of_answers = of_answers.rename(columns={"median_%": "median_of_answers_%"})
    found = sizes.merge(shares.rename("answered_%").reset_index(), on=names)
    return found.merge(of_answers, how="left", on=names)


def _known(rows: pd.DataFrame, value: str, *others: str) -> pd.DataFrame:
    """Return the rows with a value in a column; refuse this and other columns that do not exist."""
    for column in (*others, value):
        if column not in rows.columns:
            there = [str(name) for name in rows.columns]
            raise ValueError(f"no column is called {column!r}{alternatives(column, there)}")
    return rows[rows[value].notna()]


def _groups(rows: pd.DataFrame, by: list[str]) -> Iterator[tuple[Any, pd.DataFrame]]:
    """Yield the values that define each group, with its rows; groups without rows are left out."""
    if by:
        groups = rows.groupby(by, sort=False, observed=True, dropna=False)
        yield from ((values, own) for values, own in groups if not own.empty)
    elif not rows.empty:
        yield (), rows


def ratios_by(rows: pd.DataFrame, by: str | Sequence[str], log_ratio: str) -> pd.DataFrame:
    """Return quantiles of the ratios in each group of rows, with 95 % intervals.

    Args:
        rows: a row for each ratio of two goodputs; rows without a ratio (NaN) are left out.
        by: one or more columns whose values define the groups, in the order of their first row.
        log_ratio: the column with the logarithm of the ratio.

    Returns:
        A table with the columns `by`, `n`, the quantiles `q05`, `q25`, `q50`, `q75` and `q95` of
        the ratio, and `above_%`, the share of ratios above 1. The ends of the intervals are in
        `q50_low`, `q50_high` and so on; NaN if there are too few ratios for an interval. The
        ratios count as independent.

    Raises:
        ValueError: a column does not exist.

    Example:
        >>> import tcpgoodput
        >>> rows = pd.DataFrame({"group": ["a", "a", "a"], "gain": [0.0, 0.5, -0.1]})
        >>> tcpgoodput.ratios_by(rows, "group", "gain")[["group", "n", "q50"]]
          group  n  q50
        0     a  3  1.0

    """
    names = [by] if isinstance(by, str) else list(by)
    found = []
    for values, own in _groups(_known(rows, log_ratio, *names), names):
        logs = own[log_ratio].to_numpy(float)
        row = dict(zip(names, values, strict=True)) | {"n": len(logs)}
        for name, level in SPREAD_LEVELS.items():
            low, high = Independent().of_quantile(logs, level)
            ends = {"": quantile(logs, level), "_low": low, "_high": high}
            row |= {name + end: math.exp(value) for end, value in ends.items()}
        found.append(row | share("above", int((logs > 0).sum()), len(logs)))
    return pd.DataFrame(found, columns=[*names, *RATIOS])


def _statistics(
    errors: NDArray[np.float64], weights: NDArray[np.float64] | None, clusters: pd.Series | None
) -> dict[str, float]:
    """Return the statistics of one group of errors, in per cent."""
    sizes = np.abs(errors)
    found: dict[str, float] = {
        "n": len(errors),
        "bias_%": per_cent(_mean(errors, weights)),
        "above_%": per_cent(_mean(errors > 0, weights)),
    }
    spread = spread_of(weights, clusters, len(errors))
    for name, level in QUANTILES.items():
        found |= with_ends(name, quantile(sizes, level, weights), spread.of_quantile(sizes, level))
    for name, limit in SHARES.items():
        hits = sizes >= limit if name == "off_by_two" else sizes <= limit
        found |= with_ends(name, _mean(hits, weights), spread.of_share(hits))
    return found


def _mean(values: NDArray[Any], weights: NDArray[np.float64] | None) -> float:
    """Return a mean whose last digit does not depend on the order of true and false values."""
    return float(values.mean() if weights is None else np.average(values, weights=weights))


def with_ends(name: str, value: float, ends: tuple[float, float]) -> dict[str, float]:
    """Return a value with the ends of its interval, in per cent, as columns named for it."""
    levels = zip(ENDINGS, (value, *ends), strict=True)
    return {f"{name}{end}_%": per_cent(level) for end, level in levels}


def worst_by(rows: pd.DataFrame, by: Sequence[str], at: str) -> pd.DataFrame:
    """Return the error with the largest size in each group, `worst_%`, with its place."""
    size = rows["log_error"].abs()
    largest = rows.loc[size.groupby([rows[column] for column in by]).idxmax()]
    return largest.assign(**{"worst_%": per_cent(largest["log_error"])})[[*by, "worst_%", at]]


def quantile(
    values: NDArray[np.float64], level: float, weights: NDArray[np.float64] | None = None
) -> float:
    """Return a quantile, interpolated as by `numpy.quantile`, which equal weights give.

    The quantile of no values is NaN.
    """
    if not len(values):
        return math.nan
    if weights is None or len(values) == 1:
        return float(np.quantile(values, level))
    order = np.argsort(values, kind="stable")
    through, own = np.cumsum(weights[order]), weights[order]
    places = through - own / 2 - own[0] / 2
    return float(np.interp(level * places[-1], places, values[order]))


def median_of(values: pd.Series) -> float:
    """Return the median of the values that are not missing; NaN if all are."""
    return float(values.median())


def by_median_size(errors: pd.DataFrame) -> list[str]:
    """Return the columns by median size of errors; a missing error counts as a factor of two."""
    sizes = errors.abs().fillna(FACTOR_OF_TWO)
    return list(sizes.median().sort_values(kind="stable").index)


FEWEST_CLUSTERS = 6
"""Smallest number of clusters with which there is an interval. For the median of eight clusters, an
interval contains the true median in about nine of ten cases; for four, in eight."""

MOST_DRAWN = 2**13
"""Largest number of errors whose clusters are drawn by a bootstrap. With more, linearisation gives
the same intervals in less memory. Chosen by hand."""


def spread_of(
    weights: NDArray[np.float64] | None, clusters: pd.Series | None, count: int
) -> Independent | Drawn | Linearised | Unknown:
    """Return the way to compute intervals of errors that are weighted or depend on each other."""
    alone = clusters is None or clusters.is_unique
    if weights is None and alone:
        return Independent()
    numbers, names = (
        (np.arange(count), range(count))
        if clusters is None
        else pd.factorize(clusters, sort=True)  # so that the order of the rows does not matter
    )
    if len(names) < FEWEST_CLUSTERS:
        return Unknown()
    if weights is None and count <= MOST_DRAWN:
        return Drawn(np.asarray(numbers), len(names))
    return Linearised(np.asarray(numbers), len(names), weights)


class Unknown:
    """Intervals of errors in too few clusters: there are none."""

    def of_quantile(self, values: NDArray[Any], level: float = 0.5) -> tuple[float, float]:
        """Return NaN for both ends."""
        return math.nan, math.nan

    of_share = of_quantile


class Independent:
    """Intervals of independent errors, which hold for any distribution and for few errors."""

    def of_quantile(self, values: NDArray[np.float64], level: float) -> tuple[float, float]:
        """Return the order statistics that enclose the quantile; NaN if there are too few."""
        ends = quantile_interval(values, level)
        return ends if math.isfinite(ends[0]) else (math.nan, math.nan)

    def of_share(self, hits: NDArray[np.bool_]) -> tuple[float, float]:
        """Return Wilson's interval of the share of true values; NaN without values."""
        return _binomial(int(hits.sum()), len(hits), "wilson")


SEED = 20261125

FEWEST_DRAWS, MOST_DRAWS = 2_000, 50_000
"""Smallest and largest number of bootstrap samples. With few clusters a percentile jumps between
few values, so that 2000 samples do not settle its second digit."""

NUMBERS = 2**22
"""Approximate number of drawn values in all bootstrap samples together. It decides the number of
samples within their limits. Chosen by hand."""

ENDS = ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2)
"""Shares of the bootstrap samples below the ends of a 95 % interval."""


@dataclass(frozen=True)
class Drawn:
    """Intervals by a bootstrap with a fixed seed that draws whole clusters, with replacement."""

    numbers: NDArray[np.int64]
    """For each error, the number of its cluster."""
    clusters: int

    @cached_property
    def _weights(self) -> NDArray[np.int64]:
        """How often each bootstrap sample contains each error, shape (samples, errors)."""
        draws = min(max(NUMBERS // len(self.numbers), FEWEST_DRAWS), MOST_DRAWS)
        even = np.full(self.clusters, 1 / self.clusters)
        drawn = np.random.default_rng(SEED).multinomial(self.clusters, even, draws)
        return drawn.astype(np.int32)[:, self.numbers]

    def of_quantile(self, values: NDArray[np.float64], level: float) -> tuple[float, float]:
        """Return the ends of the central 95 % of the samples' quantiles."""
        order = np.argsort(values, kind="stable")
        ordered = values[order]
        through = np.cumsum(self._weights[:, order], axis=1)  # number of sampled values
        place = level * (through[:, -1] - 1)  # interpolate linearly, as np.quantile does
        low, high = np.floor(place), np.ceil(place)
        before, after = (ordered[np.argmax(through > at[:, None], axis=1)] for at in (low, high))
        return _ends(before + (place - low) * (after - before))

    def of_share(self, hits: NDArray[np.bool_]) -> tuple[float, float]:
        """Return the ends of the central 95 % of the samples' shares of true values.

        If all values are equal, all samples are alike. Then the interval is that of Clopper and
        Pearson with one trial for each cluster.
        """
        if hits.all() or not hits.any():
            return _binomial(self.clusters if hits.all() else 0, self.clusters, "exact")
        return _ends(self._weights[:, hits].sum(axis=1) / self._weights.sum(axis=1))


@dataclass(frozen=True)
class Linearised:
    """Intervals of a weighted share by its linearised variance between clusters.

    The interval of a quantile has the quantiles at both ends of the interval of its level.
    """

    numbers: NDArray[np.int64]
    clusters: int
    weights: NDArray[np.float64] | None

    def of_quantile(self, values: NDArray[np.float64], level: float) -> tuple[float, float]:
        """Return the quantiles at the ends of the interval of the share of smaller values."""
        middle = quantile(values, level, self.weights)
        half = self._half_width(values <= middle, level)
        low, high = (
            quantile(values, min(max(level + sign * half, 0.0), 1.0), self.weights)
            for sign in (-1, 1)
        )
        return low, high

    def of_share(self, hits: NDArray[np.bool_]) -> tuple[float, float]:
        """Return the share minus and plus its half-width; see `Drawn.of_share` for equal values."""
        if hits.all() or not hits.any():
            return _binomial(self.clusters if hits.all() else 0, self.clusters, "exact")
        share = _mean(hits, self.weights)
        half = self._half_width(hits, share)
        return max(share - half, 0.0), min(share + half, 1.0)

    def _half_width(self, hits: NDArray[np.bool_], share: float) -> float:
        weights = np.ones(len(hits)) if self.weights is None else self.weights
        sums = np.bincount(self.numbers, weights * (hits - share), self.clusters)
        factor = self.clusters / (self.clusters - 1)
        return (
            student_quantile(self.clusters - 1)
            * math.sqrt(factor * (sums @ sums))
            / float(weights.sum())
        )


def _binomial(hits: int, count: int, method: str) -> tuple[float, float]:
    if not count:
        return math.nan, math.nan
    from scipy.stats import binomtest

    found = binomtest(hits, count).proportion_ci(method=method)
    return float(found.low), float(found.high)


def _ends(found: NDArray[np.float64]) -> tuple[float, float]:
    low, high = np.quantile(found, ENDS)
    return float(low), float(high)
