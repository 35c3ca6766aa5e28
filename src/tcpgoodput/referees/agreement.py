"""How the packet simulator and the referees agree: wherever both measured the same connection."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tcpgoodput.comparison.files import Compared
from tcpgoodput.drawing.style import Style
from tcpgoodput.engines import REFEREES, REFERENCE, referee
from tcpgoodput.project.settings import Configuration
from tcpgoodput.referees.points import COMPARISON, compared_asked, key_of
from tcpgoodput.referees.records import Records
from tcpgoodput.studies.files import Source
from tcpgoodput.studies.measured import Measured, asked_points
from tcpgoodput.studies.schema import LineFigure, Panel, Series

COLUMNS = [
    "source",
    "figure",
    "panel",
    "engine",
    "series",
    "setting",
    "key",
    "x",
    "ratio",
    "ratio_low",
    "ratio_high",
    "agrees",
]


@dataclass(frozen=True)
class Pair:
    """A connection that the packet simulator and a referee measured."""

    source: str
    figure: str
    panel: str
    engine: str
    series: str
    """The label of the referee's markers."""
    setting: str
    """The profile, for Linux."""
    key: str
    """Of the connection; see `points.key_of`."""
    x: float
    ratio: float
    """The simulator's goodput over the referee's."""
    low: float
    high: float
    """The ratio's interval, from those of both."""

    @property
    def agrees(self) -> bool:
        """Whether the interval holds 1."""
        return self.low <= 1 <= self.high

    def record(self) -> dict[str, Any]:
        """Return it as a row of the published table."""
        own = {name: getattr(self, name) for name in COLUMNS if not name.startswith("ratio_")}
        return {**own, "ratio_low": self.low, "ratio_high": self.high}


def pairs(configuration: Configuration, results: Path) -> list[Pair]:
    """Return all pairs, in the order of the studies and their figures, then of the scenarios.

    A connection that several figures show is in several pairs, under one key.
    """
    compared = configuration.comparison
    of_scenarios = _of_comparison(compared, configuration.style, results) if compared else ()
    of_figures = [
        pair
        for source in configuration.sources.values()
        for name, figure in source.figures.figures.items()
        if isinstance(figure, LineFigure)
        and any(series.engine in REFEREES for p in figure.panels.values() for series in p.series)
        for pair in _of_figure(source, name, figure, configuration.style, results)
    ]
    return [*of_figures, *of_scenarios]


def _of_comparison(compared: Compared, style: Style, results: Path) -> Iterator[Pair]:
    """Yield the pairs of the comparison's scenarios; a scenario's file stands for a figure."""
    records = Records.of(COMPARISON)
    for stem in compared.scenarios:
        path = results / "comparison" / "scenarios" / f"{stem}.json"
        rows = json.loads(path.read_text(encoding="utf-8"))["rows"]
        for engine in REFEREES:
            for asked, row in zip(compared_asked(compared, stem, engine), rows, strict=True):
                key, our = key_of(asked), row["simulation"]
                their = records.measured(key)
                if not (their and their.goodput_pps and our and our["goodput_pps"]):
                    continue
                setting = referee(engine).setting(asked.scenario)
                label = style.label(Series(engine=engine))
                where = (COMPARISON, stem, asked.panel, engine, label, setting)
                yield Pair(*where, key, asked.x, *_ratio(_ends(our), _known(their)))


def _ends(simulation: Mapping[str, Any]) -> tuple[float, float, float]:
    """Return a simulated goodput with the ends of its interval."""
    pps = simulation["goodput_pps"]
    half_pps = pps * (simulation["ci95_bps"] or 0.0) / simulation["goodput_bps"]
    return pps, pps - half_pps, pps + half_pps


def _known(measured: Measured) -> tuple[float, float, float]:
    return measured.goodput_pps, measured.low_pps, measured.high_pps


def _of_figure(
    source: Source, name: str, figure: LineFigure, style: Style, results: Path
) -> Iterator[Pair]:
    import pandas as pd

    rows = pd.read_csv(results / source.name / "computed" / f"{name}.csv")
    found = {
        (row.panel, row.series, float(f"{row.x:.12g}")): (row.y, row.y_low, row.y_high)
        for row in rows.itertuples()
    }
    for asked in asked_points(source, figure, "paper"):
        if asked.engine not in REFEREES or asked.from_start:
            continue
        panel = figure.panels[asked.panel]
        series = panel.series[asked.series]
        ours = _same(panel, series)
        their = found.get(asked.key)
        our = found.get((asked.panel, ours, asked.key[2])) if ours is not None else None
        if our and their and our[0] > 0 and their[0] > 0:
            setting = referee(asked.engine, asked.profile).setting(asked.scenario)
            where = (source.name, name, asked.panel, asked.engine, style.label(series), setting)
            yield Pair(*where, key_of(asked), asked.x, *_ratio(our, their))


def _same(panel: Panel, series: Series) -> int | None:
    """Return the position of the packet simulator's markers for the same connections."""
    for position, other in enumerate(panel.series):
        if other.engine == REFERENCE and other.set == series.set:
            return position
    return None


def _ratio(our: tuple[float, ...], their: tuple[float, ...]) -> tuple[float, float, float]:
    """Return the ratio of two goodputs and its interval's ends, from those of both."""
    ratio = our[0] / their[0]
    down = math.hypot(_log(our[0], our[1]), _log(their[2], their[0]))
    up = math.hypot(_log(our[2], our[0]), _log(their[0], their[1]))
    return ratio, ratio * math.exp(-down), ratio * math.exp(up)


def _log(above: float, below: float) -> float:
    """Return ln(above / below); infinite where an interval reaches down to nothing."""
    return math.log(above / below) if below > 0 else math.inf
