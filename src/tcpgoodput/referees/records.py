"""Recorded measurements: a table of runs for each engine and study, and how it came about.

`data/ENGINE/STUDY.csv` has a row for each run; `data/ENGINE/STUDY.json` says when, where and how,
and holds the table's checksum and the scenario behind each key.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from tcpgoodput.configuration import refused
from tcpgoodput.engines import REFEREES, Observation
from tcpgoodput.numerics.statistics import Interval, median_interval
from tcpgoodput.storage.files import write_text
from tcpgoodput.storage.tables import csv_text
from tcpgoodput.studies.measured import Measured

DATA = Path("data")
CHECKSUM = "sha256"

WHERE = ("key", "figure", "panel", "x", "setting", "replication")
SEEN = tuple(f.name for f in fields(Observation) if f.name not in ("delivered", "details"))

MEDIANS = ("linux",)
"""Engines whose runs are summed up by their median: a storm of retransmissions is not typical."""

Row = dict[str, Any]


def table_path(engine: str, study: str, folder: Path = DATA) -> Path:
    """Return where an engine's runs for a study are recorded."""
    return folder / engine / f"{study}.csv"


def provenance_path(table: Path) -> Path:
    """Return where it is said how a table came about."""
    return table.with_suffix(".json")


def write_records(table: Path, rows: Iterable[Row], provenance: Mapping[str, Any]) -> None:
    """Write a table of runs, and how it came about with the checksum of both."""
    rows = list(rows)
    details = sorted({name for row in rows for name in row} - {*WHERE, *SEEN, "goodput_pps"})
    text = csv_text([*WHERE, "goodput_pps", *SEEN, *details], rows)
    seal(table, text, provenance)


def seal(table: Path, text: str, provenance: Mapping[str, Any]) -> None:
    """Write any table beside how it came about, with the checksum of both."""
    told = {**provenance, CHECKSUM: _checksum(text.encode(), provenance)}
    write_text(table, text)
    write_text(provenance_path(table), json.dumps(told, indent=1) + "\n")


def read_provenance(table: Path) -> dict[str, Any]:
    """Return how a table came about.

    Raises:
        ConfigurationError: one of the two is missing, or not what was written.

    """
    beside = provenance_path(table)
    again = "restore both from the repository, or make them again with `snakemake referees`"
    try:
        told: dict[str, Any] = json.loads(beside.read_text(encoding="utf-8"))
        known = told.pop(CHECKSUM)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        message = f"its provenance {beside} is missing or damaged: {again}"
        raise refused(table, "", message) from None
    try:
        content = table.read_bytes()
    except OSError:
        raise refused(table, "", f"is missing beside its provenance {beside}: {again}") from None
    if _checksum(content, told) != known:
        message = f"this or its provenance {beside} is not what was recorded: {again}"
        raise refused(table, "", message)
    return told


def read_rows(table: Path) -> list[dict[str, str]]:
    """Read a table of runs, none where nothing is recorded.

    Raises:
        ConfigurationError: it is not what was recorded, or has a run twice.

    """
    if not table.exists() and not provenance_path(table).exists():
        return []
    read_provenance(table)
    with table.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    if len({(row["key"], row["replication"]) for row in rows}) < len(rows):
        raise refused(table, "", "has a run twice")
    return rows


def _checksum(content: bytes, provenance: Mapping[str, Any]) -> str:
    said = json.dumps(provenance, sort_keys=True).encode()
    return hashlib.sha256(content + b"\0" + said).hexdigest()


@dataclass(frozen=True)
class Records:
    """All that is recorded for a study, by key."""

    runs: Mapping[str, list[dict[str, str]]]

    @classmethod
    def of(cls, study: str, folder: Path = DATA) -> Records:
        """Read what all referees measured for a study's figures."""
        runs: dict[str, list[dict[str, str]]] = {}
        for engine in REFEREES:
            for row in read_rows(table_path(engine, study, folder)):
                runs.setdefault(row["key"], []).append({"engine": engine, **row})
        return cls(runs)

    def measured(self, key: str, goodput: str = "goodput_pps") -> Measured | None:
        """Return what was measured under a key, or None.

        Args:
            key: of the connection.
            goodput: the column that holds it.

        """
        runs = self.runs.get(key)
        if not runs:
            return None
        values = [float(run[goodput]) for run in runs]
        if runs[0]["engine"] in MEDIANS:
            middle, low, high = median_interval(values)
        else:
            one_packet_pps = len(runs) / sum(float(run["measured_s"]) for run in runs)
            interval = Interval.of(values).at_least(one_packet_pps)
            middle = interval.mean
            low, high = middle - interval.half_width, middle + interval.half_width
        sent = sum(int(run["packets_sent"] or 0) for run in runs)
        repaired = sum(int(run["fast_retransmits"] or 0) for run in runs)
        return Measured(middle, low, high, len(values), repaired / max(sent, 1))
