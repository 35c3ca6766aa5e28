"""The scenario that a command is asked about: from a file or standard input, with its changes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tcpgoodput.configuration import ConfigurationError, Document, Problem, read
from tcpgoodput.configuration.changes import blamed, with_changes
from tcpgoodput.configuration.strict_yaml import read_stream
from tcpgoodput.scenario import Scenario, scenario_from
from tcpgoodput.scenario.plausibility import Suspect, suspects

STANDARD_INPUT = Path("-")
ITS_NAME = "standard input"


@dataclass(frozen=True)
class Asked:
    """A scenario, and where it came from."""

    scenario: Scenario
    document: Document
    changes: Sequence[str] = ()

    @property
    def heading(self) -> str:
        """What a reader should know it as."""
        set_to = f", with {', '.join(self.changes)}" if self.changes else ""
        return f"{self.scenario.id}: {self.scenario.title}{set_to}"

    @property
    def suspects(self) -> list[Suspect]:
        """What looks like a slip."""
        return suspects(self.document, self.scenario)


def read_document(file: Path) -> Document:
    """Read YAML from a file, or from standard input."""
    return read_stream(sys.stdin.buffer, ITS_NAME) if file == STANDARD_INPUT else read(file)


def asked(document: Document, changes: Sequence[str] | None) -> Asked:
    """Check a scenario after some changes to its document; each problem names who made it.

    Raises:
        ConfigurationError: every problem found.

    """
    changed = with_changes(document, changes or ())
    try:
        return Asked(scenario_from(changed), changed, tuple(changes or ()))
    except ConfigurationError as error:
        raise ConfigurationError(blamed(error, _problems(document), changed)) from None


def asked_scenario(file: Path, changes: Sequence[str] | None) -> Asked:
    """Read the scenario that a command is asked about, and warn of what looks like a slip."""
    found = asked(read_document(file), changes)
    warn(found.suspects)
    return found


def warn(found: Sequence[Suspect]) -> None:
    """Tell of values that look like slips, beside the answer and not in it."""
    for suspect in found:
        print(suspect, file=sys.stderr)


def _problems(document: Document) -> list[Problem]:
    try:
        scenario_from(document)
    except ConfigurationError as error:
        return error.problems
    return []
