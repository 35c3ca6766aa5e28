"""Measurements: requests, rows, tables, and reasons to doubt a measurement.

Figures, the comparison of models, the reference implementations and the claims look up measurements
by key, a digest of the engine, its setting and the scenario. No lookup uses the value of a swept
parameter, a row's position or a label.
"""

from __future__ import annotations

import csv
import hashlib
import io
import itertools
import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from tcpgoodput.answers import Precision
from tcpgoodput.engines.closeness import LEAST_FACTOR
from tcpgoodput.engines.stalls import STALLED
from tcpgoodput.engines.starts import DEPENDS
from tcpgoodput.engines.traps import TRAPPED
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.content import content_of, path_content_of
from tcpgoodput.scenario.vocabulary import Tcp, Trace
from tcpgoodput.storage import as_published, read_rows

if TYPE_CHECKING:
    from tcpgoodput.engines.base import Measurement


DIGITS = 16
"""Number of hexadecimal digits of a key, which make 64 bits."""


@dataclass(frozen=True)
class Effort:
    """Numbers of replications and packets, and target half-width, for one measurement.

    The simulator chooses the numbers that are None.
    """

    precision: Precision
    seed: int
    packets: int | None = None
    """Approximate number of packets to simulate in all replications together."""
    replications: int | None = None
    half_width: float | None = None
    """Target of the interval's half-width, relative to the goodput; measurements are repeated until
    it is reached."""
    most_packets: int | None = None
    """Largest number of packets to simulate, even if the half-width is not reached."""
    trace: str | None = None
    """Digest of the capacity's trace file. With it, a measurement's key depends on the file's
    content, not on its name."""
    delay_trace: str | None = None
    """Digest of the delay's trace file. With it, a measurement's key depends on the file's content,
    not on its name."""

    def on(self, scenario: Scenario) -> Self:
        """Return a copy whose `trace` and `delay_trace` are digests of the scenario's trace files.

        A digest is left as it is if the scenario has no such file.
        """
        capacity, delay = scenario.capacity, scenario.delay
        if isinstance(capacity, Trace):
            self = replace(self, trace=_digest(Path(capacity.file).read_bytes()))
        if delay is not None:
            self = replace(self, delay_trace=_digest(Path(delay.file).read_bytes()))
        return self

    @property
    def setting(self) -> str:
        """The setting of a measurement: JSON text with all fields that are not None."""
        chosen = {f.name: getattr(self, f.name) for f in fields(self)}
        return json.dumps({name: value for name, value in chosen.items() if value is not None})


@dataclass(frozen=True)
class Request:
    """Request for a measurement: an engine, its setting, and a scenario."""

    engine: str
    setting: str
    scenario: Scenario

    @property
    def key(self) -> str:
        """The key under which the requested measurement is stored."""
        return key_of(self.engine, self.setting, self.scenario)

    def record(self) -> dict[str, Any]:
        """Return the request as a dict of plain data, which can be written as JSON."""
        stated = self.scenario.stated()
        return {"engine": self.engine, "setting": self.setting, "scenario": stated}

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Self:
        """Return the request from a dict that `record` returned."""
        scenario = Scenario.model_validate(record["scenario"])
        return cls(record["engine"], record["setting"], scenario)


FROM_START = "-from-start"
"""Suffix of the key under which the goodput of the same runs is stored with their warm-up
included."""


KERNEL_IGNORES = ("recovery", "partial_window_deflation")
"""Keys of a scenario's section `tcp` that the engine `linux` ignores, because the kernel has its
own rule for partial ACKs."""


def key_of(engine: str, setting: str, scenario: Scenario) -> str:
    """Return the key of a measurement: a digest of engine, setting and the scenario's content.

    Scenarios that differ only in keys that the kernel ignores have the same key for `linux`.
    """
    if engine == "linux":
        defaults = {name: Tcp.model_fields[name].default for name in KERNEL_IGNORES}
        tcp = scenario.tcp.model_copy(update=defaults)
        scenario = scenario.model_copy(update={"tcp": tcp})
    return _digest(f"{engine}/{setting}/{content_of(scenario)}".encode())


def connection_of(scenario: Scenario) -> str:
    """Return the key of a scenario's content, by which measurements of two engines are paired."""
    return _digest(content_of(scenario).encode())


def path_of(scenario: Scenario) -> str:
    """Return a key of a scenario's path and receiver that does not depend on the sender."""
    return _digest(path_content_of(scenario).encode())


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:DIGITS]


@dataclass(frozen=True)
class Measured:
    """A row of a table of measurements; counts are totals over the replications.

    A row without a goodput contains only the reason why the connection could not be measured.
    """

    key: str
    engine: str
    setting: str
    goodput_pps: float | None = None
    low_pps: float | None = None
    high_pps: float | None = None
    """Upper end of the 95 % interval, in packets per second; `low_pps` is the lower end."""
    half_width_pps: float | None = None
    """Half-width of a symmetric interval, in packets per second."""
    replications: int = 0
    measured_s: float | None = None
    packets_sent: int | None = None
    retransmissions: int | None = None
    timeouts: int | None = None
    fast_retransmits: int | None = None
    loss_events: int | None = None
    packets_lost: int | None = None
    packets_dropped: int | None = None
    handoffs: int | None = None
    mean_window_packets: float | None = None
    mean_rtt_s: float | None = None
    reason: str | None = None
    """Explanation if the goodput is missing or its interval less reliable than usual, else None."""

    @classmethod
    def of(cls, request: Request, measurement: Measurement) -> Self:
        """Return the row of the table for a measurement."""
        goodput = measurement.goodput_pps
        record = measurement.record()
        shared = {f.name: record[f.name] for f in fields(cls) if f.name in record}
        shared["goodput_pps"] = goodput.mean
        if math.isfinite(goodput.half_width):
            shared["low_pps"] = goodput.mean - goodput.half_width
            shared["high_pps"] = goodput.mean + goodput.half_width
            shared["half_width_pps"] = goodput.half_width
        return cls(**_place(request), **shared)

    @classmethod
    def none(cls, request: Request, reason: str) -> Self:
        """Return the row of the table for a connection that could not be measured."""
        return cls(**_place(request), reason=reason)

    def rounded(self) -> Self:
        """Return the row with goodput and interval rounded to the digits of the results' tables."""
        ends = ("goodput_pps", "low_pps", "high_pps")
        known = {name: value for name in ends if (value := getattr(self, name)) is not None}
        return replace(self, **{name: as_published(value) for name, value in known.items()})

    @property
    def ends_pps(self) -> tuple[float, float, float]:
        """The goodput, and its interval's lower and upper end, in packets/s; NaN if unknown."""
        ends = (self.goodput_pps, self.low_pps, self.high_pps)
        goodput, low, high = (math.nan if end is None else end for end in ends)
        return goodput, low, high

    @property
    def is_steady(self) -> bool:
        """Whether the goodput depends neither on the connection's start nor on its duration."""
        return not is_unsteady(self.reason)

    @property
    def fast_retransmit_rate(self) -> float:
        """The number of fast retransmits per packet sent."""
        return (self.fast_retransmits or 0) / max(self.packets_sent or 0, 1)

    @property
    def fast_retransmit_interval_s(self) -> float | None:
        """The mean time between fast retransmits; None if none occurred or no time is measured."""
        if not self.fast_retransmits or self.measured_s is None:
            return None
        return self.replications * self.measured_s / self.fast_retransmits


def is_unsteady(reason: str | None) -> bool:
    """Whether a `reason` states that a connection has no steady state or depends on its start."""
    return (reason or "").startswith((DEPENDS, STALLED, TRAPPED))


def _place(request: Request) -> dict[str, str]:
    return {"key": request.key, "engine": request.engine, "setting": request.setting}


COLUMNS = [f.name for f in fields(Measured)]
_KINDS = {f.name: str(f.type) for f in fields(Measured)}


def measurements_csv(rows: Iterable[Measured]) -> str:
    """Return a table of measurements as CSV, with enough digits to read back the same numbers."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        values = (getattr(row, name) for name in COLUMNS)
        writer.writerow(["" if value is None else value for value in values])
    return buffer.getvalue()


def read_measurements(*paths: Path) -> dict[str, Measured]:
    """Read tables of measurements; return their rows by key. Later tables take precedence.

    Raises:
        FileNotFoundError: a table does not exist; the message names the command that makes it.

    """
    found: dict[str, Measured] = {}
    for line in itertools.chain.from_iterable(map(read_rows, paths)):
        row = Measured(**{name: _value(name, text) for name, text in line.items()})
        found[row.key] = row
    return found


def _value(name: str, text: str) -> Any:
    kind = _KINDS[name]
    if kind.startswith("int"):
        return int(text) if text else None
    if kind.startswith("float"):
        return float(text) if text else None
    return text if text or kind == "str" else None


BUDGET, STILL_WIDE, UNSTEADY, NO_VALUE = "budget", "still wide", "unsteady", "no value"

WORDS = {
    BUDGET: "a wide interval because the budget of packets is spent, which is expected",
    STILL_WIDE: "an interval that more packets did not narrow",
    UNSTEADY: "no steady state, or a goodput that depends on the start",
    NO_VALUE: "no value",
}
"""What a connection has, for the summary of a run, by kind of doubt about its measurement."""


def doubt_of(row: Mapping[str, str]) -> str | None:
    """Return the kind of doubt about a measurement, a key of `WORDS`, or None if it has no reason.

    Args:
        row: a row of a table of measurements: the text in each column, by the column's name.

    """
    reason = row["reason"]
    if not reason:
        return None
    if not row["goodput_pps"]:
        return NO_VALUE
    if is_unsteady(reason):
        return UNSTEADY
    most_packets = json.loads(row["setting"]).get("most_packets")
    is_spent = most_packets is None or LEAST_FACTOR * int(row["packets_sent"]) > most_packets
    return BUDGET if is_spent else STILL_WIDE


def in_words(kinds: Iterable[str]) -> str:
    """Return clauses such as `2 connections have no value`, one for each kind of doubt.

    Kinds of doubt without a measurement are left out.

    Args:
        kinds: the kind of doubt about each measurement.

    """
    counted = Counter(kinds)
    numbers = {kind: counted[kind] for kind in WORDS if counted[kind]}
    return "; ".join(
        f"{number} {'connection has' if number == 1 else 'connections have'} {WORDS[kind]}"
        for kind, number in numbers.items()
    )
