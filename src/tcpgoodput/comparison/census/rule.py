"""Two-line rule: PFTK if the capacity is constant and PFTK has a value, else the fluid model."""

from __future__ import annotations

import pandas as pd

from tcpgoodput.comparison.errors import FACTOR_OF_TWO

CONSTANT, VARYING = "pftk", "variable_capacity.fluid"
"""Families of models that the two-line rule names. It names PFTK if the capacity is constant and
PFTK predicts a goodput, else the fluid model."""


def two_line_rule(errors: pd.DataFrame, capacity_change: pd.Series) -> pd.Series:
    """Return, for each connection, the error of the family that the two-line rule names.

    The error is NaN if this family predicts no goodput.

    Args:
        errors: ln(model / simulated), with a row for each connection and a column for each family.
        capacity_change: the quantity `capacity_change` of each connection; 0: constant capacity.

    """
    known = errors.reindex(columns=[CONSTANT, VARYING])  # a configuration may lack a family
    return known[CONSTANT].where(capacity_change == 0).fillna(known[VARYING])


def sizes_of_advice(errors: pd.Series) -> pd.Series:
    """Return the sizes of the errors of a piece of advice; a missing answer is a factor of two.

    Args:
        errors: ln(model / simulated) of the advised family; NaN if it predicts no goodput.

    """
    return errors.abs().fillna(FACTOR_OF_TWO)
