"""The models: a package per source, and the formulas of the literature.

Each module below registers what it offers, and is imported when a register is first asked.
"""

from tcpgoodput.models.base import Conditions, Estimate, Model, Prediction, Undefined
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
    "register",
]
