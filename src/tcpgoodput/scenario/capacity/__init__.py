"""Capacity C(t) of the bottleneck, for every process of the vocabulary."""
