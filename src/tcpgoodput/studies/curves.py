"""Checks of a curve's options and landmarks, which need the curve to be computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tcpgoodput.models import COSTLY_CURVES
from tcpgoodput.studies.answering import curve_of
from tcpgoodput.studies.expressions import resolved
from tcpgoodput.studies.schema import LineFigure, Panel, Source
from tcpgoodput.studies.units import wrong_units_of_curve

Key = tuple[str | int, ...]

SIMULATED = "simulator."
"""Prefix of the names of curves that the packet simulator computes."""


def wrong_curves(source: Source) -> Iterator[tuple[Key, str]]:
    """Yield problems with a study's curves and marks, as place and message.

    Slow curves, and the marks of their panels, are checked only during the run.
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
    """Yield the marks that name no landmark: their number, the key, and the reason."""
    for position, mark in enumerate(panel.marks):
        for name, value in mark.model_dump(exclude={"label"}).items():
            try:
                resolved(value, landmarks)
            except ValueError as error:
                yield position, name, str(error)
