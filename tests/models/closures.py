"""Python source files on which a model's predictions depend."""

from __future__ import annotations

from pathlib import Path

from tcpgoodput.jobs import imported_files
from tcpgoodput.models.base import Model


def files_of_model(model: Model) -> list[Path]:
    """Return the Python files that are imported, directly or not, to evaluate a model."""
    return imported_files("tcpgoodput.models.predict", type(model).__module__)
