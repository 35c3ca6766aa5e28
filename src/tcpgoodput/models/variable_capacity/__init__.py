"""Fluid TCP over a bottleneck whose capacity varies (Baiocchi and Vacirca)."""

from tcpgoodput.models.variable_capacity import (  # noqa: F401
    closed_form,
    curves,
    errata,
    fluid,
)
