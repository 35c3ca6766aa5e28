"""What the comparison's notebooks call: the pictures that a run has drawn, and their numbers."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from IPython.display import Image

from tcpgoodput.comparison.schema import Comparison
from tcpgoodput.comparison.table import Tables
from tcpgoodput.storage.files import described

WIDTH = 760
"""Of a picture on the page, in pixels."""


class ComparisonView:
    """A part of a comparison, as its JSON file describes it; the data lie beside that."""

    def __init__(self, path: str | Path) -> None:
        """Read the description."""
        self.folder = Path(path).resolve().parent
        self.described = described(path)
        self.settings = Comparison.model_validate(self.described["settings"])

    @cached_property
    def tables(self) -> Tables:
        """Every number behind the pictures of the scenarios."""
        return Tables.read(self.described, self.folder)

    def picture(self, *names: str) -> Image:
        """Return a picture of the run: `matrix`, `matrix` with a variation, `map` with its name."""
        name = "_".join(part.replace("-", "_") for part in names)
        file = self.folder.parent.parent / "figures" / "comparison" / f"{name}.png"
        return Image(file.read_bytes(), width=WIDTH)
