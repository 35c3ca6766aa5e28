"""Checks of a study's figures: options and landmarks of curves, and panels without any value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from tcpgoodput.answers import Conditions, Prediction
from tcpgoodput.models import COSTLY_CURVES, MODELS
from tcpgoodput.models.predict import predict
from tcpgoodput.studies.answering import curve_of
from tcpgoodput.studies.expressions import resolved
from tcpgoodput.studies.schema import LineFigure, Panel, Series, Source
from tcpgoodput.studies.sweeps import representative_values, sweep_point
from tcpgoodput.studies.units import wrong_units_of_curve

Key = tuple[str | int, ...]

SIMULATED = "simulator."
"""Prefix of the names of curves that the packet simulator computes."""


def wrong_curves(source: Source) -> Iterator[tuple[Key, str]]:
    """Yield the YAML key and a message for each problem with a study's curves and marks.

    Marks are lines, arrows, texts and areas that explain a panel. Slow curves, and the marks of
    their panels, are not checked here, but when the run computes them.
    """
    for name, figure in source.figures.figures.items():
        if isinstance(figure, LineFigure):
            for key, panel in figure.panels.items():
                yield from _wrong(source, panel, ("figures", name, "panels", key))


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

    Args:
        panel: the panel with the marks.
        landmarks: values of the names that expressions may use: positions on the panel's curves.

    Yields:
        The mark's place in the list of marks, from 0; the key of its position; the reason.

    """
    for position, mark in enumerate(panel.marks):
        for name, value in mark.model_dump(exclude={"label"}).items():
            try:
                resolved(value, landmarks)
            except ValueError as error:
                yield position, name, str(error)


@dataclass(frozen=True)
class EmptyPanel:
    """A panel in which no model predicts a goodput anywhere, with each model's reasons."""

    figure: str
    panel: str
    reasons: tuple[str, ...]

    @property
    def message(self) -> str:
        """The reasons why no model of the panel has a value, as one sentence."""
        return f"no series has a value anywhere: {'; '.join(self.reasons)}"


def empty_panels(source: Source, conditions: Conditions) -> Iterator[EmptyPanel]:
    """Yield the panels in which no model has a value, with the reason that each model gives.

    Models are evaluated at the ends and in the middle of a sweep. Curves, engines, and models that
    use an engine's losses (`loss_of`) are assumed to have values.
    """
    for name, figure in source.figures.figures.items():
        if not isinstance(figure, LineFigure):
            continue
        for panel_name, panel in figure.panels.items():
            only_models = all(series.model and not series.loss_of for series in panel.series)
            if only_models and (reasons := _reasons(source, panel, conditions)):
                yield EmptyPanel(name, panel_name, tuple(reasons))


def _reasons(source: Source, panel: Panel, conditions: Conditions) -> list[str]:
    """Return why every model of a panel is undefined; empty if any model has a value."""
    reasons: dict[str, None] = {}
    # Evaluate slow models (`costly`) last: they are needed only if no other model has a value.
    for series in sorted(panel.series, key=lambda s: MODELS[str(s.model)].costly):
        for prediction in _predictions(source, panel, series, conditions):
            if prediction.goodput_pps is not None:
                return []
            reasons[f"{series.model}: {prediction.reason}"] = None
    return list(reasons)


def _predictions(
    source: Source, panel: Panel, series: Series, conditions: Conditions
) -> Iterator[Prediction]:
    assert panel.sweep is not None  # the schema requires a sweep in panels with models
    assert panel.scenario is not None
    conditions = replace(
        conditions,
        precision="draft",
        reductions=series.reduced,
        equations=series.equations or conditions.equations,
    )
    for x in representative_values(panel.sweep.values):
        point = sweep_point(source.scenarios[panel.scenario], panel, panel.sweep, series, x)
        yield predict(MODELS[str(series.model)], point.scenario, conditions)
