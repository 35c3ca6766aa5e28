"""Quantities on the y axis of figures, and the units that axes state.

A quantity has a name, a unit, and a computation from the goodput or from counts. An axis without a
unit is not checked.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tcpgoodput.configuration.problems import choices
from tcpgoodput.engines.base import Measurement
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.physics import mean_capacity_bps

if TYPE_CHECKING:
    from tcpgoodput.models.registry import Curve
    from tcpgoodput.studies.schema import Panel


@dataclass(frozen=True)
class Quantity:
    """A quantity, such as a transfer time, that is computed from a goodput in packets/s."""

    name: str
    title: str
    """Name of the quantity without its unit, for the label of an axis."""
    unit: str
    at: Callable[[Scenario, float], float]
    """Function that computes the quantity from a scenario and a goodput in packets/s."""


def _transfer_s(scenario: Scenario, goodput_pps: float) -> float:
    packets = scenario.tcp.transfer_packets or math.inf
    return packets / goodput_pps if goodput_pps > 0 else math.inf


QUANTITIES = {
    quantity.name: quantity
    for quantity in (
        Quantity("goodput_bps", "goodput", "bit/s", lambda s, pps: 8 * s.tcp.mss_bytes * pps),
        Quantity("goodput_kbps", "goodput", "kbit/s", lambda s, pps: 8e-3 * s.tcp.mss_bytes * pps),
        Quantity("goodput_Mbps", "goodput", "Mbit/s", lambda s, pps: 8e-6 * s.tcp.mss_bytes * pps),
        Quantity("goodput_kBps", "goodput", "kB/s", lambda s, pps: 1e-3 * s.tcp.mss_bytes * pps),
        Quantity("goodput_MBps", "goodput", "MB/s", lambda s, pps: 1e-6 * s.tcp.mss_bytes * pps),
        Quantity("goodput_pps", "goodput", "packets/s", lambda s, pps: pps),
        Quantity(
            "utilisation",
            "utilisation",
            "1",
            lambda s, pps: 8 * s.tcp.mss_bytes / mean_capacity_bps(s) * pps,
        ),
        Quantity("transfer_s", "transfer time", "s", _transfer_s),
    )
}


Z95 = 1.959964
"""Quantile of the normal distribution for a two-sided interval of 95 %."""


class Uncounted(Exception):
    """A measurement lacks a count from which a quantity is computed."""


@dataclass(frozen=True)
class CountedQuantity:
    """A quantity that is computed from what an engine counted, not from the goodput alone.

    A model predicts goodput only, so it has no value of such a quantity.
    """

    name: str
    title: str
    """Name of the quantity without its unit, for the label of an axis."""
    unit: str
    of: Callable[[Scenario, Measurement], tuple[float, float, float]]
    """Function that returns the value of the quantity and the ends of its 95 % interval. It raises
    `Uncounted` if the engine did not count what it needs."""


def _known(value: float | None) -> float:
    if value is None:
        raise Uncounted
    return value


def _ratio(events: float, of: float) -> tuple[float, float, float]:
    """Return a ratio of two counts, and its interval for independent Poisson counts.

    The half-width of the ratio's logarithm is Z95 √(1/events + 1/of). Counts of one run that vary
    together make the interval too wide. Without any event, the upper end is 3 events, the 95 %
    limit of a Poisson count.
    """
    if not of > 0:
        raise Uncounted
    if events == 0:
        return 0.0, 0.0, 3 / of
    width = math.exp(Z95 * math.sqrt(1 / events + 1 / of))
    return events / of, events / of / width, events / of * width


def _timeouts_per_spike(scenario: Scenario, seen: Measurement) -> tuple[float, float, float]:
    if scenario.spikes is None:
        raise Uncounted
    seconds = seen.replications * _known(seen.measured_s)
    return _ratio(_known(seen.timeouts), seconds / scenario.spikes.interval.mean_s)


def _timeout_share(_scenario: Scenario, seen: Measurement) -> tuple[float, float, float]:
    timeouts = _known(seen.timeouts)
    return _ratio(timeouts, timeouts + _known(seen.fast_retransmits))


def _arrived_per_event(_scenario: Scenario, seen: Measurement) -> tuple[float, float, float]:
    lost = _known(seen.packets_lost) + (seen.packets_dropped or 0)
    return _ratio(_known(seen.packets_sent) - lost, _known(seen.loss_events))


def _round_trip_ms(_scenario: Scenario, seen: Measurement) -> tuple[float, float, float]:
    """Return the mean round trip with an interval as wide, relative to it, as the goodput's.

    By Little's law the mean time of a packet is the mean window over the rate, so that its error
    and the goodput's are of the same size. If the goodput may be 0, there is no upper end.
    """
    value, (goodput, low, high) = 1e3 * _known(seen.mean_rtt_s), seen.ends_pps
    return value, value * goodput / high, math.inf if low <= 0 else value * goodput / low


COUNTED = {
    quantity.name: quantity
    for quantity in (
        CountedQuantity("timeouts_per_spike", "timeouts per spike", "1", _timeouts_per_spike),
        CountedQuantity("timeout_share", "share of recoveries by timeout", "1", _timeout_share),
        CountedQuantity(
            "lost_per_event",
            "packets lost per loss event",
            "1",
            lambda _, seen: _ratio(_known(seen.packets_lost), _known(seen.loss_events)),
        ),
        CountedQuantity(
            "arrived_per_event", "packets arrived per loss event", "1", _arrived_per_event
        ),
        CountedQuantity("round_trip_ms", "mean round trip", "ms", _round_trip_ms),
    )
}


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
    """Return why an axis has the wrong unit for a quantity, or None."""
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
