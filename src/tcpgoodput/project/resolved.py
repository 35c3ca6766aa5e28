"""A checked configuration as data, and back: a job that needs all of it checks nothing again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tcpgoodput.census.schema import Census
from tcpgoodput.census.space import Space
from tcpgoodput.claims.schema import ClaimsFile
from tcpgoodput.claims.source import SourceClaims
from tcpgoodput.comparison.files import Compared
from tcpgoodput.comparison.schema import Comparison
from tcpgoodput.models.own import add_checked
from tcpgoodput.project.configuration import Configuration, Settings
from tcpgoodput.scenario import Scenario
from tcpgoodput.studies.schema import SourceFigures
from tcpgoodput.studies.source import Source
from tcpgoodput.style.looks import Palette, Style

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


def restored(record: Record) -> Configuration:
    """Return the configuration that a record was made of, its own models made known."""
    path = Path(record["path"])
    settings = Settings.model_validate(record["settings"])
    add_checked([path.parent / file for file in settings.models])
    compared = record["comparison"]
    return Configuration(
        path,
        settings,
        Style(Palette.model_validate(record["style"])),
        {name: _restored_source(part) for name, part in record["sources"].items()},
        {name: _restored_claims(part) for name, part in record["claims"].items()},
        _restored_comparison(compared) if compared else None,
        {
            name: Space(name, Census.model_validate(part))
            for name, part in record["censuses"].items()
        },
    )


def _restored_source(part: Record) -> Source:
    return Source(SourceFigures.model_validate(part["figures"]), _restored_all(part["scenarios"]))


def _restored_all(parts: Record) -> dict[str, Scenario]:
    return {name: Scenario.model_validate(part) for name, part in parts.items()}


def _restored_claims(part: Record) -> SourceClaims:
    content = ClaimsFile.model_validate(part["content"])
    return SourceClaims(content.source, part["file"], content.claims, part["lines"])


def _restored_comparison(part: Record) -> Compared:
    settings = Comparison.model_validate(part["settings"])
    parts = (_restored_all(part[name]) for name in ("scenarios", "mapped", "held"))
    return Compared(settings, *parts)
