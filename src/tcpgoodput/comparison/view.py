"""What the comparison's notebooks call: the tables and pictures of one comparison."""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path

import pandas as pd
from IPython.display import Image
from matplotlib.figure import Figure as Picture

from tcpgoodput.comparison.regime import regimes
from tcpgoodput.comparison.schema import Comparison
from tcpgoodput.comparison.table import (
    COLUMNS,
    Standing,
    read_parts,
    rows_of,
    sensitivities,
    standings,
    variation_of,
)
from tcpgoodput.drawing import choice, matrix, ranking, regions, sensitivity, theme
from tcpgoodput.drawing.style import Palette, Style
from tcpgoodput.storage.files import write_text
from tcpgoodput.storage.tables import csv_text


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
        self.regime_of: dict[str, str] = self.described["regimes"]
        self._parts = read_parts(self.folder / "scenarios", self.described["stems"])

    @cached_property
    def rows(self) -> pd.DataFrame:
        """Every model on every row of the matrix."""
        return rows_of(entry for part in self._parts.values() for entry in part["rows"])

    def rows_of(self, variation: str) -> pd.DataFrame:
        """Return the rows of a variation, or with an empty name those of none."""
        own = self.rows["scenario"].map(lambda s: variation_of(s, self.settings.again))
        return self.rows[own == variation]

    @cached_property
    def standings(self) -> list[Standing]:
        """Every model in every regime in which it is at home, by variation."""
        return [
            standing
            for variation in ("", *self.settings.again)
            for standing in standings(self.rows_of(variation), self.regime_of, variation)
        ]

    @cached_property
    def changes(self) -> pd.DataFrame:
        """What each variation changes, simulated and by each model."""
        varied = rows_of(e for p in self._parts.values() for e in (*p["rows"], *p["sensitivities"]))
        return sensitivities(self.rows, varied, self.variations)

    @property
    def variations(self) -> dict[str, str]:
        """The variations' labels."""
        every = {**self.settings.again, **self.settings.sensitivity}
        return {name: variation.label for name, variation in every.items()}

    def matrix(self, variation: str = "") -> Image:
        """Draw the errors of the scenarios as they are, or with a variation."""
        return self.saved(matrix.draw(self.rows_of(variation), self.style), "matrix", variation)

    def ranking(self) -> Image:
        """Draw how near models are in each regime."""
        plain = [standing for standing in self.standings if not standing.variation]
        return self.saved(ranking.draw(plain, self.style), "ranking")

    def choice(self) -> Image:
        """Draw which model to use when."""
        present = [name for name in regimes() if name in self.regime_of.values()]
        columns = {"": "as it is", **{n: v.label for n, v in self.settings.again.items()}}
        return self.saved(choice.draw(self.standings, present, columns, self.style), "choice")

    def sensitivity(self) -> Image:
        """Draw what each variation changes."""
        picture = sensitivity.draw(self.changes, self.variations, self.style)
        return self.saved(picture, "sensitivity")

    def publish(self) -> None:
        """Write the tables below `results/`."""
        write_text(
            self.folder.parent / "comparison.csv",
            csv_text(COLUMNS, self.rows[COLUMNS].astype(object).to_dict("records")),
        )
        ranking = [vars(standing) for standing in self.standings]
        write_text(self.folder / "ranking.csv", csv_text(list(Standing.__annotations__), ranking))
        columns = list(self.changes.columns)
        write_text(
            self.folder / "sensitivity.csv", csv_text(columns, self.changes.to_dict("records"))
        )
