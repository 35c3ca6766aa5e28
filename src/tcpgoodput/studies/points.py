"""Requests for the measurements that figures need, each with the key of its stored result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tcpgoodput.answers import Conditions, Precision
from tcpgoodput.engines.base import PACKET
from tcpgoodput.engines.closeness import Target
from tcpgoodput.engines.measurements import FROM_START, Request, Setting, extended_request
from tcpgoodput.engines.ns2 import CapacityAs
from tcpgoodput.engines.planning import BUDGETS
from tcpgoodput.engines.referee import Referee
from tcpgoodput.engines.referees import REFEREES, referee
from tcpgoodput.scenario import Scenario
from tcpgoodput.studies.schema import Figure, LineFigure, Source
from tcpgoodput.studies.sweeps import sweep_points


@dataclass(frozen=True)
class PointRequest:
    """A point of a figure at which an engine must measure the goodput."""

    panel: str
    series: str
    """Id of the figure's series to which the point belongs."""
    engine: str
    x: float
    packets: int | None
    """Approximate number of packets to send at precision `paper`; None: the engine's default."""
    scenario: Scenario
    profile: str | None = None
    """Name of a profile of Linux kernel settings; None: the default profile of the TCP variant."""
    capacity_as: CapacityAs = "link"
    """What varies the capacity in ns-2: the rate of the link, or cross-traffic with priority."""
    from_start: bool = False
    """True if the goodput is measured from the first packet on, without a warm-up."""
    runs: int | None = None
    """Number of independent runs of ns-2 or Linux; None: the engine's default."""
    half_width: float | None = None
    """Half-width of the interval, relative to the goodput, at which the simulator ends a
    measurement at precision `paper`; None: it sends all packets."""

    @property
    def referee(self) -> Referee:
        """The reference implementation that measures the point, with its settings."""
        return referee(self.engine, self.profile, self.capacity_as)

    def key(self, precision: Precision, seed: int) -> str:
        """Return the key under which the requested measurement is stored."""
        return self.engine_request(precision, seed).key + (FROM_START if self.from_start else "")

    def engine_request(self, precision: Precision, seed: int) -> Request:
        """Return the request to the engine; ns-2 and Linux ignore `precision` and `seed`."""
        if self.engine in REFEREES:
            return Request(self.engine, self.referee.setting(self.scenario), self.scenario)
        if precision == "paper" and self.half_width is not None:
            usual = BUDGETS[precision]
            most_packets = self.packets or usual.most_packets
            target = Target(self.half_width, most_packets, usual.replications)
            return extended_request(
                self.scenario, Conditions(precision=precision, seed=seed), target
            )
        setting = Setting(precision, seed, self.packets).on(self.scenario)
        return Request(self.engine, setting, self.scenario)


def point_requests(
    scenarios: Mapping[str, Scenario], figure: Figure, precision: Precision
) -> Iterator[PointRequest]:
    """Yield a request for each point of a figure that an engine (simulator or Linux) must measure.

    Only figures with lines and markers have such points.
    """
    if not isinstance(figure, LineFigure):
        return
    for name, panel in figure.panels.items():
        for series in panel.series:
            if series.engine is None:
                continue
            assert panel.sweep is not None  # the schema requires a sweep in panels with engines
            assert panel.scenario is not None
            base = scenarios[panel.scenario]
            for point in sweep_points(base, panel, panel.sweep, series, precision):
                packets = panel.sweep.measured_packets
                if series.engine in REFEREES:
                    packets = panel.sweep.recorded_packets or packets
                fields = (name, series.key, series.engine, point.x, packets, point.scenario)
                runs = panel.sweep.recorded_runs
                settings = (series.profile, series.capacity_as, series.from_start)
                half_width = panel.sweep.measured_half_width
                yield PointRequest(*fields, *settings, runs, half_width)


def requests_of(source: Source, conditions: Conditions) -> list[Request]:
    """Return the measurements that a study's figures request from the packet simulator."""
    return [
        point.engine_request(conditions.precision, conditions.seed)
        for figure in source.figures.figures.values()
        for point in point_requests(source.scenarios, figure, conditions.precision)
        if point.engine == PACKET
    ]
