"""Record what a referee measures: side by side, run by run, resumed where it was stopped."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

from tcpgoodput.engines import Observation, Unavailable
from tcpgoodput.models import Conditions
from tcpgoodput.referees.points import Point
from tcpgoodput.referees.records import SEEN, Row

Report = Callable[[int, int], object]


@dataclass
class Recorder:
    """The runs that are asked of one referee, and those that are done."""

    points: Sequence[Point]
    conditions: Conditions
    partial: Path
    """Runs that are done, a line each, as long as others are missing."""
    replications: int | None = None
    """Of each point; None: as many as the engine plans."""
    rows: list[Row] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Read what an interrupted recording left."""
        if self.partial.exists():
            lines = self.partial.read_text(encoding="utf-8").splitlines()
            self.rows += [row for line in lines if (row := _whole(line))]

    def record(self, report: Report) -> list[Row]:
        """Make all runs that are missing and return every run, in the points' order.

        Raises:
            Unavailable: some runs failed; those that did not are kept.

        """
        asked = self._asked()
        done = {(row["key"], row["replication"]) for row in self.rows}
        missing = [run for run in asked if (run[1].key, run[0]) not in done]
        self.partial.parent.mkdir(parents=True, exist_ok=True)
        failed: list[str] = []
        if missing:
            with (
                self.partial.open("a", encoding="utf-8") as file,
                ThreadPoolExecutor(self.points[0].referee.abreast) as pool,
            ):
                jobs = [pool.submit(self._run, *run) for run in missing]
                try:
                    for job in as_completed(jobs):
                        try:
                            row = job.result()
                        except Unavailable as unavailable:
                            failed.append(str(unavailable))
                            continue
                        self.rows.append(row)
                        file.write(json.dumps(row) + "\n")
                        file.flush()
                        report(len(self.rows), len(asked))
                except BaseException:
                    pool.shutdown(wait=False, cancel_futures=True)
                    raise
        if failed:
            raise Unavailable(f"{len(failed)} runs failed, the others are kept: {failed[0]}")
        order = {point.key: place for place, point in enumerate(self.points)}
        known = [row for row in self.rows if row["key"] in order]
        return sorted(known, key=lambda row: (order[row["key"]], row["replication"]))

    def _asked(self) -> list[tuple[int, Point]]:
        """Return every run, all points once before any of them again."""
        runs: list[tuple[int, Point]] = []
        for point in self.points:
            plan = point.referee.plan(point.scenario, self.conditions, point.asked.packets)
            count = self.replications or plan.replications
            runs += [(number, point) for number in range(count)]
        return sorted(runs, key=lambda run: run[0])

    def _run(self, replication: int, point: Point) -> Row:
        asked, engine = point.asked, point.referee
        plan = engine.plan(point.scenario, self.conditions, asked.packets)
        started = time.perf_counter()
        seen = engine.observe(point.scenario, self.conditions, replication, plan)
        return {
            "key": point.key,
            "figure": point.figure,
            "panel": asked.panel,
            "x": asked.x,
            "setting": engine.setting(point.scenario),
            "replication": replication,
            **told(seen),
            "wall_s": round(time.perf_counter() - started, 3),
        }


def told(seen: Observation) -> Row:
    """Return an observation as part of a row."""
    own = {name: getattr(seen, name) for name in SEEN}
    return {"goodput_pps": seen.goodput_pps, **own, **seen.details}


def _whole(line: str) -> Row | None:
    """Return a line's row, unless it was cut short."""
    try:
        row: Row = json.loads(line)
    except ValueError:
        return None
    return row


def sampled(points: Iterable[Point]) -> list[Point]:
    """Return one point of each panel and setting: the middle one."""
    groups: dict[tuple[str, str, int], list[Point]] = {}
    for point in points:
        asked = point.asked
        groups.setdefault((point.figure, asked.panel, asked.series), []).append(point)
    return [group[len(group) // 2] for group in groups.values()]
