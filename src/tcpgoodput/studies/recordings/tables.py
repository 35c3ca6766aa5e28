"""Read tables with columns of times and rates: CSV files, and "cooked" traces without heading.

A cooked trace has two columns, seconds and Mbit/s, as simulators of video streaming use them.
"""

from __future__ import annotations

import csv
import hashlib
import io
import math
import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tcpgoodput.configuration import ConfigurationError, Problem, refused
from tcpgoodput.configuration.packed_text import lines_of, unpacked_name
from tcpgoodput.configuration.problems import ENOUGH_PROBLEMS, choices, nearest, quoted
from tcpgoodput.configuration.unreadable import EMPTY_RECORD
from tcpgoodput.scenario.capacity.trace import COLUMNS, HIGHEST_BPS, read_capacity_trace
from tcpgoodput.studies.recordings.columns import (
    AMOUNTS,
    BITS,
    TableColumns,
    amount_unit,
    first_row,
    is_rate,
    is_time,
    rate_unit,
)
from tcpgoodput.studies.recordings.recording import Array, RateRecording
from tcpgoodput.studies.recordings.times import HOUR_S, Column, Times, is_time_text, times_of

MOST_BYTES = 2**26
"""Largest size of a table in bytes; an hour with a row for each millisecond has 50 MB. Chosen by
hand."""

MOST_ROWS = 2**23
"""Largest number of lines of a table, chosen by hand."""

LONGEST_GAP_STEPS = 10
"""Longest gap between rows of a table, in multiples of their median distance. A table with a longer
gap is refused unless the user allows the gap. Chosen by hand."""

GAP_STEPS = 1.5
"""Smallest distance of two rows between which rows are missing, in multiples of the median
distance. Chosen by hand."""

CLOCK_CHANGED = "; did the clock change {} summer time? write times with their offset from UTC"
"""End of a message about local times that an hour less, or more, would explain."""

LONGEST_ALLOWED_GAP_S = 3600.0
"""Longest gap in seconds that the user can allow."""

G_NETTRACK = re.compile(r"[DU]L_bitrate")
"""Names of the columns of rates, in kbit/s, that the application G-NetTrack writes. It was used for
data sets of 4G and 5G."""

MISSING = {"", "-", "--", "?", "nan", "na", "n/a", "null", "none"}
"""Texts, in lower case, of cells without a rate."""

MOST_NAMES = 40
"""Largest number of columns that a message lists, chosen by hand."""

NUMBER_AND_UNIT = r"^([-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*((?![eE][-+]?\d)[A-Za-z].*)$"

UNITS = f"{choices(BITS)}; byte, bit and so on: amounts since the row before"


def read_table(path: Path, settings: TableColumns) -> RateRecording:
    """Read a table; each rate is valid from its row's time to the next row's.

    Consecutive rows with the same time, as clocks with whole seconds write them, count as one row
    with their mean rate. The last rate is valid for the median time between rows. With the setting
    `stamp` of `end` each rate is valid from the row before to its row, and the first one for the
    median time. Amounts of data since the row before become rates between the rows; the first
    amount is not used. In this project's capacity files, with the columns time_s and capacity_bps,
    the last row only marks the end.

    Args:
        path: a text with columns separated by commas, semicolons, tabs or blanks; plain, or
            compressed by gzip, bzip2 or xz.
        settings: columns and units; those that are not set are guessed from the heading.

    Raises:
        ConfigurationError: lines are invalid, a column or a unit cannot be guessed, or the times
            have a gap; the message lists the first problems.

    """
    digest = hashlib.sha256()
    table = _opened(path, b"".join(lines_of(path, digest, MOST_BYTES)))
    name = unpacked_name(path)
    if table.names == COLUMNS and not settings.is_set:
        if table.separator != ",":
            raise refused(path, "", "a capacity's file separates its columns by commas")
        edges_s, capacities = read_capacity_trace(path)
        understood = "a capacity's file of tcpgoodput: its last row is the end"
        return RateRecording(
            name, digest.hexdigest(), None, edges_s, capacities[:-1], understood=understood
        )
    time, rate, unit = _columns(table, settings)
    numbers = [column for column in (time, rate, unit) if column is not None]
    cells = table.cells(numbers, has_blank_rows=time is None)
    rates, missing = _rates(table, rate, unit, cells, settings).kept(settings.missing)
    notes = [rates.words, *missing]
    if rates.column.texts.empty:
        raise refused(path, "", f"{rates.column.called} has no rates; set --rate-column")
    if not rates.values.any():
        raise refused(path, "", f"{rates.column.called} is 0 in all rows; set --rate-column")
    lines = rates.column.texts.index
    if time is None:
        assert settings.every_s is not None
        since_s = settings.every_s * np.asarray(lines - cells.index[0], dtype=float)
        times = Times(since_s, f"rows {settings.every_s:g} s apart")
    else:
        times = times_of(table.column(time, cells.loc[lines]), settings.time_unit)
    edges_s, rates_bps, found = _held(path, lines, times, rates, settings)
    understood = "; ".join([f"times from {times.words}, rates from {notes[0]}", *notes[1:], *found])
    if time is None:
        understood = understood.removeprefix("times from ")
    return RateRecording(name, digest.hexdigest(), None, edges_s, rates_bps, understood=understood)


@dataclass(frozen=True)
class _Table:
    path: Path
    text: str
    """The rows below the heading."""
    line: int
    """The number of the line with which `text` begins."""
    names: list[str]
    """Names of the columns; their numbers as text if the file has no heading."""
    first: list[str]
    """The cells of the first row below the heading."""
    has_heading: bool
    separator: str | None
    """The character that separates the columns; None: blanks."""

    def cells(self, numbers: list[int], *, has_blank_rows: bool) -> pd.DataFrame:
        """Return the texts of some columns; the index is the number of the line.

        Rows without any text in these columns are left out, or only those at the end if
        `has_blank_rows`, because each row is then an interval.
        """
        # pandas refuses rows that all lack the last columns, so the first row here has them.
        full = (self.separator or " ").join("0" * len(self.names))
        try:
            cells = pd.read_csv(
                io.StringIO(f"{full}\n{self.text}"),
                sep=self.separator or r"\s+",
                header=None,
                names=list(range(len(self.names))),
                usecols=numbers,
                index_col=False,
                dtype=str,
                keep_default_na=False,
                skip_blank_lines=False,
                skipinitialspace=True,
            ).fillna("")[1:]
        except pd.errors.ParserError:  # the quotes of a cell do not end
            cells = pd.DataFrame()
        if len(cells) < self.text.count("\n"):
            rows = enumerate(self.text.split("\n"), self.line)
            line = next((number for number, row in rows if row.count('"') % 2), 0)
            message = 'has a " without another one, which joins it with the lines below: remove it'
            raise refused(self.path, "", message, line)
        cells.index = pd.RangeIndex(self.line, self.line + len(cells))
        cells = cells.apply(lambda texts: texts.str.strip())
        if self.separator != ",":
            if self.separator != ";":
                self._refuse_thousands(cells)
            cells = cells.apply(lambda t: t.str.replace(r"^(-?\d+),(\d+)$", r"\1.\2", regex=True))
        filled = (cells != "").any(axis=1)
        return cells.loc[: filled[::-1].idxmax()] if has_blank_rows else cells[filled]

    def _refuse_thousands(self, cells: pd.DataFrame) -> None:
        """Refuse a column in which all commas may separate thousands: 9,876 may be 9.876."""
        for number in cells:
            own = cells[number][cells[number].str.contains(",", regex=False)]
            if len(own) and own.str.fullmatch(r"-?[1-9]\d{0,2}(?:,\d{3})+").all():
                message = f"{self.names[number]!r} has numbers such as {own.iloc[0]}, whose comma "
                message += "may be a decimal one or separate thousands: write them without"
                raise refused(self.path, "", message, int(own.index[0]))

    def column(self, number: int, cells: pd.DataFrame) -> Column:
        """Return one of the columns in `cells`."""
        return Column(self.path, self.names[number], cells[number])


def _opened(path: Path, content: bytes) -> _Table:
    """Return a table whose heading has been read."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        raise refused(path, "", "is no text in UTF-8: save it as UTF-8") from None
    if text.count("\n") > MOST_ROWS:
        raise refused(path, "", f"has more than the {MOST_ROWS} rows of a table; cut it into parts")
    at, separator = first_row(io.StringIO(text))
    if at is None:
        raise refused(path, "", EMPTY_RECORD)
    *_, first, rest = text.split("\n", at + 1)
    separator = separator or next((mark for mark in "\t;," if mark in first), None)
    fields = _fields(first, separator)
    has_heading = not any(_is_value(field, separator) for field in fields)
    if has_heading and not rest.strip():
        raise refused(path, "", "has a heading and no rows: add rows of times and rates", at + 1)
    _refuse_longer_rows(path, rest, separator, len(fields), at + 2)
    names = fields if has_heading else [str(k + 1) for k in range(len(fields))]
    if has_heading:
        above = next(row for row in io.StringIO(rest) if row.strip())
        return _Table(path, rest, at + 2, names, _fields(above, separator), True, separator)
    return _Table(path, f"{first}\n{rest}", at + 1, names, fields, False, separator)


def _fields(row: str, separator: str | None) -> list[str]:
    """Return the cells of a row."""
    if separator is None:
        return row.split()
    cells = next(csv.reader([row.strip("\n")], delimiter=separator, skipinitialspace=True), [])
    return [cell.strip() for cell in cells]


def _refuse_longer_rows(
    path: Path, rows: str, separator: str | None, count: int, number: int
) -> None:
    """Refuse rows that have more fields than the first line, which would shift the columns."""
    hint = " (decimal commas? separate columns by ;)" if separator == "," else ""
    problems: list[Problem] = []
    for line, text in enumerate(io.StringIO(rows), start=number):
        # Only rows with many separators are parsed, because parsing every row takes long.
        if separator and text.count(separator) < count:
            continue
        fields = _fields(text, separator)
        while fields and not fields[-1]:
            fields.pop()
        if len(fields) > count:
            message = f"has {len(fields)} fields, where the first line has {count}{hint}"
            problems.append(Problem(str(path), line, "", message))
        if len(problems) == ENOUGH_PROBLEMS:
            break
    if problems:
        raise ConfigurationError(problems)


def _is_value(field: str, separator: str | None) -> bool:
    """Return whether a cell is a number or a time, and so not the name of a column."""
    try:
        float(field if separator == "," else field.replace(",", "."))
    except ValueError:
        return is_time_text(field) or re.match(NUMBER_AND_UNIT, field) is not None
    return True


def _columns(table: _Table, settings: TableColumns) -> tuple[int | None, int, int | None]:
    """Return the positions, from 0, of the columns of times (if any), rates, and units (if any)."""
    units = [  # columns with a unit of rate and no number
        k
        for k, cell in enumerate(table.first[: len(table.names)])
        if rate_unit(cell) is not None and re.match(r"[A-Za-z/_ ]+$", cell)
    ]
    unit = units[0] if len(units) == 1 and settings.rate_unit is None else None
    possible = [k for k in range(len(table.names)) if k not in units]
    time = _named(table, "--time-column", settings.time_column)
    rate = _named(table, "--rate-column", settings.rate_column)
    if settings.every_s is not None:
        if settings.time_column or settings.time_unit:
            raise refused("--every", "", "is for a table without times")
    elif time is None:
        if len(possible) < 2:
            message = "needs a column of times and one of rates; --every 1 reads a column of rates "
            raise refused(table.path, "", message + "with a row for each second")
        others = [k for k in possible if k != rate]
        time = _guessed(table, "time", others, [k for k in others if is_time(table.names[k])])
    if rate is None:
        others = [k for k in possible if k != time]
        rate = _guessed(table, "rate", others, [k for k in others if is_rate(table.names[k])])
    if time == rate:
        raise refused("--rate-column", "", f"{table.names[rate]!r} is the column of the times")
    return time, rate, unit


def _named(table: _Table, option: str, name: str | None) -> int | None:
    """Return the position, from 0, of the column that the user names; None if none is named."""
    if name is None:
        return None
    lower_case = [own.lower() for own in table.names], name.lower()
    for names, wanted in ((table.names, name), lower_case):
        if names.count(wanted) == 1:
            return names.index(wanted)
    if name.isdecimal() and 1 <= int(name) <= len(table.names):
        return int(name) - 1
    hint = f"{nearest(name, table.names)} ({choices(_listed(table.names))}; or a number from 1 on)"
    raise refused(option, "", f"{table.path} has no column {name!r}{hint}")


def _listed(names: list[str]) -> list[str]:
    """Return names of columns for a message; very long or many ones are cut."""
    shown = [name[:60] for name in names[:MOST_NAMES]]
    return [*shown, f"and {len(names) - MOST_NAMES} more"] if len(names) > MOST_NAMES else shown


def _guessed(table: _Table, what: str, others: list[int], fitting: list[int]) -> int:
    """Return the position, from 0, of the only column whose name fits."""
    if len(fitting) == 1:
        return fitting[0]
    if len(others) <= (2 if what == "time" else 1) and not fitting:
        return others[0]
    listed = ", ".join(_listed([table.names[k] for k in fitting or others]))
    many = "several columns may have" if fitting else "no column's name identifies"
    message = f"{many} the {what}s: select one with --{what}-column ({listed})"
    raise refused(table.path, "", message)


@dataclass(frozen=True, eq=False)
class _Rates:
    column: Column
    values: Array
    """Rates in bit/s, or amounts of data in bits, shape (n,); NaN: missing."""
    is_amount: bool
    words: str
    """The interpretation of the column, as text."""

    def kept(self, missing: str | None) -> tuple[_Rates, list[str]]:
        """Return the rates without missing ones, and a note on them; see `TableColumns.missing`."""
        values, lacking = self.values, np.isnan(self.values)
        if not lacking.any():
            return self, []
        note = f"{int(lacking.sum())} of {lacking.size} rows have no rate: they"
        if missing == "zero":
            zeros = replace(self, values=np.where(lacking, 0.0, values))
            return zeros, [f"{note} have the rate 0 (--missing)"]
        done = "are left out (--missing)"
        if missing == "hold":
            at = np.maximum.accumulate(np.where(lacking, -1, np.arange(values.size)))
            values, lacking = np.where(at < 0, np.nan, values[at]), at < 0
            done = "keep the rate of the row before (--missing)"
            done += "; those before the first rate are left out" * bool(lacking[0])
        column = replace(self.column, texts=self.column.texts[~lacking])
        return replace(self, values=values[~lacking], column=column), [f"{note} {done}"]


def _rates(
    table: _Table, rate: int, unit: int | None, cells: pd.DataFrame, settings: TableColumns
) -> _Rates:
    """Return the rates in a table's column, in bit/s, or the amounts of data in bits."""
    column = table.column(rate, cells)
    lacking = np.asarray(column.texts.str.lower().isin(MISSING))
    numbers, own = _numbers_and_units(column, None if unit is None else cells[unit], lacking)
    if lacking.any() and settings.missing is None:
        text = column.texts[lacking].iloc[0]
        more = f" ({int(lacking.sum())} of {lacking.size} rows have no rate)"
        message = f"needs a number, has {quoted(text)}{more}: say with --missing hold, zero or "
        message += "drop what to do with such rows"
        column.raise_for([(int(column.texts.index[lacking][0]), message)])
    values = numbers.numbers()
    bits, words, is_amount = _units(table, rate, column, own, settings)
    values = np.where(lacking, np.nan, values * bits)
    wrong = ~lacking & ~((values >= 0) & (values <= HIGHEST_BPS))
    shown = f" {words.split()[0]}" if own is None else ""
    if wrong.any():
        column.raise_for(
            (line, f"{text}{shown} is outside 0 to {HIGHEST_BPS:g} bit/s")
            for line, text in column.texts[wrong].items()
        )
    return _Rates(column, values, is_amount, f"{column.called} in {words}")


def _numbers_and_units(
    column: Column, units: pd.Series | None, lacking: NDArray[np.bool_]
) -> tuple[Column, pd.Series | None]:
    """Return a column's numbers as texts, and the unit of each; None if the rows have no units."""
    numbers = replace(column, texts=column.texts.where(~lacking, "0"))
    if units is not None:
        parts = column.texts.str.cat(units, sep=" ").str.extract(NUMBER_AND_UNIT)
    elif pd.to_numeric(numbers.texts, errors="coerce").isna().any():
        parts = column.texts.str.extract(NUMBER_AND_UNIT)
    else:
        return numbers, None
    own = parts[1].where(~lacking)
    if not own.notna().any():
        return numbers, None
    column.refuse(np.asarray(own.isna()) & ~lacking, "has no unit, and other rows have: {}")
    return replace(column, texts=parts[0].where(~lacking, "0")), own


def _units(
    table: _Table, rate: int, column: Column, own: pd.Series | None, settings: TableColumns
) -> tuple[float | Array, str, bool]:
    """Return the size of a column's units in bits, the units as text, and if they are amounts."""
    if settings.rate_unit is not None:
        if unit := rate_unit(settings.rate_unit):
            return BITS[unit], f"{unit} (--rate-unit)", False
        if unit := amount_unit(settings.rate_unit):
            return AMOUNTS[unit], f"{unit} since the row before (--rate-unit)", True
        raise refused("--rate-unit", "", f"no unit {settings.rate_unit!r} ({UNITS})")
    if own is not None:
        known = {text: rate_unit(text) for text in own.dropna().unique()}
        column.refuse(
            own.isin([text for text, unit in known.items() if unit is None]),
            "{} has an unknown unit: set it by --rate-unit",
        )
        sizes = own.map({text: BITS[unit] for text, unit in known.items() if unit})
        listed = ", ".join(sorted({unit for unit in known.values() if unit}))
        return np.asarray(sizes.fillna(1.0), dtype=float), f"{listed} (the rows' units)", False
    if table.has_heading:
        name = table.names[rate]
        if unit := rate_unit(name):
            return BITS[unit], f"{unit} (its name)", False
        if G_NETTRACK.fullmatch(name):
            return BITS["kbit/s"], "kbit/s (as G-NetTrack writes it)", False
    elif table.separator in (None, "\t") and len(table.names) == 2:
        why = "assumed: two columns without a heading, as in cooked traces"
        return BITS["Mbit/s"], f"Mbit/s ({why})", False
    message = f"{column.called}: its unit is unknown: set it by --rate-unit ({UNITS})"
    raise refused(table.path, "", message)


def _held(
    path: Path, lines: pd.Index, times: Times, rates: _Rates, settings: TableColumns
) -> tuple[Array, Array, list[str]]:
    """Return the edges in seconds between which rates are valid, the rates, and notes as text."""
    notes = []
    _refuse_falling(path, lines, times)
    times_s, values = times.seconds, rates.values
    first = np.flatnonzero(np.append(True, np.diff(times_s) != 0))
    if repeated := times_s.size - first.size:
        rows = "row repeats" if repeated == 1 else "rows repeat"
        mean = "sum" if rates.is_amount else "mean rate"
        notes.append(f"{repeated} {rows} the time of the row before: their {mean} is used")
        counts = np.diff(np.append(first, times_s.size))
        values = np.add.reduceat(values, first) / (1 if rates.is_amount else counts)
        times_s = times_s[first]
    if times_s.size < 2:
        message = (
            "is the only time: a table needs at least two, because a rate is valid until the next"
        )
        raise refused(path, "", message, int(lines[0]))
    steps_s = np.diff(times_s)
    typical_s = float(np.median(steps_s))
    stamp = settings.stamp or ("end" if rates.is_amount else "start")
    notes += _gaps(path, lines[first], steps_s, stamp, settings, is_local=times.is_local)
    if rates.is_amount:
        used, unused = (values[1:], "first") if stamp == "end" else (values[:-1], "last")
        notes.append(f"the {unused} row's amount is not used, because its duration is unknown")
        return times_s, used / steps_s, notes
    if stamp == "end":
        notes.append("each rate is valid from the row before to its row (--stamp end)")
        edges_s = np.append(0.0, times_s + typical_s)
    else:
        until = "--stamp end: from the row before" if settings.stamp is None else "--stamp start"
        notes.append(f"each rate is valid from its row to the next ({until})")
        edges_s = np.append(times_s, times_s[-1] + typical_s)
    return edges_s, values, notes


def _refuse_falling(path: Path, lines: pd.Index, times: Times) -> None:
    """Refuse times that fall from one row to the next."""
    steps_s = np.diff(times.seconds)
    falls = np.flatnonzero(steps_s < 0)
    hour = CLOCK_CHANGED.format("from")
    if falls.size:
        raise ConfigurationError(
            Problem(
                str(path),
                int(lines[k + 1]),
                "",
                f"the time is before that of line {lines[k]}: times must not decrease (sort the "
                "rows, or give each recording a file)"
                + (hour if times.is_local and -HOUR_S <= steps_s[k] < -HOUR_S / 2 else ""),
            )
            for k in falls[:ENOUGH_PROBLEMS]
        )


def _gaps(
    path: Path,
    lines: pd.Index,
    steps_s: Array,
    stamp: str,
    settings: TableColumns,
    *,
    is_local: bool,
) -> list[str]:
    """Return a note about times without rows that are filled; refuse too long ones."""
    typical_s = float(np.median(steps_s))
    longest_s = max(LONGEST_GAP_STEPS * typical_s, settings.longest_gap_s or 0.0)
    most_s = float(steps_s.max())
    if (long := np.flatnonzero(steps_s > longest_s)).size:
        k = int(long[0])
        others = f"; the longest of {long.size} such gaps is {most_s:g} s" if long.size > 1 else ""
        ways = "fill the gap, or cut the file there"
        if most_s <= LONGEST_ALLOWED_GAP_S:
            shift = 10 ** (4 - math.floor(math.log10(most_s)))  # round up to five digits
            enough_s = math.ceil(most_s * shift * (1 - 1e-12)) / shift
            ways += f", or extend a rate over it: --longest-gap {enough_s:g}"
        if is_local and 0 < steps_s[k] - HOUR_S <= LONGEST_GAP_STEPS * typical_s:
            ways += CLOCK_CHANGED.format("to")
        message = (
            f"comes {steps_s[k]:g} s after line {lines[k]}, and other rows are {typical_s:g} s "
            f"apart{others}: {ways}"
        )
        raise refused(path, "", message, int(lines[k + 1]))
    gaps_s = steps_s[steps_s > GAP_STEPS * typical_s] - typical_s
    if not gaps_s.size:
        return []
    where = "before" if stamp == "start" else "after"
    count = "1 gap" if gaps_s.size == 1 else f"{gaps_s.size} gaps"
    return [
        f"rows are {typical_s:g} s apart; {count} of {gaps_s.sum():.4g} s in all (longest "
        f"{gaps_s.max():.4g} s, whole table {steps_s.sum():.6g} s) between them: the rate {where} "
        "is held"
    ]
