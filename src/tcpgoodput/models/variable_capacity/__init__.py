"""Fluid TCP over a bottleneck whose capacity varies (Baiocchi and Vacirca)."""
