"""Pictures of the comparison of all models on all scenarios and maps."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure as Picture

from tcpgoodput.comparison.families import label_of
from tcpgoodput.comparison.files import Compared
from tcpgoodput.comparison.table import Tables
from tcpgoodput.drawing import matrix, ranking, regions, sensitivity
from tcpgoodput.style import Style


def draw_map(name: str, compared: Compared, rows: pd.DataFrame, style: Style) -> Picture:
    """Draw a map: the errors of models over two parameters, a panel for each model.

    Args:
        name: name of the map in the comparison's file.
        compared: the comparison.
        rows: a row for each point of the map; see `comparison.answers.errors_of`.
        style: labels and colours of the models.

    """
    return regions.draw(compared.settings.maps[name], compared.drawn(name), rows, style)


def draw(name: str, tables: Tables, style: Style) -> Picture:
    """Draw a picture of the models' errors on all scenarios.

    Args:
        name: `matrix`, `variations`, `ranking` or `sensitivity`.
        tables: the results for all scenarios.
        style: labels and colours of the models.

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
