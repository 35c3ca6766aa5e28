"""Suggest the right key or value if a configuration has one in another unit, such as `rtt_ms`."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tcpgoodput.configuration.problems import LONGEST_NAME


def _by_name(factors: Mapping[str, float]) -> dict[str, float]:
    """Return a factor for each name, from factors for names that are separated by spaces."""
    return {name: factor for names, factor in factors.items() for name in names.split()}


SECONDS = _by_name(
    {
        "s sec secs second seconds": 1.0,
        "ms msec milliseconds": 1e-3,
        "us usec microseconds": 1e-6,
        "ns nanoseconds": 1e-9,
        "min mins minutes": 60.0,
        "h hours": 3600.0,
    }
)
BITS_PER_SECOND = {
    f"{prefix}{unit}": factor * bits
    for prefix, factor in {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}.items()
    for unit, bits in (
        {"": 1.0} | _by_name({"bps bit bits bit_s bits_s": 1.0, "bytes_s Bps": 8.0})
    ).items()
}
BYTES = _by_name(
    {
        "bytes byte octets b": 1.0,
        "kb kbytes": 1e3,
        "kib": 1024.0,
        "mb mbytes": 1e6,
        "mib": 1024.0**2,
        "bits bit": 1 / 8,
    }
)
HERTZ = {"hz": 1.0, "millihz": 1e-3, "khz": 1e3, "mhz": 1e6, "ghz": 1e9, "per_min": 1 / 60}
METRES_PER_SECOND = {"mps": 1.0, "m_s": 1.0, "kmh": 1 / 3.6, "km_h": 1 / 3.6, "mph": 0.44704}
SHARES = {"percent": 1e-2, "pct": 1e-2, "per_cent": 1e-2, "permille": 1e-3, "ppm": 1e-6, "%": 1e-2}

DIMENSIONS = {
    "s": SECONDS,
    "bps": BITS_PER_SECOND,
    "bytes": BYTES,
    "hz": HERTZ,
    "mps": METRES_PER_SECOND,
    "": SHARES,
}
"""Factors that convert other units to the unit of a key, by the suffix of the key.

The factors for keys without a suffix are those of shares, such as per cent. Names of units are in
lower case, except that `Bps` (bytes per second) differs from `bps`.
"""


LEAST_SIMILARITY = 0.85
"""Smallest similarity of two names, from 0 to 1 as difflib computes it, for which one counts as a
misspelling of the other. Chosen by hand."""

_QUANTITY = re.compile(r"([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)\s*([A-Za-z%][A-Za-z/ ]*)")

_DECIMAL_COMMA = re.compile(r"([-+]?(?:0|\d+(?!,\d{3}(?!\d)))),(\d+(?:[eE][-+]?\d+)?)")


def in_its_unit(name: str, value: Any, allowed: Iterable[str]) -> str | None:
    """Return a suggestion `KEY: VALUE` for a name that is an allowed key with another unit.

    For example, the suggestion for `rtt_ms: 30` is `rtt_s: 0.03`. A value whose name has no unit is
    assumed to have the unit of the key.

    Args:
        name: the unknown name.
        value: the value of the unknown name; if it is not a number, only the key is returned.
        allowed: the allowed keys.

    Returns:
        The suggestion; None if no allowed key is similar.

    """
    if len(name) > LONGEST_NAME:
        return None
    best, found = LEAST_SIMILARITY, None
    for key in allowed:
        stem, unit = _parted(key)
        for given, factor in _readings(name, unit):
            likeness = difflib.SequenceMatcher(None, given, stem).ratio()
            if likeness > best:
                best, found = likeness, (key, factor)
    if found is None:
        return None
    key, factor = found
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return f"{key}: {plain(value * factor)}" if is_number else key


def number_in_its_unit(key: str, text: str) -> str | None:
    """Convert a text such as `30 ms` to a number in the unit of a key, as text.

    The result is None if the text is no number with a unit, or if its unit does not fit the key.
    """
    if not (match := _QUANTITY.fullmatch(text.strip())):
        return None
    number, unit = match.groups()
    factor = _factor(unit.replace("/", "_").replace(" ", "_"), _parted(key)[1])
    try:
        return None if factor is None else plain(float(number) * factor)
    except ValueError:
        return None


def number_with_point(text: str) -> str | None:
    """Return a number with a decimal comma, such as `0,03`, with a decimal point; else None.

    The result is None for texts such as `20,000`, too, whose comma may separate thousands.
    """
    match = _DECIMAL_COMMA.fullmatch(text.strip())
    return f"{match[1]}.{match[2]}" if match else None


def hint_of_point(text: str) -> str:
    """Return what to type for a number with a decimal comma, as the end of a message, or ""."""
    point = number_with_point(text)
    return f"; did you mean {point}?" if point else ""


def _parted(key: str) -> tuple[str, str]:
    """Split the name of a key into a name without unit and a unit, which may be empty."""
    stem, _, unit = key.rpartition("_")
    return (stem, unit) if stem and unit in DIMENSIONS else (key, "")


def _readings(name: str, unit: str) -> Iterator[tuple[str, float]]:
    """Yield each split of a name into name and unit, with the factor from that unit to `unit`."""
    if unit:
        yield name, 1.0
    parts = name.split("_")
    for position in range(1, len(parts)):
        factor = _factor("_".join(parts[position:]), unit)
        if factor is not None:
            yield "_".join(parts[:position]), factor


def _factor(given: str, unit: str) -> float | None:
    exact = f"{given[:-3].lower()}Bps" if given.endswith("Bps") else given.lower()
    return DIMENSIONS[unit].get(exact)


DIGITS = 4
"""Fewest digits of the smallest number in a column."""

MOST_DECIMALS = 3
"""Most decimals of a column, which a number near 0 would otherwise raise; chosen by hand."""


def in_column(values: Iterable[float | None], digits: int = DIGITS) -> list[str]:
    """Return numbers as texts with equally many decimals, for a column.

    Args:
        values: the numbers; None gives an empty text.
        digits: the fewest digits of the smallest number, unless it needs too many decimals.

    Returns:
        A text for each number.

    Example:
        >>> in_column([14685.43, None, 396.898])
        ['14685.4', '', '396.9']

    """
    values = list(values)
    sizes = [abs(value) for value in values if value]
    before_point = math.floor(math.log10(min(sizes))) + 1 if sizes else digits
    decimals = min(max(digits - before_point, 0), MOST_DECIMALS)
    return ["" if value is None else f"{value:.{decimals}f}" for value in values]


def with_digits(value: float, digits: int) -> str:
    """Return a number rounded to significant digits, as `plain` writes it.

    Example:
        >>> with_digits(1322.56, 3), f"{1322.56:.3g}"
        ('1320', '1.32e+03')

    """
    return plain(float(f"{value:.{digits}g}"))


def plain(value: float) -> str:
    """Return a number as short text with at most 12 digits: 0.03, 20, 2e7."""
    if value == 0 or not math.isfinite(value) or 1e-3 <= abs(value) < 1e6:
        return f"{value:.12g}"
    digits, _, exponent = f"{value:.11e}".partition("e")
    return f"{digits.rstrip('0').rstrip('.')}e{int(exponent)}"
