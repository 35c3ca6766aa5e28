"""A scenario that somebody asks about: a document, and what they change in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tcpgoodput.configuration import ConfigurationError, Document, Problem
from tcpgoodput.configuration.changes import blamed, with_changes
from tcpgoodput.scenario import Scenario, scenario_from
from tcpgoodput.scenario.plausibility import Suspect, suspects


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


def asked(document: Document, changes: Sequence[str] | None) -> Asked:
    """Check a scenario after some changes to its document; each problem names who made it.

    Raises:
        ConfigurationError: every problem found.

    """
    changed = with_changes(document, changes or ())
    try:
        return Asked(scenario_from(changed), changed, tuple(changes or ()))
    except ConfigurationError as error:
        raise ConfigurationError(blamed(error, problems_of(document), changed)) from None


def problems_of(document: Document) -> list[Problem]:
    """Return what is wrong with a document that nobody has changed."""
    try:
        scenario_from(document)
    except ConfigurationError as error:
        return error.problems
    return []
