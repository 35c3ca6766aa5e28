"""Fluid model of TCP over a bottleneck with varying capacity (Baiocchi and Vacirca)."""
