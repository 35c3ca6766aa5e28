"""Formulas of the literature that the sources use or are compared with."""
