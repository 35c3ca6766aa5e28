"""Data that claims compare: figures, models' predictions, curves' landmarks, effects of errata.

A landmark is a named number of a curve, such as the place of its maximum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tcpgoodput.answers import Conditions
from tcpgoodput.comparison.claims.predicates import number
from tcpgoodput.comparison.claims.schema import DataSelection
from tcpgoodput.engines.base import ENGINE_NAMES
from tcpgoodput.models import CURVES, ERRATA, MODELS
from tcpgoodput.models.predict import predict
from tcpgoodput.scenario import override
from tcpgoodput.studies.answering import answers_path, called
from tcpgoodput.studies.quantities import QUANTITIES
from tcpgoodput.studies.reductions import Line, Value, line_of, lines_of, number_of, scaled
from tcpgoodput.studies.schema import LineFigure, Series, Source
from tcpgoodput.style import Style

WAITING = "has not measured this yet"
FEWEST_POINTS = {"mean": 2} | dict.fromkeys(("min", "max", "argmin", "argmax", "crossing"), 4)
"""Smallest number of points of a figure's line from which a mean, an extremum or a crossing is
computed. With fewer points the result would be arbitrary."""


class Unmeasured(Exception):
    """A measurement that a claim needs is missing or has too few points."""


class NoValue(ValueError):
    """A model has no value where a claim needs one."""


Tables = Callable[[str], pd.DataFrame]
"""Function that returns the data of a figure, with all columns, by the figure's name."""


def tables_in(results: Path, study: str) -> Tables:
    """Return a function that reads the data of a study's figures from the results."""

    def read(figure: str) -> pd.DataFrame:
        path = answers_path(results, study, figure)
        try:
            return pd.read_csv(path)
        except FileNotFoundError:
            raise ValueError(f"{path} is not there") from None

    return read


@dataclass(frozen=True)
class PanelLines:
    """A panel's lines, and the x of the points that have no value; both by series."""

    lines: dict[str, Line]
    empty: dict[str, NDArray[np.float64]]

    @classmethod
    def of(cls, rows: pd.DataFrame) -> PanelLines:
        """Split the rows of a panel by series."""
        empty = rows[rows["y"].isna()].groupby("series")["x"]
        return cls(lines_of(rows), {str(key): x.to_numpy(float) for key, x in empty})


def _points(x: NDArray[np.float64] | None, reading: DataSelection) -> int:
    """Return how many of some points of a line are in the range that is read."""
    if x is None:
        return 0
    first, last = reading.over or (-np.inf, np.inf)
    return int(((x >= first) & (x <= last)).sum())


class Data:
    """Results of one study, which supply the lines and numbers that its claims compare."""

    def __init__(
        self, source: Source, style: Style, conditions: Conditions, tables: Tables
    ) -> None:
        """Keep what the claims read; each table is read once, when it is first needed."""
        self.source = source
        self.style = style
        self.conditions = conditions
        self._table = cache(tables)
        self._panels = cache(self._split)

    def operands(self, readings: Iterable[DataSelection]) -> list[Line]:
        """Return the lines that a predicate compares, in order: one for each series or number.

        A number is a line of one point whose x is NaN. A missing measurement raises `Unmeasured`, a
        model without a value `NoValue`, and a table, column or landmark that does not exist
        `ValueError`.
        """
        return [operand for reading in readings for operand in self._operands(reading)]

    def _operands(self, reading: DataSelection) -> list[Line]:
        if reading.figure is None:
            return [number(self._point(reading))]
        if reading.column is not None:
            lines = [self._of_table(reading)]
        else:
            measured = self._with_values(reading)
            lines = [line_of(measured, series, reading) for series in reading.ids]
            points = min(line.x.size for line in lines)
            if points < FEWEST_POINTS.get(str(reading.take), 1):
                first = self.label(reading, reading.ids[0])
                raise Unmeasured(f"too few points are measured of {first}: {points}")
        if reading.take is None:
            return lines
        return [number(number_of(line, reading)) for line in lines]

    def left_out(self, readings: Iterable[DataSelection]) -> tuple[int, int]:
        """Return how many points of the compared lines have no value: of models, and measured."""
        of_models = measured = 0
        for reading in readings:
            if not reading.is_line or reading.column is not None:
                continue
            name, selected = self._selected(reading)
            empty = self.panel(str(reading.figure), name).empty
            for series in selected:
                count = _points(empty.get(series.key), reading)
                if series.engine is not None:
                    measured += count
                elif series.curve is None:  # a curve may have gaps
                    of_models += count
        return of_models, measured

    def rows(self, figure: str) -> pd.DataFrame:
        """Return the data of one figure of the study as a table."""
        return self._table(figure)

    def panel(self, figure: str, name: str) -> PanelLines:
        """Return the lines of one panel of a figure; those of a whole figure are computed once."""
        return self._panels(figure).get(name, PanelLines({}, {}))

    def _split(self, figure: str) -> dict[str, PanelLines]:
        panels = self.rows(figure).groupby("panel")
        return {str(name): PanelLines.of(rows) for name, rows in panels}

    def _selected(self, reading: DataSelection) -> tuple[str, list[Series]]:
        """Return the name of the selected panel, and the series that are read from it."""
        figure = self.source.figures.figures[str(reading.figure)]
        assert isinstance(figure, LineFigure)  # `load_claims` has checked that the figure has lines
        name = reading.panel or next(iter(figure.panels))
        read = {*reading.ids, reading.minus, reading.divided_by}
        return name, [series for series in figure.panels[name].series if series.key in read]

    def label(self, reading: DataSelection, series: str) -> str:
        """Return the label of a selected series in its figure."""
        return next(self.style.label(s) for s in self._selected(reading)[1] if s.key == series)

    def linux_setting(self, readings: Iterable[DataSelection]) -> str:
        """Return the profiles of kernel settings with which Linux measured the selected series."""
        found: dict[str, None] = {}
        for reading in readings:
            if reading.figure is None or reading.series is None:
                continue
            name, selected = self._selected(reading)
            if linux := [series.key for series in selected if series.engine == "linux"]:
                rows = self.rows(reading.figure)
                own = rows[(rows["panel"] == name) & rows["series"].isin(linux)]
                found |= dict.fromkeys(own["setting"].dropna())
        return ", ".join(found)

    def _with_values(self, reading: DataSelection) -> dict[str, Line]:
        """Return the lines of the selected panel, if each that is read has a value."""
        name, selected = self._selected(reading)
        panel = self.panel(str(reading.figure), name)
        for series in selected:
            line = panel.lines.get(series.key)
            if _points(None if line is None else line.x, reading):
                continue
            if series.engine:
                raise Unmeasured(f"{ENGINE_NAMES[series.engine]} {WAITING}")
            if _points(panel.empty.get(series.key), reading):
                raise NoValue(f"no data of {series.key!r}")
        return panel.lines

    def _of_table(self, reading: DataSelection) -> Line:
        rows = self.rows(str(reading.figure))
        for column in (*reading.rows, str(reading.column)):
            if column not in rows:
                raise ValueError(f"{reading.figure} has no column {column!r}")
        for column, value in reading.rows.items():
            rows = rows[rows[column] == value]
        # A cell may list several numbers, such as the packets that one ACK releases.
        cells = rows[reading.column].astype(str).str.split().explode()
        y = pd.to_numeric(cells, errors="coerce").dropna().to_numpy(float)
        if not y.size:
            raise ValueError(f"{reading.figure} has no such rows, or no numbers in them")
        return scaled(Line(np.arange(1.0, y.size + 1), y, y, y), reading)

    def _point(self, reading: DataSelection) -> Value:
        if reading.model is not None:
            return self._model_value(reading)
        if reading.curve is not None:
            return self._landmark(reading)
        effect = ERRATA[f"{self.source.name}.{reading.erratum}"].effect()
        value = effect.printed if reading.form == "printed" else effect.corrected
        if value is None:
            raise ValueError(f"the printed form of {reading.erratum} has no value")
        value = float(value) * reading.times
        return Value(value, value, value)

    def _model_value(self, reading: DataSelection) -> Value:
        scenario = override(self.source.scenarios[str(reading.scenario)], reading.set)
        conditions = self.conditions
        if reading.equations is not None:
            conditions = Conditions(reading.equations, conditions.precision, conditions.seed)
        prediction = predict(MODELS[str(reading.model)], scenario, conditions)
        if prediction.goodput_pps is None:
            raise NoValue(f"{reading.model} gives no value: {prediction.reason}")
        quantity = QUANTITIES[str(reading.quantity)]
        estimate = prediction.estimate
        bounds = (
            (estimate.low_pps, estimate.high_pps) if estimate else 2 * (prediction.goodput_pps,)
        )
        low, high = sorted(quantity.at(scenario, pps) for pps in bounds)
        value = quantity.at(scenario, prediction.goodput_pps)
        return Value(value, low, high).scaled(reading.times)

    def _landmark(self, reading: DataSelection) -> Value:
        scenarios = []
        if reading.scenario is not None:
            scenarios = [override(self.source.scenarios[reading.scenario], reading.set)]
        landmarks = called(CURVES[str(reading.curve)], scenarios, reading.options).landmarks
        if reading.landmark not in landmarks:
            raise ValueError(f"no landmark {reading.landmark!r}: {', '.join(landmarks)}")
        value = float(landmarks[reading.landmark]) * reading.times
        return Value(value, value, value)
