"""Answer what a figure asks, from models and from what was measured.

python -m tcpgoodput.studies.answer REQUEST ANSWERS [MEASUREMENTS]
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tcpgoodput.answers import Conditions
from tcpgoodput.configuration import refused
from tcpgoodput.engines.measurements import read_measurements
from tcpgoodput.engines.records import recorded
from tcpgoodput.jobs.command import job_parser, run_job
from tcpgoodput.models.own import add_checked
from tcpgoodput.scenario import Scenario
from tcpgoodput.studies.answering import Computed, Point, answers
from tcpgoodput.studies.curves import wrong_marks
from tcpgoodput.studies.requests import figure_of, load_code_of, scenarios_in
from tcpgoodput.studies.schema import Figure, LineFigure
from tcpgoodput.studies.store import write_answers


def work(arguments: argparse.Namespace) -> None:
    """Answer one request.

    Raises:
        ConfigurationError: options or marks of the figure that only their curve can judge.

    """
    request = json.loads(arguments.request.read_text(encoding="utf-8"))
    load_code_of(request)
    figure, scenarios = figure_of(request), scenarios_in(request)
    rows = read_measurements(*arguments.measurements)
    measured = {key: row.rounded() for key, row in rows.items()}  # as figures have always shown it
    if request["recorded"]:
        measured |= recorded(request["recorded"])
    add_checked(request.get("files", ()))
    conditions, points = Conditions(**request["conditions"]), points_in(request)
    try:
        computed = answers(scenarios, figure, conditions, points, measured)
        check_marks(figure, computed)
    except (ValueError, TypeError) as error:
        raise refused(request["file"], f"figures.{arguments.request.stem}", str(error)) from error
    write_answers(computed, arguments.answers)


def points_in(record: Mapping[str, Any]) -> list[Point]:
    """Return the points of a request that engines were asked about."""
    return [
        Point(**{**point, "scenario": Scenario.model_validate(point["scenario"])})
        for point in record["points"]
    ]


def check_marks(figure: Figure, computed: Computed) -> None:
    """Evaluate the positions of all marks.

    Raises:
        ValueError: a mark names a landmark that the panel's curves do not have.

    """
    for name, panel in figure.panels.items() if isinstance(figure, LineFigure) else ():
        for position, _, message in wrong_marks(panel, computed.landmarks[name]):
            raise ValueError(f"panel {name}, mark {position}: {message}")


def main() -> int:
    """Run the job; see `run_job`."""
    parser = job_parser("tcpgoodput.studies.answer", "request", "answers")
    parser.add_argument("measurements", type=Path, nargs="*")
    return run_job(parser, work)


if __name__ == "__main__":
    sys.exit(main())
