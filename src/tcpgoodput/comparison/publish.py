"""What a comparison publishes: its rows, families, ranking, sensitivities, what is held out."""

from __future__ import annotations

from collections.abc import Iterator

from tcpgoodput.comparison.table import COLUMNS, OF_FAMILIES, Standing, Tables
from tcpgoodput.storage.tables import csv_text


def publish(tables: Tables) -> Iterator[tuple[str, str]]:
    """Yield each published table as CSV, by its path below the folder of results."""
    rows = tables.rows[COLUMNS].astype(object).to_dict("records")
    yield "comparison.csv", csv_text(COLUMNS, rows)
    for name, families in (("families", tables.by_family), ("held", tables.held)):
        found = families[OF_FAMILIES].astype(object).to_dict("records")
        yield f"comparison/{name}.csv", csv_text(OF_FAMILIES, found)
    ranking = [vars(standing) for standing in tables.standings]
    yield "comparison/ranking.csv", csv_text(list(Standing.__annotations__), ranking)
    for name, changes in (("sensitivity", tables.changes), ("misjudged", tables.misjudged)):
        yield f"comparison/{name}.csv", csv_text(list(changes.columns), changes.to_dict("records"))
