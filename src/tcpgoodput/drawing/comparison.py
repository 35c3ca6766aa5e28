"""Draw one picture of the comparison from what its jobs found.

python -m tcpgoodput.drawing.comparison LOOKS COMPARISON PICTURE.pdf
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure as Picture

from tcpgoodput.comparison.regime import regimes
from tcpgoodput.comparison.schema import Comparison
from tcpgoodput.comparison.table import Tables
from tcpgoodput.drawing import choice, matrix, ranking, regions, sensitivity, theme
from tcpgoodput.drawing.style import Palette, Style

MAP = "map_"
MATRIX = "matrix"


def name_of_matrix(variation: str = "") -> str:
    """Return what the matrix of errors with a variation is called, or that of none."""
    return "_".join(part.replace("-", "_") for part in (MATRIX, variation) if part)


def drawn(name: str, looks: Mapping[str, Any], folder: Path, style: Style) -> Picture:
    """Return a picture by its name.

    Args:
        name: of the picture.
        looks: what the scenarios or the maps look like; see `comparison.notebook`.
        folder: of what the comparison's jobs found.
        style: names and colours of the models.

    """
    if name.startswith(MAP):
        region = name.removeprefix(MAP)
        rows = pd.read_csv(folder / "maps" / f"{region}.csv")
        told = Comparison.model_validate(looks["settings"]).maps[region]
        return regions.draw(told, looks["drawn"][region], rows, style)
    tables = Tables.read(looks, folder / "scenarios")
    again = tables.settings.again
    variations = {name_of_matrix(variation): variation for variation in ("", *again)}
    if name in variations:
        return matrix.draw(tables.rows_of(variations[name]), style)
    match name:
        case "ranking":
            plain = [standing for standing in tables.standings if not standing.variation]
            return ranking.draw(plain, style)
        case "choice":
            present = [name for name in regimes() if name in tables.regime_of.values()]
            columns = {"": "as it is", **{n: v.label for n, v in again.items()}}
            return choice.draw(tables.standings, present, columns, style)
        case "sensitivity":
            return sensitivity.draw(tables.changes, tables.variations, style)
    raise ValueError(f"no picture of the comparison is called {name}")


def work(looks: Path, folder: Path, picture: Path) -> None:
    """Draw a picture as PDF and PNG."""
    told = json.loads(looks.read_text(encoding="utf-8"))
    style = Style(Palette.model_validate(told["style"]))
    theme.apply(style)
    theme.save(drawn(picture.stem, told, folder, style), picture.with_suffix(""))


if __name__ == "__main__":
    work(*map(Path, sys.argv[1:]))
