"""Recorded radio links: reading, statistics, and the parameters of each model's description."""
