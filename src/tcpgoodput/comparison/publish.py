"""Publish what a comparison found: every row, the ranking, what goodput depends on.

python -m tcpgoodput.comparison.publish LOOKS SCENARIOS RESULTS
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tcpgoodput.comparison.table import COLUMNS, Standing, Tables
from tcpgoodput.storage.files import write_text
from tcpgoodput.storage.tables import csv_text


def publish(tables: Tables, results: Path) -> None:
    """Write the tables below the folder of results."""
    own = results / "comparison"
    rows = tables.rows[COLUMNS].astype(object).to_dict("records")
    write_text(results / "comparison.csv", csv_text(COLUMNS, rows))
    ranking = [vars(standing) for standing in tables.standings]
    write_text(own / "ranking.csv", csv_text(list(Standing.__annotations__), ranking))
    changes = tables.changes
    columns = list(changes.columns)
    write_text(own / "sensitivity.csv", csv_text(columns, changes.to_dict("records")))


if __name__ == "__main__":
    looks, scenarios, results = map(Path, sys.argv[1:])
    publish(Tables.read(json.loads(looks.read_text(encoding="utf-8")), scenarios), results)
