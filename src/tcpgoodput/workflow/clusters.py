"""What a cluster asks of the place where the project is."""

from __future__ import annotations

UNQUOTED = frozenset({"slurm"})
"""Executors whose jobs name the interpreter without quotes."""


def fault_of(executor: str, python: str) -> str | None:
    """Return why an executor's jobs could not begin, or None."""
    if executor in UNQUOTED and any(letter.isspace() for letter in python):
        return (
            f"jobs of the executor {executor} cannot name {python}, which has a space: go to the "
            "project by a link without one (ln -s), and begin there with .venv/bin/python -m "
            "snakemake"
        )
    return None
