"""`tcpgoodput.requests` and `tcpgoodput.measure`: what a run asks the packet simulator."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, fields
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from tcpgoodput.configuration.problems import choices, nearest
from tcpgoodput.engines.measure import complete, side_by_side
from tcpgoodput.engines.measurements import Measured, Request
from tcpgoodput.project.checked import checked
from tcpgoodput.project.parts import parts
from tcpgoodput.project.settings import DEFAULT_PATH


def requests(part: str, configuration: str | Path = DEFAULT_PATH, **changes: Any) -> list[Request]:
    """Return the connections that a part of a run asks the packet simulator to measure.

    Args:
        part: a study; `comparison`, the scenarios that all models are compared on;
            `heldout`, the held-out connections; `maps/NAME`, a map; or `explorer`.
        configuration: the settings, a file as `config/config.yaml`.
        **changes: keys of the settings to change, such as `precision="draft"`.

    Returns:
        The requests, each of a scenario under a setting, with the `key` of its measurement.

    Raises:
        ConfigurationError: anything wrong in any of the files.
        ValueError: the run has no part of this name.

    Example:
        >>> import tcpgoodput
        >>> asked = tcpgoodput.requests("mathis")
        >>> len(asked[0].key)
        16

    """
    found = checked(configuration, changes)
    asked = parts(found)
    if part not in asked:
        raise ValueError(f"no part is called {part!r}{nearest(part, asked)} ({choices(asked)})")
    return asked[part]()


def measure(
    asked: Sequence[Request], table: str | Path | None = None, cores: int | None = None
) -> pd.DataFrame:
    """Measure connections, but for those that a table holds already.

    Args:
        asked: what `requests` returns.
        table: a CSV file. What it holds is not measured again if the same code has measured it;
            it is written again with all that is asked and nothing else. None: no file.
        cores: connections that are measured at a time; None: as many as there are cores.

    Returns:
        A row for each connection, under its `key`: goodput, interval, counts, and a `reason` why
        there is none or why the interval deserves a second look.

    """
    cores = cores or os.cpu_count() or 1
    rows = complete(
        asked,
        Path(table) if table is not None else None,
        progress=lambda done, total: print(f"{done} of {total}", flush=True),
        each=partial(side_by_side, cores),
    )
    names = [column.name for column in fields(Measured)]
    return pd.DataFrame([asdict(row) for row in rows], columns=names)
