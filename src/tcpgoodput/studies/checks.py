"""Checks of a study's figures: options and landmarks of curves, and panels without any value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tcpgoodput.answers import Conditions, Prediction
from tcpgoodput.configuration.strict_yaml import Key
from tcpgoodput.models import COSTLY_CURVES, MODELS
from tcpgoodput.models.predict import predict
from tcpgoodput.scenario.physics import impairments
from tcpgoodput.studies.answering import conditions_of, curve_of
from tcpgoodput.studies.expressions import resolved
from tcpgoodput.studies.open_settings import as_drawn
from tcpgoodput.studies.quantities import wrong_units_of_curve
from tcpgoodput.studies.schema import LineFigure, Panel, Series, Source
from tcpgoodput.studies.sweeps import Point, grid_values, representative_values, sweep_point

SIMULATED = "simulator."
"""Prefix of the names of curves that the packet simulator computes."""


def wrong_curves(source: Source) -> Iterator[tuple[Key, str]]:
    """Yield the YAML key and a message for each problem with a study's curves and marks.

    Marks are lines, arrows, texts and areas that explain a panel. Slow curves, and the marks of
    their panels, are not checked here, but when the run computes them.
    """
    for at, panel in _panels(source):
        yield from _wrong(source, panel, at)


def _panels(source: Source) -> Iterator[tuple[Key, Panel]]:
    for name, figure in as_drawn(source.figures).items():
        if isinstance(figure, LineFigure):
            for key, panel in figure.panels.items():
                yield ("figures", name, "panels", key), panel


def _wrong(source: Source, panel: Panel, at: Key) -> Iterator[tuple[Key, str]]:
    landmarks: dict[str, float] = {}
    for position, series in enumerate(panel.series):
        curve = series.curve or ""
        if curve in COSTLY_CURVES or curve.startswith(SIMULATED):
            return
        if not curve:
            continue
        try:
            drawn = curve_of(source.scenarios, panel, series)
        except (ValueError, TypeError) as error:
            yield (*at, "series", position, "with"), f"{curve}: {error}"
            return
        landmarks |= drawn.landmarks
        for axis, message in wrong_units_of_curve(curve, drawn, panel):
            yield (*at, axis, "unit"), message
    for position, name, message in wrong_marks(panel, landmarks):
        yield (*at, "marks", position, name), message


def wrong_marks(panel: Panel, landmarks: Mapping[str, float]) -> Iterator[tuple[int, str, str]]:
    """Yield each mark (line, arrow, text) whose position is an expression with an unknown name.

    Names may be landmarks, positions on the panel's curves. A mark is its place in the list from 0,
    the key of its position, and the reason.
    """
    for position, mark in enumerate(panel.marks):
        for name, value in mark.model_dump(exclude={"label"}).items():
            try:
                resolved(value, landmarks)
            except ValueError as error:
                yield position, name, str(error)


def empty_panels(source: Source, conditions: Conditions) -> Iterator[tuple[Key, str]]:
    """Yield the YAML key of each panel in which no model has a value, and the models' reasons.

    Models are evaluated at the ends and in the middle of a sweep. Curves, engines, and models that
    use an engine's losses (`loss_of`) are assumed to have values.
    """
    for at, panel in _panels(source):
        only_models = all(series.model and not series.loss_of for series in panel.series)
        if only_models and (reasons := _reasons(source, panel, conditions)):
            yield at, f"no series has a value anywhere: {'; '.join(reasons)}"


def empty_series(source: Source, conditions: Conditions) -> Iterator[tuple[Key, str]]:
    """Yield the YAML key of each model that has no value anywhere in its panel, and the reason.

    Such a model is in the panel's legend, but not in its picture. Slow models (`costly`) that
    describe the scenario, and models that use an engine's losses, are assumed to have values.
    """
    for at, panel in _panels(source):
        for position, series in enumerate(panel.series):
            if not series.model or series.loss_of:
                continue
            if reasons := _without_value(source, panel, series, conditions):
                message = f"{series.model} has no value anywhere: {'; '.join(reasons)}"
                reduced = series.model_copy(update={"reduced": True})
                if not series.reduced and not _without_value(source, panel, reduced, conditions):
                    message += "; reduced: true applies reductions"
                yield (*at, "series", position), message


def _without_value(
    source: Source, panel: Panel, series: Series, conditions: Conditions
) -> list[str]:
    """Return why a model is undefined at each x of a panel; empty if it has a value at any x."""
    reasons: dict[str, None] = {}
    assert panel.sweep is not None  # the schema requires a sweep in panels with models
    model = MODELS[str(series.model)]
    known = model.handles | (model.reduces if series.reduced else frozenset())
    xs = [float(x) for x in grid_values(panel.sweep.values, "draft")]
    for point in _points(source, panel, series, xs):
        if model.costly and impairments(point.scenario) <= known:
            return []
        prediction = _predicted(series, point, conditions)
        if prediction.goodput_pps is not None:
            return []
        reasons[str(prediction.reason)] = None
    return list(reasons)


def _reasons(source: Source, panel: Panel, conditions: Conditions) -> list[str]:
    """Return why every model of a panel is undefined; empty if any model has a value."""
    reasons: dict[str, None] = {}
    assert panel.sweep is not None  # the schema requires a sweep in panels with models
    xs = representative_values(panel.sweep.values)
    # Evaluate slow models (`costly`) last: they are needed only if no other model has a value.
    for series in sorted(panel.series, key=lambda s: MODELS[str(s.model)].costly):
        for point in _points(source, panel, series, xs):
            prediction = _predicted(series, point, conditions)
            if prediction.goodput_pps is not None:
                return []
            reasons[f"{series.model}: {prediction.reason}"] = None
    return list(reasons)


def _points(source: Source, panel: Panel, series: Series, xs: Sequence[float]) -> Iterator[Point]:
    """Yield a series' scenario at each x value of its panel."""
    assert panel.sweep is not None
    assert panel.scenario is not None
    for x in xs:
        yield sweep_point(source.scenarios[panel.scenario], panel, panel.sweep, series, x)


def _predicted(series: Series, point: Point, conditions: Conditions) -> Prediction:
    """Return the prediction of a series' model, at low precision."""
    conditions = replace(conditions_of(series, conditions), precision="draft")
    return predict(MODELS[str(series.model)], point.scenario, conditions)
