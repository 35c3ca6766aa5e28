"""Recorded radio links: reading, statistics, and descriptions of a link for each model."""
