"""Publish what a comparison found: its rows, families, ranking, sensitivities, what is held out.

python -m tcpgoodput.comparison.publish LOOKS RESULTS
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tcpgoodput.comparison.table import COLUMNS, OF_FAMILIES, Standing, Tables
from tcpgoodput.storage.files import write_text
from tcpgoodput.storage.tables import csv_text


def publish(tables: Tables, results: Path) -> None:
    """Write the tables below the folder of results."""
    own = results / "comparison"
    rows = tables.rows[COLUMNS].astype(object).to_dict("records")
    write_text(results / "comparison.csv", csv_text(COLUMNS, rows))
    for name, families in (("families", tables.by_family), ("held", tables.held)):
        found = families[OF_FAMILIES].astype(object).to_dict("records")
        write_text(own / f"{name}.csv", csv_text(OF_FAMILIES, found))
    ranking = [vars(standing) for standing in tables.standings]
    write_text(own / "ranking.csv", csv_text(list(Standing.__annotations__), ranking))
    for name, changes in (("sensitivity", tables.changes), ("misjudged", tables.misjudged)):
        columns = list(changes.columns)
        write_text(own / f"{name}.csv", csv_text(columns, changes.to_dict("records")))


if __name__ == "__main__":
    looks, results = map(Path, sys.argv[1:])
    told = json.loads(looks.read_text(encoding="utf-8"))
    publish(Tables.read(told, results / "comparison"), results)
