"""The comparison as tables: its rows, the ranking within each regime, what goodput depends on."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tcpgoodput.comparison.answers import AT_HOME, relative_half_width
from tcpgoodput.comparison.errors import log_error
from tcpgoodput.comparison.regime import regimes
from tcpgoodput.comparison.schema import Comparison

COLUMNS = [
    "scenario",
    "model",
    "status",
    "reduction",
    "goodput_bps",
    "simulated_bps",
    "ci95_bps",
    "log_error",
]
"""Of the published table, one row for each scenario and model."""

FEWEST_AT_HOME = 0.5
"""Share of a regime's scenarios in which a model must be at home to be ranked there."""


def read_parts(folder: Path, stems: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Read what the scenarios' jobs wrote, by the stem of the scenario's file."""
    return {s: json.loads((folder / f"{s}.json").read_text(encoding="utf-8")) for s in stems}


def rows_of(entries: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return comparisons as a table of `COLUMNS`, with why a model has no value or no home."""
    rows = []
    for entry in entries:
        simulation = entry["simulation"]
        for record in entry["models"]:
            rows.append(
                {
                    "scenario": entry["scenario"],
                    "model": record["name"],
                    "status": record["status"],
                    "reduction": record["reduction"],
                    "goodput_bps": record["goodput_bps"],
                    "simulated_bps": simulation["goodput_bps"] if simulation else None,
                    "ci95_bps": simulation["ci95_bps"] if simulation else None,
                    "log_error": record["log_error"],
                    "reason": record["reason"],
                    "half_width": relative_half_width(simulation),
                }
            )
    return pd.DataFrame(rows, columns=[*COLUMNS, "reason", "half_width"])


@dataclass(frozen=True)
class Standing:
    """How a model does in a regime."""

    variation: str
    """Of the regime's scenarios; empty for the scenarios as they are."""
    regime: str
    model: str
    at_home: int
    of: int
    """Scenarios of the regime in which the model is at home, and all of them."""
    typical: float
    """Median of |ln(model / simulated)| where it is at home."""
    bias: float
    """Mean of ln(model / simulated) there."""
    worst: float
    """The error of the largest size there, with its sign."""
    worst_scenario: str
    rank: int | None
    """1 for the nearest; tied models share a rank; None where it is at home too seldom."""


def variation_of(scenario: str, variations: Iterable[str]) -> str:
    """Return which variation a scenario's id says it is, empty for none."""
    return next((name for name in variations if scenario.endswith(f"-{name}")), "")


def standings(
    rows: pd.DataFrame, regime_of: Mapping[str, str], variation: str = ""
) -> list[Standing]:
    """Rank the models of each regime by their typical errors at home.

    Two whose typical errors differ by less than the typical interval of what is measured are tied.

    Args:
        rows: the rows of one variation.
        regime_of: the regime of each scenario.
        variation: which the rows are of.

    """
    found: list[Standing] = []
    table = rows.assign(regime=rows["scenario"].map(regime_of))
    for name in regimes():
        own = table[table["regime"] == name]
        if own.empty:
            continue
        count = own["scenario"].nunique()
        width = float(own.drop_duplicates("scenario")["half_width"].median())
        home = own[own["status"].isin(AT_HOME)].dropna(subset="log_error")
        unranked = [
            _standing(variation, name, str(m), part, count) for m, part in home.groupby("model")
        ]
        found += ranked(unranked, width)
    return found


def _standing(variation: str, name: str, model: str, home: pd.DataFrame, count: int) -> Standing:
    errors = home["log_error"].to_numpy(float)
    worst = int(np.argmax(np.abs(errors)))
    return Standing(
        variation,
        name,
        model,
        len(errors),
        count,
        float(np.median(np.abs(errors))),
        float(errors.mean()),
        float(errors[worst]),
        str(home["scenario"].iloc[worst]),
        None,
    )


def ranked(unranked: Sequence[Standing], half_width: float) -> list[Standing]:
    """Return standings in order, with ranks where a model is at home often enough."""
    often = sorted(
        (s for s in unranked if s.at_home >= FEWEST_AT_HOME * s.of),
        key=lambda s: (s.typical, s.model),
    )
    seldom = sorted(
        (s for s in unranked if s.at_home < FEWEST_AT_HOME * s.of),
        key=lambda s: (s.typical, s.model),
    )
    placed: list[Standing] = []
    rank, nearest = 0, 0.0
    for position, standing in enumerate(often):
        # Tied with the first of a rank, not with its own neighbour: small steps must not add up.
        if rank == 0 or standing.typical - nearest > half_width:
            rank, nearest = position + 1, standing.typical
        placed.append(replace(standing, rank=rank))
    return [*placed, *seldom]


def sensitivities(
    rows: pd.DataFrame, varied: pd.DataFrame, variations: Iterable[str]
) -> pd.DataFrame:
    """Return how goodput changes with a variation: ln of the ratio, simulated and of each model.

    A change of the simulated goodput within the two intervals is none that could be told.
    """
    plain = rows.set_index(["scenario", "model"])
    found = []
    for name in variations:
        suffix = f"-{name}"
        own = varied[varied["scenario"].str.endswith(suffix)]
        for entry in own.itertuples():
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


@dataclass(frozen=True)
class Tables:
    """All tables of a comparison, from what its scenarios' jobs wrote."""

    settings: Comparison
    regime_of: Mapping[str, str]
    parts: Mapping[str, Mapping[str, Any]]
    """By the stem of the scenario's file."""

    @classmethod
    def read(cls, looks: Mapping[str, Any], folder: Path) -> Tables:
        """Read what a description of the comparison names."""
        settings = Comparison.model_validate(looks["settings"])
        return cls(settings, looks["regimes"], read_parts(folder, looks["stems"]))

    @cached_property
    def rows(self) -> pd.DataFrame:
        """Every model on every row of the matrix."""
        return rows_of(entry for part in self.parts.values() for entry in part["rows"])

    def rows_of(self, variation: str) -> pd.DataFrame:
        """Return the rows of a variation, or with an empty name those of none."""
        own = self.rows["scenario"].map(lambda s: variation_of(s, self.settings.again))
        return self.rows[own == variation]

    @cached_property
    def standings(self) -> list[Standing]:
        """Every model in every regime in which it is at home, by variation."""
        return [
            standing
            for variation in ("", *self.settings.again)
            for standing in standings(self.rows_of(variation), self.regime_of, variation)
        ]

    @cached_property
    def changes(self) -> pd.DataFrame:
        """What each variation changes, simulated and by each model."""
        varied = rows_of(e for p in self.parts.values() for e in (*p["rows"], *p["sensitivities"]))
        return sensitivities(self.rows, varied, self.variations)

    @property
    def variations(self) -> dict[str, str]:
        """The variations' labels."""
        every = {**self.settings.again, **self.settings.sensitivity}
        return {name: variation.label for name, variation in every.items()}
