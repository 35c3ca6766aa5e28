"""Two-line rule: PFTK if the capacity is constant and PFTK has a value, else the fluid model."""

from __future__ import annotations

import pandas as pd

CONSTANT, VARYING = "pftk", "variable_capacity.fluid"
"""Families of the rule: the first if the capacity is constant and it has a value, else the
second."""


def two_line_rule(errors: pd.DataFrame, capacity_change: pd.Series) -> pd.Series:
    """Return the error of the rule for each connection; NaN if the chosen family has no value.

    Args:
        errors: ln(model / simulated), with a row for each connection and a column for each family.
        capacity_change: the quantity `capacity_change` of each connection; 0: constant capacity.

    """
    known = errors.reindex(columns=[CONSTANT, VARYING])  # a configuration may lack a family
    return known[CONSTANT].where(capacity_change == 0).fillna(known[VARYING])
