"""Draw a picture of the comparison."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure as Picture

from tcpgoodput.comparison.families import label_of
from tcpgoodput.comparison.files import Compared
from tcpgoodput.comparison.table import Tables
from tcpgoodput.drawing import matrix, ranking, regions, sensitivity
from tcpgoodput.style import Style


def draw_map(name: str, compared: Compared, rows: pd.DataFrame, style: Style) -> Picture:
    """Draw a map: the errors of the models that it may show, over two parameters."""
    return regions.draw(compared.settings.maps[name], compared.drawn(name), rows, style)


def draw(name: str, tables: Tables, style: Style) -> Picture:
    """Draw a picture of the scenarios.

    Args:
        name: `matrix`, `variations`, `ranking` or `sensitivity`.
        tables: what was found of the scenarios.
        style: names and colours of the models.

    Raises:
        ValueError: there is no picture of this name.

    """
    label = label_of(tables.settings.families, style)
    names = {family: label(family) for family in tables.labels}
    regimes, again = tables.compared.regimes, tables.settings.again
    match name:
        case "matrix":
            return matrix.draw(tables.rows_of(""), regimes, tables.compared.titles, names, style)
        case "variations":
            own = {v.label: tables.twin_of(variation) for variation, v in again.items()}
            return matrix.draw_again(own, names, style)
        case "ranking":
            return ranking.draw(tables.standings, tables.rows_of(""), regimes, names, style)
        case "sensitivity":
            return sensitivity.draw(tables.changes, tables.variations, names, style)
    raise ValueError(f"no picture of the comparison is called {name}")
