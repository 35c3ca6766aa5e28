"""What the comparison's notebooks call: the tables and pictures of one comparison."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
from IPython.display import Image
from matplotlib.figure import Figure as Picture

from tcpgoodput.comparison.regime import regimes
from tcpgoodput.comparison.schema import Comparison
from tcpgoodput.comparison.table import Tables
from tcpgoodput.drawing import choice, matrix, ranking, regions, sensitivity, theme
from tcpgoodput.drawing.style import Palette, Style


class View:
    """A part of a comparison, as its JSON file describes it."""

    def __init__(self, path: str | Path) -> None:
        """Read the description; the data lie beside it."""
        self.folder = Path(path).resolve().parent
        self.described = json.loads(Path(path).read_text(encoding="utf-8"))
        self.settings = Comparison.model_validate(self.described["settings"])
        self.style = Style(Palette.model_validate(self.described["style"]))
        theme.apply(self.style)

    def saved(self, picture: Picture, *names: str) -> Image:
        """Save a picture and return it as a notebook shows it."""
        name = "_".join(name.replace("-", "_") for name in names if name)
        stem = self.folder.parent.parent / "figures" / "comparison" / name
        theme.save(picture, stem)
        return Image(stem.with_suffix(".png").read_bytes(), width=760)


class MapsView(View):
    """The maps, read from what their jobs wrote."""

    def region(self, name: str) -> Image:
        """Draw a map."""
        rows = pd.read_csv(self.folder / "maps" / f"{name}.csv")
        region, models = self.settings.maps[name], self.described["drawn"][name]
        return self.saved(regions.draw(region, models, rows, self.style), "map", name)


class ComparisonView(View):
    """The scenarios, read from what their jobs wrote."""

    def __init__(self, path: str | Path) -> None:
        super().__init__(path)
        self.tables = Tables.read(self.described, self.folder / "scenarios")

    def matrix(self, variation: str = "") -> Image:
        """Draw the errors of the scenarios as they are, or with a variation."""
        picture = matrix.draw(self.tables.rows_of(variation), self.style)
        return self.saved(picture, "matrix", variation)

    def ranking(self) -> Image:
        """Draw how near models are in each regime."""
        plain = [standing for standing in self.tables.standings if not standing.variation]
        return self.saved(ranking.draw(plain, self.style), "ranking")

    def choice(self) -> Image:
        """Draw which model to use when."""
        present = [name for name in regimes() if name in self.tables.regime_of.values()]
        columns = {"": "as it is", **{n: v.label for n, v in self.settings.again.items()}}
        standings = self.tables.standings
        return self.saved(choice.draw(standings, present, columns, self.style), "choice")

    def sensitivity(self) -> Image:
        """Draw what each variation changes."""
        picture = sensitivity.draw(self.tables.changes, self.tables.variations, self.style)
        return self.saved(picture, "sensitivity")
