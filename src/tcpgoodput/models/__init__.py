"""The models: a package per source, and the formulas of the literature."""

from tcpgoodput.models import (  # noqa: F401  (each registers what it offers)
    delay_spikes,
    handoffs,
    literature,
    mathis,
    packet_trains,
    variable_capacity,
)
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
]
