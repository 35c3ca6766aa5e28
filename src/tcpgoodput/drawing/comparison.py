"""Draw one picture of the comparison from what its jobs found.

python -m tcpgoodput.drawing.comparison LOOKS COMPARISON PICTURE.pdf
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure as Picture

from tcpgoodput.comparison.schema import Comparison
from tcpgoodput.comparison.table import Tables
from tcpgoodput.drawing import held, job, matrix, ranking, regions, sensitivity
from tcpgoodput.style.looks import Style

MAP = "map_"


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
    tables = Tables.read(looks, folder)
    names = {f: label or style.model(f).label for f, label in tables.labels.items()}
    again = tables.settings.again
    match name:
        case "matrix":
            twins = {v.label: tables.twin_of(variation) for variation, v in again.items()}
            known = (looks["regimes"], looks["titles"], names)
            return matrix.draw(tables.rows_of(""), twins, *known, style)
        case "ranking":
            known = (tables.ranked_rows(""), looks["regimes"])
            return ranking.draw(tables.standings, *known, names, style)
        case "sensitivity":
            known = (tables.variations, looks["regimes"])
            return sensitivity.draw(tables.changes, *known, names, style)
        case "held":
            return held.draw(tables.held, names, style)
    raise ValueError(f"no picture of the comparison is called {name}")


if __name__ == "__main__":
    job.work(drawn, *map(Path, sys.argv[1:]))
