"""What a figure's engines measured: tidy rows, one for each point, beside the figure's own."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tcpgoodput.answers import Precision
from tcpgoodput.engines import REFEREES, Measurement
from tcpgoodput.scenario import Scenario
from tcpgoodput.studies.files import Source
from tcpgoodput.studies.schema import Figure, LineFigure
from tcpgoodput.studies.sweeps import sweep_points

COLUMNS = [
    "panel",
    "series",
    "engine",
    "x",
    "goodput_pps",
    "low_pps",
    "high_pps",
    "replications",
    "measured_s",
    "packets_sent",
    "retransmissions",
    "timeouts",
    "fast_retransmits",
    "loss_events",
    "packets_lost",
    "packets_dropped",
    "handoffs",
    "mean_window_packets",
    "mean_rtt_s",
    "reason",
]
"""A series goes by its position in its panel; counts are totals over the replications."""


@dataclass(frozen=True)
class Asked:
    """A point that a figure asks an engine to measure."""

    panel: str
    series: int
    engine: str
    x: float
    packets: int | None
    """At precision paper; None: the engine's default."""
    scenario: Scenario
    profile: str | None = None
    """How Linux is set up; None: as the variant asks for."""
    from_start: bool = False
    """Whether what passed before the measured time counts, too."""

    @property
    def key(self) -> tuple[str, int, float]:
        """What the point goes by within its figure."""
        return self.panel, self.series, float(f"{self.x:.12g}")


@dataclass(frozen=True)
class Measured:
    """A measured goodput, as it is read back."""

    goodput_pps: float
    low_pps: float
    high_pps: float
    replications: int
    fast_retransmit_rate: float
    """Fast retransmits per packet sent."""


def asked_points(source: Source, figure: Figure, precision: Precision) -> Iterator[Asked]:
    """Yield the points that a figure asks of engines."""
    if not isinstance(figure, LineFigure):
        return
    for name, panel in figure.panels.items():
        for position, series in enumerate(panel.series):
            if series.engine is None:
                continue
            assert panel.sweep is not None  # the schema demands both of a panel with engines
            assert panel.scenario is not None
            base = source.scenarios[panel.scenario]
            for point in sweep_points(base, panel, panel.sweep, series, precision):
                packets = panel.sweep.measured_packets
                if series.engine in REFEREES:
                    packets = panel.sweep.recorded_packets or packets
                asked = (name, position, series.engine, point.x, packets, point.scenario)
                yield Asked(*asked, series.profile, series.from_start)


def row(asked: Asked, measurement: Measurement) -> dict[str, Any]:
    """Return a measurement as a row of `COLUMNS`."""
    goodput = measurement.goodput_pps
    known = measurement.record()
    return {
        **{column: known[column] for column in COLUMNS if column in known},
        "panel": asked.panel,
        "series": asked.series,
        "engine": asked.engine,
        "x": asked.x,
        "goodput_pps": goodput.mean,
        "low_pps": goodput.mean - goodput.half_width,
        "high_pps": goodput.mean + goodput.half_width,
    }


def read_measured(path: Path) -> Mapping[tuple[str, int, float], Measured]:
    """Read a figure's measurements by panel, series and x."""
    with path.open(newline="", encoding="utf-8") as file:
        return {
            (line["panel"], int(line["series"]), float(line["x"])): Measured(
                float(line["goodput_pps"] or math.nan),
                float(line["low_pps"] or math.nan),
                float(line["high_pps"] or math.nan),
                int(line["replications"]),
                int(line["fast_retransmits"] or 0) / int(line["packets_sent"] or 1),
            )
            for line in csv.DictReader(file)
        }
