"""Comparisons of all models with simulation: on scenarios, on maps, and on random connections."""
