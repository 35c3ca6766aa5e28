"""Source files on which a model's predictions depend."""

from __future__ import annotations

from pathlib import Path

from tcpgoodput.jobs import imported_files
from tcpgoodput.models.base import Model


def files_of_model(model: Model) -> list[Path]:
    """Return the files that a model's predictions depend on."""
    return imported_files("tcpgoodput.models.predict", type(model).__module__)
