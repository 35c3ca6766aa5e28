"""Synthetic data of figures, on which the claims of the studies are evaluated in tests.

Columns and values of x are those of the real figures; all values of y are 1 until a test sets
others. Figures that are tables have their real values, because these are computed quickly.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

from tcpgoodput.answers import Conditions
from tcpgoodput.comparison.claims.data import Data, PanelLines, tables_in
from tcpgoodput.comparison.claims.schema import DataSelection
from tcpgoodput.project.settings import Configuration, load_configuration
from tcpgoodput.studies.answering import answers
from tcpgoodput.studies.files import load_source
from tcpgoodput.studies.reductions import Line, Value, lines_of
from tcpgoodput.studies.schema import LineFigure, Panel, Series, Source
from tcpgoodput.studies.sweeps import grid_values, measured_values
from tcpgoodput.style import load_style
from tests.folders import ROOT

STYLE = load_style(ROOT / "config" / "style.yaml")
DRAFT = Conditions(precision="draft")


@cache
def configuration() -> Configuration:
    return load_configuration(ROOT / "config" / "config.yaml", {"precision": "draft"})


@dataclass(frozen=True)
class Slot:
    """A column of numbers in a figure's data that a claim reads; a test may replace its values."""

    key: tuple[Any, ...]
    x: np.ndarray
    level: float = 1.0
    """Value of y that test data cross: the number that the claim subtracts, or 1 if none."""
    times: float = 1.0
    """Factor by which the claim multiplies the column's values before it compares them."""
    reference: bool = False
    """Whether the claim only subtracts these values from others, or divides others by them."""


class MadeUp(Data):
    """Synthetic data of a study's figures: all values of y are 1, except for those a test sets."""

    def __init__(self, source: Source) -> None:
        tables = tables_in(Path("nowhere"), source.name)
        super().__init__(source, configuration().style, DRAFT, tables)
        self.values: dict[tuple[Any, ...], np.ndarray] = {}

    def rows(self, figure: str) -> pd.DataFrame:
        rows = _frame(self.source.name, figure)
        columns: dict[str, np.ndarray] = {}
        for key, y in self.values.items():
            if key[0] == figure:
                column = columns.setdefault(key[-1], rows[key[-1]].to_numpy(float, copy=True))
                column[_chosen(self.source.name, key)] = y
        return rows.assign(**columns)

    def panel(self, figure: str, name: str) -> PanelLines:
        lines = dict(_lines(self.source.name, figure)[name])
        for key, y in self.values.items():
            if key[:2] == (figure, name):
                lines[key[2]] = Line(lines[key[2]].x, y, y, y)
        return PanelLines(lines, {})

    def _point(self, reading: DataSelection) -> Value:
        value = float(self.values.get(point_key(reading), np.ones(1))[0])
        return Value(value, value, value).scaled(reading.times)


def point_key(reading: DataSelection) -> tuple[Any, ...]:
    return ("point", reading.model_dump_json())


@cache
def _chosen(source: str, key: tuple[Any, ...]) -> np.ndarray:
    rows = _frame(source, key[0])
    if len(key) == 4:  # a line's key is (figure, panel, series, "y"); a table's key has 3 parts
        return np.flatnonzero((rows["panel"] == key[1]) & (rows["series"] == key[2]))
    chosen = rows[key[-1]].notna()
    for column, value in key[1]:
        chosen &= rows[column] == value
    return np.flatnonzero(chosen)


@cache
def _lines(source: str, figure: str) -> dict[str, dict[str, Line]]:
    panels = _frame(source, figure).groupby("panel")
    return {str(name): lines_of(rows) for name, rows in panels}


@cache
def _frame(source: str, name: str) -> pd.DataFrame:
    own = configuration().sources[source]
    figure = own.figures.figures[name]
    if not isinstance(figure, LineFigure):
        computed = answers(own.scenarios, figure, DRAFT)
        frame = pd.DataFrame(computed.rows, columns=computed.columns)
        return frame.astype({c: float for c in frame if pd.api.types.is_numeric_dtype(frame[c])})
    parts = [
        pd.DataFrame({"panel": key, "series": series.key, "x": _grid(panel, series), "y": 1.0})
        for key, panel in figure.panels.items()
        for series in panel.series
    ]
    rows = pd.concat(parts, ignore_index=True)
    # Pandas compares columns of objects faster than its columns of text.
    names = {"panel": object, "series": object}
    return rows.astype(names).assign(y_low=np.nan, y_high=np.nan, setting="")


def _grid(panel: Panel, series: Series) -> np.ndarray:
    if panel.sweep is None or series.curve:
        first, last = panel.x.limits or (0.01, 10.0)
        return np.linspace(first, last, 60)
    if series.engine:
        return measured_values(panel.sweep, "paper")
    return grid_values(panel.sweep.values, "draft")


def slots(data: MadeUp, readings: Iterable[DataSelection]) -> list[Slot]:
    """Return the columns of numbers that a claim's selections of data read, each column once."""
    found: dict[tuple[Any, ...], Slot] = {}
    for reading in readings:
        for slot in _slots(data, reading):
            found.setdefault(slot.key, slot)
    return list(found.values())


def _slots(data: MadeUp, reading: DataSelection) -> list[Slot]:
    if reading.figure is None:
        return [Slot(point_key(reading), np.ones(1), times=reading.times)]
    rows = _frame(data.source.name, reading.figure)
    if reading.column is not None:
        key: tuple[Any, ...] = (reading.figure, tuple(reading.rows.items()), reading.column)
        count = _chosen(data.source.name, key).size
        return [Slot(key, np.arange(1.0, count + 1), times=reading.times)]
    figure = data.source.figures.figures[reading.figure]
    assert isinstance(figure, LineFigure)
    panel = reading.panel or next(iter(figure.panels))
    level = 1.0 if reading.minus is None or isinstance(reading.minus, str) else reading.minus
    ids = [*reading.ids]
    ids += [name for name in (reading.minus, reading.divided_by) if isinstance(name, str)]
    keys = [(reading.figure, panel, series, "y") for series in ids]
    grids = {key: rows["x"].to_numpy()[_chosen(data.source.name, key)] for key in keys}
    return [
        Slot(key, x, level, reading.times, key[2] not in reading.ids) for key, x in grids.items()
    ]


@cache
def tiny_study() -> Source:
    """Return the study of the test configuration, without its settings."""
    file = ROOT / "config" / "test" / "figures" / "mathis.yaml"
    text = re.sub(r"settings:\n(  .*\n)+", "", file.read_text(encoding="utf-8"))
    with TemporaryDirectory() as folder:
        copy = Path(folder, file.name)
        copy.write_text(text, encoding="utf-8")
        return load_source(copy, STYLE)
