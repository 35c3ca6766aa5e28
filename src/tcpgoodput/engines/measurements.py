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
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Self

from tcpgoodput.answers import Conditions, Precision
from tcpgoodput.engines.base import PACKET, RECORDED, Measurement, is_unsteady
from tcpgoodput.engines.closeness import LEAST_FACTOR, Target
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.content import content_of, path_content_of
from tcpgoodput.scenario.vocabulary import Tcp, Trace
from tcpgoodput.storage import read_rows

DIGITS = 16
"""Number of hexadecimal digits of a key, which make 64 bits."""


@dataclass(frozen=True)
class Setting:
    """Setting of the packet simulator for one measurement: precision, seed, and limits.

    The simulator chooses the numbers that are None. As text, which is part of keys and a column of
    tables, a setting is JSON with all fields that are not None.
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
    """Digest of the delay's trace file, for the same reason."""

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

    def __str__(self) -> str:
        return json.dumps({name: value for name, value in vars(self).items() if value is not None})


@dataclass(frozen=True)
class Request:
    """Request for a measurement: an engine, its setting, and a scenario."""

    engine: str
    setting: Setting | str
    """A `Setting` of the packet simulator; for ns-2 and Linux a text, such as a kernel profile."""
    scenario: Scenario

    @property
    def key(self) -> str:
        """The key under which the requested measurement is stored."""
        return key_of(self.engine, str(self.setting), self.scenario)


def extended_request(scenario: Scenario, conditions: Conditions, target: Target) -> Request:
    """Return a request for a short simulation that is extended until its interval is narrow.

    The arguments are those of `precise_request`, but the precision of the first, short simulation
    is always `draft`.
    """
    return precise_request(scenario, replace(conditions, precision="draft"), target)


def precise_request(scenario: Scenario, conditions: Conditions, target: Target) -> Request:
    """Return a request for a simulation that ends at a half-width or a number of packets.

    Args:
        scenario: the scenario to measure.
        conditions: the precision and the seed.
        target: the target half-width, the largest number of packets, and the number of
            replications.

    """
    setting = Setting(conditions.precision, conditions.seed, **vars(target))
    return Request(PACKET, setting.on(scenario), scenario)


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


COLUMNS = [
    *("key", "engine", "setting", "goodput_pps", "low_pps", "high_pps", "half_width_pps"),
    *RECORDED,
]
"""Columns of a table of measurements: fields of `Measurement`."""
_KINDS = {f.name: str(f.type) for f in fields(Measurement)}


def measurements_csv(rows: Iterable[Measurement]) -> str:
    """Return a table of measurements as CSV, with enough digits to read back the same numbers."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        values = (getattr(row, name) for name in COLUMNS)
        writer.writerow(["" if value is None else value for value in values])
    return buffer.getvalue()


def read_measurements(*paths: Path) -> dict[str, Measurement]:
    """Read tables of measurements; return their rows by key. Later tables take precedence.

    Raises:
        FileNotFoundError: a table does not exist; the message names the command that makes it.

    """
    found: dict[str, Measurement] = {}
    for line in itertools.chain.from_iterable(map(read_rows, paths)):
        row = Measurement(**{name: _value(name, text) for name, text in line.items()})
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
