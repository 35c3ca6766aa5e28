"""Comparisons of all models: on one scenario, on a set of them, on maps and on random samples."""
