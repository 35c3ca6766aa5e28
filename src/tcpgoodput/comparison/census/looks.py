"""How what a census found is read and shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tcpgoodput.comparison.census.space import Space
from tcpgoodput.comparison.families import families_of
from tcpgoodput.models import MODELS

if TYPE_CHECKING:
    from tcpgoodput.comparison.schema import Family
    from tcpgoodput.style.looks import Style


def to_read(space: Space, named: Sequence[Family], style: Style) -> dict[str, Any]:
    """Return how what a census found is read and shown: families of models, their looks."""
    asked = space.census.models or MODELS.names()
    members = {
        family: [model for model in models if model in asked]
        for family, models in families_of(named, asked).items()
    }
    families = {family: models for family, models in members.items() if models}
    labels = {family.models[0]: family.label for family in named}
    return {
        "name": space.name,
        "title": space.census.title,
        "families": families,
        "labels": {family: labels.get(family) for family in families},
        "impairments": list(space.census.impairments),
        "half_width": space.census.precision.half_width,
        "style": style.palette.model_dump(mode="json"),
    }
