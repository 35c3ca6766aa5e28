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
from tcpgoodput.figures.measured import Measured
from tcpgoodput.figures.store import csv_text
from tcpgoodput.files import write_text
from tcpgoodput.statistics import Interval, median_interval

DATA = Path("data")

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
    """Write a table of runs, and how it came about with the table's checksum."""
    rows = list(rows)
    details = sorted({name for row in rows for name in row} - {*WHERE, *SEEN, "goodput_pps"})
    text = csv_text([*WHERE, "goodput_pps", *SEEN, *details], rows)
    told = {**provenance, "sha256": hashlib.sha256(text.encode()).hexdigest()}
    write_text(table, text)
    write_text(provenance_path(table), json.dumps(told, indent=1) + "\n")


def read_rows(table: Path) -> list[dict[str, str]]:
    """Read a table of runs, none where nothing is recorded.

    Raises:
        ConfigurationError: it is not what was recorded.

    """
    if not table.exists():
        return []
    beside = provenance_path(table)
    again = "restore both from the repository, or make them again with `snakemake referees`"
    try:
        told = json.loads(beside.read_text(encoding="utf-8"))["sha256"]
    except (OSError, ValueError, KeyError, TypeError):
        message = f"its provenance {beside} is missing or damaged: {again}"
        raise refused(table, "", message) from None
    if hashlib.sha256(table.read_bytes()).hexdigest() != told:
        raise refused(table, "", f"is not what was recorded (checksum in {beside}): {again}")
    with table.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


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
