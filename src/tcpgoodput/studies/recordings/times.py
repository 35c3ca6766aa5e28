"""Columns of a table, and the column of times: numbers, dates with times, or times of day."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NoReturn

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tcpgoodput.configuration import ConfigurationError, Problem, refused
from tcpgoodput.configuration.problems import ENOUGH_PROBLEMS, choices, quoted
from tcpgoodput.studies.recordings.columns import SECONDS, UNIX_TIMES, time_unit
from tcpgoodput.studies.recordings.recording import Array

LONGEST_GUESSED_STEP_S = 100.0
SHORTEST_GUESSED_STEP_S = 0.9e-3
"""Largest and smallest plausible median step between rows in seconds if the unit of times is
assumed to be the second. Beyond them the user must set the unit. Chosen by hand."""

LONGEST_STEP_OF_DAYS = 5e-4
"""Largest median step, 43 s in days, with which numbers of the size of a date are taken for days.
Chosen by hand."""

DAYS = (("Excel's days", 36526, 73051), ("MATLAB's days", 730486, 767011))
"""Numbers by which programs count days: name, and the numbers of the years 2000 and 2100."""

DAY_S, HOUR_S = 86_400.0, 3600.0

CLOCK = (
    r"(?P<hour>\d\d?)[:.]?(?P<minute>[0-5]\d)"
    r"(?:[:.]?(?P<second>[0-5]\d|60)(?:[.,:]?(?P<fraction>\d+))?)?"
    r"\s*(?P<half>[AaPp]\.?[Mm]\.?)?"
)
ZONE = r"\s*(?P<zone>Z|(?:UTC|GMT)?[+-]\d\d?(?::?\d\d)?|\(?[A-Za-z][A-Za-z/_]+\)?)?"

DATES = (
    r"(?P<year>\d{4})[-/._](?P<month>\d\d?)[-/._](?P<day>\d\d?)",
    r"(?P<year>(?:19|20)\d\d)(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])",
    r"(?P<day>\d\d?)[-/ .](?P<month>[A-Za-z]{3,9})[-/ .,]+(?P<year>\d{4})",
    r"(?:[A-Za-z]{3},? +)?(?P<month>[A-Za-z]{3,9})\.? +(?P<day>\d\d?),? +(?P<year>\d{4})",
    r"(?P<a>\d\d?)[-/.](?P<b>\d\d?)[-/.](?P<year>\d{4})",
)
"""Patterns of dates: 2024-05-01, 20240501, 01-May-2024, May 1, 2024, and 5/1/2024. The last one has
the month and the day in an order that depends on the country."""

DATE_TIMES = tuple(
    re.compile(rf"[\[(]?{date}(?:[T _:,-]*{CLOCK}{ZONE})?[\])]?", re.ASCII) for date in DATES
)

TIME_OF_DAY = re.compile(
    r"[\[(]?(?P<hour>\d{1,3}):(?P<minute>[0-5]\d):(?P<second>[0-5]\d(?:[.,]\d+)?)"
    r"\s*(?P<half>[AaPp]\.?[Mm]\.?)?[\])]?",
    re.ASCII,
)

COMPACT = re.compile(rf"{DATES[1]}(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d(?:\d{{3}})?)?(?:\.\d+)?")
"""Pattern of dates with times that are written as a number, such as 20240501121000."""

ENDS_WITH_ZONE = r"(?:[Zz]|[+-]\d\d:?(?:\d\d)?)$"

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

ZONES_H = {"Z": 0, "UTC": 0, "GMT": 0, "WET": 0, "WEST": 1, "CET": 1, "CEST": 2, "EET": 2}
ZONES_H |= {"EEST": 3, "MSK": 3, "EST": -5, "EDT": -4, "CDT": -5, "MST": -7, "MDT": -6}
ZONES_H |= {"PST": -8, "PDT": -7, "JST": 9, "AEST": 10, "AEDT": 11, "NZST": 12, "NZDT": 13}
"""Hours of time zones before UTC, by name. Names with several meanings, such as CST, are left
out."""


@dataclass(frozen=True, eq=False)
class Column:
    """A column of a table in a user's file."""

    path: Path
    name: str
    """The column's name; its number as text if the file has no heading."""
    texts: pd.Series
    """The texts of the cells; the index is the number of the line."""

    @property
    def called(self) -> str:
        """The name that messages use for the column."""
        return f"column {self.name[:60]}"

    def numbers(self) -> Array:
        """Return the cells as numbers, shape (n,).

        Raises:
            ConfigurationError: a cell is no finite number.

        """
        values = np.asarray(pd.to_numeric(self.texts, errors="coerce"), dtype=float)
        self.refuse(~np.isfinite(values), "needs a number, has {}")
        return values

    def refuse(self, wrong: NDArray[np.bool_] | pd.Series, message: str) -> None:
        """Refuse the column if some of its cells are wrong.

        `{}` in the message stands for the cell's text.

        Raises:
            ConfigurationError: a cell is wrong; the first ones are listed.

        """
        if (bad := self.texts[wrong]).size:
            self.raise_for((line, message.format(quoted(text))) for line, text in bad.items())

    def raise_for(self, problems: Iterable[tuple[int, str]]) -> NoReturn:
        """Raise a ConfigurationError with a message for each of the first given lines."""
        first = islice(problems, ENOUGH_PROBLEMS)
        raise ConfigurationError(
            Problem(str(self.path), line, "", f"{self.called}: {message}")
            for line, message in first
        )


@dataclass(frozen=True, eq=False)
class Times:
    """The times of a table's rows."""

    seconds: Array
    """Times in seconds from the first row on, shape (n,); they may fall."""
    words: str
    """The interpretation of the cells, as text."""
    is_local: bool = False
    """Whether the times are those of a clock on the wall, which summer time changes by an hour."""


def times_of(column: Column, unit: str | None) -> Times:
    """Return the times of a table's rows.

    Args:
        column: the column of times.
        unit: the user's unit of the times; None: it is guessed.

    Raises:
        ConfigurationError: cells are no times, or their meaning cannot be guessed.

    """
    if unit is not None and unit not in SECONDS:
        raise refused("--time-unit", "", f"no unit {unit!r} ({choices(SECONDS)})")
    bare = Column(column.path, column.name, column.texts.str.strip("[]"))
    first = bare.texts.iloc[0]
    named = unit or time_unit(column.name)
    if is_time_text(first) or (named is None and COMPACT.fullmatch(first)):
        return _of_texts(column, first)
    bare.refuse(
        bare.texts.str.fullmatch(r"\d\d?:\d\d"),
        "{} may be hours and minutes, or minutes and seconds: write it as 12:00:00",
    )
    values = bare.numbers()
    if unit is not None:
        why = "--time-unit"
    elif named is not None:
        why = "its name"
    else:
        named, why = _guessed_unit(column, values)
    assert named is not None
    # Subtract first, because a double represents ns since 1970 only in steps of 256 ns.
    seconds = (values - values[0]) * SECONDS[named]
    return Times(seconds, f"{column.called} in {named} ({why})")


def is_time_text(text: str) -> bool:
    """Return whether a cell has a date or a time of day that is no plain number."""
    if re.fullmatch(r"[-+]?[\d.]*", text):
        return False
    return any(form.fullmatch(text) for form in (TIME_OF_DAY, *DATE_TIMES))


def _guessed_unit(column: Column, values: Array) -> tuple[str, str]:
    """Return the unit of times without a stated unit, and why it was chosen."""
    for unit, least in UNIX_TIMES:
        if least <= values[0] < 4 * least:
            return unit, "since 1970"
    step = float(np.median(np.abs(np.diff(values)))) if values.size > 1 else 1.0
    for name, least, most in DAYS:
        if least <= values[0] < most and 0 < step <= LONGEST_STEP_OF_DAYS:
            return "d", f"guessed: {name}"
    bracket = re.search(r"[(\[]\s*([^)\]]+?)\s*[)\]]\s*$", column.name)
    if bracket and bracket[1].lower() not in {"relative", "elapsed", "unix", "epoch", "utc"}:
        message = f"{column.called}: no unit {bracket[1][:40]!r}: set the unit by --time-unit"
        raise refused(column.path, "", f"{message} ({choices(SECONDS)})")
    if not (step == 0 or SHORTEST_GUESSED_STEP_S <= step <= LONGEST_GUESSED_STEP_S):
        message = f"{column.called} has steps of {step:g}: set the unit by --time-unit ms or s"
        raise refused(column.path, "", f"{message} ({choices(SECONDS)})")
    return "s", "assumed"


def _of_texts(column: Column, first: str) -> Times:
    """Return the times of a column with dates or with times of day."""
    if TIME_OF_DAY.fullmatch(first):
        return _of_clock(column)
    if quick := _of_iso(column):
        return quick
    form = next((form for form in DATE_TIMES if form.fullmatch(first)), DATE_TIMES[0])
    parts = column.texts.str.extract(f"^{form.pattern}$")
    column.refuse(
        parts["year"].isna(), "{} is no number and no date-time such as 2024-05-01T12:00:00"
    )
    days, order = _days(column, parts)
    offsets_s, zone = _offsets_s(column, parts["zone"].fillna(""))
    clock_s = _clock_s(column, parts.assign(hour=parts["hour"].fillna("0")))
    # Subtract the first day, so that fractions of a second keep their digits.
    seconds = (days - days[0]) * DAY_S + clock_s - offsets_s
    words = f"{column.called}, date-times{order}{zone}"
    return Times(seconds - seconds[0], words, is_local=not parts["zone"].notna().any())


def _of_iso(column: Column) -> Times | None:
    """Return the times of a column with dates of ISO 8601, which are read fast; None: other."""
    found = pd.to_datetime(column.texts, format="ISO8601", utc=True, errors="coerce")
    zoned = column.texts.str.slice(10).str.contains(ENDS_WITH_ZONE)
    if found.isna().any() or zoned.nunique() != 1:
        return None
    seconds = np.asarray((found - found.iloc[0]).dt.total_seconds(), dtype=float)
    return Times(seconds, f"{column.called}, date-times", is_local=not zoned.iloc[0])


def _of_clock(column: Column) -> Times:
    """Return the times of a column with times of day; a fall by half a day passes midnight."""
    parts = column.texts.str.extract(f"^{TIME_OF_DAY.pattern}$")
    column.refuse(parts["hour"].isna(), "{} is no time of day such as 12:00:00.5")
    clock_s = _clock_s(column, parts, most_hours=999)
    midnights = np.append(0, np.cumsum(np.diff(clock_s) < -DAY_S / 2))
    seconds = clock_s + DAY_S * midnights
    passed = int(midnights[-1])
    words = f"{column.called}, times of day"
    if passed:
        words += f" (midnight passes {'once' if passed == 1 else f'{passed} times'})"
    return Times(seconds - seconds[0], words, is_local=True)


def _clock_s(column: Column, parts: pd.DataFrame, most_hours: int = 23) -> Array:
    """Return times of day in seconds after midnight, shape (n,)."""
    hours = parts["hour"].astype(float)
    half = parts["half"].fillna("").str[:1].str.lower()
    twelve = half != ""
    column.refuse(
        (hours > most_hours) | (twelve & ((hours < 1) | (hours > 12))), "{} has no such hour"
    )
    hours = hours.where(~twelve, hours % 12) + 12.0 * (half == "p").astype(float)
    minutes = parts["minute"].fillna("0").astype(float)
    seconds = parts["second"].fillna("0").str.replace(",", ".").astype(float)
    found = HOUR_S * hours + 60 * minutes + seconds
    if "fraction" in parts:
        found += ("0." + parts["fraction"].fillna("0")).astype(float)
    return np.asarray(found, dtype=float)


def _days(column: Column, parts: pd.DataFrame) -> tuple[Array, str]:
    """Return the rows' dates as numbers of days, and how their order was interpreted, as text."""
    if "a" not in parts:
        months = parts["month"]
        if not months.str.isdecimal().all():
            numbers = {name: k for k, name in enumerate(MONTHS, start=1)}
            months = months.str[:3].str.lower().map(numbers)
        days = _of_calendar(parts["year"], months, parts["day"])
        column.refuse(np.isnan(days), "{} is no date")
        return days, ""
    by_day = _of_calendar(parts["year"], parts["b"], parts["a"])
    by_month = _of_calendar(parts["year"], parts["a"], parts["b"])
    valid = [days for days in (by_day, by_month) if not np.isnan(days).any()]
    if not valid:
        column.refuse(np.isnan(by_day) | np.isnan(by_month), "{} is no date")
    best = min(valid, key=lambda days: (int((np.diff(days) < 0).sum()), float(np.ptp(days))))
    if len(valid) == 2 and np.array_equal(by_day - by_day[0], by_month - by_month[0]):
        return best, ""
    order = "the day before the month" if best is by_day else "the month before the day"
    why = " (guessed: in the other order the dates jump)" if len(valid) == 2 else ""
    return best, f" with {order}{why}"


def _of_calendar(years: pd.Series, months: pd.Series, days: pd.Series) -> Array:
    """Return dates as numbers of days; NaN for a date that the calendar does not have."""
    dates = pd.to_datetime(
        pd.DataFrame({"year": years, "month": months, "day": days}), errors="coerce"
    )
    return np.asarray((dates - pd.Timestamp(2000, 1, 1)) / pd.Timedelta(days=1), dtype=float)


def _offsets_s(column: Column, zones: pd.Series) -> tuple[Array, str]:
    """Return the seconds that each row's clock is ahead of UTC, and the zone as text."""
    known = list(zones.unique())
    if len(known) == 1:  # only differences of times count
        is_name = known[0].strip("()").isalpha() and known[0] != "Z"
        return np.zeros(zones.size), f" in the zone {known[0][:40]}" if is_name else ""
    offsets = {zone: _offset_s(zone) for zone in known}
    column.refuse(
        zones.isin([zone for zone, offset_s in offsets.items() if offset_s is None]),
        "{} has no time zone, or one of unknown meaning, and other rows have another: write all "
        "with their offset from UTC, such as +02:00",
    )
    return np.asarray(zones.map(offsets), dtype=float), ""


def _offset_s(zone: str) -> float | None:
    """Return the seconds that a zone's clock is ahead of UTC; None if the zone is not known."""
    if found := re.fullmatch(r"(?:UTC|GMT)?([+-])(\d\d?):?(\d\d)?", zone):
        seconds = HOUR_S * int(found[2]) + 60 * int(found[3] or 0)
        return -seconds if found[1] == "-" else seconds
    hours = ZONES_H.get(zone.strip("()").upper())
    return None if hours is None else HOUR_S * hours
