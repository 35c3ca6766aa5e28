"""Recorded measurements: a table of runs for each engine and study, with its provenance.

`data/ENGINE/STUDY.csv` has one row for each run. `data/ENGINE/STUDY.json` has the provenance, a
checksum of the table, and the scenario of each value in the table's column `key`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tcpgoodput import storage
from tcpgoodput.configuration import refused
from tcpgoodput.engines.base import COUNTS, MEANS, REFEREE_NAMES, Measurement
from tcpgoodput.engines.measurements import FROM_START
from tcpgoodput.statistics import Interval, median_interval
from tcpgoodput.storage import csv_text, write_text

DATA = Path("data")
CHECKSUM = "sha256"

WHERE = ("key", "figure", "panel", "x", "setting", "replication")
SEEN = ("measured_s", *COUNTS, *MEANS)

COMPARISON = "comparison"
"""Name of the table for the scenarios on which models are compared, in place of a study's name."""

HELD_OUT = "heldout"
"""Name of the table with the held-out connections, used in place of a study's name."""

INPUTS = "inputs"
"""Name of the table with the random connections on which predictions with less knowledge are
judged, used in place of a study's name."""

MEDIANS = ("linux",)
"""Engines whose runs are summarised by their median, because rare retransmission storms are not
typical."""

WHOLE = "whole_pps"
"""Column with a run's goodput including its warm-up, if the engine measures it."""

Row = dict[str, Any]


def table_path(engine: str, study: str, folder: Path = DATA) -> Path:
    """Return the path of the table of an engine's runs for a study."""
    return folder / engine / f"{study}.csv"


def provenance_path(table: Path) -> Path:
    """Return the path of the file with a table's provenance."""
    return table.with_suffix(".json")


def recorded_files(engine: str, study: str) -> list[Path]:
    """Return the existing files with an engine's measurements for a study."""
    table = table_path(engine, study)
    return [file for file in (table, provenance_path(table)) if file.is_file()]


def write_records(table: Path, rows: Iterable[Row], provenance: Mapping[str, Any]) -> None:
    """Write a table with a row for each run, and its provenance with a checksum of both files."""
    rows = list(rows)
    details = sorted({name for row in rows for name in row} - {*WHERE, *SEEN, "goodput_pps"})
    text = csv_text([*WHERE, "goodput_pps", *SEEN, *details], rows)
    seal(table, text, provenance)


def seal(table: Path, text: str, provenance: Mapping[str, Any]) -> None:
    """Write a table of any columns, and its provenance with a checksum of both files.

    Args:
        table: the path of the table; the provenance is written next to it.
        text: the table as CSV.
        provenance: the origin of the table: versions, settings, times.

    """
    content = {**provenance, CHECKSUM: _checksum(text.encode(), provenance)}
    write_text(table, text)
    write_text(provenance_path(table), json.dumps(content, indent=1) + "\n")


def read_provenance(table: Path) -> dict[str, Any]:
    """Return the provenance of a table.

    Raises:
        ConfigurationError: a file is missing, or was changed after it was written.

    """
    file = provenance_path(table)
    again = "restore both from the repository, or make them again with `snakemake record_referees`"
    try:
        provenance: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        known = provenance.pop(CHECKSUM)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        message = f"its provenance {file} is missing or damaged: {again}"
        raise refused(table, "", message) from None
    try:
        content = table.read_bytes()
    except OSError:
        raise refused(table, "", f"is missing beside its provenance {file}: {again}") from None
    if _checksum(content, provenance) != known:
        message = f"this or its provenance {file} is not what was recorded: {again}"
        raise refused(table, "", message)
    return provenance


def read_rows(table: Path) -> list[dict[str, str]]:
    """Read a table of recorded runs; return an empty list if nothing is recorded.

    Raises:
        ConfigurationError: the table was changed, or contains a run twice.

    """
    if not table.exists() and not provenance_path(table).exists():
        return []
    read_provenance(table)
    rows = storage.read_rows(table)
    if len({(row["key"], row["replication"]) for row in rows}) < len(rows):
        raise refused(table, "", "has a run twice: it is damaged; restore it, or record it again")
    return rows


def _checksum(content: bytes, provenance: Mapping[str, Any]) -> str:
    text = json.dumps(provenance, sort_keys=True).encode()
    return hashlib.sha256(content + b"\0" + text).hexdigest()


def recorded(study: str, folder: Path = DATA) -> dict[str, Measurement]:
    """Return all recorded measurements of ns-2 and Linux for a study or the comparison, by key.

    A measurement summarises all runs of a connection. If the engine measured goodputs that include
    the warm-up, these have the same key with the suffix `FROM_START`.
    """
    found: dict[str, Measurement] = {}
    for engine in REFEREE_NAMES:
        runs: dict[str, list[dict[str, str]]] = {}
        for row in read_rows(table_path(engine, study, folder)):
            runs.setdefault(row["key"], []).append(row)
        for key, own in runs.items():
            found[key] = _measured(engine, key, own, "goodput_pps")
            if own[0].get(WHOLE):
                whole = _measured(engine, key + FROM_START, own, WHOLE)
                found[whole.key] = whole
    return found


def _measured(engine: str, key: str, runs: Sequence[Mapping[str, str]], column: str) -> Measurement:
    """Return the measurement of a connection from its runs, with the goodput from `column`."""
    values = [float(run[column]) for run in runs]
    if engine in MEDIANS:
        middle, low, high = median_interval(values)
    else:
        one_packet_pps = len(runs) / sum(float(run["measured_s"]) for run in runs)
        interval = Interval.of(values).at_least(one_packet_pps)
        middle = interval.mean
        low, high = middle - interval.half_width, middle + interval.half_width
    totals = {name: _total(runs, name) for name in COUNTS}
    where = (key, engine, runs[0]["setting"])
    seconds = sum(float(run["measured_s"]) for run in runs) / len(runs)
    return Measurement(
        *where, middle, low, high, replications=len(values), measured_s=seconds, **totals
    )


def _total(runs: Sequence[Mapping[str, str]], name: str) -> int | None:
    """Return the sum of the column `name` over all runs, or None if the engine does not count."""
    counts = [run[name] for run in runs if run[name]]
    return sum(map(int, counts)) if counts else None
