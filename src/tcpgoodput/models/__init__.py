"""Analytical models of goodput: a package for each of the five studies, and one for other papers.

Each module adds its models and curves to the registers of `models.registry`. All modules are
imported when a register is first used.

The package can also be called: `tcpgoodput.models()` returns a table with a row for each model.
`help(tcpgoodput.models.listing.models)` describes its columns.
"""

import sys

from tcpgoodput.answers import Conditions, Estimate, Prediction, Undefined
from tcpgoodput.models.base import Condition, Model
from tcpgoodput.models.listing import Listing
from tcpgoodput.models.registry import (
    COSTLY_CURVES,
    CURVES,
    ERRATA,
    MODELS,
    TABLES,
    Curve,
    Effect,
    Erratum,
    register,
)
from tcpgoodput.scenario.physics import impairments, lost_share, mean_capacity_bps

__all__ = [
    "COSTLY_CURVES",
    "CURVES",
    "ERRATA",
    "MODELS",
    "TABLES",
    "Condition",
    "Conditions",
    "Curve",
    "Effect",
    "Erratum",
    "Estimate",
    "Model",
    "Prediction",
    "Undefined",
    "impairments",
    "lost_share",
    "mean_capacity_bps",
    "register",
]

sys.modules[__name__].__class__ = Listing
