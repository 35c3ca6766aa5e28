"""Tables of the comparison of all models on all scenarios."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tcpgoodput.comparison.answers import IN_DOMAIN, relative_half_width
from tcpgoodput.comparison.errors import STATISTICS, errors_by, per_cent, worst_by
from tcpgoodput.comparison.families import families_of, regimes, represented
from tcpgoodput.comparison.files import Compared
from tcpgoodput.comparison.schema import Comparison

COLUMNS = [
    *("scenario", "variation", "model", "status", "reduction", "goodput_bps", "simulated_bps"),
    *("ci95_bps", "log_error"),
]
"""Columns of `comparison.csv`, which has one row for each scenario, variation and model. The name
of the variation is empty for the unchanged scenario."""

OF_FAMILIES = ["scenario", "variation", "regime", "family", *COLUMNS[2:]]
"""Columns of `comparison/families.csv`; `model` is the model of the family with the best status in
this scenario, which represents the family."""

FEWEST_IN_DOMAIN = 0.5
"""Smallest share of a regime's scenarios on which a model family must be in domain to be ranked. A
regime is a set of impairments. Chosen by hand."""

CASE = ["scenario", "variation"]
"""Columns that name a connection of the comparison."""


def read_parts(folder: Path, stems: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Read the measurements and predictions of scenarios from JSON files, by their stems."""
    return {s: json.loads((folder / f"{s}.json").read_text(encoding="utf-8")) for s in stems}


def rows_of(entries: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return predictions and measurements as a table, with a row for each scenario and model.

    The columns are `COLUMNS`, `reason` (of a missing or invalid value), and `half_width` (of the
    simulation's interval, relative to the goodput).
    """
    rows = []
    copied = ("status", "reduction", "goodput_bps", "log_error", "reason")
    for entry in entries:
        simulation = entry["simulation"]
        for record in entry["models"]:
            rows.append(
                {
                    **{name: entry[name] for name in CASE},
                    "model": record["name"],
                    "simulated_bps": simulation["goodput_bps"] if simulation else None,
                    "ci95_bps": simulation["ci95_bps"] if simulation else None,
                    "half_width": relative_half_width(simulation),
                    **{name: record[name] for name in copied},
                }
            )
    return pd.DataFrame(rows, columns=[*COLUMNS, "reason", "half_width"])


OF_REGIME = ["variation", "regime", "family"]
RANKING_COLUMNS = [*OF_REGIME, "of", "rank", *STATISTICS, "worst_%", "worst_scenario"]
"""Columns of `comparison/ranking.csv`. `of` is the number of scenarios in the regime, `n` that of
those on which the family is in domain. `rank` is 1 for the smallest median error; tied families
share a rank; it is missing if the family is in domain on too few scenarios (`FEWEST_IN_DOMAIN`).
`worst_%` is the error with the largest size, with its sign."""


def ranking(rows: pd.DataFrame) -> pd.DataFrame:
    """Rank the model families of each regime by their median error (absolute value) in domain.

    Two families are tied if these medians differ by at most the median half-width of the
    measurements with which errors are computed. `rows` has a row for each scenario, variation and
    family, with the scenario's `regime`. The result has the columns `RANKING_COLUMNS`.
    """
    group = OF_REGIME[:2]
    of = rows.drop_duplicates(CASE).groupby(group).size().rename("of")
    judged = rows.dropna(subset="log_error").drop_duplicates(CASE)
    half_width = judged.groupby(group)["half_width"].median()
    table = rows[rows["status"].isin(IN_DOMAIN)].dropna(subset="log_error")
    worst = worst_by(table, OF_REGIME, "scenario").rename(columns={"scenario": "worst_scenario"})
    found = errors_by(table, OF_REGIME).merge(worst, on=OF_REGIME)
    found = found.join(of, on=group).join(half_width, on=group)
    places = {"variation": list(dict.fromkeys(rows["variation"])), "regime": regimes()}
    order = found[group].apply(lambda column: column.map(places[str(column.name)].index))
    parts = found.groupby([order[name] for name in group])
    return pd.concat([ranked(part) for _, part in parts] or [ranked(found)])[RANKING_COLUMNS]


def ranked(rows: pd.DataFrame) -> pd.DataFrame:
    """Sort the model families of one regime by error, and set the ranks.

    A family that is in domain on too few scenarios (`FEWEST_IN_DOMAIN`) has no rank and comes last.
    `half_width` is the largest difference of the median errors (without per cent) of tied families.
    """
    seldom = rows["n"] < FEWEST_IN_DOMAIN * rows["of"]
    rows = rows.assign(seldom=seldom).sort_values(["seldom", "median_%", "family"])
    ranks: list[int | None] = []
    rank, first = 1, -math.inf
    for place, row in enumerate(rows.itertuples(), start=1):
        # Compare with the first family of the same rank, so that small differences do not add up.
        median = rows.at[row.Index, "median_%"]
        if median - first > per_cent(row.half_width):
            rank, first = place, median
        ranks.append(None if row.seldom else rank)
    return rows.assign(rank=pd.array(ranks, dtype="Int64"))


def sensitivities(rows: pd.DataFrame, varied: pd.DataFrame) -> pd.DataFrame:
    """Return each variation's effect on the goodput, simulated and predicted by each model.

    An effect is ln(goodput with the variation / goodput without it). `half_width` combines the
    intervals of both simulations; a smaller simulated change is not significant. Both tables are as
    that of `rows_of`.
    """
    goodputs = ["simulated_bps", "half_width", "goodput_bps"]
    base = rows[["scenario", "model", *goodputs]]
    found = varied.merge(base, on=["scenario", "model"], suffixes=("", "_before"))
    positive = found[[f"{name}{end}" for name in goodputs[::2] for end in ("", "_before")]]
    positive = positive.astype(float).where(positive.astype(float) > 0)
    for change, name in (("simulated_change", "simulated_bps"), ("model_change", "goodput_bps")):
        found[change] = np.log(positive[name] / positive[f"{name}_before"])
    found["half_width"] = np.hypot(found["half_width"], found["half_width_before"])
    columns = [*CASE, "model", "status", "simulated_change", "half_width", "model_change"]
    return found[columns]


@dataclass(frozen=True)
class Tables:
    """All tables of the comparison of models, computed from the results of its scenarios."""

    compared: Compared
    answers: Mapping[str, dict[str, Any]]
    """Measurements and predictions of each scenario, by the name of its file without ending."""

    @classmethod
    def read(cls, compared: Compared, folder: Path) -> Tables:
        """Read the results that a run has written for each scenario."""
        return cls(compared, read_parts(folder / "scenarios", compared.scenarios))

    @property
    def settings(self) -> Comparison:
        """The settings in the file of the comparison."""
        return self.compared.settings

    @cached_property
    def rows(self) -> pd.DataFrame:
        """A table with a row for each model on each scenario of the matrix and each variation."""
        return rows_of(entry for part in self.answers.values() for entry in part["rows"])

    @cached_property
    def labels(self) -> dict[str, str | None]:
        """The label of each family, in order; None for a model outside the named families."""
        models = families_of(self.settings.families, self.rows["model"].unique())
        labels = {family.models[0]: family.label for family in self.settings.families}
        return {family: labels.get(family) for family in models}

    def family_rows(self, variation: str) -> pd.DataFrame:
        """Return the rows of `by_family` for one variation; an empty name: unchanged scenarios."""
        return self.by_family[self.by_family["variation"] == variation]

    @cached_property
    def by_family(self) -> pd.DataFrame:
        """A table with a row for each model family on each scenario and each variation."""
        models = families_of(self.settings.families, self.rows["model"].unique())
        found = represented(self.rows, models, CASE)
        every = self.compared.regimes
        cases = zip(found["scenario"], found["variation"], strict=True)
        return found.assign(regime=[every[variation][scenario] for scenario, variation in cases])

    @cached_property
    def ranking(self) -> pd.DataFrame:
        """Errors and rank of each model family in each regime; unchanged scenarios come first."""
        return ranking(self.by_family)

    @cached_property
    def changes(self) -> pd.DataFrame:
        """The effect of each variation on the goodput, simulated and predicted by each family."""
        every = rows_of(e for p in self.answers.values() for e in (*p["rows"], *p["sensitivities"]))
        unchanged = every["variation"] == ""
        place = {name: number for number, name in enumerate(self.compared.variation_labels)}
        found = sensitivities(every[unchanged], every[~unchanged])
        found = found.sort_values("variation", key=lambda names: names.map(place), kind="stable")
        return found.merge(self.family_rows("")[["scenario", "model", "family"]])


def publish(tables: Tables) -> dict[str, pd.DataFrame]:
    """Return the published tables by their paths below the folder of results."""
    return {
        "comparison.csv": tables.rows[COLUMNS],
        "comparison/families.csv": tables.by_family[OF_FAMILIES],
        "comparison/ranking.csv": tables.ranking,
        "comparison/sensitivity.csv": tables.changes,
    }
