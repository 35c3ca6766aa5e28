"""What the simulation notebook calls: all that the figures of one source ask engines to measure.

python -m tcpgoodput.studies.simulations CONFIG SOURCE NOTEBOOK FOLDER writes a plan of it, as JSON,
and runs the notebook on the plan; the measurements go to FOLDER/measured/FIGURE.csv.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tcpgoodput.answers import Conditions, Undefined
from tcpgoodput.engines import ENGINES, REFERENCE, Measurement
from tcpgoodput.project.settings import Configuration
from tcpgoodput.scenario import Scenario, random_stream
from tcpgoodput.storage.files import write_text
from tcpgoodput.storage.tables import csv_text
from tcpgoodput.studies.measured import COLUMNS, Asked, asked_points, row
from tcpgoodput.workflow.notebooks import notebook_job

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure as Picture


def plan(configuration: Configuration, source: str) -> str:
    """Return all that measuring a source's figures depends on, as JSON."""
    study = configuration.sources[source]
    settings = configuration.settings
    figures: dict[str, list[dict[str, Any]]] = {}
    for name, figure in study.figures.figures.items():
        for asked in asked_points(study, figure, settings.precision):
            if asked.engine != REFERENCE:
                continue
            point = {"panel": asked.panel, "series": asked.series, "engine": asked.engine}
            stated = asked.scenario.model_dump(mode="json", exclude_unset=True)
            point |= {"x": asked.x, "packets": asked.packets, "scenario": stated}
            figures.setdefault(name, []).append(point)
    content = {"precision": settings.precision, "seed": settings.seed, "figures": figures}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


@dataclass(frozen=True)
class Point:
    """A measured point of a figure."""

    figure: str
    asked: Asked
    measurement: Measurement | None
    """None: the engine could not measure it."""
    reason: str | None


@dataclass
class Simulations:
    """The measurements of one source's figures."""

    path: Path
    points: list[Point] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Read the plan."""
        self.path = Path(self.path)
        self._plan = json.loads(self.path.read_text(encoding="utf-8"))
        self.conditions = Conditions(precision=self._plan["precision"], seed=self._plan["seed"])

    def _asked(self) -> Iterator[tuple[str, Asked]]:
        for figure, points in self._plan["figures"].items():
            for point in points:
                scenario = Scenario.model_validate(point["scenario"])
                yield figure, Asked(**{**point, "scenario": scenario})

    def run(self) -> None:
        """Measure every point once, whatever figures ask for it, and write the results."""
        known: dict[str, tuple[Measurement | None, str | None]] = {}
        for figure, asked in self._asked():
            content = asked.scenario.model_dump_json(exclude={"id", "title"})
            key = f"{asked.engine} {asked.packets} {content}"
            if key not in known:
                known[key] = self._measure(asked)
            self.points.append(Point(figure, asked, *known[key]))
        for figure in self._plan["figures"]:
            own = [point for point in self.points if point.figure == figure]
            path = self.path.parent / "measured" / f"{figure}.csv"
            write_text(path, csv_text(COLUMNS, (_row(point) for point in own)))

    def _measure(self, asked: Asked) -> tuple[Measurement | None, str | None]:
        try:
            measurement = ENGINES[asked.engine].measure(
                asked.scenario, self.conditions, packets=asked.packets
            )
        except Undefined as undefined:
            return None, str(undefined)
        return measurement, measurement.reason

    def summary(self) -> pd.DataFrame:
        """Return one row per figure: its points, packets, and widest interval."""
        import pandas as pd

        rows = []
        for figure in self._plan["figures"]:
            own = [p for p in self.points if p.figure == figure]
            measured = [p.measurement for p in own if p.measurement]
            widths = [m.goodput_pps.relative for m in measured]
            rows.append(
                {
                    "figure": figure,
                    "points": len(own),
                    "replications": measured[0].goodput_pps.replications if measured else 0,
                    "million packets": round(sum(m.packets_sent for m in measured) / 1e6, 2),
                    "median half-width, %": round(100 * float(pd.Series(widths).median()), 2),
                    "widest, %": round(100 * max(widths, default=0), 2),
                    "seconds": round(sum(m.wall_s for m in measured), 2),
                }
            )
        return pd.DataFrame(rows)

    def doubtful(self) -> pd.DataFrame:
        """Return the points that could not be measured, or only with a wide interval."""
        import pandas as pd

        rows = [
            {
                "figure": p.figure,
                "panel": p.asked.panel,
                "series": p.asked.series,
                "x": p.asked.x,
                "why": p.reason,
            }
            for p in self.points
            if p.reason
        ]
        return pd.DataFrame(rows, columns=["figure", "panel", "series", "x", "why"])

    def convergence(self) -> Picture:
        """Draw how the mean of the widest point settles as replications are added."""
        import matplotlib.pyplot as plt

        from tcpgoodput.numerics.statistics import Interval

        measured = [p for p in self.points if p.measurement]
        widest = max(measured, key=lambda p: _relative_width(p.measurement))
        each = widest.measurement.each_pps  # type: ignore[union-attr]
        counts = range(2, len(each) + 1)
        intervals = [Interval.of(each[:count]) for count in counts]
        picture, axes = plt.subplots(figsize=(6, 2.6), layout="constrained")
        axes.errorbar(
            counts, [i.mean for i in intervals], [i.half_width for i in intervals], fmt="o-", ms=3
        )
        axes.set_xlabel("Replications")
        axes.set_ylabel("Goodput, plain mean [packets/s]")
        axes.set_title(f"{widest.figure}, panel {widest.asked.panel}, x = {widest.asked.x:g}")
        plt.close(picture)
        return picture

    def window_trace(self, events: int = 4000) -> Picture:
        """Draw the window of the first point's connection over its first events."""
        import matplotlib.pyplot as plt

        from tcpgoodput.simulator.clock import TICKS_PER_S
        from tcpgoodput.simulator.simulation import Simulation

        asked = self.points[0].asked
        stream = random_stream(asked.scenario, self.conditions.seed, 0)
        simulation = Simulation(asked.scenario, stream, traced_events=events)
        duration_s = 1.0
        while simulation.run(duration_s) and simulation.events()[0].size < events:
            duration_s *= 2
        told, _ = simulation.events()
        picture, axes = plt.subplots(figsize=(6, 2.6), layout="constrained")
        axes.step(told["time"] / TICKS_PER_S, told["cwnd"], where="post", linewidth=0.9)
        axes.set_xlabel("Time [s]")
        axes.set_ylabel("cwnd [packets]")
        axes.set_title(f"{self.points[0].figure}, panel {asked.panel}, x = {asked.x:g}")
        plt.close(picture)
        return picture


def _relative_width(measurement: Measurement | None) -> float:
    assert measurement is not None  # only measured points are compared
    return measurement.goodput_pps.relative


def _row(point: Point) -> dict[str, Any]:
    if point.measurement is not None:
        return row(point.asked, point.measurement)
    asked = point.asked
    empty = {"panel": asked.panel, "series": asked.series, "engine": asked.engine, "x": asked.x}
    return {**empty, "replications": 0, "reason": point.reason}


def main() -> int:
    """Plan the measurements of one source's figures and run the notebook that makes them."""
    return notebook_job(
        "tcpgoodput.studies.simulations", "plan", "simulation.json", plan, "simulation.ipynb"
    )


if __name__ == "__main__":
    sys.exit(main())
