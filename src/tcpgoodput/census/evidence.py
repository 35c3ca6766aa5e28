"""What a census knows of its connections: quantities, what was measured, how far off models are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tcpgoodput.census.answer import GOODPUT, STATUS
from tcpgoodput.census.quantities import QUANTITIES
from tcpgoodput.comparison.families import STATUSES

MOST_READ = 2**18
"""Points that are read: the beginning of a Sobol sequence fills the space as all of it does."""

CLOSE = 0.05
"""Half-width of the interval, relative to the goodput, up to which a connection tells of errors."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Evidence:
    """Connections that were measured closely, and what families of models say of them."""

    connections: pd.DataFrame
    """A row for each: `point`, `happening`, `half_width` (relative), and every quantity."""
    errors: pd.DataFrame
    """ln(model / measured), a column for each family; NaN where it has no answer."""
    statuses: pd.DataFrame
    """How each answer came, a column for each family."""
    of_models: pd.DataFrame
    """ln(model / measured), a column for each model."""
    statuses_of_models: pd.DataFrame
    drawn: int
    """Connections in all, those that were not measured closely included."""
    unresolved: int
    """Of these, those without any goodput."""
    points: int
    """One more than the number of the last point."""


def read_evidence(table: Path, families: Mapping[str, list[str]]) -> Evidence:
    """Read a table of a census; see `answer` for its columns.

    Args:
        table: a Parquet file.
        families: models by family, in the order in which one stands for it.

    """
    models = [model for members in families.values() for model in members]
    wanted = ["point", "happening", "goodput_pps", "half_width_pps", *QUANTITIES]
    wanted += [part + model for model in models for part in (GOODPUT, STATUS)]
    columns = ", ".join(f'"{name}"' for name in wanted)
    query = f"SELECT {columns} FROM read_parquet(?) WHERE point < ? ORDER BY point"
    every = duckdb.execute(query, [str(table), MOST_READ]).df()
    half_width = every["half_width_pps"] / every["goodput_pps"]
    known = every[(every["goodput_pps"] > 0) & (half_width <= CLOSE)].reset_index(drop=True)
    of_models = pd.DataFrame({m: _log_errors(known, m) for m in models})
    statuses = pd.DataFrame({m: known[STATUS + m].astype(str) for m in models})
    connections = known[["point", "happening", *QUANTITIES]].copy()
    connections["happening"] = connections["happening"].astype(str)
    connections["half_width"] = known["half_width_pps"] / known["goodput_pps"]
    chosen = {f: _representative(statuses, members) for f, members in families.items()}
    return Evidence(
        connections,
        pd.DataFrame({f: _taken(of_models, families[f], at) for f, at in chosen.items()}),
        pd.DataFrame({f: _taken(statuses, families[f], at) for f, at in chosen.items()}),
        of_models,
        statuses,
        len(every),
        int(every["goodput_pps"].isna().sum()),
        int(every["point"].max()) + 1,
    )


def _log_errors(rows: pd.DataFrame, model: str) -> Floats:
    said = rows[GOODPUT + model].to_numpy(float)
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = np.log(said / rows["goodput_pps"].to_numpy(float))
    return np.where(np.isfinite(errors), errors, np.nan)


def _representative(statuses: pd.DataFrame, members: Iterable[str]) -> NDArray[np.int64]:
    """Return which member stands for a family: the first of those with the best status."""
    ranks = np.column_stack([statuses[m].map(STATUSES.index).to_numpy(int) for m in members])
    return np.asarray(ranks.argmin(axis=1))


def _taken(rows: pd.DataFrame, members: list[str], at: NDArray[np.int64]) -> NDArray[np.generic]:
    return np.asarray(rows[members].to_numpy()[np.arange(len(rows)), at])
