"""Content of a random sample's table: connections, their goodputs, and errors of models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import duckdb
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
from numpy.typing import NDArray

from tcpgoodput.comparison.census.design import JOINED
from tcpgoodput.comparison.census.measure import GOODPUT, IDENTITY, STATUS
from tcpgoodput.comparison.census.quantities import QUANTITIES
from tcpgoodput.comparison.errors import FACTOR_OF_TWO
from tcpgoodput.comparison.families import STATUSES
from tcpgoodput.engines.base import is_unsteady

MOST_READ = 2**18
"""Largest number of points of a random sample that `read_evidence` reads. It may read fewer points
than there are, because the first points of a Sobol sequence fill the space evenly."""

NARROW = 0.05
"""Largest half-width of the goodput's 95 % interval, relative to the goodput, at which a connection
counts as precisely measured. Most statistics of errors use only such connections. Chosen by
hand."""

LARGEST = FACTOR_OF_TWO
"""Upper limit of the size of an error, |ln(model / simulated)|, from which a random forest learns.
Larger errors and missing predictions count as this value."""

EVERY, PAIRS = "all", "two at once"
"""Names of the groups of all connections, and of those with two impairments."""

OF_ROWS = ["point", "impairments", "variant", "half_width", "capacity_change"]
"""Columns of connections that `Evidence.rows` repeats for each prediction."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Evidence:
    """Measured connections of a random sample, and the predictions of families of models."""

    connections: pd.DataFrame
    """One row for each connection: `point`, `impairments`, `variant`, `path` (a digest),
    `goodput_pps`, `half_width` (relative to the goodput), `packets` (sent), and every quantity."""
    errors: pd.DataFrame
    """ln(model / measured), with a column for each family; NaN if the family has no prediction."""
    statuses: pd.DataFrame
    """Status of each prediction, with a column for each model family."""
    of_models: pd.DataFrame
    """ln(model / measured), with a column for each model."""
    statuses_of_models: pd.DataFrame
    drawn: pd.DataFrame
    """All drawn connections, also those without a measured goodput: `point`, `impairments`,
    `half_width`, and every quantity. The half-width is missing if there is no goodput, and infinite
    if there is no steady state."""

    @property
    def points(self) -> int:
        """Number of points of the design up to the point of the last drawn connection."""
        return int(self.drawn["point"].max()) + 1

    @property
    def close(self) -> pd.Series:
        """A mask of the connections with a narrow confidence interval; see `NARROW`."""
        return self.connections["half_width"] <= NARROW

    def with_narrow_intervals(self) -> Evidence:
        """Return the data of the connections with a narrow confidence interval; see `NARROW`."""
        return self.at(self.connections.index[self.close])

    def rows(self, of: Literal["family", "model"] = "family") -> pd.DataFrame:
        """Return a row for each connection and prediction, of families or models, with an error.

        The columns are `point`, `impairments`, `group` (see `groups`), `variant`, `half_width`,
        `capacity_change`, `family` or `model`, `status` and `log_error`.
        """
        tables = (self.errors, self.statuses)
        errors, statuses = tables if of == "family" else (self.of_models, self.statuses_of_models)
        long = errors.melt(var_name=of, value_name="log_error", ignore_index=False)
        long["status"] = statuses[errors.columns].melt()["value"].to_numpy()
        known = long[long["log_error"].notna()].astype({of: "category", "status": "category"})
        return known.join(self.connections[OF_ROWS].assign(group=self.groups))

    @property
    def groups(self) -> pd.Series:
        """The group of each connection: its impairment, or `PAIRS` if it has two."""
        return groups_of(self.connections["impairments"])

    def at(self, rows: pd.Series | pd.Index) -> Evidence:
        """Return the data of the connections of a mask or of labels; `drawn` remains complete."""
        tables = {name: table for name, table in vars(self).items() if name != "drawn"}
        return replace(self, **{n: t.loc[rows].reset_index(drop=True) for n, t in tables.items()})


def groups_of(impairments: pd.Series) -> pd.Series:
    """Return the group of each connection: the name of its impairments, or `PAIRS` for two."""
    names = impairments.astype(str)
    return names.mask(names.str.contains(JOINED, regex=False), PAIRS).astype("category")


def shared(here: Evidence, there: Evidence) -> tuple[Evidence, Evidence]:
    """Return the data of two samples for the connections with the same paths and variants.

    If the samples have no variant in common, such as BBR in one of them alone, the variants may
    differ. Connections are joined by the number of their point. Both results have the same order of
    connections.
    """
    left, right = (e.connections.reset_index().set_index("point") for e in (here, there))
    points = left.index.intersection(right.index)
    left, right = left.loc[points], right.loc[points]
    is_common = bool({*left["variant"]} & {*right["variant"]})
    names = IDENTITY.names if is_common else [n for n in IDENTITY.names if n != "variant"]
    same = (left[names] == right[names]).all(axis=1)
    return here.at(left.loc[same, "index"]), there.at(right.loc[same, "index"])


def split_halves(evidence: Evidence) -> tuple[pd.Series, pd.Series]:
    """Return masks of a sample's halves: the first for fits and choices, the second to judge."""
    first = evidence.connections["point"] < evidence.points / 2
    return first, ~first


def sizes(errors: pd.Series | pd.DataFrame) -> Floats:
    """Return the absolute values of errors; NaN and values above `LARGEST` become `LARGEST`."""
    return np.nan_to_num(errors.abs().clip(upper=LARGEST).to_numpy(float), nan=LARGEST)


def answered(table: Path, families: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Return, for each family, its models for which a random sample's table has predictions.

    A recorded table has no predictions of models that are newer than the table. A family is left
    out if the table has predictions of none of its models.
    """
    columns = set(pq.read_schema(table).names)
    known = {
        family: [model for model in models if GOODPUT + model in columns]
        for family, models in families.items()
    }
    return {family: models for family, models in known.items() if models}


def unanswered_note(table: Path, families: Mapping[str, list[str]]) -> str | None:
    """Return a sentence with the models of which a table lacks predictions, or None."""
    known = {model for models in answered(table, families).values() for model in models}
    if missing := [m for models in families.values() for m in models if m not in known]:
        return f"{table} has no answers of {', '.join(missing)}: what it says leaves them out"
    return None


def read_evidence(
    table: Path, families: Mapping[str, list[str]], points: int = MOST_READ
) -> Evidence:
    """Read the first points of a random sample's table (census); see `measure` for its columns.

    The models of each family are in order of preference. Models without predictions in the table
    are left out.
    """
    families = answered(table, families)
    models = [model for members in families.values() for model in members]
    wanted = ["point", "impairments", *IDENTITY.names, *QUANTITIES]
    wanted += ["goodput_pps", "half_width_pps", "packets_sent", "reason"]
    wanted += [part + model for model in models for part in (GOODPUT, STATUS)]
    columns = ", ".join(f'"{name}"' for name in wanted)
    query = f"SELECT {columns} FROM read_parquet(?) WHERE point < ? ORDER BY point"
    every = duckdb.execute(query, [str(table), points]).df()
    every["impairments"] = every["impairments"].astype(str)
    every["half_width"] = every["half_width_pps"] / every["goodput_pps"]
    # Without a steady state the goodput depends on the start, and its interval is meaningless.
    every.loc[every["reason"].map(is_unsteady, na_action="ignore").eq(True), "half_width"] = np.inf
    measured = every[every["goodput_pps"] > 0].reset_index(drop=True)
    of_models = pd.DataFrame({m: _log_errors(measured, m) for m in models}, measured.index)
    statuses = pd.DataFrame({m: measured[STATUS + m].astype(str) for m in models}, measured.index)
    errors, chosen, every_row = {}, {}, np.arange(len(measured))
    for family, members in families.items():
        # Of each connection, the first member with the best status.
        ranks = np.column_stack([statuses[m].map(STATUSES.index).to_numpy(int) for m in members])
        at = every_row, ranks.argmin(axis=1)
        errors[family] = of_models[members].to_numpy()[at]
        chosen[family] = statuses[members].to_numpy()[at]
    of_each = ["point", "impairments", "half_width", *QUANTITIES]
    measured["packets"] = measured["packets_sent"]
    return Evidence(
        measured[[*of_each, *IDENTITY.names, "goodput_pps", "packets"]],
        pd.DataFrame(errors, measured.index),
        pd.DataFrame(chosen, measured.index),
        of_models,
        statuses,
        every[of_each],
    )


def _log_errors(rows: pd.DataFrame, model: str) -> Floats:
    predicted_pps = rows[GOODPUT + model].to_numpy(float)
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = np.log(predicted_pps / rows["goodput_pps"].to_numpy(float))
    # Twelve decimals, which are the same on all processors: with other last digits, a random forest
    # chooses other splits, and the importance of a quantity differs by some per cent.
    return np.where(np.isfinite(errors), errors.round(12), np.nan)
