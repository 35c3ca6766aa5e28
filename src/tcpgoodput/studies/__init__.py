"""Figures as data: what YAML asks for, computed, drawn and listed."""
