"""Recorded radio links: what was measured over them, and how far off models are there."""
