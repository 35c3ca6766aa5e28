"""The workflow's own command: record what a study's figures ask of a referee.

python -m tcpgoodput.project.recording CONFIG STUDY ENGINE SUMMARY writes the runs to data/ENGINE/STUDY.csv,
or, of a sample, beside the summary; a recording that was stopped goes on where it was. STUDY may
be `comparison`: the scenarios on which all models are compared.
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

from tcpgoodput.answers import Conditions
from tcpgoodput.comparison.files import load_comparison
from tcpgoodput.configuration import refused
from tcpgoodput.engines.base import Unavailable
from tcpgoodput.engines.planning import Plan
from tcpgoodput.engines.records import (
    COMPARISON,
    Row,
    read_provenance,
    read_rows,
    table_path,
    write_records,
)
from tcpgoodput.engines.referees import REFEREES
from tcpgoodput.jobs import job_parser, run_job
from tcpgoodput.project.configuration import DEFAULT_PATH, Settings
from tcpgoodput.project.points import Point, compared_points, points_of
from tcpgoodput.project.recorder import Partial, Recorder, sampled
from tcpgoodput.project.settings import load_configuration, load_settings
from tcpgoodput.storage.files import write_text

SAMPLE_REPLICATIONS = 2
SAMPLE_STRIDE = 16
"""Of the comparison's rows, every so many are in a sample."""

OWNER = str(DEFAULT_PATH)
"""Whose figures the records of a table were made for that does not say so."""


def main() -> int:
    """Record; 2 means that the configuration was refused, 1 that a run failed."""
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
    """Record what is asked, or what is missing of it, or a sample."""
    study, engine, summary = arguments.study, arguments.engine, arguments.summary
    settings, points = _asked(arguments)
    conditions = Conditions(precision="paper", seed=settings.seed)
    mode = settings.referee_points
    table, replications = table_path(engine, study), None
    kept: list[Row] = []
    before: dict[str, Any] = {}
    if mode == "quick":
        points = points[::SAMPLE_STRIDE] if study == COMPARISON else sampled(points)
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
        provenance = {
            "made_by": f"snakemake referees --config referee_points={mode}",
            "configuration": before.get("configuration", OWNER) if kept else str(arguments.config),
            "begun": partial.begun["at"],
            "ended": _now(),
            **circumstances,
            "tcpgoodput": version("tcpgoodput"),
            "python": platform.python_version(),
            **REFEREES[engine].provenance(),
            "baselines": partial.begun["baselines"],
            "worst": _worst(rows),
            "refused": _reasons(points, recorder.refused),
            "points": {**before.pop("points", {}), **_stated(points, recorder.plans)},
            "before": before or None,
        }
        write_records(table, rows, provenance)
    write_text(summary, json.dumps(_compared(rows, table, engine, study), indent=1) + "\n")
    partial.path.unlink(missing_ok=True)


def _refuse_to_replace(table: Path, configuration: Path) -> None:
    """Keep what another configuration's figures asked for.

    Raises:
        ConfigurationError: the table was recorded for another configuration.

    """
    if not table.exists():
        return
    asked_by = read_provenance(table).get("configuration", OWNER)
    if Path(asked_by).resolve() != configuration.resolve():
        message = (
            f"{table} was recorded for {asked_by}, and would be replaced: "
            "`missing` adds to it, `quick` leaves it alone"
        )
        raise refused("--config", "referee_points", message)


def _asked(arguments: argparse.Namespace) -> tuple[Settings, list[Point]]:
    """Return the settings, and what the study asks of the engine."""
    path, changes, study = arguments.config, arguments.changes, arguments.study
    if study == COMPARISON:
        settings = load_settings(path, changes)
        assert settings.comparison is not None  # or there would be no such job
        compared = load_comparison(path.parent / settings.comparison)
        return settings, compared_points(compared, arguments.engine)
    configuration = load_configuration(path, changes, only=study)
    return configuration.settings, points_of(configuration.sources[study], arguments.engine)


def _show(done: int, total: int) -> None:
    print(f"{_now()}  {done} of {total} runs", flush=True)


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def _worst(rows: Sequence[Row]) -> dict[str, float]:
    """Return how much the machine disturbed the runs at worst."""
    names = [name for name in rows[0] if name.startswith("late_")]
    return {name: max(float(row[name]) for row in rows) for name in names}


def _stated(points: Sequence[Point], plans: Mapping[str, Plan]) -> dict[str, Any]:
    """Return what was measured under each key, and for how long."""
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
