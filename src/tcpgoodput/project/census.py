"""Measure one chunk (consecutive connections) of a random sample, or join the chunks' tables.

python -m tcpgoodput.project.census SAMPLE TABLE [CHUNK ...] [--record]
  [--configuration FILE] [--changes JSON]

Without CHUNK, which are the tables of all chunks, the connections of the chunk TABLE are measured,
and all models are evaluated on them. With CHUNK, the chunks' tables are joined to TABLE. With
--record, the whole sample's TABLE is written to `data/census`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tcpgoodput.comparison.census.design import RECORDED_SAMPLES
from tcpgoodput.comparison.census.measure import join_chunks, measure_chunk
from tcpgoodput.jobs import job_parser, run_job
from tcpgoodput.project.checked import add_configuration, configuration_of


def work(arguments: argparse.Namespace) -> None:
    """Write the table of a chunk or of the whole sample, or record it."""
    configuration = configuration_of(arguments)
    space, conditions = configuration.censuses[arguments.sample], configuration.settings.conditions
    if arguments.record:
        # Jobs of chunks need neither scikit-learn nor DuckDB, which this module loads.
        from tcpgoodput.comparison.census.record import write_record

        write_record(space, conditions, arguments.table, RECORDED_SAMPLES)
    elif arguments.chunks:
        join_chunks(space, conditions, arguments.chunks, arguments.table)
    else:
        measure_chunk(space, conditions, arguments.table)


if __name__ == "__main__":
    parser = job_parser(__spec__.name)
    parser.add_argument("sample")
    parser.add_argument("table", type=Path)
    parser.add_argument("chunks", type=Path, nargs="*")
    parser.add_argument("--record", action="store_true")
    add_configuration(parser)
    sys.exit(run_job(parser, work))
