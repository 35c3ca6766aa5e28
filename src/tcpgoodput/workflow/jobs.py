"""What the workflow's jobs have in common: their command line, and how bad input ends them."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from typing import Any

from tcpgoodput.configuration import ConfigurationError


def job_parser(program: str, **arguments: Callable[[str], Any]) -> argparse.ArgumentParser:
    """Return the parser of a job's command line.

    Args:
        program: the module that is run.
        arguments: types of what stands on the command line, in order.

    """
    parser = argparse.ArgumentParser(prog=f"python -m {program}")
    parser.add_argument("--changes", type=json.loads, default={}, help="settings, as JSON")
    for name, kind in arguments.items():
        parser.add_argument(name, type=kind)
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
