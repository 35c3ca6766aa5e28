"""Measure what a comparison asks for, or ask the models about what was measured.

python -m tcpgoodput.comparison CONFIG measure-scenario|measure-map NAME OUTPUT
python -m tcpgoodput.comparison CONFIG answer-scenarios MEASURED ANSWERS
python -m tcpgoodput.comparison CONFIG answer-map NAME MEASURED OUTPUT
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tcpgoodput.answers import Conditions
from tcpgoodput.comparison.files import Compared
from tcpgoodput.project.settings import load_settings
from tcpgoodput.storage.files import write_text
from tcpgoodput.workflow.jobs import job_parser, run_job


def work(arguments: argparse.Namespace) -> None:
    """Read what the job needs, which was checked before, and do it."""
    settings = load_settings(arguments.config, arguments.changes)
    assert settings.comparison is not None  # or there would be no such job
    file = arguments.config.parent / settings.comparison
    arguments.job(arguments, file, settings.conditions)


def measure_scenario(arguments: argparse.Namespace, file: Path, conditions: Conditions) -> None:
    """Measure a scenario and its variations."""
    from tcpgoodput.comparison.measuring import scenario_json

    compared = Compared.of_scenario(file, arguments.name)
    write_text(arguments.output, scenario_json(compared, arguments.name, conditions))


def measure_map(arguments: argparse.Namespace, file: Path, conditions: Conditions) -> None:
    """Measure a map's points."""
    from tcpgoodput.comparison.measuring import map_csv

    compared = Compared.of_map(file, arguments.name)
    write_text(arguments.output, map_csv(compared, arguments.name, conditions))


def answer_scenarios(arguments: argparse.Namespace, file: Path, conditions: Conditions) -> None:
    """Ask the models about every scenario that was measured."""
    from tcpgoodput.comparison.answering import scenario_json

    for measured in sorted(arguments.measured):
        compared, stem = Compared.of_scenario(file, measured.stem), measured.stem
        text = scenario_json(compared, stem, conditions, measured.read_text(encoding="utf-8"))
        write_text(arguments.answers / measured.name, text)


def answer_map(arguments: argparse.Namespace, file: Path, conditions: Conditions) -> None:
    """Ask the models about a map's points."""
    from tcpgoodput.comparison.answering import map_csv

    compared = Compared.of_map(file, arguments.name)
    measured = arguments.measured.read_text(encoding="utf-8")
    write_text(arguments.output, map_csv(compared, arguments.name, conditions, measured))


def main() -> int:
    """Run the job; see `run_job`."""
    parser = job_parser("tcpgoodput.comparison", config=Path)
    jobs = parser.add_subparsers(required=True)
    for name, job, places in (
        ("measure-scenario", measure_scenario, ["output"]),
        ("measure-map", measure_map, ["output"]),
        ("answer-map", answer_map, ["measured", "output"]),
    ):
        command = jobs.add_parser(name)
        command.set_defaults(job=job)
        command.add_argument("name")
        for place in places:
            command.add_argument(place, type=Path)
    command = jobs.add_parser("answer-scenarios")
    command.set_defaults(job=answer_scenarios)
    command.add_argument("answers", type=Path)
    command.add_argument("measured", type=Path, nargs="+")
    return run_job(parser, work)


if __name__ == "__main__":
    sys.exit(main())
