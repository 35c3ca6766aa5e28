"""Figures of studies as data: read from YAML, computed, and published."""
