"""Capacity C(t) of the bottleneck over time, for every capacity process of scenarios."""
