"""Recorded radio links: read, described, and told in the words of each model."""
