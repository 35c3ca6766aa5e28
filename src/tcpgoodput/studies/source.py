"""A study as it was read: its figures, and the scenarios that they start from."""

from __future__ import annotations

from dataclasses import dataclass

from tcpgoodput.scenario import Scenario
from tcpgoodput.studies.schema import Figure, SourceFigures


@dataclass(frozen=True)
class Source:
    """A source's figures and the scenarios they start from."""

    figures: SourceFigures
    scenarios: dict[str, Scenario]

    @property
    def name(self) -> str:
        """The source's short name."""
        return self.figures.source

    def is_ours(self, figure: Figure) -> bool:
        """Tell whether a figure is our addition: a published study has none like it."""
        return self.figures.ours or figure.ours
