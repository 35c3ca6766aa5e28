"""Meaning and unit of the columns of a recorded table, given by the user or guessed by name."""

from __future__ import annotations

import re
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

SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
"""Number of seconds in each unit of time, by the name of the unit."""

RATE_UNIT = re.compile(
    r"(?:(?<![A-Za-z])|(?<=[a-z])(?=[KMG]))(?P<prefix>[kKmMgG]?)"
    r"(?P<base>[Bb]its?|[Bb]ytes?|[bB])(?:ps|_?per_?s\w*|[/_]s(?:ec|econd)?)(?![A-Za-z])"
)
"""Pattern of units of rate: Mbit/s, Mbps, kb/s, bits per second, MB/s (bytes). KBPS does not match,
because it may mean bits or bytes."""

TIME_UNITS = {
    "s": {"s", "sec", "secs", "second", "seconds"},
    "ms": {"ms", "msec", "millis", "millisecond", "milliseconds"},
    "us": {"us", "µs", "usec", "micros", "microsecond", "microseconds"},
    "ns": {"ns", "nsec", "nanos", "nanosecond", "nanoseconds"},
}

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

    @property
    def is_set(self) -> bool:
        """Whether the user has set any of these settings."""
        return self != TableColumns()


def is_table(beginning: bytes) -> bool:
    """Return whether a file is a table: the first line that is not empty has several fields.

    Args:
        beginning: the first bytes of the file; lines that begin with # are skipped.

    """
    for line in beginning.decode("utf-8", "replace").splitlines():
        if line.strip() and not line.startswith("#"):
            return len(re.findall(r"[^\s,;]+", line)) > 1
    return False


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
    if found is None:
        return None
    in_bytes = found["base"] == "B" or found["base"].lower().startswith("byte")
    prefix = {"k": "k", "m": "M", "g": "G", "": ""}[found["prefix"].lower()]
    return f"{prefix}{'byte' if in_bytes else 'bit'}/s"


def time_unit(text: str) -> str | None:
    """Return the unit of time that a column's name contains, such as `ms`; None if it has none."""
    words = set(_words(text))
    return next((unit for unit, names in TIME_UNITS.items() if words & names), None)
