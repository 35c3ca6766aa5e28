"""The scenarios that a page begins with: those of the comparison, and the file that was named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tcpgoodput.comparison.regime import regime
from tcpgoodput.configuration import Document, read
from tcpgoodput.configuration.strict_yaml import SUFFIX
from tcpgoodput.scenario import Scenario, scenario_from

FOLDERS = (Path("config/scenarios"), Path("config/scenarios/held"))
"""Where scenarios are looked for, from the folder in which the command is given."""


@dataclass(frozen=True)
class Preset:
    """A scenario by the name that addresses have for it."""

    document: Document
    scenario: Scenario

    @classmethod
    def of(cls, document: Document) -> Preset:
        """Return the scenario of a document.

        Raises:
            ConfigurationError: every problem found.

        """
        return cls(document, scenario_from(document))

    def record(self) -> dict[str, Any]:
        """Return what a page lists of it."""
        title, name = self.scenario.title, regime(self.scenario)
        return {"id": self.scenario.id, "title": title, "regime": name}


def presets(named: Document | None) -> Mapping[str, Preset]:
    """Return the scenarios that a page begins with by their ids, what was named first.

    Raises:
        ConfigurationError: every problem in the first file that has any.

    """
    files = [file for folder in FOLDERS for file in sorted(folder.glob(f"*{SUFFIX}"))]
    documents = [*([named] if named else []), *map(read, files)]
    found: dict[str, Preset] = {}
    for document in documents:
        preset = Preset.of(document)
        found.setdefault(preset.scenario.id, preset)
    return found
