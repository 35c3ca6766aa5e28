"""A figure's data on disk: the published rows, and what drawing needs beside them."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd

from tcpgoodput.figures.compute import NOTE_COLUMNS, FigureData
from tcpgoodput.files import write_text


def notes_path(rows_path: Path) -> Path:
    """Return where the notes of a figure's rows stand."""
    return rows_path.with_suffix(".notes.json")


def write_data(data: FigureData, path: Path) -> None:
    """Write the rows to `path` (CSV) and the notes beside them."""
    notes = {
        "landmarks": data.landmarks,
        "notes": data.notes.to_dict(orient="records"),
    }
    write_text(notes_path(path), json.dumps(notes, indent=1, sort_keys=True) + "\n")
    write_rows(data, path)


def write_rows(data: FigureData, path: Path) -> None:
    """Write the rows to `path`, numbers to the 12 digits that hold on any machine."""
    write_text(path, data.rows.to_csv(index=False, float_format="%.12g"))


def read_data(path: Path) -> FigureData:
    """Read what `write_data` wrote."""
    notes = json.loads(notes_path(path).read_text(encoding="utf-8"))
    return FigureData(
        pd.read_csv(path),
        pd.DataFrame(notes["notes"], columns=NOTE_COLUMNS),
        notes["landmarks"],
    )
