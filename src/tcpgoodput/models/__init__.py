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

SOURCES = ("delay_spikes", "packet_trains", "mathis", "handoffs", "variable_capacity", "literature")
"""The order in which models are shown, and preferred where nothing else tells them apart."""

MODELS.sort(lambda model: SOURCES.index(model.source) if model.source in SOURCES else len(SOURCES))

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
