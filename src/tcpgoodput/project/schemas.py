"""The schema behind each kind of configuration file."""

from __future__ import annotations

from pydantic import BaseModel

from tcpgoodput.comparison.census.schema import Census
from tcpgoodput.comparison.claims.schema import ClaimsFile
from tcpgoodput.comparison.schema import Comparison
from tcpgoodput.project.configuration import Settings
from tcpgoodput.scenario import Scenario
from tcpgoodput.studies.schema import SourceFigures
from tcpgoodput.style.looks import Palette

SCHEMAS: dict[str, type[BaseModel]] = {
    "settings": Settings,
    "scenario": Scenario,
    "figures": SourceFigures,
    "claims": ClaimsFile,
    "comparison": Comparison,
    "census": Census,
    "style": Palette,
}
