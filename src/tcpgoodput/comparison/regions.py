"""Which model is nearest at each point of a map."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from tcpgoodput.comparison.answers import AT_HOME
from tcpgoodput.comparison.errors import log_error, order_of_errors


@dataclass(frozen=True)
class Nearest:
    """The nearest model at home at a point of a map."""

    x: float
    y: float
    model: str | None
    """None: no model is at home, or nothing could be measured."""
    index: int
    """Of the model among the map's."""
    error: float
    """ln(model / simulated)."""
    tied: bool
    """The measurement's interval does not tell it from the next."""


def nearest(rows: pd.DataFrame, models: Sequence[str]) -> list[Nearest]:
    """Return the nearest model at home at each point of a map."""
    return [_nearest(row, models) for row in rows.to_dict("records")]


def _nearest(row: dict[str, float | str], models: Sequence[str]) -> Nearest:
    measured, half_width = float(row["goodput_pps"]), float(row["half_width_pps"])
    errors = {
        model: error
        for model in models
        if row[f"{model}_status"] in AT_HOME
        and (error := log_error(float(row[f"{model}_pps"]), measured)) is not None
    }
    x, y = float(row["x"]), float(row["y"])
    if not errors:
        return Nearest(x, y, None, -1, math.nan, tied=False)
    best = min(errors, key=lambda model: abs(errors[model]))
    width = half_width / measured
    tied = any(
        order_of_errors(errors[best], error, width) == 0
        for model, error in errors.items()
        if model != best
    )
    return Nearest(x, y, best, list(models).index(best), errors[best], tied)
