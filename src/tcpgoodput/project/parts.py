"""Connections that a run needs to simulate, by part of the run, such as a study or a map."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import partial

from tcpgoodput.answers import Conditions
from tcpgoodput.comparison import validation
from tcpgoodput.comparison.census.design import Space
from tcpgoodput.comparison.files import Compared
from tcpgoodput.comparison.requests import explorer_points, map_points, scenario_points
from tcpgoodput.engines.measurements import Request
from tcpgoodput.project.settings import Configuration
from tcpgoodput.studies.points import requests_of


def parts(configuration: Configuration) -> dict[str, Callable[[], list[Request]]]:
    """Return, for each part of a run, a function that lists the simulations that the part needs.

    The parts are the studies, by their names, and `comparison`, `heldout`, `maps/NAME`,
    `explorer` and `inputs` as far as they are configured.
    """
    compared, conditions = configuration.comparison, configuration.settings.conditions
    found: dict[str, Callable[[], list[Request]]] = {
        name: partial(requests_of, source, conditions)
        for name, source in configuration.sources.items()
    }
    if compared is not None:
        if compared.scenarios:
            found["comparison"] = lambda: [
                r
                for stem in compared.scenarios
                for r in scenario_points(compared, stem, conditions)
            ]
        if held := compared.held:
            found["heldout"] = partial(_held_out, compared, held, conditions)
        for name in compared.settings.maps:
            found[f"maps/{name}"] = partial(
                lambda name: list(map_points(compared, name, conditions)), name
            )
        found["explorer"] = lambda: list(explorer_points(compared, conditions))
    if inputs := configuration.inputs:
        found["inputs"] = lambda: inputs.requests(conditions)
    return found


def _held_out(compared: Compared, space: Space, conditions: Conditions) -> list[Request]:
    held = validation.connections(space)
    copies = (c for own in validation.copies(compared, held).values() for c in own)
    return validation.requests(space, [*held, *copies], conditions)


def digests(configuration: Configuration) -> dict[str, str]:
    """Return, for each part of a run, a digest of the connections that it needs to simulate.

    Parts without such connections are left out.
    """
    requested = {part: requests() for part, requests in parts(configuration).items()}
    keys = {part: " ".join(r.key for r in found) for part, found in requested.items() if found}
    return {part: hashlib.sha256(text.encode()).hexdigest()[:16] for part, text in keys.items()}
