"""Scenarios at the points of a panel's sweep, and the requests for their measurements."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tcpgoodput.answers import Conditions, Precision
from tcpgoodput.engines.base import PACKET, REFEREE_NAMES
from tcpgoodput.engines.closeness import Target
from tcpgoodput.engines.measurements import FROM_START, Request, Setting, extended_request
from tcpgoodput.engines.ns2 import CapacityAs
from tcpgoodput.engines.planning import BUDGETS
from tcpgoodput.engines.referee import Referee
from tcpgoodput.engines.referees import REFEREES, referee
from tcpgoodput.scenario import Scenario, override
from tcpgoodput.storage import as_published
from tcpgoodput.studies.expressions import is_expression, resolved
from tcpgoodput.studies.schema import (
    Figure,
    Grid,
    LineFigure,
    Panel,
    Reduction,
    Series,
    Source,
    Sweep,
)


@dataclass(frozen=True)
class Point:
    """One point of a sweep: the x value, and the scenario at this value."""

    x: float
    scenario: Scenario


def grid_values(grid: Grid, precision: Precision) -> NDArray[np.float64]:
    """Return the sorted values of a grid without repetitions, rounded as in published tables.

    The last digits of numpy's logarithms depend on the processor, and the random numbers of a
    simulation depend on every digit of its scenario. Rounding removes these last digits.
    """
    values = np.array(grid.listed, dtype=float)
    if grid.points is not None:
        count = grid.points if isinstance(grid.points, int) else getattr(grid.points, precision)
        spacing = np.geomspace if grid.scale == "log" else np.linspace
        values = np.concatenate([values, spacing(grid.start, grid.stop, count)])
    return np.unique([as_published(value) for value in values])


MEASURED_POINTS = 13
DRAFT_POINTS = 5
"""MEASURED_POINTS: number of grid points at which engines measure by default. DRAFT_POINTS: largest
number of points of a sweep that the packet simulator measures at precision `draft`. Both were
chosen by hand."""


def measured_values(sweep: Sweep, precision: Precision) -> NDArray[np.float64]:
    """Return the sorted values of a sweep at which engines measure, fewer at precision `draft`."""
    grid = sweep.measured or sweep.values
    if sweep.measured is None and sweep.values.points is not None:
        grid = sweep.values.model_copy(update={"points": MEASURED_POINTS, "listed": []})
    values = grid_values(grid, "paper")
    if precision == "draft" and values.size > DRAFT_POINTS:
        return values[np.linspace(0, values.size - 1, DRAFT_POINTS).round().astype(int)]
    return values


def recorded_values(sweep: Sweep) -> NDArray[np.float64]:
    """Return the sorted values at which ns-2 and Linux measure, at every precision."""
    return (
        grid_values(sweep.recorded, "paper") if sweep.recorded else measured_values(sweep, "paper")
    )


def missed(reduction: Reduction, sweep: Sweep) -> tuple[str, str] | None:
    """Return why a reduction's range `over` or its x value `at` lies outside a sweep.

    The result has the key and a message.
    """
    grids = [grid for grid in (sweep.values, sweep.measured, sweep.recorded) if grid]
    values = np.concatenate([grid_values(grid, "paper") for grid in grids])
    low, high = float(values.min()), float(values.max())
    has = f"{sweep.variable} goes from {low:g} to {high:g}"
    if reduction.over is not None:
        first, last = reduction.over
        if first > last:
            return "over", f"goes from {first:g} down to {last:g}: the lower end comes first"
        if first > high or last < low:
            return "over", f"has no point between {first:g} and {last:g}: {has}"
    if reduction.at is not None and not low <= reduction.at <= high:
        return "at", f"is {reduction.at:g}, but {has}"
    return None


def _with(values: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sorted union of two arrays; numbers that differ only by rounding are merged."""
    lacking = [x for x in others if not np.isclose(x, values, rtol=1e-9, atol=0).any()]
    return np.sort(np.append(values, lacking))


def base_scenario(scenario: Scenario, panel: Panel, series: Series) -> Scenario:
    """Return the panel's scenario with the changes in `set` of the panel and of the series."""
    return override(override(scenario, panel.set), series.set)


def representative_values(grid: Grid) -> list[float]:
    """Return the first, middle and last value of a grid, at which a sweep is checked."""
    values = grid_values(grid, "draft")
    return [float(values[i]) for i in sorted({0, len(values) // 2, len(values) - 1})]


def sweep_points(
    scenarios: Mapping[str, Scenario], panel: Panel, series: Series, precision: Precision
) -> list[Point]:
    """Return the points of a panel's sweep at which a series is computed or measured.

    Engines measure at fewer points than models are evaluated at. A model is also evaluated where
    engines measure, so that the comparison needs no interpolation.
    """
    sweep = panel.sweep
    # The schema requires both in panels with models and engines.
    assert sweep is not None
    assert panel.scenario is not None
    if series.engine:
        values = _engine_values(series.engine, panel, sweep, precision)
    else:
        values = grid_values(sweep.values, precision)
        for engine in sorted({str(s.engine) for s in panel.series if s.engine}):
            values = _with(_engine_values(engine, panel, sweep, precision), values)
    base = scenarios[panel.scenario]
    return [sweep_point(base, panel, sweep, series, float(x)) for x in values]


def _engine_values(
    engine: str, panel: Panel, sweep: Sweep, precision: Precision
) -> NDArray[np.float64]:
    """Return the x at which an engine measures: at `paper`, `packet` also where the others do."""
    if engine in REFEREE_NAMES:
        return recorded_values(sweep)
    values = measured_values(sweep, precision)
    if precision == "paper" and any(s.engine in REFEREE_NAMES for s in panel.series):
        return _with(values, recorded_values(sweep))
    return values


def sweep_point(scenario: Scenario, panel: Panel, sweep: Sweep, series: Series, x: float) -> Point:
    """Return the scenario at one value of a sweep.

    The sweep changes the panel's scenario, then the series changes the result. So a series can set
    the swept quantity to a constant. The values of this series then do not depend on x.
    """
    swept = swept_scenario(scenario, panel, sweep, x)
    try:
        return Point(x, override(swept, resolved(series.set, {sweep.variable: x})))
    except ValueError as error:
        raise ValueError(_at(sweep, x, error, series.set)) from None


def swept_scenario(scenario: Scenario, panel: Panel, sweep: Sweep, x: float) -> Scenario:
    """Return a panel's scenario at one value of its sweep, without changes by a series."""
    try:
        return override(override(scenario, panel.set), resolved(sweep.set, {sweep.variable: x}))
    except ValueError as error:
        raise ValueError(_at(sweep, x, error, sweep.set)) from None


def _at(sweep: Sweep, x: float, error: ValueError, changes: Mapping[str, Any]) -> str:
    """Return a message on an error at one x; a hint names a missing `=` or a missing `round`."""
    texts = [value for value in changes.values() if isinstance(value, str)]
    variable = re.compile(rf"\b{re.escape(sweep.variable)}\b")
    slips = [text for text in texts if not is_expression(text) and variable.search(text)]
    hint = f"; an expression begins with =: '= {slips[0]}'" if slips else ""
    for key, value in changes.items():
        if is_expression(value) and re.search(f"{re.escape(key)}: .* a whole number", str(error)):
            hint = f"; such as {key}: '= round({value.removeprefix('=').strip()})'"
    return f"at {sweep.variable} = {x:g}: {error}{hint}"


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
            if series.engine is None or panel.sweep is None:
                continue
            packets = panel.sweep.measured_packets
            if series.engine in REFEREES:
                packets = panel.sweep.recorded_packets or packets
            for point in sweep_points(scenarios, panel, series, precision):
                yield PointRequest(
                    *(name, series.key, series.engine, point.x, packets, point.scenario),
                    *(series.profile, series.capacity_as, series.from_start),
                    *(panel.sweep.recorded_runs, panel.sweep.measured_half_width),
                )


def requests_of(source: Source, conditions: Conditions) -> list[Request]:
    """Return the measurements that a study's figures request from the packet simulator."""
    return [
        point.engine_request(conditions.precision, conditions.seed)
        for figure in source.figures.figures.values()
        for point in point_requests(source.scenarios, figure, conditions.precision)
        if point.engine == PACKET
    ]
