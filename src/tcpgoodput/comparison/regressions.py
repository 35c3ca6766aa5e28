"""Regressions of a prediction's error: what measured connections teach without a model.

At each level of knowledge, a regression learns by how much the cap is wrong. It knows no model, so
it tells what the inputs are worth apart from the formulas.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from tcpgoodput.comparison.census.quantities import QUANTITIES, quantities_of
from tcpgoodput.comparison.errors import log_error
from tcpgoodput.comparison.families import regime
from tcpgoodput.comparison.input_errors import COLUMNS, REGRESSION, Judged, cap_pps
from tcpgoodput.comparison.inputs import InputsFile, views
from tcpgoodput.scenario.physics import IMPAIRMENTS, impairments

FEWEST = 400
"""Smallest number of errors from which a regression learns. Chosen by hand."""

STEPS = 200
"""Number of trees that a regression adds up. Chosen by hand."""

LINUX_RULES = "Linux's rules"
"""Column that says whether the sender has the rules of Linux."""

OF_A_MODEL = "loss_window"
"""The quantity that contains a model, the square-root law."""

KNOWN = sorted({*QUANTITIES, *IMPAIRMENTS, LINUX_RULES} - {OF_A_MODEL})
"""Columns from which the cap's error is learned: the quantities with what is known of the link, the
kinds of its impairments, and the sender's rules. The last two are known at each level."""


def learned(connections: pd.DataFrame, known: list[str], errors: pd.Series) -> Any:
    """Return a regression of errors on what is known of each; None if there are too few errors.

    Args:
        connections: a row for each error.
        known: the columns from which the errors are learned.
        errors: ln(prediction / measured); errors without a value are left out.

    """
    from sklearn.ensemble import HistGradientBoostingRegressor

    has_value = errors.notna()
    if has_value.sum() < FEWEST:
        return None
    settings = {"loss": "absolute_error", "early_stopping": False, "random_state": 0}
    regression = HistGradientBoostingRegressor(max_iter=STEPS, **settings)
    return regression.fit(connections.loc[has_value, known], errors[has_value])


def caps_of(judged: Iterable[Judged], settings: InputsFile) -> pd.DataFrame:
    """Return the error of the cap for each connection and level, and what is known there."""
    rows = []
    for one in judged:
        found = impairments(one.scenario)
        always: dict[str, Any] = {name: float(name in found) for name in IMPAIRMENTS}
        always[LINUX_RULES] = float(one.scenario.tcp.stack is not None)
        always |= {"judge": one.judge, "connection": one.name, "regime": regime(one.scenario)}
        for view in views(one.scenario, settings):
            if view.case in settings.levels:
                error = log_error(cap_pps(view.scenario), one.goodput_pps)
                place = {"case": view.case, "direction": view.direction, "log_error": error}
                rows.append(always | place | quantities_of(view.scenario))
    columns = [*KNOWN, "judge", "connection", "regime", "case", "direction", "log_error"]
    return pd.DataFrame(rows, columns=columns).astype({"log_error": float})


@dataclass(frozen=True)
class Regressions:
    """The cap, divided by its error as a regression predicts it, at each level of knowledge."""

    teaching: pd.DataFrame
    """The caps from which the regressions learn, as `caps_of` returns them; none is judged."""
    name: str = REGRESSION
    """Name of this way to predict."""

    @cached_property
    def _of_levels(self) -> dict[str, Any]:
        """The regression of each level at which there are enough connections."""
        levels = self.teaching.groupby("case")
        found = {case: learned(own, KNOWN, own["log_error"]) for case, own in levels}
        return {case: regression for case, regression in found.items() if regression is not None}

    def predictors(self, caps: pd.DataFrame) -> pd.DataFrame:
        """Return the errors of the corrected caps; see `input_errors.COLUMNS`.

        There is no row at a level at which there were too few connections to learn from.
        """
        caps = caps[caps["case"].isin(self._of_levels)].reset_index(drop=True)
        for case, rows in caps.groupby("case").groups.items():
            caps.loc[rows, "log_error"] -= self._of_levels[str(case)].predict(caps.loc[rows, KNOWN])
        return caps.assign(predictor=self.name, family="")[COLUMNS]
