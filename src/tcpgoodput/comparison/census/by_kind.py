"""What a random sample found of each model on each kind of connections, in small tables.

python -m tcpgoodput.comparison.census.by_kind TABLE ERRORS RANGES

A prediction reads them, which has no time to read the sample itself.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from tcpgoodput.comparison.answers import AT_HOME
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
    """Write what a sample found of each kind of connections, and how far each quantity reaches."""
    names = pq.read_schema(table).names
    models = [name.removeprefix(STATUS) for name in names if name.startswith(STATUS)]
    evidence = read_evidence(table, {model: [model] for model in models}).closely()
    write_text(errors, csv_text(ERROR_COLUMNS, errors_by_kind(evidence)))
    write_text(ranges, csv_text(KIND_RANGE_COLUMNS, ranges_by_kind(evidence)))


def errors_by_kind(evidence: Evidence) -> Iterator[dict[str, Any]]:
    """Yield how large each model's errors are on each kind of connections where it is in domain."""
    for happening, connections in evidence.connections.groupby("happening", sort=True):
        errors = evidence.of_models.loc[connections.index]
        statuses = evidence.statuses_of_models.loc[connections.index]
        for model in errors:
            for status in AT_HOME:
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
    """Yield how far each quantity reaches on each kind of connections."""
    for happening, connections in evidence.connections.groupby("happening", sort=True):
        for row in ranges_of(connections):
            yield {"happening": happening, **row}


def work(arguments: argparse.Namespace) -> None:
    """Write both tables."""
    write_tables(arguments.table, arguments.errors, arguments.ranges)


def main() -> int:
    """Run the job; see `run_job`."""
    return run_job(
        job_parser("tcpgoodput.comparison.census.by_kind", "table", "errors", "ranges"), work
    )


if __name__ == "__main__":
    sys.exit(main())
