"""How the packet simulator and the referees agree: wherever both measured the same connection."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tcpgoodput.engines import REFEREES, REFERENCE
from tcpgoodput.figures.files import Source
from tcpgoodput.figures.schema import LineFigure, Panel
from tcpgoodput.settings import Configuration

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = [
    "source",
    "figure",
    "panel",
    "engine",
    "series",
    "setting",
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
    """Return all pairs, in the order of the studies and their figures."""
    return [
        pair
        for source in configuration.sources.values()
        for name, figure in source.figures.figures.items()
        if isinstance(figure, LineFigure)
        for panel_name, panel in figure.panels.items()
        if any(series.engine in REFEREES for series in panel.series)
        for pair in _of_panel(configuration, source, name, panel_name, panel, results)
    ]


def _of_panel(
    configuration: Configuration,
    source: Source,
    figure: str,
    name: str,
    panel: Panel,
    results: Path,
) -> Iterator[Pair]:
    import pandas as pd

    rows = pd.read_csv(results / source.name / "computed" / f"{figure}.csv")
    rows = rows[rows["panel"] == name]
    for position, series in enumerate(panel.series):
        if series.engine not in REFEREES or series.from_start:
            continue
        theirs = rows[rows["series"] == position]
        for at, reference in enumerate(panel.series):
            if reference.engine == REFERENCE and reference.set == series.set:
                label, setting = configuration.style.label(series), series.profile or ""
                for x, *ratio in _ratios(rows[rows["series"] == at], theirs):
                    where = (source.name, figure, name, series.engine, label, setting)
                    yield Pair(*where, x, *ratio)
                break


def _ratios(ours: pd.DataFrame, theirs: pd.DataFrame) -> Iterator[tuple[float, ...]]:
    """Yield x, the ratio, and its interval's ends, wherever both have a goodput."""
    for _, their in theirs.iterrows():
        same = ours[[math.isclose(x, their["x"], rel_tol=1e-9) for x in ours["x"]]]
        if same.empty or not (their["y"] > 0 and same.iloc[0]["y"] > 0):
            continue
        our = same.iloc[0]
        ratio = our["y"] / their["y"]
        down = math.hypot(_log(our["y"], our["y_low"]), _log(their["y_high"], their["y"]))
        up = math.hypot(_log(our["y_high"], our["y"]), _log(their["y"], their["y_low"]))
        yield float(their["x"]), ratio, ratio * math.exp(-down), ratio * math.exp(up)


def _log(above: float, below: float) -> float:
    """Return ln(above / below); infinite where an interval reaches down to nothing."""
    return math.log(above / below) if below > 0 else math.inf
