"""Numbers that the report quotes, and the LaTeX macros that print them.

`paper/numbers.yaml` selects a number from a table of results; figures define further numbers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tcpgoodput.comparison.errors import quantile, spread_of
from tcpgoodput.configuration import ConfigurationError, Problem, read
from tcpgoodput.configuration.problems import alternatives
from tcpgoodput.engines.base import ENGINE_NAMES
from tcpgoodput.project.selections import COUNTS, Cell, Selection, selections
from tcpgoodput.report import latex
from tcpgoodput.storage import csv_text
from tcpgoodput.studies.answering import answers_path
from tcpgoodput.studies.reductions import Value, line_of, lines_of, number_of
from tcpgoodput.studies.schema import LineFigure, Number, Source
from tcpgoodput.style import Style

FILE = Path("paper/numbers.yaml")

STATISTICS: dict[str, Callable[[NDArray[np.float64]], Any]] = {
    "min": np.min,
    "max": np.max,
    "median": lambda values: quantile(values, 0.5),
    "q90": lambda values: quantile(values, 0.9),
    "worst": lambda values: values[np.argmax(np.abs(values))],
}
"""Statistics of the values of several rows, by the word for `take`. `worst` is the value with the
largest absolute value, with its sign."""


@dataclass(frozen=True)
class Quoted:
    """A number of the report: the name by which the text quotes it, and the table it is from."""

    name: str
    value: float
    digits: int | None
    """Number of significant digits; None for a count, which is printed in full."""
    origin: str
    """The file that the number comes from, or the name of a table that is in no file."""
    low: float = math.nan
    high: float = math.nan
    """Upper end of the 95 % interval; `low` is the lower end. NaN if the number has no interval."""

    @property
    def text(self) -> str:
        """The number as LaTeX, with as many digits as the ends of its interval."""
        return self._printed(self.value)

    @property
    def interval(self) -> str | None:
        """The number's interval as LaTeX, if there is one."""
        if math.isnan(self.low):
            return None
        return f"[{self._printed(self.low)}, {self._printed(self.high)}]"

    def _printed(self, value: float) -> str:
        if self.digits is None:
            return latex.count(value)
        # Print one more digit if the interval would otherwise seem to have no width.
        ends = {latex.number(end, self.digits) for end in (self.low, self.high)}
        return latex.number(value, self.digits + (len(ends) == 1 and not math.isnan(self.low)))


class Absent(Exception):
    """The run lacks the table or the rows that a number is taken from; the message names them."""


Tables = Mapping[str, Callable[[], pd.DataFrame]]


def of_tables(results: Path, derived: Tables) -> tuple[list[Quoted], list[Problem]]:
    """Return the numbers of `paper/numbers.yaml`, and a problem for each that the run lacks.

    `derived` are functions that compute tables which are in no file, by the tables' names. An entry
    that names an unknown column, or leaves several rows, is refused.
    """
    document = read(FILE)
    tables: dict[str, pd.DataFrame] = {}
    quoted: dict[str, Quoted] = {}
    problems: list[Problem] = []
    absent: list[Problem] = []
    for name, (selection, place) in selections(document).items():
        table = selection.table
        try:
            if table not in tables:
                tables[table] = derived[table]() if table in derived else _read(results, table)
            origin = table if table in derived else f"{table}.csv"
            quoted[name] = _quoted(name, selection, tables[table], quoted, origin)
        except (Absent, FileNotFoundError) as error:
            absent.append(document.problem(place, str(error)))
        except ValueError as error:
            problems.append(document.problem(place, str(error)))
    if problems:
        raise ConfigurationError(problems)
    return list(quoted.values()), absent


def _read(results: Path, table: str) -> pd.DataFrame:
    file = Path(f"{table}.csv") if table.startswith("data/") else results / f"{table}.csv"
    if not file.is_file():
        raise Absent(f"this run has no table {file}")
    return pd.read_csv(file)


def _quoted(
    name: str, selection: Selection, table: pd.DataFrame, known: Mapping[str, Quoted], origin: str
) -> Quoted:
    """Return a number; see `of_tables`."""
    rows = _rows(selection, table)
    take = selection.take
    if take in COUNTS:
        inside = _inside(selection, rows, known)
        value = float(inside.sum() if take == "count" else 100 * inside.mean())
        low = high = math.nan
    elif take in STATISTICS:
        values = _values(selection, rows, selection.of or "")
        value = float(STATISTICS[take](values))
        low, high = _interval_of_median(selection, rows, values)
    else:
        value, low, high = _of_cell(selection, rows)
    return Quoted(name, value, selection.digits, origin, low, high)


def _rows(selection: Selection, table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a table that fulfil a number's conditions."""
    if selection.take in STATISTICS and not selection.of:
        raise ValueError(
            f"take: {selection.take} is a statistic: of which column? Or take one"
            f"{alternatives(f'{selection.take}_%', table.columns)}"
        )
    if not selection.take:
        raise ValueError("has no `take`: a column, or a statistic")
    if selection.interval == "median" and selection.take != "median":
        raise ValueError(f"interval: median is of a median, not of take: {selection.take}")
    taken = [] if selection.take in (*COUNTS, *STATISTICS) else [selection.take]
    other = (selection.of, selection.divided_by, selection.clusters, selection.half_width)
    named = [*selection.where, *selection.without, *selection.once, *taken, *filter(None, other)]
    for column in named:
        if column not in table.columns:
            raise ValueError(
                f"{selection.table} has no column {column!r}{alternatives(column, table.columns)}"
            )
    rows = table
    for column, allowed in selection.where.items():
        left = rows[_has(rows[column], allowed)]
        if left.empty and not selection.empty:
            there = sorted(map(str, rows[column].unique()))
            hint = alternatives(str(allowed), there)
            raise Absent(f"{selection.table} has no row with {column} = {allowed!r}{hint}")
        rows = left
    for column, excluded in selection.without.items():
        rows = rows[~_has(rows[column], excluded)]
    if rows.empty and not selection.empty:
        raise Absent(f"{selection.table} has no row that counts")
    return rows.drop_duplicates(selection.once) if selection.once else rows


def _has(column: pd.Series, allowed: Cell | list[Cell]) -> pd.Series:
    values = allowed if isinstance(allowed, list) else [allowed]
    return column.isin(values) | (column.isna() & (None in values))


def _values(selection: Selection, rows: pd.DataFrame, column: str) -> NDArray[np.float64]:
    """Return a column's values as the number's entry converts them."""
    values: NDArray[np.float64] = rows[column].to_numpy(float)
    if selection.divided_by:
        with np.errstate(invalid="ignore"):  # 0 of 0 cases give an empty cell
            values = values / rows[selection.divided_by].to_numpy(float)
    if selection.error:
        errors = values - 1 if selection.error == "relative" else np.log(values)
        values = 100 * (errors if selection.error == "signed" else np.abs(errors))
    return selection.times * values


def _inside(
    selection: Selection, rows: pd.DataFrame, known: Mapping[str, Quoted]
) -> NDArray[np.bool_]:
    """Return, for each row, whether its value is within the bounds; false without a value."""
    if not selection.of:  # no column: all rows count
        return np.ones(len(rows), bool)
    values = _values(selection, rows, selection.of)
    most = math.inf if selection.at_most is None else selection.at_most
    least = -math.inf if selection.above is None else selection.above
    if selection.smaller_than and selection.smaller_than not in known:
        raise ValueError(
            f"no earlier number is called {selection.smaller_than!r}"
            f"{alternatives(selection.smaller_than, list(known))}"
        )
    other = known[selection.smaller_than].value if selection.smaller_than else math.inf
    inside: NDArray[np.bool_] = (values <= most) & (values > least) & (values < abs(other))
    return inside


def _interval_of_median(
    selection: Selection, rows: pd.DataFrame, values: NDArray[np.float64]
) -> tuple[float, float]:
    if selection.interval is None:
        return math.nan, math.nan
    clusters = rows[selection.clusters] if selection.clusters else None
    return spread_of(None, clusters, len(values)).of_quantile(values, 0.5)


def _of_cell(selection: Selection, rows: pd.DataFrame) -> tuple[float, float, float]:
    """Return the value of a single row, and the ends of its interval."""
    column = selection.take
    if len(rows) > 1:
        several = [name for name in rows.columns if rows[name].nunique(dropna=False) > 1]
        raise ValueError(
            f"{len(rows)} rows of {selection.table} are left; they differ in {', '.join(several)}"
        )
    (value,) = _values(selection, rows, column)
    if math.isnan(value):
        raise Absent(f"the cell {column!r} of {selection.table} is empty")
    if selection.half_width:
        half = selection.times * float(rows[selection.half_width].iloc[0])
        return value, value - half, value + half
    stem, unit = (column[:-2], "_%") if column.endswith("_%") else (column, "")
    names = [f"{stem}_{end}{unit}" for end in ("low", "high")]
    if not set(names) <= set(rows.columns):
        return value, math.nan, math.nan
    # A negative factor turns the ends round.
    low, high = sorted(float(_values(selection, rows, name)[0]) for name in names)
    return value, low, high


def of_figures(sources: Mapping[str, Source], style: Style, results: Path) -> Iterator[Quoted]:
    """Yield the numbers that figures define under `numbers`."""
    for source in sources.values():
        for name, figure in source.figures.figures.items():
            if isinstance(figure, LineFigure) and figure.numbers:
                rows = pd.read_csv(answers_path(results, source.name, name))
                for number in figure.numbers:
                    yield _of_figure(source, name, figure, number, rows, style)


def _of_figure(
    source: Source, name: str, figure: LineFigure, number: Number, rows: pd.DataFrame, style: Style
) -> Quoted:
    panel = number.panel or next(iter(figure.panels))
    series = next(s for s in figure.panels[panel].series if s.key == number.series)
    own = rows[rows["panel"] == panel]
    if series.engine is None:
        own = at_markers(own, number)
    found = _or_nothing(own, number)
    origin = f"{source.name}/{name}.csv, panel {panel}, {style.label(series)}: {number.take}"
    interval = (found.low, found.high) if found.high > found.low else ()
    full_name = camel_case(source.name) + number.macro
    return Quoted(full_name, found.value, number.digits, origin, *interval)


def camel_case(name: str) -> str:
    """Return words or a name in camel case: `delay_spikes` becomes `DelaySpikes`."""
    return "".join(part.capitalize() for part in re.split("[_ ]", name))


def at_markers(rows: pd.DataFrame, number: Number) -> pd.DataFrame:
    """Return a panel's rows; of a model's line only points whose x also has a measurement.

    This is for a number that divides the line by measurements (`divided_by`). At any other x, the
    measurements would have to be interpolated. If no such point exists, all rows are returned.
    """
    markers = rows[(rows["series"] == number.divided_by) & rows["origin"].isin(ENGINE_NAMES)]
    own = rows["series"] == number.series
    answered = own & (rows["y"] > 0) & rows["x"].isin(markers["x"])
    return rows[~own | answered] if answered.any() else rows


def _or_nothing(rows: pd.DataFrame, number: Number) -> Value:
    """Return a number computed from a panel's rows; NaN, printed as a dash, if data are missing."""
    try:
        return number_of(line_of(lines_of(rows), number.series, number), number)
    except ValueError as error:
        print(f"{number.macro}: {error}")
        return Value(math.nan, math.nan, math.nan)


def by_name(numbers: Iterable[Quoted]) -> dict[str, float]:
    """Return the values of all numbers by name; two numbers of one name raise `ValueError`."""
    found: dict[str, float] = {}
    for own in numbers:
        if own.name in found:
            raise ValueError(f"two numbers of the report are called {own.name}: see {own.origin}")
        found[own.name] = own.value
    return found


def ends(numbers: Iterable[Quoted]) -> dict[str, float]:
    """Return the ends of each number's interval, under the names `NAME_low` and `NAME_high`."""
    found: dict[str, float] = {}
    for own in numbers:
        if not math.isnan(own.low):
            found |= {f"{own.name}_low": own.low, f"{own.name}_high": own.high}
    return found


def macros_tex(numbers: Iterable[Quoted]) -> str:
    r"""Return the LaTeX definitions that `\result{Name}` and `\interval{Name}` print."""
    lines = []
    for own in numbers:
        lines.append(rf"\defineresult{{{own.name}}}{{{own.text}}}% {own.origin}")
        if own.interval:
            lines.append(rf"\defineinterval{{{own.name}}}{{{own.interval}}}")
    return "\n".join(lines) + "\n"


def macros_csv(numbers: Iterable[Quoted]) -> str:
    """Return the numbers as CSV: name, value, ends of the interval, origin."""
    columns = ["name", "value", "value_low", "value_high", "origin"]
    cells = ((own.name, own.value, own.low, own.high, own.origin) for own in numbers)
    return csv_text(columns, (dict(zip(columns, row, strict=True)) for row in cells))
