"""Tables of the comparison of all models on all scenarios."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from tcpgoodput.comparison.answers import IN_DOMAIN, relative_half_width
from tcpgoodput.comparison.errors import bias, log_error, typical, worst
from tcpgoodput.comparison.families import families_of, regimes, represented
from tcpgoodput.comparison.files import Compared
from tcpgoodput.comparison.schema import Comparison
from tcpgoodput.storage import csv_text

COLUMNS = [
    *("scenario", "model", "status", "reduction", "goodput_bps", "simulated_bps", "ci95_bps"),
    "log_error",
]
"""Columns of `comparison.csv`, which has one row for each scenario and model."""

OF_FAMILIES = ["scenario", "family", *COLUMNS[1:]]
"""Columns of `comparison/families.csv`; `model` is the model of the family with the best status in
this scenario, which represents the family."""

FEWEST_IN_DOMAIN = 0.5
"""Smallest share of a regime's scenarios on which a model family must be in domain to be ranked. A
regime is a set of impairments. Chosen by hand."""


OF_RECORD = ("status", "reduction", "goodput_bps", "log_error", "reason")
"""Columns of `rows_of` whose values are copied from the dict of a prediction."""


def read_parts(folder: Path, stems: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Read the measurements and predictions of scenarios from JSON files.

    Returns:
        The results, by the name of the scenario's file without ending.

    """
    return {s: json.loads((folder / f"{s}.json").read_text(encoding="utf-8")) for s in stems}


def rows_of(entries: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return predictions and measurements as a table, with a row for each scenario and model.

    The columns are `COLUMNS`, `reason` (of a missing or invalid value), and `half_width` (of the
    simulation's interval, relative to the goodput).
    """
    rows = []
    for entry in entries:
        simulation = entry["simulation"]
        for record in entry["models"]:
            rows.append(
                {
                    "scenario": entry["scenario"],
                    "model": record["name"],
                    "simulated_bps": simulation["goodput_bps"] if simulation else None,
                    "ci95_bps": simulation["ci95_bps"] if simulation else None,
                    "half_width": relative_half_width(simulation),
                    **{name: record[name] for name in OF_RECORD},
                }
            )
    return pd.DataFrame(rows, columns=[*COLUMNS, "reason", "half_width"])


@dataclass(frozen=True)
class FamilyRank:
    """Errors and rank of a family of models in a regime (scenarios with the same impairments)."""

    variation: str
    """Name of the variation by which the regime's scenarios are changed; empty for the unchanged
    scenarios."""
    regime: str
    family: str
    in_domain: int
    of: int
    """Number of scenarios in the regime; `in_domain` is the number on which the model family is in
    domain."""
    typical: float
    """Median of |ln(model / simulated)| over the scenarios in domain."""
    bias: float
    """Mean of ln(model / simulated) over the scenarios in domain."""
    worst: float
    """The error with the largest absolute value over the scenarios in domain, with its sign."""
    worst_scenario: str
    rank: int | None
    """Rank in the regime, 1 for the smallest error; tied model families share a rank. None if the
    family is in domain on too few scenarios; see `FEWEST_IN_DOMAIN`."""


def variation_of(scenario: str, variations: Iterable[str]) -> str:
    """Return the name of the variation at the end of a scenario's id; empty if there is none."""
    named = (name for name in variations if scenario.endswith(f"-{name}"))
    return max(named, key=len, default="")  # the id "s01-linux-b2" also ends with "b2"


def variations_of_pairs(pairs: pd.DataFrame, variations: Iterable[str]) -> pd.Series:
    """Return the name of the variation of each pair of measurements; empty for the scenario itself.

    Args:
        pairs: pairs of the comparison's scenarios: `panel` is a scenario's id, and `x` is 0 for the
            unchanged scenario.
        variations: names of the variations.

    """
    names = list(variations)
    found = pairs["panel"].map(lambda scenario: variation_of(str(scenario), names))
    return found.where(pairs["x"] > 0, "")


def standings(
    rows: pd.DataFrame, regime_of: Mapping[str, str], variation: str = ""
) -> list[FamilyRank]:
    """Rank the model families of each regime by their median error (absolute value) in domain.

    Two families are tied if these medians differ by at most the median half-width of the
    measurements.

    Args:
        rows: a row for each family and scenario of one variation.
        regime_of: the regime of each scenario, by id.
        variation: name of the variation; empty for unchanged scenarios.

    """
    found: list[FamilyRank] = []
    table = rows.assign(regime=rows["scenario"].map(regime_of))
    for name in regimes():
        own = table[table["regime"] == name]
        if own.empty:
            continue
        count = own["scenario"].nunique()
        width = float(own.drop_duplicates("scenario")["half_width"].median())
        in_domain = own[own["status"].isin(IN_DOMAIN)].dropna(subset="log_error")
        unranked = [
            _standing(variation, name, str(f), part, count)
            for f, part in in_domain.groupby("family")
        ]
        found += ranked(unranked, width)
    return found


def _standing(
    variation: str, name: str, family: str, in_domain: pd.DataFrame, count: int
) -> FamilyRank:
    errors = dict(zip(in_domain["scenario"], in_domain["log_error"].astype(float), strict=True))
    largest = worst(errors.values())
    return FamilyRank(
        variation,
        name,
        family,
        len(errors),
        count,
        typical(errors.values()),
        bias(errors.values()),
        largest,
        next(scenario for scenario, error in errors.items() if error == largest),
        None,
    )


def ranked(unranked: Sequence[FamilyRank], half_width: float) -> list[FamilyRank]:
    """Sort the model families of one regime by error, and set the ranks.

    A family that is in domain on too few scenarios (`FEWEST_IN_DOMAIN`) has no rank and comes last.

    Args:
        unranked: the errors of the families, without ranks.
        half_width: largest difference of the median errors of tied families.

    """
    order = sorted(unranked, key=lambda s: (s.typical, s.family))
    often = [s for s in order if s.in_domain >= FEWEST_IN_DOMAIN * s.of]
    seldom = [s for s in order if s.in_domain < FEWEST_IN_DOMAIN * s.of]
    placed: list[FamilyRank] = []
    rank, nearest = 0, 0.0
    for position, standing in enumerate(often):
        # Compare with the first family of the same rank, so that small differences do not add up.
        if rank == 0 or standing.typical - nearest > half_width:
            rank, nearest = position + 1, standing.typical
        placed.append(replace(standing, rank=rank))
    return [*placed, *seldom]


def sensitivities(
    rows: pd.DataFrame, varied: pd.DataFrame, variations: Iterable[str]
) -> pd.DataFrame:
    """Return each variation's effect on the goodput, simulated and predicted by each model.

    An effect is ln(goodput with the variation / goodput without it). `half_width` combines the
    intervals of both simulations; a smaller simulated change is not significant.

    Args:
        rows: a row for each unchanged scenario and model; see `rows_of`.
        varied: a row for each varied scenario and model.
        variations: names of the variations.

    """
    plain = rows.set_index(["scenario", "model"])
    names = list(variations)
    which = varied["scenario"].map(lambda scenario: variation_of(scenario, names))
    found = []
    for name in names:
        suffix = f"-{name}"
        for entry in varied[which == name].itertuples():
            base = plain.loc[(entry.scenario.removesuffix(suffix), entry.model)]
            found.append(
                {
                    "scenario": entry.scenario.removesuffix(suffix),
                    "variation": name,
                    "model": entry.model,
                    "status": entry.status,
                    "simulated_change": log_error(entry.simulated_bps, base["simulated_bps"]),
                    "half_width": math.hypot(entry.half_width, base["half_width"]),
                    "model_change": log_error(entry.goodput_bps, base["goodput_bps"]),
                }
            )
    columns = ["scenario", "variation", "model", "status"]
    columns += ["simulated_change", "half_width", "model_change"]
    return pd.DataFrame(found, columns=columns)


def misjudgements(rows: pd.DataFrame, parts: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return, for each misjudged input, ln of the factor by which it changes a prediction.

    A misjudged input is a loss or a round trip that is estimated 20 % too large or too small.

    Args:
        rows: a row for each unchanged scenario and model family.
        parts: the results of each scenario, with the predictions for misjudged inputs.

    Returns:
        A table with a row for each scenario, model family and misjudged input.

    """
    found = []
    for part in parts:
        plain = part["rows"][0]
        own = rows[rows["scenario"] == plain["scenario"]]
        unchanged_pps = {record["name"]: record["goodput_pps"] for record in plain["models"]}
        for name, goodputs in part["misjudged"].items():
            for entry in own.itertuples():
                change = log_error(goodputs[entry.model], unchanged_pps[entry.model])
                if change is not None:
                    found.append((plain["scenario"], entry.family, entry.model, name, change))
    return pd.DataFrame(found, columns=["scenario", "family", "model", "misjudged", "change"])


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

    @property
    def parts(self) -> dict[str, dict[str, Any]]:
        """The results for each scenario of the matrix, by the name of its file without ending."""
        return {stem: self.answers[stem] for stem in self.compared.scenarios}

    @cached_property
    def rows(self) -> pd.DataFrame:
        """A table with a row for each model on each scenario of the matrix and each variation."""
        return rows_of(entry for part in self.parts.values() for entry in part["rows"])

    @cached_property
    def labels(self) -> dict[str, str | None]:
        """The label of each family, in order; None for a model outside the named families."""
        models = families_of(self.settings.families, self.rows["model"].unique())
        labels = {family.models[0]: family.label for family in self.settings.families}
        return {family: labels.get(family) for family in models}

    def family_rows(self, variation: str) -> pd.DataFrame:
        """Return the rows of `by_family` for one variation; an empty name: unchanged scenarios."""
        own = self.by_family["scenario"].map(lambda s: variation_of(s, self.settings.variations))
        return self.by_family[own == variation]

    def rows_with_unchanged_ids(self, variation: str) -> pd.DataFrame:
        """Return the rows of `by_family` for a variation, with the unchanged scenarios' ids."""
        own = self.family_rows(variation)
        return own.assign(scenario=own["scenario"].str.removesuffix(f"-{variation}"))

    @cached_property
    def by_family(self) -> pd.DataFrame:
        """A table with a row for each model family on each scenario and each variation."""
        models = families_of(self.settings.families, self.rows["model"].unique())
        return represented(self.rows, models)

    @cached_property
    def standings(self) -> list[FamilyRank]:
        """Errors and rank of each model family in each regime; unchanged scenarios come first."""
        return [
            standing
            for variation in ("", *self.settings.variations)
            for standing in standings(self.family_rows(variation), self.compared.regimes, variation)
        ]

    @cached_property
    def changes(self) -> pd.DataFrame:
        """The effect of each variation on the goodput, simulated and predicted by each family."""
        every = (e for p in self.parts.values() for e in (*p["rows"], *p["sensitivities"]))
        found = sensitivities(self.rows, rows_of(every), self.compared.variation_labels)
        return found.merge(self.family_rows("")[["scenario", "model", "family"]])

    @cached_property
    def misjudged(self) -> pd.DataFrame:
        """The effect of a misjudged loss or RTT on the predictions of model families in domain."""
        unchanged = self.family_rows("")
        return misjudgements(unchanged[unchanged["status"].isin(IN_DOMAIN)], self.parts.values())


def publish(tables: Tables) -> Iterator[tuple[str, str]]:
    """Yield, for each table, its path below the folder of results and its content as CSV."""
    rows = tables.rows[COLUMNS].astype(object).to_dict("records")
    yield "comparison.csv", csv_text(COLUMNS, rows)
    families = tables.by_family[OF_FAMILIES].astype(object).to_dict("records")
    yield "comparison/families.csv", csv_text(OF_FAMILIES, families)
    ranking = [vars(standing) for standing in tables.standings]
    yield "comparison/ranking.csv", csv_text(list(FamilyRank.__annotations__), ranking)
    for name, changes in (("sensitivity", tables.changes), ("misjudged", tables.misjudged)):
        yield f"comparison/{name}.csv", csv_text(list(changes.columns), changes.to_dict("records"))
