"""Meaning and unit of the columns of a recorded table, given by the user or guessed by name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

BITS = {
    "bit/s": 1.0,
    "kbit/s": 1e3,
    "Mbit/s": 1e6,
    "Gbit/s": 1e9,
    "byte/s": 8.0,
    "kbyte/s": 8e3,
    "Mbyte/s": 8e6,
    "Gbyte/s": 8e9,
}
"""Number of bit/s in each unit of rate, by the name of the unit."""

AMOUNTS = {unit.removesuffix("/s"): bits for unit, bits in BITS.items()}
"""Number of bits in each unit of an amount of data, by the name of the unit."""

SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60.0, "h": 3600.0, "d": 86_400.0}
"""Number of seconds in each unit of time, by the name of the unit."""

RATE_UNIT = re.compile(
    r"(?:(?<![A-Za-z])|(?<=[a-z])(?=[KMG]))(?P<prefix>[kKmMgG]?)"
    r"(?P<base>[Bb]its?|[Bb]ytes?|[bB])(?:ps|_?per_?s(?:ec(?:ond)?s?)?|[/_]s(?:ec|econd)?)(?![A-Za-z])"
)
"""Pattern of units of rate: Mbit/s, Mbps, kb/s, bits per second, MB/s (bytes). KBPS does not match,
because it may mean bits or bytes."""

AMOUNT_UNIT = re.compile(r"(?P<prefix>[kKmMgG]?)(?P<base>[Bb]its?|[Bb]ytes?|B)")
"""Pattern of units of an amount of data: byte, bytes, kB, Mbit."""

TIME_UNITS = {
    "s": {"s", "sec", "secs", "second", "seconds"},
    "ms": {"ms", "msec", "millis", "millisecond", "milliseconds"},
    "us": {"us", "µs", "usec", "micros", "microsecond", "microseconds"},
    "ns": {"ns", "nsec", "nanos", "nanosecond", "nanoseconds"},
    "min": {"mins", "minute", "minutes"},
    "h": {"hr", "hrs", "hour", "hours"},
    "d": {"day", "days", "datenum"},
}

LAST_TIME_UNITS = {"min", "h", "d"}
"""Units of time that count only as the last word of a column's name, as in `time_min`, because
they have other meanings elsewhere, as in `min_time`."""

TIME_WORDS = {"time", "times", "timestamp", "timestamps", "t", "ts", "date", "datetime", "epoch"}
TIME_WORDS |= {"elapsed", "unixtime", "second", "seconds", "sec"}

RATE_WORDS = ("throughput", "bitrate", "datarate", "capacity", "bandwidth", "goodput")
"""Words in a column's name that indicate rates, even as a part of a longer word. The words in
`RATE_WHOLE_WORDS` indicate rates only as whole words."""

RATE_WHOLE_WORDS = {"rate", "bw", "tput"}

UNIX_TIMES = (("s", 1e9), ("ms", 1e12), ("us", 1e15), ("ns", 1e18))
"""Units of times since 1970, each with the number that is the year 2001 in this unit. Numbers from
there up to four times as large are taken for times between 2001 and 2096 in this unit."""


@dataclass(frozen=True)
class TableColumns:
    """The user's settings for the columns of a table of times and rates.

    A column or unit that is None is guessed from the table.
    """

    time_column: str | None = None
    rate_column: str | None = None
    time_unit: str | None = None
    rate_unit: str | None = None
    longest_gap_s: float | None = None
    every_s: float | None = None
    """Time between the rows in seconds, if the table has no times."""
    stamp: str | None = None
    """Whether a row's time is the `start` or the `end` of the interval of its rate."""
    missing: str | None = None
    """What becomes of a row without a rate: it keeps the rate of the row before (`hold`), has the
    rate 0 (`zero`) or is left out (`drop`)."""

    @property
    def is_set(self) -> bool:
        """Whether the user has set any of these settings."""
        return self != TableColumns()


def is_table(beginning: bytes) -> bool:
    """Return whether a file is a table: the first row has several fields."""
    lines = beginning.decode("utf-8", "replace").splitlines()
    first, separator = first_row(lines)
    return separator is not None or (
        first is not None and len(re.findall(r"[^\s,;]+", lines[first])) > 1
    )


def first_row(lines: Iterable[str]) -> tuple[int | None, str | None]:
    """Return the position, from 0, of a table's first row, and the separator that the file states.

    Empty lines, lines that begin with # and a line such as `sep=;`, with which a file tells Excel
    the separator of its columns, are skipped. Both results are None if there is nothing else.
    """
    separator = None
    for number, line in enumerate(lines):
        if stated := re.fullmatch(r'"?sep=(.)"?\s*', line, re.IGNORECASE):
            separator = stated[1]
        elif line.strip() and not line.startswith("#"):
            return number, separator
    return None, separator


def is_time(name: str) -> bool:
    """Return whether a column of this name may contain times."""
    return bool(set(_words(name)) & TIME_WORDS) and not is_rate(name)


def is_rate(name: str) -> bool:
    """Return whether a column of this name may contain rates."""
    words = _words(name)
    if any(part in word for part in RATE_WORDS for word in words):
        return True
    return bool(set(words) & RATE_WHOLE_WORDS) or rate_unit(name) is not None


def _words(name: str) -> list[str]:
    return re.findall(r"[a-zµ]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower())


def rate_unit(text: str) -> str | None:
    """Return the unit of rate that a text contains, such as `Mbit/s` (a key of `BITS`).

    None if the text contains no such unit, or an ambiguous one.
    """
    found = RATE_UNIT.search(text.strip().replace(" ", "_"))
    return None if found is None else f"{_amount(found)}/s"


def amount_unit(text: str) -> str | None:
    """Return the unit of data that a text is, such as `byte` (a key of `AMOUNTS`); None if none."""
    found = AMOUNT_UNIT.fullmatch(text.strip())
    return None if found is None else _amount(found)


def _amount(found: re.Match[str]) -> str:
    """Return the unit of an amount of data for a match with groups `prefix` and `base`."""
    in_bytes = found["base"] == "B" or found["base"].lower().startswith("byte")
    prefix = {"k": "k", "m": "M", "g": "G", "": ""}[found["prefix"].lower()]
    return f"{prefix}{'byte' if in_bytes else 'bit'}"


def time_unit(text: str) -> str | None:
    """Return the unit of time that a column's name contains, such as `ms`; None if it has none."""
    words = _words(text)
    if words and words[-1] in LAST_TIME_UNITS:
        return words[-1]
    return next((unit for unit, names in TIME_UNITS.items() if names & set(words)), None)
