"""The two-line rule, which names a family of models for a connection from two of its properties."""

from __future__ import annotations

import pandas as pd

from tcpgoodput.comparison.answers import IN_DOMAIN
from tcpgoodput.comparison.census.quantities import INFINITE

PFTK, FLUID = "pftk", "variable_capacity.fluid"
"""Families of models that the two-line rule names."""

RULE, FLUID_ALONE = "two-line rule", "fluid alone"
"""Names of the recommendations in tables. `FLUID_ALONE` is the simplest, with which the rule is
compared: always the fluid model."""


def fluid_alone(errors: pd.DataFrame) -> pd.Series:
    """Return the error of the fluid model for each connection; NaN if it predicts no goodput.

    Args:
        errors: ln(model / simulated), with a row for each connection and a column for each family.

    """
    return errors.reindex(columns=[FLUID])[FLUID]


def loses_packets(connections: pd.DataFrame) -> pd.Series:
    """Return True for connections whose packets are lost on the link, or hit by hand-offs."""
    return (connections["loss"] > 0) | (connections["handoff_every"] < INFINITE)


def two_line_rule(errors: pd.DataFrame, connections: pd.DataFrame) -> pd.Series:
    """Return, for each connection, the error of the family that the two-line rule names.

    The rule names PFTK if the capacity is constant, or if packets are lost or hit by hand-offs. It
    names the fluid model if only the capacity varies, or if PFTK predicts no goodput. The error is
    NaN if the named family predicts no goodput.

    Args:
        errors: ln(model / simulated), with a row for each connection and a column for each family.
            With other values of the predictions, the result has these values of the named family.
        connections: the quantities of the same connections; see `census.quantities`.

    """
    # The configuration may lack PFTK or the fluid model.
    known = errors.reindex(columns=[PFTK, FLUID])
    constant = connections["capacity_change"] == 0
    return known[PFTK].where(constant | loses_packets(connections)).fillna(known[FLUID])


def names_model_in_domain(
    errors: pd.DataFrame, statuses: pd.DataFrame, connections: pd.DataFrame
) -> pd.Series:
    """Return a mask of the connections for which the two-line rule names a model in domain.

    Args:
        errors: as in `two_line_rule`.
        statuses: status of each prediction, with a row for each connection and a column for each
            family.
        connections: as in `two_line_rule`.

    """
    known = statuses.where(errors.notna())
    return two_line_rule(known, connections).isin(IN_DOMAIN)
