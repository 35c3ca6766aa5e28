"""A figure's data on disk: the published rows, and what drawing needs beside them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from tcpgoodput.storage.files import write_text
from tcpgoodput.storage.tables import csv_text

if TYPE_CHECKING:
    from tcpgoodput.studies.compute import Computed


def notes_path(rows_path: Path) -> Path:
    """Return where the notes of a figure's rows stand."""
    return rows_path.with_suffix(".notes.json")


def write_computed(data: Computed, path: Path) -> None:
    """Write the rows to `path` (CSV) and the notes beside them."""
    notes = {"landmarks": data.landmarks, "notes": data.notes}
    write_text(notes_path(path), json.dumps(notes, indent=1, sort_keys=True) + "\n")
    write_text(path, csv_text(data.columns, data.rows))
