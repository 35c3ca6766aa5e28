"""Record what a referee measures: side by side, run by run, resumed where it was stopped."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tcpgoodput.answers import Conditions, Undefined
from tcpgoodput.engines.base import Unavailable
from tcpgoodput.engines.observation import Observation
from tcpgoodput.engines.planning import Plan
from tcpgoodput.engines.records import SEEN, Row
from tcpgoodput.project.points import Point

Report = Callable[[int, int], object]


class Partial:
    """The runs that are done as long as others are missing: a file with a line for each.

    Its first line says under which circumstances they were made; runs made under others are
    begun anew.
    """

    def __init__(self, path: Path, circumstances: Mapping[str, Any]) -> None:
        """Read what an interrupted recording left, if it was one under these circumstances."""
        self.path = path
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        told = [content for line in lines if (content := _whole(line))]
        self.rows: list[Row] = []
        self.begun: dict[str, Any] = {}
        if told and told[0].get("circumstances") == dict(circumstances):
            self.begun, self.rows = told[0]["begun"], told[1:]
        else:
            path.unlink(missing_ok=True)
        self._circumstances = dict(circumstances)

    def begin(self, begun: Mapping[str, Any]) -> None:
        """Note how a new recording began."""
        self.begun = dict(begun)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._append({"circumstances": self._circumstances, "begun": self.begun})

    def add(self, row: Row) -> None:
        """Keep a run."""
        self.rows.append(row)
        self._append(row)

    def _append(self, content: Mapping[str, Any]) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(content) + "\n")


@dataclass
class Recorder:
    """The runs that are asked of one referee, and those that are done."""

    points: Sequence[Point]
    conditions: Conditions
    partial: Partial
    replications: int | None = None
    """Of each point; None: as many as the engine plans."""
    kept: Sequence[Row] = ()
    """Runs that are recorded already."""
    plans: dict[str, Plan] = field(default_factory=dict)
    """By the points' keys."""
    refused: dict[str, str] = field(default_factory=dict)
    """Why some points cannot be measured, by their keys."""

    def __post_init__(self) -> None:
        """Plan the runs."""
        for point in self.points:
            engine = point.referee
            reason = engine.inexpressible(point.scenario)
            try:
                if reason is None:
                    self.plans[point.key] = engine.plan(
                        point.scenario, self.conditions, point.asked.packets
                    )
            except Undefined as undefined:
                reason = str(undefined)
            if reason is not None:
                self.refused[point.key] = reason

    def record(self, report: Report) -> list[Row]:
        """Make all runs that are missing and return every run, in the points' order.

        Raises:
            Unavailable: some runs failed; those that did not are kept.

        """
        asked = self._asked()
        done = {(row["key"], row["replication"]): row for row in [*self.kept, *self.partial.rows]}
        missing = [run for run in asked if (run[1].key, run[0]) not in done]
        failed: list[str] = []
        if missing:
            with ThreadPoolExecutor(self.points[0].referee.abreast) as pool:
                jobs = [pool.submit(self._run, *run) for run in missing]
                try:
                    for job in as_completed(jobs):
                        try:
                            row = job.result()
                        except Unavailable as unavailable:
                            failed.append(str(unavailable))
                            continue
                        self.partial.add(row)
                        done[row["key"], row["replication"]] = row
                        report(len(done), len(asked))
                except BaseException:
                    pool.shutdown(wait=False, cancel_futures=True)
                    raise
        if failed:
            raise Unavailable(f"{len(failed)} runs failed, the others are kept: {failed[0]}")
        order = {point.key: place for place, point in enumerate(self.points)}

        def place(row: Row) -> tuple[int, str, int]:
            return order.get(row["key"], len(order)), row["key"], row["replication"]

        return sorted(done.values(), key=place)

    def _asked(self) -> list[tuple[int, Point]]:
        """Return every run, all points once before any of them again."""
        runs = [
            (number, point)
            for point in self.points
            if point.key in self.plans
            for number in range(self._replications(point))
        ]
        return sorted(runs, key=lambda run: run[0])

    def _replications(self, point: Point) -> int:
        return self.replications or point.asked.runs or self.plans[point.key].replications

    def _run(self, replication: int, point: Point) -> Row:
        asked, engine = point.asked, point.referee
        started = time.perf_counter()
        seen = engine.observe(point.scenario, self.conditions, replication, self.plans[point.key])
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


def _whole(line: str) -> dict[str, Any] | None:
    """Return a line's content, unless it was cut short."""
    try:
        content: dict[str, Any] = json.loads(line)
    except ValueError:
        return None
    return content


def sampled(points: Iterable[Point]) -> list[Point]:
    """Return one point of each series of markers: the middle one."""
    groups: dict[tuple[str, str, int], list[Point]] = {}
    for point in points:
        asked = point.asked
        groups.setdefault((point.figure, asked.panel, asked.series), []).append(point)
    return [group[len(group) // 2] for group in groups.values()]
