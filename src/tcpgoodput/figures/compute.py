"""The numbers of a figure: tidy rows of what its series compute."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from tcpgoodput.engines import ENGINES
from tcpgoodput.figures.files import Source
from tcpgoodput.figures.schema import (
    Figure,
    LadderFigure,
    LineFigure,
    Panel,
    Series,
    TableFigure,
    TopologyFigure,
)
from tcpgoodput.figures.sweeps import base_scenario, sweep_points
from tcpgoodput.figures.topology import elements
from tcpgoodput.models import CURVES, MODELS, TABLES, Conditions, Curve, Prediction
from tcpgoodput.models.base import mean_capacity_bps
from tcpgoodput.scenario import Scenario, override
from tcpgoodput.style import Style

COLUMNS = ["panel", "series", "origin", "x", "x_unit", "y", "y_unit", "y_low", "y_high", "n"]
NOTE_COLUMNS = ["panel", "series", "x", "status", "reason"]

QUANTITIES: dict[str, tuple[str, Callable[[Scenario], float]]] = {
    "goodput_pps": ("packets/s", lambda s: 1.0),
    "goodput_bps": ("bit/s", lambda s: 8 * s.tcp.mss_bytes),
    "goodput_kbps": ("kbit/s", lambda s: 8e-3 * s.tcp.mss_bytes),
    "goodput_Mbps": ("Mbit/s", lambda s: 8e-6 * s.tcp.mss_bytes),
    "goodput_kBps": ("kB/s", lambda s: 1e-3 * s.tcp.mss_bytes),
    "goodput_MBps": ("MB/s", lambda s: 1e-6 * s.tcp.mss_bytes),
    "utilisation": ("1", lambda s: 8 * s.tcp.mss_bytes / mean_capacity_bps(s)),
}
"""What a panel can ask for: its unit, and what one packet per second is of it."""


@dataclass(frozen=True)
class FigureData:
    """What a figure's series computed."""

    rows: pd.DataFrame
    """The published data: `COLUMNS` for figures of lines, columns of their own for the rest."""
    notes: pd.DataFrame
    """`NOTE_COLUMNS`: the points at which a model is not at home, or has no value."""
    landmarks: dict[str, dict[str, float]]
    """By panel: the named positions that its curves offer to its marks."""


def waiting_for(figure: Figure) -> list[str]:
    """Return the engines that a figure's series name and that do not exist yet."""
    if not isinstance(figure, LineFigure):
        return []
    series = [s for panel in figure.panels.values() for s in panel.series]
    return sorted({s.engine for s in series if s.engine and s.engine not in ENGINES})


def is_drawn(figure: Figure) -> bool:
    """Tell whether anything of a figure can be computed today."""
    if not isinstance(figure, LineFigure):
        return True
    return any(
        s.engine is None or s.engine in ENGINES for p in figure.panels.values() for s in p.series
    )


def figure_data(source: Source, figure: Figure, conditions: Conditions) -> FigureData:
    """Compute what a figure shows; series go by their position in the panel until `labelled`."""
    if isinstance(figure, LineFigure):
        return _line_data(source, figure, conditions)
    return FigureData(_own_columns(source, figure), pd.DataFrame(columns=NOTE_COLUMNS), {})


def _own_columns(
    source: Source, figure: LadderFigure | TopologyFigure | TableFigure
) -> pd.DataFrame:
    match figure:
        case LadderFigure():
            frames = []
            for name, exchange in figure.panels.items():
                scenario = override(source.scenarios[exchange.scenario], exchange.set)
                frame = _call(TABLES[exchange.table], [scenario], exchange.options)
                frame.insert(0, "panel", name)
                frames.append(frame)
            return pd.concat(frames, ignore_index=True)
        case TopologyFigure():
            scenario = override(source.scenarios[figure.scenario], figure.set)
            return elements(scenario, figure.capacity_as, figure.bottleneck)
        case TableFigure():
            scenarios = [override(source.scenarios[n], figure.set) for n in figure.scenarios]
            return _call(TABLES[figure.table], scenarios, figure.options)


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


def _line_data(source: Source, figure: LineFigure, conditions: Conditions) -> FigureData:
    rows: list[dict[str, Any]] = []
    notes: list[dict[str, Any]] = []
    landmarks: dict[str, dict[str, float]] = {}
    for name, panel in figure.panels.items():
        marks = landmarks.setdefault(name, {})
        for position, series in enumerate(panel.series):
            common = {"panel": name, "series": position, "origin": "model"}
            if series.curve:
                curve = _curve(source, panel, series)
                rows += [{**common, **row} for row in _curve_rows(curve)]
                marks |= {k: float(v) for k, v in curve.landmarks.items() if k not in marks}
            elif series.model:
                for x, prediction in _predictions(source, panel, series, conditions):
                    rows.append({**common, **_model_row(panel, x, prediction)})
                    if prediction.status != "native":
                        note = {"x": x, "status": prediction.status, "reason": prediction.reason}
                        notes.append({**common, **note})
            # A series of an engine that does not exist yet has no rows: it is listed as waiting.
    return FigureData(
        pd.DataFrame(rows, columns=COLUMNS), pd.DataFrame(notes, columns=NOTE_COLUMNS), landmarks
    )


def _curve(source: Source, panel: Panel, series: Series) -> Curve:
    scenarios = []
    if panel.scenario is not None:
        scenarios = [base_scenario(source.scenarios[panel.scenario], panel, series)]
    return _call(CURVES[str(series.curve)], scenarios, series.options)


def _curve_rows(curve: Curve) -> list[dict[str, Any]]:
    units = {"x_unit": curve.x_unit, "y_unit": curve.y_unit, "n": 1}
    return [{"x": float(x), "y": float(y), **units} for x, y in zip(curve.x, curve.y, strict=True)]


def _predictions(
    source: Source, panel: Panel, series: Series, conditions: Conditions
) -> Iterator[tuple[float, Prediction]]:
    assert panel.sweep is not None  # the schema demands both of a panel with models
    assert panel.scenario is not None
    model = MODELS[str(series.model)]
    if series.equations:
        conditions = replace(conditions, equations=series.equations)
    scenario = source.scenarios[panel.scenario]
    for point in sweep_points(scenario, panel, panel.sweep, series, conditions.precision):
        yield point.x, model.predict(point.scenario, conditions)


def _model_row(panel: Panel, x: float, prediction: Prediction) -> dict[str, Any]:
    unit, of_one_packet_per_second = QUANTITIES[str(panel.quantity)]
    factor = of_one_packet_per_second(prediction.scenario)
    row: dict[str, Any] = {"x": x, "x_unit": panel.x.unit or "1", "y_unit": unit, "n": 1}
    if prediction.goodput_pps is not None:
        row["y"] = factor * prediction.goodput_pps
    if estimate := prediction.estimate:
        row |= {
            "y_low": factor * estimate.low_pps,
            "y_high": factor * estimate.high_pps,
            "n": estimate.replications,
        }
    return row


def _call(function: Callable[..., Any], scenarios: list[Scenario], options: dict[str, Any]) -> Any:
    """Call a curve or a table with the scenarios that it asks for."""
    parameters = inspect.signature(function).parameters
    if "scenarios" in parameters:
        return function({s.id: s for s in scenarios}, **options)
    if "scenario" in parameters:
        if not scenarios:
            raise ValueError(f"{function.__name__} needs a scenario")
        return function(scenarios[0], **options)
    return function(**options)
