"""What the workflow's jobs have in common: their command line, and how bad input ends them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from tcpgoodput.configuration import ConfigurationError


def job_parser(program: str, *files: str) -> argparse.ArgumentParser:
    """Return the parser of a job's command line.

    Args:
        program: the module that is run.
        files: what the files and folders are that stand on the command line, in order.

    """
    parser = argparse.ArgumentParser(prog=f"python -m {program}")
    for name in files:
        parser.add_argument(name, type=Path)
    return parser


def run_job(parser: argparse.ArgumentParser, work: Callable[[argparse.Namespace], None]) -> int:
    """Do a job and return its exit status; 2 means that the configuration was refused."""
    arguments = parser.parse_args()
    try:
        work(arguments)
    except ConfigurationError as error:
        print(error, file=sys.stderr)
        return 2
    return 0
