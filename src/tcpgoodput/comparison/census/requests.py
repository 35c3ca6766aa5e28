"""What a census asks of its jobs, as data."""

from __future__ import annotations

from typing import Any

from tcpgoodput.comparison.census.schema import Census
from tcpgoodput.comparison.census.space import Space

Record = dict[str, Any]

READERS = {"title", "beside", "chunk", "sample", "models"}
"""What a measurement does not depend on."""


def to_measure(space: Space, seed: int) -> Record:
    """Return what is asked of the engine: which connections, how closely.

    How many points there are decides nothing of those of a Sobol sequence.
    """
    census = space.census
    unasked = READERS | ({"points"} if census.design == "sobol" else set())
    asked = census.model_dump(mode="json", exclude=unasked)
    return {"name": space.name, "seed": seed, "census": asked}


def space_of(request: Record) -> Space:
    """Return the space that a request is about."""
    census = {"title": request["name"], "points": 1, **request["census"]}
    return Space(request["name"], Census.model_validate({**census, "chunk": census["points"]}))
