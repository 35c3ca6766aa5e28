"""Figures of the studies: read from YAML files, computed, and written as CSV tables."""
