"""How far each model's line is from what an engine measured in the same panel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tcpgoodput.comparison.answers import AT_HOME
from tcpgoodput.comparison.errors import bias, typical
from tcpgoodput.project.settings import Configuration
from tcpgoodput.studies.schema import LineFigure, Panel, Series, Source
from tcpgoodput.studies.store import answers_path

HAPPENING = ("loss", "spikes", "handoffs", "capacity", "delay", "tcp.ack_every")
"""What a line and a measurement must have in common: all that happens, and packets per ACK."""

COLUMNS = [
    *("source", "figure", "panel", "line", "measured", "engine", "variant", "ours", "points"),
    *("at_home", "mean_ln_ratio", "median_abs_ln_ratio", "worst_ln_ratio", "worst_at"),
    "median_half_width",
]


@dataclass(frozen=True)
class Agreement:
    """A model's line against a measured series: its errors ln(model / measured)."""

    source: str
    figure: str
    panel: str
    line: str
    measured: str
    engine: str
    variant: str
    """The sender that was measured."""
    ours: bool
    """The figure is our addition, or all of the study is."""
    points: int
    at_home: bool
    """The points are those at which the model is in its domain; else it is at none of them."""
    mean: float
    typical: float
    """Median of the absolute errors."""
    worst: float
    worst_x: float
    interval: float
    """Median half-width of the measurement's interval, relative to it."""
    at_measured_rate: bool = False
    """The line is a formula evaluated at the measured loss event rate, not the study's model."""

    def record(self) -> dict[str, Any]:
        """Return it as a row of the published table."""
        return {
            "source": self.source,
            "figure": self.figure,
            "panel": self.panel,
            "line": self.line,
            "measured": self.measured,
            "engine": self.engine,
            "variant": self.variant,
            "ours": self.ours,
            "points": self.points,
            "at_home": self.at_home,
            "mean_ln_ratio": round(self.mean, 6),
            "median_abs_ln_ratio": round(self.typical, 6),
            "worst_ln_ratio": round(self.worst, 6),
            "worst_at": self.worst_x,
            "median_half_width": round(self.interval, 6),
        }


def agreements(configuration: Configuration, results: Path) -> list[Agreement]:
    """Return the agreement of all model lines with what was measured beside them."""
    found: list[Agreement] = []
    for source in configuration.sources.values():
        for name, figure in source.figures.figures.items():
            if isinstance(figure, LineFigure):
                rows = pd.read_csv(answers_path(results, source.name, name))
                found += _of_figure(configuration, source, name, figure, rows)
    return found


def _of_figure(
    configuration: Configuration, source: Source, name: str, figure: LineFigure, rows: pd.DataFrame
) -> Iterator[Agreement]:
    label, positive = configuration.style.label, rows[rows["y"] > 0]
    of_series = dict(iter(positive.groupby(["panel", "series"], sort=False)))
    for panel_name, panel in figure.panels.items():
        for measured in panel.series:
            if not measured.engine:
                continue
            markers = of_series.get((panel_name, measured.key), positive[:0])
            for series in compared(panel, measured):
                line = of_series.get((panel_name, series.key), positive[:0])
                seen, at_home = _compared_points(markers, line)
                if seen.empty:
                    continue
                errors = np.log(seen["model"] / seen["y"])
                furthest = errors.abs().idxmax()
                yield Agreement(
                    source.name,
                    name,
                    panel_name,
                    label(series),
                    label(measured),
                    measured.engine,
                    sender(source, panel, measured),
                    source.is_ours(figure),
                    len(seen),
                    at_home,
                    bias(errors),
                    typical(errors),
                    float(errors[furthest]),
                    float(seen["x"][furthest]),
                    float(((seen["y_high"] - seen["y_low"]) / 2 / seen["y"]).median()),
                    series.loss_of is not None,
                )


def sender(source: Source, panel: Panel, series: Series) -> str:
    """Return the variant of TCP that a series of a panel is of."""
    changed = {**panel.set, **series.set}
    return str(changed.get("tcp.variant") or source.scenarios[str(panel.scenario)].tcp.variant)


def _compared_points(markers: pd.DataFrame, line: pd.DataFrame) -> tuple[pd.DataFrame, bool]:
    """Return the markers at which a model is at home, or all that it answers if it is at none.

    Besides their own columns they have `model`, what it says there. Both are of one file, which has
    the same digits of x for both; where the model has no value, nothing is compared.
    """
    answered = line[["x", "y", "status"]].set_axis(["x", "model", "as"], axis=1)
    seen = markers.merge(answered, on="x")
    home = seen[seen["as"].isin(AT_HOME)]
    return (seen, False) if home.empty else (home, True)


def compared(panel: Panel, measured: Series) -> list[Series]:
    """Return the model lines that a measured series is compared with.

    They are of the scenario that was measured: whatever was changed for the line was changed for
    the measurement too, which may have had more of a sender or a window, but nothing else may have
    happened. If there are lines with all its changes, only these. A line that was asked with the
    rate of an engine's losses is compared with that engine.
    """
    asked = {**panel.set, **measured.set}
    told = {
        series.key: {**panel.set, **series.set}
        for series in panel.series
        if series.model and series.loss_of in (None, measured.engine)
    }
    lines = [
        key
        for key, own in told.items()
        if own.items() <= asked.items() and not any(map(_happens, asked.keys() - own.keys()))
    ]
    same = [key for key in lines if told[key] == asked]
    return [series for series in panel.series if series.key in (same or lines)]


def _happens(key: str) -> bool:
    """Tell whether a scenario's key is of what a line and a measurement must have in common."""
    return any(key == part or key.startswith(f"{part}.") for part in HAPPENING)
