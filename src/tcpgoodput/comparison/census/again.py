"""Evaluate the models again on the connections of a recorded census; nothing is simulated.

python -m tcpgoodput.comparison.census.again config/census/NAME.yaml

After a change to a model, this command updates `data/census/NAME.parquet` and its small tables. It
takes about 12 ms per connection. After a change to the simulator, `snakemake record_census`
measures and evaluates all connections again.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.compute as pc

from tcpgoodput.answers import Conditions
from tcpgoodput.comparison.census.answer import join_chunks, to_answer, write_answers
from tcpgoodput.comparison.census.design import KEPT, Chunk, chunks, record_of
from tcpgoodput.comparison.census.files import load_census
from tcpgoodput.comparison.census.keep import keep, verified
from tcpgoodput.comparison.census.space import Space
from tcpgoodput.comparison.census.table import read_table
from tcpgoodput.configuration import refused
from tcpgoodput.jobs import job_parser, run_job

POINTS = 512
"""Number of points per step; a step takes about ten seconds, then progress is shown."""


def answer_again(space: Space) -> Iterator[tuple[int, int]]:
    """Evaluate all models on a recorded census, and replace the record.

    Yields:
        The number of finished steps, and the total number of steps.

    Raises:
        ConfigurationError: nothing is recorded, or the record was changed.

    """
    record = record_of(space.name)
    if not record.is_file():
        raise refused(record, "", "is not there: `snakemake record_census` makes it")
    before = verified(record)["asked"]
    conditions = Conditions(before["equations"], "draft", before["measured"]["seed"])
    request, known = to_answer(space, conditions), read_table(record)
    pieces = chunks(space.census.points, POINTS)
    with TemporaryDirectory() as folder:
        tables = [Path(folder, f"{piece.name}.parquet") for piece in pieces]
        with ProcessPoolExecutor(
            len(os.sched_getaffinity(0)), mp_context=get_context("spawn")
        ) as pool:
            jobs = [
                pool.submit(write_answers, request, _points_of(piece, known), table)
                for piece, table in zip(pieces, tables, strict=True)
            ]
            for done, job in enumerate(jobs, start=1):
                job.result()
                yield done, len(jobs)
        joined = Path(folder, "joined.parquet")
        join_chunks(space, conditions, tables, joined)
        keep(space, conditions, joined, KEPT)


def _points_of(piece: Chunk, known: pa.Table) -> pa.Table:
    """Return the rows of the recorded table that belong to a chunk."""
    points = known["point"]
    after = pc.greater_equal(points, piece.first)
    return known.filter(pc.and_(after, pc.less(points, piece.first + piece.count)))


def work(arguments: argparse.Namespace) -> None:
    """Evaluate the models again, and print progress."""
    for done, total in answer_again(load_census(arguments.census)):
        print(f"{done} of {total}", flush=True)


def main() -> int:
    """Run the command line of this module, and return its exit status; see `jobs.run_job`."""
    return run_job(job_parser("tcpgoodput.comparison.census.again", "census"), work)


if __name__ == "__main__":
    sys.exit(main())
