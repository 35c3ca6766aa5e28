"""Fluid TCP over a bottleneck whose capacity varies (Baiocchi and Vacirca)."""

from tcpgoodput.models.variable_capacity import closed_form, fluid  # noqa: F401
