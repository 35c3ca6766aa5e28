"""Recorded radio links: reading, statistics, and each model's description with its parameters."""
