"""`tcpgoodput.requests` and `measure`: connections that parts of a run need, their simulation."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from tcpgoodput.answers import Conditions
from tcpgoodput.api.load import configured, known
from tcpgoodput.comparison import validation
from tcpgoodput.comparison.census.design import Space
from tcpgoodput.comparison.files import Compared
from tcpgoodput.comparison.requests import explorer_points, map_points, scenario_points
from tcpgoodput.engines.measure import complete, side_by_side
from tcpgoodput.engines.measurements import COLUMNS, Request
from tcpgoodput.project.settings import DEFAULT_PATH, Configuration
from tcpgoodput.studies.sweeps import requests_of


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


def requests(part: str, configuration: str | Path = DEFAULT_PATH, **changes: Any) -> list[Request]:
    """Return the connections that the packet simulator must measure for one part of a run.

    Args:
        part: the name of a study; `comparison`, the scenarios on which all models are compared;
            `heldout`, the held-out connections; `maps/NAME`, a map; `explorer`; or
            `inputs`, connections as they are seen with less knowledge.
        configuration: the settings file, such as `config/config.yaml`.
        **changes: keys of the settings to change, such as `precision="draft"`.

    Returns:
        The requests. Each is a scenario with the settings of its measurement, such as the number of
        packets. `key` identifies the result in tables of measurements.

    Raises:
        ConfigurationError: a file of the configuration is invalid.
        ValueError: the run has no part of this name.

    Example:
        >>> import tcpgoodput
        >>> requests = tcpgoodput.requests("mathis")
        >>> len(requests[0].key)
        16

    """
    found = configured(configuration, changes)
    available = parts(found)
    return available[known("part", part, list(available))]()


def measure(
    requests: Sequence[Request], table: str | Path | None = None, cores: int | None = None
) -> pd.DataFrame:
    """Measure connections with the packet simulator, except those that a table already contains.

    Args:
        requests: the requests, as `tcpgoodput.requests` returns them.
        table: a CSV file. Its rows are reused if the same version of the code measured them. The
            file is then rewritten and contains exactly the requested rows. None: no file.
        cores: number of connections to measure in parallel; None: the number of cores.

    Returns:
        One row for each connection, indexed by `key`: goodput, confidence interval, counts, and a
        `reason` why there is no goodput or why the interval is less reliable than usual.

    """
    cores = cores or os.cpu_count() or 1
    rows = complete(
        requests,
        Path(table) if table is not None else None,
        progress=lambda done, total: print(f"{done} of {total}", flush=True),
        each=partial(side_by_side, cores),
    )
    return pd.DataFrame([asdict(row) for row in rows], columns=COLUMNS)
