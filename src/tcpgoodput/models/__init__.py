"""The models: a package per source, the formulas of the literature, and what a model is made with.

Each module below registers what it offers, and is imported when a register is first asked.
"""

import sys

from tcpgoodput.answers import Conditions, Estimate, Prediction, Undefined
from tcpgoodput.models import discovery  # noqa: F401  (fills the registers when they are asked)
from tcpgoodput.models.base import Model
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
