"""A figure's data as tables, under the labels that the figure shows."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from tcpgoodput.drawing.style import Style
from tcpgoodput.storage.files import write_text
from tcpgoodput.storage.tables import csv_text
from tcpgoodput.studies.compute import NOTE_COLUMNS
from tcpgoodput.studies.schema import Figure, LineFigure
from tcpgoodput.studies.store import notes_path


@dataclass(frozen=True)
class FigureData:
    """What a figure's series computed; see `compute.Computed`."""

    rows: pd.DataFrame
    notes: pd.DataFrame
    landmarks: dict[str, dict[str, float]]


def read_data(path: Path) -> FigureData:
    """Read what `store.write_computed` wrote."""
    notes = json.loads(notes_path(path).read_text(encoding="utf-8"))
    return FigureData(
        pd.read_csv(path),
        pd.DataFrame(notes["notes"], columns=NOTE_COLUMNS),
        notes["landmarks"],
    )


def labelled(data: FigureData, figure: Figure, style: Style) -> FigureData:
    """Return the data with each series under its label, as they are drawn and published."""
    if not isinstance(figure, LineFigure):
        return data
    labels = {
        (name, position): style.label(series)
        for name, panel in figure.panels.items()
        for position, series in enumerate(panel.series)
    }

    def renamed(rows: pd.DataFrame) -> pd.DataFrame:
        keys = zip(rows["panel"], rows["series"], strict=True)
        return rows.assign(series=[labels[panel, int(position)] for panel, position in keys])

    return replace(data, rows=renamed(data.rows), notes=renamed(data.notes))


def publish(data: FigureData, path: Path) -> None:
    """Write the rows to `path`."""
    write_text(path, csv_text(list(data.rows.columns), data.rows.to_dict("records")))
