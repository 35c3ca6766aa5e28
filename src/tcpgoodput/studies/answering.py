"""Compute the data of a figure, one row for each point of a series, and write them to files.

A series is a line (of a model or a curve) or a set of markers (measurements). The row of a model's
point also has the status of the prediction, and the reason for this status.

The file `answers/FIGURE.csv` has all columns. The JSON file next to it has what is needed to draw
the figure but is in no row: landmarks, and the ranges of x in which models are out of domain. The
table `FIGURE.csv` is for readers: it has fewer columns, and labels instead of ids of series.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tcpgoodput.answers import Conditions, Prediction
from tcpgoodput.engines.base import ENGINE_NAMES, Measurement
from tcpgoodput.engines.measurements import connection_of, path_of
from tcpgoodput.models import CURVES, MODELS, TABLES, Curve
from tcpgoodput.models.predict import predictions
from tcpgoodput.scenario import Scenario, override
from tcpgoodput.storage import as_json, csv_text, write_text
from tcpgoodput.studies.quantities import (
    COUNTED,
    QUANTITIES,
    CountedQuantity,
    Uncounted,
    wrong_units_of_curve,
)
from tcpgoodput.studies.schema import (
    Figure,
    LadderFigure,
    LineFigure,
    Panel,
    Series,
    TableFigure,
    TopologyFigure,
)
from tcpgoodput.studies.sweeps import (
    Point,
    PointRequest,
    base_scenario,
    point_requests,
    sweep_points,
)
from tcpgoodput.studies.topology import ELEMENT_COLUMNS, elements

PUBLISHED = ["panel", "series", "origin", "x", "x_unit", "y", "y_unit", "y_low", "y_high", "n"]
"""Columns of the CSV file in the results with the data of a line figure. Tables and diagrams have
other columns."""

COLUMNS = [*PUBLISHED, "status", "reason", "key", "setting", "connection", "path", "sender"]
"""All columns of a line figure's data, which the file below `answers/` has. `series` is the id of a
series; `status` and `reason` belong to a prediction, `key` and `setting` to a measurement.
`connection` is a digest of the measured connection, `path` a digest of its path and receiver.
`sender` is the Linux kernel whose sender is imitated, empty for the sender of the RFCs."""

NO_IMPAIRMENT = {
    "loss": {"process": "none"},
    "arq": None,
    "handoffs": None,
    "spikes": None,
    "capacity": None,
}


Scenarios = Mapping[str, Scenario]
Measurements = Mapping[str, Measurement]


@dataclass(frozen=True)
class Found:
    """A point of a figure, with the measurement at this point."""

    point: PointRequest
    measured: Measurement


@dataclass(frozen=True)
class Computed:
    """Computed data of a figure, with each row as a dict."""

    columns: list[str]
    """Columns of the rows: `COLUMNS` for line figures; other figures define their own."""
    rows: list[dict[str, Any]]
    landmarks: dict[str, dict[str, float]]
    """Named positions on curves at which a figure places marks, such as arrows: by the name of the
    panel, then by the name of the position."""


def answers(
    scenarios: Scenarios,
    figure: Figure,
    conditions: Conditions,
    measured: Measurements = MappingProxyType({}),
) -> Computed:
    """Compute the data of a figure.

    A point without a measurement has no row.
    """
    match figure:
        case LineFigure():
            precision, seed = conditions.precision, conditions.seed
            found = [
                Found(point, measured[key])
                for point in point_requests(scenarios, figure, precision)
                if (key := point.key(precision, seed)) in measured
            ]
            return _of_lines(scenarios, figure, conditions, found)
        case LadderFigure():
            columns: list[str] = []
            rows: list[dict[str, Any]] = []
            for name, exchange in figure.panels.items():
                scenario = override(scenarios[exchange.scenario], exchange.set)
                frame = called(TABLES[exchange.table], [scenario], exchange.options)
                columns = ["panel", *frame.columns]
                rows += [{"panel": name, **row} for row in frame.to_dict("records")]
            return Computed(columns, rows, {})
        case TopologyFigure():
            scenario = override(scenarios[figure.scenario], figure.set)
            rows = elements(scenario, figure.capacity_as, figure.bottleneck)
            return Computed(ELEMENT_COLUMNS, rows, {})
        case TableFigure():
            own = [override(scenarios[name], figure.set) for name in figure.scenarios]
            frame = called(TABLES[figure.table], own, figure.options)
            return Computed(list(frame.columns), frame.to_dict("records"), {})


def _of_lines(
    scenarios: Scenarios, figure: LineFigure, conditions: Conditions, found: Sequence[Found]
) -> Computed:
    rows: list[dict[str, Any]] = []
    landmarks: dict[str, dict[str, float]] = {}
    for name, panel in figure.panels.items():
        marks = landmarks.setdefault(name, {})
        own = [one for one in found if one.point.panel == name]
        for series in panel.series:
            common = {"panel": name, "series": series.key}
            if series.curve:
                curve = curve_of(scenarios, panel, series)
                for _, wrong in wrong_units_of_curve(series.name, curve, panel):
                    raise ValueError(f"panel {name}: {wrong}")
                rows += [{**common, **row} for row in _curve_rows(curve)]
                marks |= {k: float(v) for k, v in curve.landmarks.items() if k not in marks}
            elif series.model:
                if series.loss_of:
                    points = list(_own_loss(own, panel, series))
                else:
                    points = sweep_points(scenarios, panel, series, conditions.precision)
                predicted = predictions(
                    MODELS[series.model],
                    [point.scenario for point in points],
                    conditions_of(series, conditions),
                )
                for point, prediction in zip(points, predicted, strict=True):
                    rows.append({**common, **_model_row(panel, point.x, prediction)})
            else:
                rows += [
                    {**common, **_engine_row(panel, one)}
                    for one in own
                    if one.point.series == series.key
                ]
    return Computed(COLUMNS, rows, landmarks)


def curve_of(scenarios: Scenarios, panel: Panel, series: Series) -> Curve:
    """Compute the curve that a series names under `curve`, for the panel's scenario if any."""
    own = []
    if panel.scenario is not None:
        own = [base_scenario(scenarios[panel.scenario], panel, series)]
    return called(CURVES[str(series.curve)], own, series.options)


def _curve_rows(curve: Curve) -> list[dict[str, Any]]:
    units = {"origin": "model", "x_unit": curve.x_unit, "y_unit": curve.y_unit, "n": 1}
    arrays = {name: getattr(curve, name) for name in ("x", "y", "y_low", "y_high", "n")}
    columns = {name: values.tolist() for name, values in arrays.items() if values is not None}
    return [
        units | dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
    ]


def _own_loss(found: Sequence[Found], panel: Panel, series: Series) -> Iterator[Point]:
    """Yield the points of the engine `series.loss_of`, with only the losses that it counted.

    They occur as often as its fast retransmits; see `_events`.
    """
    of_engine = next((s.key for s in panel.series if s.engine == series.loss_of), None)
    for one in found:
        if one.point.series == of_engine:
            changes = NO_IMPAIRMENT | _events(str(series.model), one.measured)
            if series.measured_rtt:
                changes |= _round_trip(one)
            scenario = override(one.point.scenario, changes | dict(series.set))
            yield Point(one.point.x, scenario)


def _events(model: str, measured: Measurement) -> dict[str, Any]:
    """Return scenario keys with losses as frequent as a measurement's fast retransmits.

    The losses are independent. If the model describes hand-offs but no independent loss, hand-offs
    lose the packets, one each. For such a model the result is empty without any fast retransmit.
    """
    handles = MODELS[model].handles
    if "independent loss" in handles or "hand-offs" not in handles:
        return {"loss": {"process": "bernoulli", "probability": measured.fast_retransmit_rate}}
    interval_s = measured.fast_retransmit_interval_s
    if interval_s is None:
        return {}
    return {"handoffs": {"interval_s": interval_s, "packets": 1, "fate": "lost"}}


def _round_trip(found: Found) -> dict[str, Any]:
    """Return scenario keys of a path whose propagation time is the measured mean RTT, if any."""
    scenario, mean_s = found.point.scenario, found.measured.mean_rtt_s
    if mean_s is None:
        return {}
    path, longer = scenario.path, mean_s / scenario.propagation_rtt_s
    return {
        "path.forward_delay_s": longer * path.forward_delay_s,
        "path.backward_delay_s": longer * path.backward_delay_s,
        "path.buffer_packets": None,  # the measured RTT includes queueing already
    }


def conditions_of(series: Series, conditions: Conditions) -> Conditions:
    """Return the conditions with which the model of a series is evaluated."""
    equations = series.equations or conditions.equations
    return replace(conditions, reductions=series.reduced, equations=equations)


def _model_row(panel: Panel, x: float, prediction: Prediction) -> dict[str, Any]:
    quantity = QUANTITIES[str(panel.quantity)]
    row: dict[str, Any] = {"origin": "model", "x": x, "y_unit": quantity.unit, "n": 1}
    row["x_unit"] = panel.x.unit or "1"
    row |= {"status": prediction.status, "reason": prediction.reason}
    if prediction.goodput_pps is not None:
        row["y"] = quantity.at(prediction.scenario, prediction.goodput_pps)
    if estimate := prediction.estimate:
        ends = (quantity.at(prediction.scenario, p) for p in (estimate.low_pps, estimate.high_pps))
        # A transfer time falls as the goodput rises, which swaps the ends of its interval.
        row["y_low"], row["y_high"] = sorted(ends)
        row["n"] = estimate.replications
    return row


def _engine_row(panel: Panel, found: Found) -> dict[str, Any]:
    quantity = (QUANTITIES | COUNTED)[str(panel.quantity)]
    measured, scenario = found.measured, found.point.scenario
    row = {
        "origin": found.point.engine,
        "x": found.point.x,
        "x_unit": panel.x.unit or "1",
        "y_unit": quantity.unit,
        "n": measured.replications,
        "reason": measured.reason,
        "key": measured.key,
        "setting": measured.setting,
        "connection": connection_of(scenario),
        "path": path_of(scenario),
        "sender": scenario.tcp.stack or "",
    }
    if isinstance(quantity, CountedQuantity):
        try:
            row["y"], row["y_low"], row["y_high"] = quantity.of(scenario, measured)
        except Uncounted:
            uncounted = f"{ENGINE_NAMES[found.point.engine]} does not count {quantity.title}"
            row["reason"] = measured.reason or uncounted
        return row
    if measured.goodput_pps is not None:
        row["y"] = quantity.at(scenario, measured.goodput_pps)
    if measured.low_pps is not None and measured.high_pps is not None:
        ends = (quantity.at(scenario, end) for end in (measured.low_pps, measured.high_pps))
        row["y_low"], row["y_high"] = sorted(ends)
    return row


def called(function: Callable[..., Any], scenarios: list[Scenario], options: dict[str, Any]) -> Any:
    """Call a function that makes a curve or table, with the scenarios it takes and its options.

    A parameter `scenarios` gets all scenarios by id, a parameter `scenario` only the first one.

    Raises:
        ValueError: the function needs a scenario, but there is none.

    """
    parameters = inspect.signature(function).parameters
    if "scenarios" in parameters:
        return function({s.id: s for s in scenarios}, **options)
    if "scenario" in parameters:
        if not scenarios:
            raise ValueError(f"{function.__name__} needs a scenario")
        return function(scenarios[0], **options)
    return function(**options)


OUTSIDE = "out-of-domain"


def answers_path(results: Path, study: str, figure: str) -> Path:
    """Return the path of the CSV file below `answers/` with all data of a figure."""
    return results / study / "answers" / f"{figure}.csv"


def write_answers(computed: Computed, path: Path) -> None:
    """Write the rows to `path` as CSV; next to it, landmarks and ranges out of domain as JSON."""
    domains = {"landmarks": computed.landmarks, "outside": outside(computed)}
    write_text(path.with_suffix(".json"), as_json(domains))
    write_text(path, csv_text(computed.columns, computed.rows))


def outside(computed: Computed) -> dict[str, dict[str, list[list[float]]]]:
    """Return the ranges of x in which models are out of domain, by panel and id of the series.

    A range is `[first x, last x]` of consecutive points out of domain. Series that are in domain
    everywhere are left out.
    """
    found: dict[str, dict[str, list[list[float]]]] = {}
    columns = ("panel", "series", "status")
    for line, rows in groupby(computed.rows, lambda row: tuple(map(row.get, columns))):
        panel, series, status = map(str, line)
        if status == OUTSIDE:
            xs = [row["x"] for row in rows]
            found.setdefault(panel, {}).setdefault(series, []).append([xs[0], xs[-1]])
    return found


Labels = Mapping[str, Mapping[str, str]]
"""Labels of series by panel and id; empty if the figure has no lines."""


def published(computed: Computed, labels: Labels) -> str:
    """Return the table of a figure for readers as CSV text."""
    if not labels:
        return csv_text(computed.columns, computed.rows)
    named = ({**row, "series": labels[row["panel"]][row["series"]]} for row in computed.rows)
    return csv_text(PUBLISHED, named)
