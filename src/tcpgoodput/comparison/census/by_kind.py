"""Small tables of a random sample, by kind of connections: errors of models, ranges of quantities.

`advise` reads these tables because reading the whole sample would take too long. It does not import
this module, whose libraries take longer to load than the advice.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from tcpgoodput.comparison.answers import IN_DOMAIN
from tcpgoodput.comparison.census.evidence import Evidence, read_evidence
from tcpgoodput.comparison.census.measure import STATUS
from tcpgoodput.comparison.census.summary import RANGE_COLUMNS, ranges_of
from tcpgoodput.comparison.errors import per_cent, typical
from tcpgoodput.storage import csv_text, write_text

NINE_OF_TEN = 0.9

ERROR_COLUMNS = ["happening", "model", "status", "connections", "typical_%", "q90_size_%"]
KIND_RANGE_COLUMNS = ["happening", *RANGE_COLUMNS]


def write_tables(table: Path, errors: Path, ranges: Path) -> None:
    """Write the errors of models and the ranges of quantities for each kind of connections.

    Args:
        table: path of the table of a census.
        errors: path of the CSV file with the errors.
        ranges: path of the CSV file with the ranges.

    """
    names = pq.read_schema(table).names
    models = [name.removeprefix(STATUS) for name in names if name.startswith(STATUS)]
    evidence = read_evidence(table, {model: [model] for model in models}).with_narrow_intervals()
    write_text(errors, csv_text(ERROR_COLUMNS, errors_by_kind(evidence)))
    write_text(ranges, csv_text(KIND_RANGE_COLUMNS, ranges_by_kind(evidence)))


def errors_by_kind(evidence: Evidence) -> Iterator[dict[str, Any]]:
    """Yield each model's errors in its domain, for each kind of connections."""
    for happening, connections in evidence.connections.groupby("happening", sort=True):
        errors = evidence.of_models.loc[connections.index]
        statuses = evidence.statuses_of_models.loc[connections.index]
        for model in errors:
            for status in IN_DOMAIN:
                sizes = errors.loc[statuses[model] == status, model].dropna().abs()
                if not sizes.empty:
                    yield {
                        "happening": happening,
                        "model": model,
                        "status": status,
                        "connections": len(sizes),
                        "typical_%": per_cent(typical(sizes)),
                        "q90_size_%": per_cent(float(np.quantile(sizes, NINE_OF_TEN))),
                    }


def ranges_by_kind(evidence: Evidence) -> Iterator[dict[str, Any]]:
    """Yield the range of each quantity over each kind of connections."""
    for happening, connections in evidence.connections.groupby("happening", sort=True):
        for row in ranges_of(connections):
            yield {"happening": happening, **row}
