"""How far each model's line is from what an engine measured in the same panel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tcpgoodput.figures.compute import is_drawn
from tcpgoodput.figures.files import Source
from tcpgoodput.figures.mathtext import escaped, to_latex
from tcpgoodput.figures.schema import LineFigure, Panel, Series
from tcpgoodput.report import latex
from tcpgoodput.report.floats import printed_name
from tcpgoodput.settings import Configuration


@dataclass(frozen=True)
class Agreement:
    """A model's line against a measured series: its errors ln(model / measured)."""

    source: str
    figure: str
    panel: str
    line: str
    measured: str
    engine: str
    points: int
    mean: float
    typical: float
    """Median of the absolute errors."""
    worst: float
    worst_x: float
    interval: float
    """Median half-width of the measurement's interval, relative to it."""

    def record(self) -> dict[str, Any]:
        """Return it as a row of the published table."""
        return {
            "source": self.source,
            "figure": self.figure,
            "panel": self.panel,
            "line": self.line,
            "measured": self.measured,
            "engine": self.engine,
            "points": self.points,
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
            if isinstance(figure, LineFigure) and is_drawn(figure):
                rows = pd.read_csv(results / source.name / "computed" / f"{name}.csv")
                found += _of_figure(configuration, source, name, figure, rows)
    return found


def _of_figure(
    configuration: Configuration, source: Source, name: str, figure: LineFigure, rows: pd.DataFrame
) -> Iterator[Agreement]:
    label = configuration.style.label
    for panel_name, panel in figure.panels.items():
        own = rows[rows["panel"] == panel_name]
        for measured_at, measured in enumerate(panel.series):
            markers = own[(own["series"] == measured_at) & (own["y"] > 0)]
            if measured.engine is None or markers.empty:
                continue
            for line_at in compared(panel, measured):
                line = own[(own["series"] == line_at) & (own["y"] > 0)].sort_values("x")
                if len(line) < 2:
                    continue
                inside = markers["x"].between(line["x"].min(), line["x"].max())
                x = markers["x"][inside].to_numpy(float)
                y = markers["y"][inside].to_numpy(float)
                if not x.size:
                    continue
                model = np.exp(np.interp(x, line["x"], np.log(line["y"])))
                errors = np.log(model / y)
                worst = int(np.argmax(np.abs(errors)))
                widths = (markers["y_high"] - markers["y_low"])[inside] / 2 / y
                yield Agreement(
                    source.name,
                    name,
                    panel_name,
                    label(panel.series[line_at]),
                    label(measured),
                    measured.engine,
                    int(x.size),
                    float(errors.mean()),
                    float(np.median(np.abs(errors))),
                    float(errors[worst]),
                    float(x[worst]),
                    float(widths.median()),
                )


def compared(panel: Panel, measured: Series) -> list[int]:
    """Return the model lines that a measured series is compared with.

    Those of its own colour that the same changes were made to, or of its colour, or all.
    """
    lines = [(at, series) for at, series in enumerate(panel.series) if series.model]
    colour = [at for at, s in lines if s.style is not None and s.style == measured.style]
    same = [at for at in colour if panel.series[at].set == measured.set]
    return same or colour or [at for at, _ in lines]


def agreement_tex(source: Source, found: Iterable[Agreement]) -> str:
    """Return a source's agreements as a table, or nothing where nothing was measured."""
    cells = [
        [
            escaped(printed_name(a.figure)),
            to_latex(a.panel),
            to_latex(a.line),
            to_latex(a.measured),
            str(a.points),
            _percent(np.expm1(a.mean)),
            _percent(np.expm1(a.typical)),
            _percent(np.expm1(a.worst)),
            latex.number(a.worst_x, 3),
            _percent(a.interval),
        ]
        for a in found
        if a.source == source.name
    ]
    if not cells:
        return ""
    caption = (
        rf"\textbf{{Model and simulation: {to_latex(source.figures.title)}.}} How far each line "
        "lies above (or, negative, below) what was measured: mean over the markers (of the ratio's "
        "logarithm), median size, and worst, with the $x$ of the latter. The last column is the "
        r"measurement's own 95\,\% interval, half its width, in the median."
    )
    return latex.longtable(
        r"@{}ll>{\raggedright\arraybackslash}p{3.5cm}>{\raggedright\arraybackslash}p{3.5cm}rrrrrr@{}",
        ["Figure", "Panel", "Line", "Markers", "$n$", "Mean", "Median", "Worst", "at", r"$\pm$"],
        cells,
        caption,
        f"tab:agreement:{source.name}",
    )


def _percent(share: float) -> str:
    digits = 0 if abs(share) >= 0.1 else 1
    return rf"${100 * share:.{digits}f}\,\%$"
