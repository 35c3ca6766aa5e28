"""Record measurements by ns-2 or Linux for a study or the comparison.

python -m tcpgoodput.project.recording CONFIG STUDY ENGINE SUMMARY

The command writes the results to data/ENGINE/STUDY.csv, and a summary to the JSON file SUMMARY.
With `referee_points: quick` in CONFIG it measures only a sample of the connections, and writes to
the folder `sample` next to the folder of SUMMARY. After an interruption the same command continues
the recording. STUDY may be `comparison` for the scenarios on which all models are compared, or
`heldout` for a third of the held-out connections, which are drawn at random for validation, or
`inputs` for random connections on which predictions with less knowledge are judged.
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tcpgoodput.answers import Conditions, Undefined
from tcpgoodput.comparison import validation
from tcpgoodput.comparison.files import Compared, load_comparison
from tcpgoodput.comparison.inputs import Inputs
from tcpgoodput.comparison.requests import NO_SEED, compared_requests
from tcpgoodput.configuration import refused
from tcpgoodput.engines.base import Unavailable
from tcpgoodput.engines.planning import Plan
from tcpgoodput.engines.records import (
    COMPARISON,
    HELD_OUT,
    INPUTS,
    SEEN,
    Row,
    read_provenance,
    read_rows,
    table_path,
    write_records,
)
from tcpgoodput.engines.referee import Referee
from tcpgoodput.engines.referees import REFEREES
from tcpgoodput.engines.run import Observation
from tcpgoodput.jobs import job_parser, run_job
from tcpgoodput.project.checked import checked
from tcpgoodput.project.settings import DEFAULT_PATH, Settings, load_settings
from tcpgoodput.scenario import Scenario
from tcpgoodput.storage import write_text
from tcpgoodput.studies.schema import Source
from tcpgoodput.studies.sweeps import PointRequest, point_requests


@dataclass(frozen=True)
class Point:
    """A connection that a reference implementation (ns-2 or Linux) must measure."""

    key: str
    """Key of the connection's measurements in the recorded table."""
    figure: str
    """First figure that shows the connection; `panel` and `x` of the request refer to this figure.
    For the comparison of models, the name of the scenario's file without suffix."""
    request: PointRequest

    @property
    def referee(self) -> Referee:
        """The reference implementation that measures the connection."""
        return self.request.referee

    @property
    def scenario(self) -> Scenario:
        """The scenario that the reference implementation must measure."""
        return self.request.scenario


def points_of(source: Source, engine: str) -> list[Point]:
    """Return the points of a study's figures that an engine must measure, without repetition."""
    return _each_once(
        (name, request)
        for name, figure in source.figures.figures.items()
        for request in point_requests(source.scenarios, figure, "paper")
        if request.engine == engine
    )


def compared_points(compared: Compared, engine: str) -> list[Point]:
    """Return the points of the comparison of models that an engine must measure, each once."""
    return _each_once(
        (stem, request)
        for stem in compared.scenarios
        for request in compared_requests(compared, stem, engine)
    )


def held_points(compared: Compared, engine: str) -> list[Point]:
    """Return the held-out connections that ns-2 or Linux must measure, each once."""
    # The workflow runs this job only if held-out connections are configured.
    assert compared.held is not None
    held = validation.connections(compared.held)
    copies = validation.copies(compared, held).values()
    every = [*validation.recorded(held), *(c for own in copies for c in own)]
    return _each_once(
        (HELD_OUT, PointRequest(c.scenario.id, engine, engine, float(c.number), None, c.scenario))
        for c in every
    )


def judged_points(inputs: Inputs, engine: str) -> list[Point]:
    """Return the random connections that ns-2 or Linux must measure; see `inputs.Judge`."""
    judge = inputs.settings.judges[engine]  # type: ignore[index]
    return _each_once(
        (
            INPUTS,
            PointRequest(
                *(c.scenario.id, engine, engine, float(c.number), judge.packets, c.scenario),
                runs=judge.runs,
            ),
        )
        for c in inputs.judged[engine]
    )


def _each_once(every: Iterable[tuple[str, PointRequest]]) -> list[Point]:
    """Return the points without repetition, each with the first figure that needs it."""
    found: dict[str, Point] = {}
    for figure, request in every:
        key = request.engine_request("paper", NO_SEED).key
        found.setdefault(key, Point(key, figure, request))
    return list(found.values())


Report = Callable[[int, int], object]


class Partial:
    """File with the finished runs of an incomplete recording: JSON, one run in each line.

    The first line contains the circumstances of the runs, such as a digest of the engine's code. If
    the circumstances have changed, the finished runs are discarded.
    """

    def __init__(self, path: Path, circumstances: Mapping[str, Any]) -> None:
        """Read the runs of an interrupted recording, if the circumstances have not changed."""
        self.path = path
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        lines = text.splitlines()
        contents = [content for line in lines if (content := _whole(line))]
        self.rows: list[Row] = []
        self.begun: dict[str, Any] = {}
        if contents and contents[0].get("circumstances") == dict(circumstances):
            self.begun, self.rows = contents[0]["begun"], contents[1:]
            if not text.endswith("\n"):  # an interruption has truncated the last line
                with path.open("a", encoding="utf-8") as file:
                    file.write("\n")
        else:
            path.unlink(missing_ok=True)
        self._circumstances = dict(circumstances)

    def begin(self, begun: Mapping[str, Any]) -> None:
        """Write the first line of a new recording: its circumstances, and when it begins."""
        self.begun = dict(begun)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._append({"circumstances": self._circumstances, "begun": self.begun})

    def add(self, row: Row) -> None:
        """Append a finished run to the file, as one line."""
        self.rows.append(row)
        self._append(row)

    def _append(self, content: Mapping[str, Any]) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(content) + "\n")


@dataclass
class Recorder:
    """All runs that one engine must do for a study, and which of these runs are finished."""

    points: Sequence[Point]
    conditions: Conditions
    partial: Partial
    replications: int | None = None
    """Number of runs for each point; None: the number that the study or the engine plans."""
    kept: Sequence[Row] = ()
    """Runs that are in the recorded table already, which are not repeated."""
    plans: dict[str, Plan] = field(default_factory=dict)
    """Warm-up, measured time and number of runs of each point that the engine can measure, by the
    point's key."""
    refused: dict[str, str] = field(default_factory=dict)
    """For each point that the engine cannot measure, the reason, by the point's key."""

    def __post_init__(self) -> None:
        """Plan the runs of all points that the engine can measure."""
        for point in self.points:
            engine = point.referee
            reason = engine.refusal(point.scenario)
            try:
                if reason is None:
                    self.plans[point.key] = engine.plan(
                        point.scenario, self.conditions, point.request.packets
                    )
            except Undefined as undefined:
                reason = str(undefined)
            if reason is not None:
                self.refused[point.key] = reason

    def record(self, report: Report) -> list[Row]:
        """Do all missing runs, and return all runs in the order of the points.

        Runs of the recorded table whose points are no longer requested come last.

        Args:
            report: function that is called with the numbers of finished and of all runs.

        Raises:
            Unavailable: some runs failed; the others are kept.

        """
        runs = [
            (number, point)
            for point in self.points
            if (plan := self.plans.get(point.key))
            for number in range(self.replications or point.request.runs or plan.replications)
        ]
        runs.sort(key=lambda run: run[0])
        done = {(row["key"], row["replication"]): row for row in [*self.kept, *self.partial.rows]}
        missing = [run for run in runs if (run[1].key, run[0]) not in done]
        failed: list[str] = []
        finished = len(runs) - len(missing)
        if missing:
            with ThreadPoolExecutor(self.points[0].referee.parallel_runs) as pool:
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
                        finished += 1
                        report(finished, len(runs))
                except BaseException:
                    pool.shutdown(wait=False, cancel_futures=True)
                    raise
        if failed:
            raise Unavailable(f"{len(failed)} runs failed, the others are kept: {failed[0]}")
        order = {point.key: place for place, point in enumerate(self.points)}

        def place(row: Row) -> tuple[int, str, int]:
            return order.get(row["key"], len(order)), row["key"], row["replication"]

        return sorted(done.values(), key=place)

    def _run(self, replication: int, point: Point) -> Row:
        request, engine = point.request, point.referee
        started = time.perf_counter()
        seen = engine.observe(point.scenario, self.conditions, replication, self.plans[point.key])
        return {
            "key": point.key,
            "figure": point.figure,
            "panel": request.panel,
            "x": request.x,
            "setting": engine.setting(point.scenario),
            "replication": replication,
            **columns_of(seen),
            "wall_s": round(time.perf_counter() - started, 3),
        }


def columns_of(seen: Observation) -> Row:
    """Return an engine's observation of a run as columns of the recorded table."""
    own = {name: getattr(seen, name) for name in SEEN}
    return {"goodput_pps": seen.goodput_pps, **own, **seen.details}


def _whole(line: str) -> dict[str, Any] | None:
    """Return the content of a line of JSON; None if an interruption has truncated the line."""
    try:
        content: dict[str, Any] = json.loads(line)
    except ValueError:
        return None
    return content


def sampled(points: Iterable[Point]) -> list[Point]:
    """Return a sample of a study's points: the middle point of each measured series of a figure."""
    groups: dict[tuple[str, str, int], list[Point]] = {}
    for point in points:
        request = point.request
        groups.setdefault((point.figure, request.panel, request.series), []).append(point)
    return [group[len(group) // 2] for group in groups.values()]


SAMPLE_REPLICATIONS = 2
SAMPLE_STRIDE = 16
"""SAMPLE_STRIDE: step of a sample (`referee_points: quick`). The sample contains every 16th point
of the comparison of models, or every 16th held-out or random connection. SAMPLE_REPLICATIONS:
number of runs of each sampled point. Both were chosen by hand."""

OWNER = str(DEFAULT_PATH)
"""Settings file to which a recorded table belongs if its provenance does not name one."""


def main() -> int:
    """Run the job; return its exit status: 1 if a run failed, 2 for an invalid configuration."""
    parser = job_parser("tcpgoodput.project.recording", "config")
    parser.add_argument("--changes", type=json.loads, default={}, help="settings, as JSON")
    parser.add_argument("study")
    parser.add_argument("engine", choices=list(REFEREES))
    parser.add_argument("summary", type=Path)
    try:
        return run_job(parser, work)
    except Unavailable as error:
        print(error, file=sys.stderr)
        return 1


def work(arguments: argparse.Namespace) -> None:
    """Record all runs, only the missing ones, or a sample, as the setting `referee_points` says.

    Raises:
        ConfigurationError: all runs are to be recorded anew, but the table belongs to another
            configuration.
        Unavailable: the engine is not installed, or a run failed.

    """
    study, engine, summary = arguments.study, arguments.engine, arguments.summary
    settings, points = _chosen(arguments)
    conditions = Conditions(precision="paper", seed=settings.seed)
    mode = settings.referee_points
    table, replications = table_path(engine, study), None
    kept: list[Row] = []
    before: dict[str, Any] = {}
    if mode == "quick":
        points = (
            points[::SAMPLE_STRIDE] if study in (COMPARISON, HELD_OUT, INPUTS) else sampled(points)
        )
        replications = SAMPLE_REPLICATIONS
        table = table_path(engine, study, summary.parent.parent / "sample")
    elif mode == "all":
        _refuse_to_replace(table, arguments.config)
    elif table.exists():
        before = read_provenance(table)
        kept = [{**row, "replication": int(row["replication"])} for row in read_rows(table)]
    if reason := REFEREES[engine].missing():
        raise Unavailable(reason)
    circumstances = {
        "mode": mode,
        "seed": settings.seed,
        "code": REFEREES[engine].code(),
        "kernel": platform.release(),
    }
    partial = Partial(summary.with_suffix(f".{mode}.partial.jsonl"), circumstances)
    REFEREES[engine].compile()
    if not partial.begun:
        partial.begin({"at": _now(), "baselines": REFEREES[engine].check(conditions)})
    recorder = Recorder(points, conditions, partial, replications, kept)
    rows = recorder.record(_show)
    if len(rows) > len(kept):
        earlier = before.pop("points", {})
        provenance = {
            "made_by": f"snakemake record_referees --config referee_points={mode}",
            "configuration": before.get("configuration", OWNER) if kept else str(arguments.config),
            "begun": partial.begun["at"],
            "ended": _now(),
            **circumstances,
            "tcpgoodput": version("tcpgoodput"),
            "python": platform.python_version(),
            **REFEREES[engine].provenance(),
            "baselines": partial.begun["baselines"],
            # The largest lateness of Linux's emulated path.
            "worst": {
                name: max(float(row[name]) for row in rows)
                for name in rows[0]
                if name.startswith("late_")
            },
            "refused": _reasons(points, recorder.refused),
            "points": {**earlier, **_stated(points, recorder.plans)},
            "before": before or None,
        }
        write_records(table, rows, provenance)
    write_text(summary, json.dumps(_compared(rows, table, engine, study), indent=1) + "\n")
    partial.path.unlink(missing_ok=True)


def _refuse_to_replace(table: Path, configuration: Path) -> None:
    """Refuse to replace a recorded table that belongs to another configuration."""
    if not table.exists():
        return
    owner = read_provenance(table).get("configuration", OWNER)
    if Path(owner).resolve() != configuration.resolve():
        message = (
            f"{table} was recorded for {owner}, and would be replaced: "
            "`missing` adds to it, `quick` leaves it alone"
        )
        raise refused("--config", "referee_points", message)


def _chosen(arguments: argparse.Namespace) -> tuple[Settings, list[Point]]:
    """Return the settings, and the points that the engine must measure for a study."""
    path, changes, study = arguments.config, arguments.changes, arguments.study
    if points := {COMPARISON: compared_points, HELD_OUT: held_points}.get(study):
        settings = load_settings(path, changes)
        # The workflow runs this job only if a comparison is configured.
        assert settings.comparison is not None
        compared = load_comparison(path.parent / settings.comparison)
        return settings, points(compared, arguments.engine)
    configuration = checked(path, changes)
    if study == INPUTS:
        # The workflow runs this job only if inputs are configured.
        assert configuration.inputs is not None
        return configuration.settings, judged_points(configuration.inputs, arguments.engine)
    return configuration.settings, points_of(configuration.sources[study], arguments.engine)


def _show(done: int, total: int) -> None:
    print(f"{_now()}  {done} of {total} runs", flush=True)


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def _stated(points: Sequence[Point], plans: Mapping[str, Plan]) -> dict[str, Any]:
    """Return the scenario, the setting and the durations of each planned point, by key."""
    return {
        point.key: {
            "scenario": point.scenario.stated(),
            "setting": point.referee.setting(point.scenario),
            "warm_up_s": plans[point.key].warm_up_s,
            "measured_s": plans[point.key].measured_s,
        }
        for point in points
        if point.key in plans
    }


def _reasons(points: Sequence[Point], refused: Mapping[str, str]) -> dict[str, str]:
    """Return the reasons why some points cannot be measured, by figure, panel, x and variant."""
    return {
        f"{p.figure} {p.request.panel} {p.request.x:g} {p.scenario.tcp.variant}": refused[p.key]
        for p in points
        if p.key in refused
    }


def _compared(rows: Sequence[Row], table: Path, engine: str, study: str) -> dict[str, Any]:
    """Return a summary of the recorded runs, as a dict that can be written as JSON.

    For a sample, the entry `to_record` compares the goodput of each run with the range of goodputs
    that were recorded earlier.
    """
    recorded: dict[str, list[float]] = {}
    if table != table_path(engine, study):
        for row in read_rows(table_path(engine, study)):
            recorded.setdefault(row["key"], []).append(float(row["goodput_pps"]))
    return {
        "table": str(table),
        "runs": len(rows),
        "points": len({row["key"] for row in rows}),
        "to_record": [
            {
                "figure": row["figure"],
                "panel": row["panel"],
                "x": row["x"],
                "goodput_pps": row["goodput_pps"],
                "recorded_pps": [min(recorded[row["key"]]), max(recorded[row["key"]])],
            }
            for row in rows
            if row["key"] in recorded
        ],
    }


if __name__ == "__main__":
    sys.exit(main())
