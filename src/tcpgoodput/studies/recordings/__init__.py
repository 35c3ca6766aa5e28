"""Recorded radio links: read, described, and described as each model would."""
