"""Small tables of a random sample, by kind of connections: errors of models, ranges of quantities.

python -m tcpgoodput.comparison.census.by_kind TABLE ERRORS RANGES

`advise` reads these tables because reading the whole sample would take too long.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from tcpgoodput.comparison.answers import IN_DOMAIN
from tcpgoodput.comparison.census.answer import STATUS
from tcpgoodput.comparison.census.drawn import RANGE_COLUMNS, ranges_of
from tcpgoodput.comparison.census.evidence import Evidence, read_evidence
from tcpgoodput.comparison.errors import per_cent, typical
from tcpgoodput.jobs import job_parser, run_job
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
    evidence = read_evidence(table, {model: [model] for model in models}).closely()
    write_text(errors, csv_text(ERROR_COLUMNS, errors_by_kind(evidence)))
    write_text(ranges, csv_text(KIND_RANGE_COLUMNS, ranges_by_kind(evidence)))


def errors_by_kind(evidence: Evidence) -> Iterator[dict[str, Any]]:
    """Yield the errors of each model on each kind of connections where it is in domain."""
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


def work(arguments: argparse.Namespace) -> None:
    """Write the table of errors and the table of ranges."""
    write_tables(arguments.table, arguments.errors, arguments.ranges)


def main() -> int:
    """Run the command line of this module, and return its exit status; see `jobs.run_job`."""
    return run_job(
        job_parser("tcpgoodput.comparison.census.by_kind", "table", "errors", "ranges"), work
    )


if __name__ == "__main__":
    sys.exit(main())
