"""Capacity C(t) of the bottleneck, for every capacity process of the scenario vocabulary."""
