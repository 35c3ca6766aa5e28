"""Compare the models on one scenario's file, or over one map.

python -m tcpgoodput.comparison CONFIG scenario|map NAME OUTPUT
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tcpgoodput.comparison.files import Compared
from tcpgoodput.comparison.jobs import scenario_json, write_map
from tcpgoodput.files import write_text
from tcpgoodput.jobs import job_parser, run_job
from tcpgoodput.settings import load_settings


def work(arguments: argparse.Namespace) -> None:
    """Read what the job needs, which was checked before, and compare."""
    settings = load_settings(arguments.config, arguments.changes)
    assert settings.comparison is not None  # or there would be no such job
    file = arguments.config.parent / settings.comparison
    name, conditions = arguments.name, settings.conditions
    if arguments.what == "scenario":
        compared = Compared.of_scenario(file, name)
        write_text(arguments.output, scenario_json(compared, name, conditions))
    else:
        write_map(Compared.of_map(file, name), name, conditions, arguments.output)


def main() -> int:
    """Run the job; see `run_job`."""
    parser = job_parser("tcpgoodput.comparison", config=Path)
    parser.add_argument("what", choices=["scenario", "map"])
    parser.add_argument("name")
    parser.add_argument("output", type=Path)
    return run_job(parser, work)


if __name__ == "__main__":
    sys.exit(main())
