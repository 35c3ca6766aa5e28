"""Check that the axes of figures state the units of the quantities drawn along them.

An axis without a unit is not checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tcpgoodput.configuration.problems import choices
from tcpgoodput.models.registry import Curve
from tcpgoodput.studies.quantities import COUNTED, QUANTITIES
from tcpgoodput.studies.schema import Panel

PURE = {"", "1", "packet", "packets"}
"""Units that count as equal on an axis, because all mean a pure number or a count."""

SUFFIXES = {
    "s": ("s",),
    "ms": ("ms",),
    "us": ("µs", "us"),
    "hz": ("Hz",),
    "bps": ("bit/s",),
    "kbps": ("kbit/s",),
    "mbps": ("Mbit/s",),
    "mps": ("m/s",),
    "kmh": ("km/h",),
    "pps": ("packets/s",),
    "bytes": ("bytes", "B"),
    "percent": ("%",),
}
"""Units that an axis may state if the name of its quantity, such as `rtt_ms`, has this suffix."""


def wrong_unit_of_quantity(quantity: str, stated: str) -> str | None:
    """Return why an axis has the wrong unit for a quantity, or None.

    Args:
        quantity: the quantity of the panel, a name in `QUANTITIES` or `COUNTED`.
        stated: the axis' unit; empty if it has none.

    """
    known = QUANTITIES | COUNTED
    own = known[quantity].unit
    if not _differ(own, stated):
        return None
    others = [name for name, other in known.items() if not _differ(other.unit, stated)]
    message = f"{quantity} is {_in(own)}, not {_in(stated)}: write {_key(own)}"
    return f"{message}, or quantity: {' or '.join(others)}" if others else message


def wrong_units_of_curve(name: str, curve: Curve, panel: Panel) -> Iterator[tuple[str, str]]:
    """Yield the axes of a panel, `x` or `y`, that have the wrong unit for a curve, and why."""
    for axis, own, stated in (("x", curve.x_unit, panel.x.unit), ("y", curve.y_unit, panel.y.unit)):
        if _differ(own, stated):
            message = f"{axis} of {name} is {_in(own)}, not {_in(stated)}: write {_key(own)}"
            yield axis, message


def wrong_unit_of_variable(variable: str, changes: Mapping[str, Any], stated: str) -> str | None:
    """Return why an axis has the wrong unit for the swept variable, or None.

    The unit follows from the variable's name (`rtt_ms`), or from a key that is set to it directly
    (`tcp.rto.min_s: = timeout`). The units of other expressions are not known.

    Args:
        variable: the name of the swept variable in expressions.
        changes: scenario keys that the sweep sets, with their new values or expressions.
        stated: the axis' unit; empty if it has none.

    """
    for name in _named(variable, changes):
        allowed = SUFFIXES.get(name.rpartition("_")[2], (stated,))
        if stated and stated not in allowed:
            return f"{name} is {_in(allowed[0])}, not {_in(stated)} (one of {choices(allowed)})"
    return None


def _named(variable: str, changes: Mapping[str, Any]) -> Iterator[str]:
    """Yield names whose suffixes may state a variable's unit: its own name, and keys set to it."""
    if "_" in variable:
        yield variable
    for key, value in changes.items():
        if isinstance(value, str) and value.removeprefix("=").strip() == variable:
            yield key


def _differ(own: str, stated: str) -> bool:
    own, stated = own.strip("$"), stated.strip("$")
    return stated not in ("", own) and not (own in PURE and stated in PURE)


def _in(unit: str) -> str:
    return "a pure number" if unit in ("", "1") else f"in {unit}"


def _key(unit: str) -> str:
    return "no unit" if unit in ("", "1") else f"unit: {unit}"
