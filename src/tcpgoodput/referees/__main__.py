"""The workflow's own command: record what a study's figures ask of a referee.

python -m tcpgoodput.referees CONFIG STUDY ENGINE SUMMARY writes the runs to data/ENGINE/STUDY.csv,
or, of a sample, beside the summary; a recording that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tcpgoodput.engines import REFEREES, Unavailable
from tcpgoodput.files import write_text
from tcpgoodput.jobs import job_parser, run_job
from tcpgoodput.models import Conditions
from tcpgoodput.referees.points import Point, points_of
from tcpgoodput.referees.recorder import Recorder, sampled
from tcpgoodput.referees.records import (
    Row,
    provenance_path,
    read_rows,
    table_path,
    write_records,
)
from tcpgoodput.settings import load_configuration

SAMPLE_REPLICATIONS = 2


def main() -> int:
    """Record; 2 means that the configuration was refused, 1 that a run failed."""
    parser = job_parser("tcpgoodput.referees", config=Path, study=str)
    parser.add_argument("engine", choices=list(REFEREES))
    parser.add_argument("summary", type=Path)
    try:
        return run_job(parser, work)
    except Unavailable as error:
        print(error, file=sys.stderr)
        return 1


def work(arguments: argparse.Namespace) -> None:
    """Record what is asked, or what is missing of it, or a sample."""
    study, engine, summary = arguments.study, arguments.engine, arguments.summary
    configuration = load_configuration(arguments.config, arguments.changes, only=study)
    settings = configuration.settings
    conditions = Conditions(precision="paper", seed=settings.seed)
    every = points_of(configuration.sources[study], engine)
    refused = {p.key: reason for p in every if (reason := p.referee.inexpressible(p.scenario))}
    points = [point for point in every if point.key not in refused]
    table = table_path(engine, study)
    replications, kept, before = None, [], None
    if settings.referee_points == "quick":
        points, replications = sampled(points), SAMPLE_REPLICATIONS
        table = table_path(engine, study, summary.parent.parent / "sample")
    elif settings.referee_points == "missing":
        kept = [_typed(row) for row in read_rows(table)]
        before = _provenance(table) if kept else None
    if reason := REFEREES[engine].missing():
        raise Unavailable(reason)
    begun = _now()
    partial = summary.with_suffix(".partial.jsonl")
    REFEREES[engine].compile()
    checked = REFEREES[engine].check(conditions)
    recorder = Recorder(points, conditions, partial, replications, kept)
    rows = recorder.record(_show)
    provenance = {
        "made_by": f"snakemake referees --config referee_points={settings.referee_points}",
        "begun": begun,
        "ended": _now(),
        "seed": settings.seed,
        "tcpgoodput": version("tcpgoodput"),
        "python": platform.python_version(),
        **REFEREES[engine].provenance(),
        "baselines": {name: round(share, 4) for name, share in checked.items()},
        "refused": _reasons(every, refused),
        "scenarios": {p.key: _stated(p) for p in points},
        "before": before,
    }
    write_records(table, rows, provenance)
    write_text(summary, json.dumps(_compared(rows, table, engine, study), indent=1) + "\n")
    partial.unlink(missing_ok=True)


def _show(done: int, total: int) -> None:
    print(f"{_now()}  {done} of {total} runs", flush=True)


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def _provenance(table: Path) -> dict[str, Any]:
    """Return how the runs that are kept came about."""
    told: dict[str, Any] = json.loads(provenance_path(table).read_text(encoding="utf-8"))
    return {key: value for key, value in told.items() if key not in ("scenarios", "sha256")}


def _typed(row: Mapping[str, str]) -> Row:
    """Return a row as it was before it was written: what counts of it as a number is one."""
    return {**row, "replication": int(row["replication"])}


def _stated(point: Point) -> dict[str, Any]:
    stated = point.scenario.model_dump(mode="json", exclude_unset=True)
    return {"scenario": stated, "setting": point.referee.setting(point.scenario)}


def _reasons(points: Sequence[Point], refused: Mapping[str, str]) -> dict[str, str]:
    """Return why some points cannot be measured, by where they are asked for."""
    return {
        f"{p.figure} {p.asked.panel} {p.asked.x:g} {p.scenario.tcp.variant}": refused[p.key]
        for p in points
        if p.key in refused
    }


def _compared(rows: Sequence[Row], table: Path, engine: str, study: str) -> dict[str, Any]:
    """Return what was measured, and for a sample how it compares with the records."""
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
