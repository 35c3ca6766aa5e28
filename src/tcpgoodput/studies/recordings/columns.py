"""What the columns of a table are, by what the user says and by their names."""

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
"""In a unit of rate."""

SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
"""In a unit of time."""

RATE_UNIT = re.compile(
    r"(?:(?<![A-Za-z])|(?<=[a-z])(?=[KMG]))(?P<prefix>[kKmMgG]?)"
    r"(?P<base>[Bb]its?|[Bb]ytes?|[bB])(?:ps|_?per_?s\w*|[/_]s(?:ec|econd)?)(?![A-Za-z])"
)
"""Mbit/s, Mbps, kb/s, bits per second, MB/s (bytes); KBPS may be either, and is not matched."""

TIME_UNITS = {
    "s": {"s", "sec", "secs", "second", "seconds"},
    "ms": {"ms", "msec", "millis", "millisecond", "milliseconds"},
    "us": {"us", "µs", "usec", "micros", "microsecond", "microseconds"},
    "ns": {"ns", "nsec", "nanos", "nanosecond", "nanoseconds"},
}

TIME_WORDS = {"time", "times", "timestamp", "timestamps", "t", "ts", "date", "datetime", "epoch"}
TIME_WORDS |= {"elapsed", "unixtime", "second", "seconds", "sec"}

RATE_WORDS = ("throughput", "bitrate", "datarate", "capacity", "bandwidth", "goodput")
"""In the name of a column, also as a part of a word; `RATE_WHOLE_WORDS` only as a word."""

RATE_WHOLE_WORDS = {"rate", "bw", "tput"}

UNIX_TIMES = (("s", 1e9), ("ms", 1e12), ("us", 1e15), ("ns", 1e18))
"""From which number on, up to four times it, a time is likely one since 1970: 2001 to 2096."""


@dataclass(frozen=True)
class TableAsked:
    """What the user says of a table; None: guess."""

    time_column: str | None = None
    rate_column: str | None = None
    time_unit: str | None = None
    rate_unit: str | None = None
    longest_gap_s: float | None = None

    @property
    def says_something(self) -> bool:
        """Whether the user has said anything."""
        return self != TableAsked()


def is_table(beginning: bytes) -> bool:
    """Tell whether the first line that says something has several fields."""
    for line in beginning.decode("utf-8", "replace").splitlines():
        if line.strip() and not line.startswith("#"):
            return len(re.findall(r"[^\s,;]+", line)) > 1
    return False


def is_time(name: str) -> bool:
    """Tell whether a column of this name may have times."""
    return bool(set(_words(name)) & TIME_WORDS) and not is_rate(name)


def is_rate(name: str) -> bool:
    """Tell whether a column of this name may have rates."""
    words = _words(name)
    if any(part in word for part in RATE_WORDS for word in words):
        return True
    return bool(set(words) & RATE_WHOLE_WORDS) or rate_unit(name) is not None


def _words(name: str) -> list[str]:
    return re.findall(r"[a-zµ]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower())


def rate_unit(text: str) -> str | None:
    """Return the unit that a text names, None if it names none."""
    found = RATE_UNIT.search(text.strip().replace(" ", "_"))
    if found is None:
        return None
    in_bytes = found["base"] == "B" or found["base"].lower().startswith("byte")
    prefix = {"k": "k", "m": "M", "g": "G", "": ""}[found["prefix"].lower()]
    return f"{prefix}{'byte' if in_bytes else 'bit'}/s"


def time_unit(text: str) -> str | None:
    """Return the unit of time that a column's name has, None if it has none."""
    words = set(_words(text))
    return next((unit for unit, names in TIME_UNITS.items() if words & names), None)
