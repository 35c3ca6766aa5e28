"""The connections that a figure asks engines about, and the key that each is measured under."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tcpgoodput.answers import Conditions, Precision
from tcpgoodput.engines.measurements import FROM_START, Effort, Request
from tcpgoodput.engines.names import REFERENCE
from tcpgoodput.engines.referees import REFEREES, referee
from tcpgoodput.scenario import Scenario
from tcpgoodput.studies.schema import Figure, LineFigure, Source
from tcpgoodput.studies.sweeps import sweep_points


@dataclass(frozen=True)
class Asked:
    """A point that a figure asks an engine to measure."""

    panel: str
    series: str
    """Its id."""
    engine: str
    x: float
    packets: int | None
    """At precision paper; None: the engine's default."""
    scenario: Scenario
    profile: str | None = None
    """How Linux is set up; None: as the variant asks for."""
    from_start: bool = False
    """Whether what passed before the measured time counts, too."""
    runs: int | None = None
    """How often a referee measures it; None: the engine's choice."""

    def key(self, precision: Precision, seed: int) -> str:
        """Return what the measurement goes by."""
        return self.request(precision, seed).key + (FROM_START if self.from_start else "")

    def request(self, precision: Precision, seed: int) -> Request:
        """Return what is asked, and under which setting; a referee's own is that of its records."""
        if self.engine in REFEREES:
            setting = referee(self.engine, self.profile).setting(self.scenario)
        else:
            setting = Effort(precision, seed, self.packets).on(self.scenario).setting
        return Request(self.engine, setting, self.scenario)


def asked_points(
    scenarios: Mapping[str, Scenario], figure: Figure, precision: Precision
) -> Iterator[Asked]:
    """Yield the points that a figure asks of engines."""
    if not isinstance(figure, LineFigure):
        return
    for name, panel in figure.panels.items():
        for series in panel.series:
            if series.engine is None:
                continue
            assert panel.sweep is not None  # the schema demands both of a panel with engines
            assert panel.scenario is not None
            base = scenarios[panel.scenario]
            for point in sweep_points(base, panel, panel.sweep, series, precision):
                packets = panel.sweep.measured_packets
                if series.engine in REFEREES:
                    packets = panel.sweep.recorded_packets or packets
                asked = (name, series.key, series.engine, point.x, packets, point.scenario)
                runs = panel.sweep.recorded_runs
                yield Asked(*asked, series.profile, series.from_start, runs)


def requests_of(source: Source, conditions: Conditions) -> list[Request]:
    """Return what the figures of a study ask the packet simulator to measure."""
    return [
        asked.request(conditions.precision, conditions.seed)
        for figure in source.figures.figures.values()
        for asked in asked_points(source.scenarios, figure, conditions.precision)
        if asked.engine == REFERENCE
    ]
