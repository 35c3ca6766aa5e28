"""A figure's data on disk: the published rows, and what drawing needs beside them."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tcpgoodput.files import write_text

if TYPE_CHECKING:
    from tcpgoodput.figures.compute import Computed


def notes_path(rows_path: Path) -> Path:
    """Return where the notes of a figure's rows stand."""
    return rows_path.with_suffix(".notes.json")


def write_computed(data: Computed, path: Path) -> None:
    """Write the rows to `path` (CSV) and the notes beside them."""
    notes = {"landmarks": data.landmarks, "notes": data.notes}
    write_text(notes_path(path), json.dumps(notes, indent=1, sort_keys=True) + "\n")
    write_text(path, csv_text(data.columns, data.rows))


def csv_text(columns: list[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Return rows as CSV, numbers with the 12 digits that hold on any machine."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(row.get(column)) for column in columns] for row in rows)
    return buffer.getvalue()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.12g}"
    return str(value)
