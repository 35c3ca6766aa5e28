"""The keys of a scenario, as `--set`, sweeps and models name them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, get_args

from pydantic import BaseModel

from tcpgoodput.scenario.vocabulary import Scenario


@cache
def scenario_keys() -> frozenset[str]:
    """Return every key, parts such as `loss` and those of all their processes included."""
    return frozenset(_keys(Scenario, ""))


def _keys(part: type[BaseModel], prefix: str) -> Iterator[str]:
    for name, field in part.model_fields.items():
        yield f"{prefix}{name}"
        for member in _parts(field.annotation):
            yield from _keys(member, f"{prefix}{name}.")


def _parts(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yield the parts of a scenario in a type: itself, or the members of a union."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for member in get_args(annotation):
        yield from _parts(member)
