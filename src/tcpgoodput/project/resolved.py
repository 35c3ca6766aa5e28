"""A checked configuration as data: what a manifest keeps and news are told from."""

from __future__ import annotations

from typing import Any

from tcpgoodput.comparison.claims.schema import ClaimsFile
from tcpgoodput.comparison.claims.source import SourceClaims
from tcpgoodput.comparison.files import Compared
from tcpgoodput.project.configuration import Configuration
from tcpgoodput.scenario import Scenario
from tcpgoodput.studies.source import Source

Record = dict[str, Any]


def recorded(configuration: Configuration) -> Record:
    """Return all that a configuration says, as data."""
    compared = configuration.comparison
    return {
        "path": str(configuration.path),
        # No result depends on where somebody has put the recordings.
        "settings": configuration.settings.model_dump(mode="json", exclude={"recordings"}),
        "style": configuration.style.palette.model_dump(mode="json"),
        "sources": {name: _source(source) for name, source in configuration.sources.items()},
        "claims": {name: _claims(claims) for name, claims in configuration.claims.items()},
        "comparison": _compared(compared) if compared else None,
        "censuses": {
            name: space.census.model_dump(mode="json")
            for name, space in configuration.censuses.items()
        },
    }


def _source(source: Source) -> Record:
    figures = source.figures.model_dump(
        mode="json", by_alias=True, exclude={"scenarios"}, exclude_defaults=True
    )
    return {"figures": {**figures, "scenarios": {}}, "scenarios": _scenarios(source.scenarios)}


def _scenarios(scenarios: dict[str, Scenario]) -> Record:
    return {name: scenario.stated() for name, scenario in scenarios.items()}


def _claims(claims: SourceClaims) -> Record:
    content = ClaimsFile(source=claims.source, claims=claims.claims)
    dumped = content.model_dump(mode="json", by_alias=True)
    return {"file": claims.file, "lines": claims.lines, "content": dumped}


def _compared(compared: Compared) -> Record:
    return {
        "settings": compared.settings.model_dump(mode="json"),
        "scenarios": _scenarios(compared.scenarios),
        "mapped": _scenarios(compared.mapped),
        "held": _scenarios(compared.held),
    }
