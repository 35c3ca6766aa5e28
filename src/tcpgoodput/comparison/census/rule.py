"""The two-line rule: PFTK where the capacity is constant and PFTK has a value, else the fluid."""

from __future__ import annotations

import pandas as pd

CONSTANT, VARYING = "pftk", "variable_capacity.fluid"
"""Families of the rule: the first if the capacity is constant and it has a value, else the
second."""


def two_line_rule(errors: pd.DataFrame, capacity_change: pd.Series) -> pd.Series:
    """Return the error of the rule for each connection; NaN if the family has no value.

    Args:
        errors: a row for each connection, a column for each family.
        capacity_change: the quantity of this name of each connection; 0: constant capacity.

    """
    known = errors.reindex(columns=[CONSTANT, VARYING])  # a configuration may lack one of them
    return known[CONSTANT].where(capacity_change == 0).fillna(known[VARYING])
