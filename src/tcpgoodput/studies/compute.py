"""The numbers of a figure: tidy rows of what its series compute."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tcpgoodput.answers import Conditions, Prediction
from tcpgoodput.models import COSTLY_CURVES, CURVES, MODELS, TABLES, Curve
from tcpgoodput.models.predict import predict
from tcpgoodput.scenario import Scenario, override
from tcpgoodput.studies.files import Source
from tcpgoodput.studies.measured import Asked, Measured, asked_points
from tcpgoodput.studies.quantities import QUANTITIES
from tcpgoodput.studies.schema import (
    Figure,
    LadderFigure,
    LineFigure,
    Panel,
    Series,
    TableFigure,
    TopologyFigure,
)
from tcpgoodput.studies.sweeps import base_scenario, sweep_points
from tcpgoodput.studies.topology import ELEMENT_COLUMNS, elements

COLUMNS = ["panel", "series", "origin", "x", "x_unit", "y", "y_unit", "y_low", "y_high", "n"]
NOTE_COLUMNS = ["panel", "series", "x", "status", "reason"]


@dataclass(frozen=True)
class Computed:
    """What a figure's series computed, as plain rows."""

    columns: list[str]
    """`COLUMNS` for figures of lines, columns of their own for the rest."""
    rows: list[dict[str, Any]]
    notes: list[dict[str, Any]]
    """`NOTE_COLUMNS`: the points at which a model is not at home, or has no value."""
    landmarks: dict[str, dict[str, float]]
    """By panel: the named positions that its curves offer to its marks."""


def is_costly(figure: Figure) -> bool:
    """Tell whether a figure takes seconds to compute, not milliseconds."""
    if not isinstance(figure, LineFigure):
        return False
    series = [s for panel in figure.panels.values() for s in panel.series]
    return any(s.curve in COSTLY_CURVES or (s.model and MODELS[s.model].costly) for s in series)


def is_simulated(figure: Figure) -> bool:
    """Tell whether a figure has sample paths of the packet simulator."""
    if not isinstance(figure, LineFigure):
        return False
    series = [s for panel in figure.panels.values() for s in panel.series]
    return any(s.curve and s.curve.startswith("simulator.") for s in series)


def figure_data(
    source: Source,
    figure: Figure,
    conditions: Conditions,
    measured: Mapping[tuple[str, int, float], Measured] | None = None,
) -> Computed:
    """Compute what a figure shows; a series goes by its position in its panel.

    Args:
        source: the figure's study.
        figure: the figure.
        conditions: equations, precision and seed.
        measured: what engines measured, by panel, series and x; see `measured`.

    """
    match figure:
        case LineFigure():
            return _line_data(source, figure, conditions, measured or {})
        case LadderFigure():
            return _ladder_data(source, figure)
        case TopologyFigure():
            scenario = override(source.scenarios[figure.scenario], figure.set)
            rows = elements(scenario, figure.capacity_as, figure.bottleneck)
            return Computed(ELEMENT_COLUMNS, rows, [], {})
        case TableFigure():
            scenarios = [override(source.scenarios[n], figure.set) for n in figure.scenarios]
            frame = called(TABLES[figure.table], scenarios, figure.options)
            return Computed(list(frame.columns), frame.to_dict("records"), [], {})


def _ladder_data(source: Source, figure: LadderFigure) -> Computed:
    columns: list[str] = []
    rows: list[dict[str, Any]] = []
    for name, exchange in figure.panels.items():
        scenario = override(source.scenarios[exchange.scenario], exchange.set)
        frame = called(TABLES[exchange.table], [scenario], exchange.options)
        columns = ["panel", *frame.columns]
        rows += [{"panel": name, **row} for row in frame.to_dict("records")]
    return Computed(columns, rows, [], {})


def _line_data(
    source: Source,
    figure: LineFigure,
    conditions: Conditions,
    measured: Mapping[tuple[str, int, float], Measured],
) -> Computed:
    points = list(asked_points(source, figure, conditions.precision))
    rows: list[dict[str, Any]] = []
    notes: list[dict[str, Any]] = []
    landmarks: dict[str, dict[str, float]] = {}
    for name, panel in figure.panels.items():
        marks = landmarks.setdefault(name, {})
        for position, series in enumerate(panel.series):
            common = {"panel": name, "series": position}
            if series.curve:
                curve = _curve(source, panel, series)
                rows += [{**common, **row} for row in _curve_rows(curve)]
                marks |= {k: float(v) for k, v in curve.landmarks.items() if k not in marks}
            elif series.model:
                asked = _own_loss(points, measured, name, panel, series)
                if series.loss_of is None:
                    asked = _swept(source, panel, series, conditions)
                for x, prediction in _predictions(asked, series, conditions):
                    rows.append({**common, **_model_row(panel, x, prediction)})
                    if prediction.status != "native":
                        note = {"x": x, "status": prediction.status, "reason": prediction.reason}
                        notes.append({**common, **note})
            else:  # what is not measured has no row: the report says so
                rows += [
                    {**common, **_engine_row(panel, point, measured[point.key])}
                    for point in points
                    if (point.panel, point.series) == (name, position) and point.key in measured
                ]
    return Computed(COLUMNS, rows, notes, landmarks)


def _curve(source: Source, panel: Panel, series: Series) -> Curve:
    scenarios = []
    if panel.scenario is not None:
        scenarios = [base_scenario(source.scenarios[panel.scenario], panel, series)]
    return called(CURVES[str(series.curve)], scenarios, series.options)


def _curve_rows(curve: Curve) -> list[dict[str, Any]]:
    units = {"origin": "model", "x_unit": curve.x_unit, "y_unit": curve.y_unit, "n": 1}
    return [{"x": float(x), "y": float(y), **units} for x, y in zip(curve.x, curve.y, strict=True)]


def _swept(
    source: Source, panel: Panel, series: Series, conditions: Conditions
) -> Iterator[tuple[float, Scenario]]:
    """Yield the scenarios along the panel's sweep."""
    assert panel.sweep is not None  # the schema demands both of a panel with models
    assert panel.scenario is not None
    scenario = source.scenarios[panel.scenario]
    for point in sweep_points(scenario, panel, panel.sweep, series, conditions.precision):
        yield point.x, point.scenario


def _own_loss(
    points: Sequence[Asked],
    measured: Mapping[tuple[str, int, float], Measured],
    name: str,
    panel: Panel,
    series: Series,
) -> Iterator[tuple[float, Scenario]]:
    """Yield what an engine measured as scenarios of independent loss with its rate of events."""
    engines = [s.engine for s in panel.series]
    position = engines.index(series.loss_of) if series.loss_of in engines else None
    for point in points:
        if (point.panel, point.series) == (name, position) and point.key in measured:
            loss = {"process": "bernoulli", "probability": measured[point.key].fast_retransmit_rate}
            changes = {"loss": loss, "handoffs": None, "spikes": None, "capacity": None}
            yield point.x, override(point.scenario, changes | dict(series.set))


def _predictions(
    asked: Iterable[tuple[float, Scenario]], series: Series, conditions: Conditions
) -> Iterator[tuple[float, Prediction]]:
    model = MODELS[str(series.model)]
    conditions = replace(conditions, reductions=series.reduced)
    if series.equations:
        conditions = replace(conditions, equations=series.equations)
    for x, scenario in asked:
        yield x, predict(model, scenario, conditions)


def _model_row(panel: Panel, x: float, prediction: Prediction) -> dict[str, Any]:
    quantity = QUANTITIES[str(panel.quantity)]
    row: dict[str, Any] = {"origin": "model", "x": x, "y_unit": quantity.unit, "n": 1}
    row["x_unit"] = panel.x.unit or "1"
    if prediction.goodput_pps is not None:
        row["y"] = quantity.at(prediction.scenario, prediction.goodput_pps)
    if estimate := prediction.estimate:
        ends = (quantity.at(prediction.scenario, p) for p in (estimate.low_pps, estimate.high_pps))
        row["y_low"], row["y_high"] = sorted(ends)  # a time falls as the goodput rises
        row["n"] = estimate.replications
    return row


def _engine_row(panel: Panel, point: Asked, measured: Measured) -> dict[str, Any]:
    quantity = QUANTITIES[str(panel.quantity)]
    low, high = sorted(
        quantity.at(point.scenario, p) for p in (measured.low_pps, measured.high_pps)
    )
    return {
        "origin": point.engine,
        "x": point.x,
        "x_unit": panel.x.unit or "1",
        "y": quantity.at(point.scenario, measured.goodput_pps),
        "y_unit": quantity.unit,
        "y_low": low,
        "y_high": high,
        "n": measured.replications,
    }


def called(function: Callable[..., Any], scenarios: list[Scenario], options: dict[str, Any]) -> Any:
    """Return what a curve or a table gives for the scenarios that it asks for."""
    parameters = inspect.signature(function).parameters
    if "scenarios" in parameters:
        return function({s.id: s for s in scenarios}, **options)
    if "scenario" in parameters:
        if not scenarios:
            raise ValueError(f"{function.__name__} needs a scenario")
        return function(scenarios[0], **options)
    return function(**options)
