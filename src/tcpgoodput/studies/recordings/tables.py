"""Read tables with columns of times and rates: CSV files, and "cooked" traces without heading.

A cooked trace has two columns, seconds and Mbit/s, as simulators of video streaming use them.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np
import pandas as pd

from tcpgoodput.configuration import ConfigurationError, Problem, refused
from tcpgoodput.configuration.packed_text import lines_of, unpacked_name
from tcpgoodput.configuration.problems import choices, nearest
from tcpgoodput.scenario.capacity.trace import COLUMNS, HIGHEST_BPS, read_capacity_trace
from tcpgoodput.studies.recordings.columns import (
    BITS,
    SECONDS,
    UNIX_TIMES,
    TableColumns,
    is_rate,
    is_time,
    rate_unit,
    time_unit,
)
from tcpgoodput.studies.recordings.recording import Array, RateRecording

MOST_BYTES = 2**26
"""Largest size of a table in bytes; an hour with a row for each millisecond has 50 MB. Chosen by
hand."""

LOCAL_FORMAT = "%Y.%m.%d_%H.%M.%S"
"""Format of local times in files of G-NetTrack, an application used for 4G and 5G data sets."""

LONGEST_GAP_STEPS = 10
"""Longest gap between rows of a table, in multiples of their median distance. A table with a longer
gap is refused unless the user allows the gap. Chosen by hand."""

LONGEST_GUESSED_STEP_S = 100.0
"""Longest plausible median step between rows in seconds if the unit of times is assumed to be the
second. With a longer step the user must set the unit. Chosen by hand."""


def read_table(path: Path, settings: TableColumns) -> RateRecording:
    """Read a table; each rate is valid from its row's time to the next row's.

    Consecutive rows with the same time, as clocks with whole seconds write them, count as one row
    with their mean rate. The last rate is valid for the median time between rows. In this project's
    capacity files, with the columns time_s and capacity_bps, the last row only marks the end.

    Args:
        path: a text with columns separated by commas, semicolons, tabs or blanks; plain, or
            compressed by gzip, bzip2 or xz.
        settings: columns and units; those that are not set are guessed from the heading.

    Raises:
        ConfigurationError: lines are invalid, a column or a unit cannot be guessed, or the times
            have a gap; the message lists every problem.

    """
    digest = hashlib.sha256()
    text = b"".join(lines_of(path, digest))
    if len(text) > MOST_BYTES:
        raise refused(path, "", f"is longer than the {MOST_BYTES >> 20} MB of a table")
    name = unpacked_name(path)
    table = _parsed(path, text)
    if table.names == COLUMNS and not settings.is_set:
        times, capacities = read_capacity_trace(path)
        understood = "a capacity's file of tcpgoodput: its last row is the end"
        return RateRecording(name, digest.hexdigest(), None, times, capacities[:-1], understood)
    time, rate = _columns(table, settings)
    times_s, time_words = _times_s(table, time, settings)
    rates_bps, rate_words = _rates_bps(table, rate, settings)
    understood = f"times from {time_words}, rates from {rate_words}"
    first = np.flatnonzero(np.append(True, np.diff(times_s) != 0))
    if repeated := times_s.size - first.size:
        rows = "row repeats" if repeated == 1 else "rows repeat"
        understood += f"; {repeated} {rows} the time of the row before: their mean rate is used"
        counts = np.diff(np.append(first, times_s.size))
        times_s, rates_bps = times_s[first], np.add.reduceat(rates_bps, first) / counts
    edges_s = _edges_s(table, table.cells.index[first], times_s, settings)
    return RateRecording(name, digest.hexdigest(), None, edges_s, rates_bps, understood)


@dataclass(frozen=True)
class _Table:
    path: Path
    names: list[str]
    """Names of the columns; their numbers as text if the file has no heading."""
    has_heading: bool
    is_spaced: bool
    """True if blanks, not commas or the like, separate the columns."""
    cells: pd.DataFrame
    """Texts of the cells, with one row for each line that is not empty; the index is the line's
    number."""

    def column(self, number: int) -> pd.Series:
        """Return the texts of the cells of a column; columns are numbered from 0."""
        return self.cells.iloc[:, number]

    def called(self, number: int) -> str:
        """Return the name that error messages use for a column."""
        return f"column {self.names[number]}"

    def refuse(self, problems: Sequence[tuple[int, str]]) -> NoReturn:
        """Raise a ConfigurationError with a message for each of the given lines."""
        raise ConfigurationError(Problem(str(self.path), line, "", m) for line, m in problems)


def _parsed(path: Path, text: bytes) -> _Table:
    try:
        lines = text.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        raise refused(path, "", "is no text in UTF-8") from None
    first = next((k for k, t in enumerate(lines) if t.strip() and not t.startswith("#")), None)
    if first is None:
        raise refused(path, "", "is empty")
    separator = next((s for s in ("\t", ";", ",") if s in lines[first]), None)
    fields = [f.strip().strip('"') for f in re.split(separator or r"\s+", lines[first].strip())]
    has_heading = not any(_is_number(field, separator) for field in fields)
    _refuse_longer_rows(path, lines[first:], separator, len(fields), first + 1)
    try:
        with warnings.catch_warnings():
            # Ignore pandas' warning about rows of another length: `_refuse_longer_rows` reports
            # cells beyond the first line's, and empty cells are reported below.
            warnings.simplefilter("ignore", pd.errors.ParserWarning)
            cells = pd.read_csv(
                io.StringIO("\n".join(lines)),
                sep=separator or r"\s+",
                header=None,
                names=list(range(len(fields))),
                index_col=False,
                skiprows=first + has_heading,
                dtype=str,
                keep_default_na=False,
                skip_blank_lines=False,
                skipinitialspace=True,
            ).fillna("")
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise _not_a_table(path, str(error), len(fields)) from None
    cells = cells.apply(lambda column: column.str.strip())
    if separator == ";":
        cells = cells.replace(r"^(-?\d+),(\d+)$", r"\1.\2", regex=True)
    cells.index = pd.RangeIndex(first + has_heading + 1, first + has_heading + 1 + len(cells))
    cells = cells[(cells != "").any(axis=1)]
    names = fields if has_heading else [str(k + 1) for k in range(len(fields))]
    table = _Table(path, names, has_heading, separator is None, cells)
    if len(cells) == 0:
        raise refused(path, "", "has a heading and no rows", first + 1)
    return table


def _refuse_longer_rows(
    path: Path, lines: Sequence[str], separator: str | None, count: int, number: int
) -> None:
    """Refuse a table with rows that have more fields than its first line.

    The fields would be read as those of wrong columns, for example `1` and `5` of a rate of 1,5.
    Empty fields at the end of a row are allowed.

    Args:
        path: the table, for error messages.
        lines: the lines of the table, from the first one that is not empty on.
        separator: the character that separates the columns; None: blanks do.
        count: the number of fields of the first line.
        number: the number of the first line.

    Raises:
        ConfigurationError: a row has more fields; the message lists each such row.

    """
    hint = " (decimal commas? separate columns by ;)" if separator == "," else ""
    problems: list[Problem] = []
    for line, text in enumerate(lines, start=number):
        # Only rows with many separators are parsed, because parsing every row takes long.
        if separator and text.count(separator) < count:
            continue
        fields = next(csv.reader([text], delimiter=separator), []) if separator else text.split()
        while fields and not fields[-1].strip():
            fields.pop()
        if len(fields) > count:
            message = f"has {len(fields)} fields, where the first line has {count}{hint}"
            problems.append(Problem(str(path), line, "", message))
    if problems:
        raise ConfigurationError(problems)


def _not_a_table(path: Path, error: str, count: int) -> ConfigurationError:
    found = re.search(r"line (\d+), saw (\d+)", error)
    if not found:
        return refused(path, "", f"cannot be read as a table: {error}")
    message = f"has {found[2]} fields, where the first line has {count}"
    return refused(path, "", message, int(found[1]))


def _is_number(field: str, separator: str | None) -> bool:
    try:
        float(field.replace(",", ".") if separator == ";" else field)
    except ValueError:
        return False
    return True


def _columns(table: _Table, settings: TableColumns) -> tuple[int, int]:
    """Return the positions, from 0, of the columns of times and of rates."""
    if len(table.names) < 2:
        raise refused(table.path, "", "needs a column of times and one of rates")
    time = _named(table, "--time-column", settings.time_column)
    rate = _named(table, "--rate-column", settings.rate_column)
    if time is None:
        others = [k for k in range(len(table.names)) if k != rate]
        time = _guessed(table, "time", others, [k for k in others if is_time(table.names[k])])
    if rate is None:
        others = [k for k in range(len(table.names)) if k != time]
        rate = _guessed(table, "rate", others, [k for k in others if is_rate(table.names[k])])
    if time == rate:
        raise refused("--rate-column", "", f"{table.names[rate]!r} is the column of the times")
    return time, rate


def _named(table: _Table, option: str, name: str | None) -> int | None:
    """Return the position, from 0, of the column that the user names; None if none is named.

    Args:
        table: the table.
        option: the command-line option, for error messages.
        name: the column's name, or its number from 1; None: the user names no column.

    """
    if name is None:
        return None
    for names in (table.names, [n.lower() for n in table.names]):
        wanted = name if names is table.names else name.lower()
        if names.count(wanted) == 1:
            return names.index(wanted)
    if name.isdigit() and 1 <= int(name) <= len(table.names):
        return int(name) - 1
    hint = f"{nearest(name, table.names)} ({choices(table.names)}; or a number from 1 on)"
    raise refused(option, "", f"{table.path} has no column {name!r}{hint}")


def _guessed(table: _Table, what: str, others: list[int], fitting: list[int]) -> int:
    """Return the position, from 0, of the only column whose name fits.

    If no name fits and the table has two columns, return the first that is not assigned yet.

    Args:
        table: the table.
        what: what the column contains, `time` or `rate`.
        others: positions of the columns that are not yet assigned to times or rates.
        fitting: positions of those of the others whose names fit.

    Raises:
        ConfigurationError: several columns fit, or none.

    """
    if len(fitting) == 1:
        return fitting[0]
    if len(table.names) == 2 and not fitting:
        return others[0]
    listed = ", ".join(table.names[k] for k in fitting or others)
    many = "several columns may have" if fitting else "no column's name identifies"
    message = f"{many} the {what}s: select one with --{what}-column ({listed})"
    raise refused(table.path, "", message)


def _times_s(table: _Table, number: int, settings: TableColumns) -> tuple[Array, str]:
    """Return the rows' times in seconds from 0 on, and how they were interpreted, as text."""
    texts, called = table.column(number), table.called(number)
    unit, why = settings.time_unit, "--time-unit"
    if unit is not None and unit not in SECONDS:
        raise refused("--time-unit", "", f"no unit {unit!r} ({choices(SECONDS)})")
    if unit is None and not _is_number(texts.iloc[0], None):
        return _of_dates(table, texts, called), f"{called}, date-times"
    values = _numbers(table, texts, called)
    if unit is None:
        unit, why = time_unit(table.names[number]), "its name"
    if unit is None:
        known = (u for u, least in UNIX_TIMES if least <= values[0] < 4 * least)
        unit, why = next(known, None), "since 1970"
    if unit is None:
        unit, why = "s", "assumed"
        step = float(np.median(np.diff(values))) if values.size > 1 else 0.0
        if step > LONGEST_GUESSED_STEP_S:
            message = f"{called} has steps of {step:g}: set the unit by --time-unit ms or s"
            raise refused(table.path, "", message)
    # Subtract first, because a double represents ns since 1970 only in steps of 256 ns.
    return (values - values[0]) * SECONDS[unit], f"{called} in {unit} ({why})"


def _of_dates(table: _Table, texts: pd.Series, called: str) -> Array:
    """Return a column's dates with times as seconds since the first one."""
    for kind in ("ISO8601", LOCAL_FORMAT):
        found = pd.to_datetime(texts, format=kind, utc=True, errors="coerce")
        if not pd.isna(found.iloc[0]):
            break
    if bad := [
        (line, f"{called}: {text[:40]!r} is no number and no date-time such as 2024-05-01T12:00:00")
        for line, text in texts[found.isna()].items()
    ]:
        table.refuse(bad)
    return np.asarray((found - found.iloc[0]).dt.total_seconds(), dtype=float)


def _rates_bps(table: _Table, number: int, settings: TableColumns) -> tuple[Array, str]:
    """Return the rows' rates in bit/s, and how they were interpreted, as text."""
    texts, called = table.column(number), table.called(number)
    unit, why = None, "--rate-unit"
    if settings.rate_unit is not None:
        unit = rate_unit(settings.rate_unit)
        if unit is None:
            raise refused("--rate-unit", "", f"no unit {settings.rate_unit!r} ({choices(BITS)})")
    elif table.has_heading:
        unit, why = rate_unit(table.names[number]), "its name"
    elif table.is_spaced and len(table.names) == 2:
        unit, why = "Mbit/s", "assumed: two columns without a heading, as in cooked traces"
    if unit is None:
        message = f"{called}: its unit is unknown: set it by --rate-unit ({choices(BITS)})"
        raise refused(table.path, "", message)
    rates = _numbers(table, texts, called) * BITS[unit]
    if bad := [
        (line, f"{called}: {rate / BITS[unit]:g} {unit} is outside 0 to {HIGHEST_BPS:g} bit/s")
        for line, rate in zip(table.cells.index, rates, strict=True)
        if not 0 <= rate <= HIGHEST_BPS
    ]:
        table.refuse(bad)
    if not rates.any():
        raise refused(table.path, "", f"{called} is 0 in all rows")
    return rates, f"{called} in {unit} ({why})"


def _numbers(table: _Table, texts: pd.Series, called: str) -> Array:
    values = np.asarray(pd.to_numeric(texts, errors="coerce"), dtype=float)
    if bad := [
        (line, f"{called}: needs a number, has {text[:40]!r}")
        for line, text in texts[~np.isfinite(values)].items()
    ]:
        table.refuse(bad)
    return values


def _edges_s(table: _Table, lines: pd.Index, times_s: Array, settings: TableColumns) -> Array:
    """Return the times in seconds at which each rate begins, and at which the last rate ends.

    Args:
        table: the table, for error messages.
        lines: number of the line of each time, shape (n,).
        times_s: times from 0 on, shape (n,).
        settings: gives the longest gap that is allowed.

    """
    if times_s.size < 2:
        message = (
            "is the only time: a table needs at least two, because a rate is valid until the next"
        )
        raise refused(table.path, "", message, int(lines[0]))
    steps_s = np.diff(times_s)
    if bad := [
        (int(lines[k + 1]), f"the time is before that of line {lines[k]}: times must not decrease")
        for k in np.flatnonzero(steps_s < 0)
    ]:
        table.refuse(bad)
    typical_s = float(np.median(steps_s))
    longest_s = max(LONGEST_GAP_STEPS * typical_s, settings.longest_gap_s or 0.0)
    if bad := [
        (
            int(lines[k + 1]),
            f"comes {steps_s[k]:g} s after line {lines[k]}, and other rows are {typical_s:g} s "
            "apart: fill the gap, cut the file there, or extend the last rate over it: "
            f"--longest-gap {steps_s[k]:g}",
        )
        for k in np.flatnonzero(steps_s > longest_s)
    ]:
        table.refuse(bad)
    return np.append(times_s, times_s[-1] + typical_s)
