"""The scenario that a command is asked about: from a file or standard input, with its changes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from tcpgoodput.configuration import Document, read
from tcpgoodput.configuration.strict_yaml import read_stream
from tcpgoodput.scenario.asked import Asked, asked
from tcpgoodput.scenario.plausibility import Suspect

STANDARD_INPUT = Path("-")
ITS_NAME = "standard input"


def read_document(file: Path) -> Document:
    """Read YAML from a file, or from standard input."""
    return read_stream(sys.stdin.buffer, ITS_NAME) if file == STANDARD_INPUT else read(file)


def asked_scenario(file: Path, changes: Sequence[str] | None) -> Asked:
    """Read the scenario that a command is asked about, and warn of what looks like a slip."""
    found = asked(read_document(file), changes)
    warn(found.suspects)
    return found


def warn(found: Sequence[Suspect]) -> None:
    """Tell of values that look like slips, beside the answer and not in it."""
    for suspect in found:
        print(suspect, file=sys.stderr)
