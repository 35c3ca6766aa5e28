"""Record the results of a complete census, with their provenance and checksum."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from tcpgoodput.answers import Conditions
from tcpgoodput.comparison.census.answer import to_answer
from tcpgoodput.comparison.census.by_kind import write_tables
from tcpgoodput.comparison.census.design import ERRORS_BY_KIND, KEPT, RANGES_BY_KIND, record_table
from tcpgoodput.comparison.census.space import Space
from tcpgoodput.comparison.census.table import check_origin, origin_of
from tcpgoodput.configuration import refused
from tcpgoodput.jobs import installed
from tcpgoodput.storage import as_json, write_bytes, write_text

PARTS = ("numba", "numpy", "pyarrow", "scipy")
"""Libraries whose versions are recorded because they may change the numbers."""


def keep(space: Space, conditions: Conditions, table: Path, folder: Path) -> None:
    """Copy a table into a folder, with the small tables computed from it and its provenance.

    Args:
        space: the space of the census.
        conditions: the equations and the seed of the run.
        table: path of the table with all connections of the census.
        folder: the folder to which the files are written.

    Raises:
        ConfigurationError: the table belongs to another request.

    """
    request = to_answer(space, conditions)
    content = table.read_bytes()
    check_origin(table, pq.read_schema(table), origin_of(request))
    record = folder / f"{space.name}.parquet"
    note = as_json(
        {
            "sha256": hashlib.sha256(content).hexdigest(),
            "connections": pq.read_metadata(table).num_rows,
            "asked": request,
            "libraries": [name for name in installed() if name.startswith(PARTS)],
        }
    )
    write_bytes(record, content)
    errors, ranges = (record_table(record, t) for t in (ERRORS_BY_KIND, RANGES_BY_KIND))
    write_tables(record, errors, ranges)
    write_text(record.with_suffix(".json"), note)


def sound(table: Path) -> Path:
    """Return the path of a table; if it is a recorded table, verify its checksum first.

    Raises:
        ConfigurationError: see `verified`.

    """
    if table.parent == KEPT:
        verified(table)
    return table


def verified(record: Path) -> dict[str, Any]:
    """Verify the checksum of a recorded table, and return the table's provenance.

    Raises:
        ConfigurationError: the provenance is missing, or the table was changed.

    """
    note = record.with_suffix(".json")
    if not note.is_file():
        raise refused(record, "", f"has no {note.name} beside it, which says what it is")
    provenance: dict[str, Any] = json.loads(note.read_text(encoding="utf-8"))
    found = hashlib.sha256(record.read_bytes()).hexdigest()
    if found != provenance["sha256"]:
        raise refused(record, "", f"is damaged: its checksum is not that of {note.name}")
    return provenance
