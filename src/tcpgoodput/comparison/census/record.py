"""Record the results of a whole random sample (census); evaluate models again on it.

python -m tcpgoodput.comparison.census.record config/census/NAME.yaml

The record has provenance and a checksum. After a change to a model, this command evaluates all
models again on the connections of `data/census/NAME.parquet`, without simulation, and updates the
small tables. The command takes about 12 ms per connection. After a change to the simulator,
`snakemake record_census` measures and evaluates all connections again.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tcpgoodput.answers import Conditions
from tcpgoodput.comparison.answers import IN_DOMAIN
from tcpgoodput.comparison.census.design import (
    ERRORS_BY_KIND,
    RANGES_BY_KIND,
    RECORDED_SAMPLES,
    Chunk,
    Record,
    Space,
    chunks,
    record_of,
    record_table,
)
from tcpgoodput.comparison.census.evidence import read_evidence
from tcpgoodput.comparison.census.files import load_census
from tcpgoodput.comparison.census.measure import (
    MEASURED,
    STATUS,
    check_origin,
    join_chunks,
    origin_of,
    read_table,
    to_answer,
    verified,
    write_chunk,
)
from tcpgoodput.comparison.census.read import ranges_of
from tcpgoodput.comparison.errors import errors_by
from tcpgoodput.configuration import refused
from tcpgoodput.jobs import installed, job_parser, run_job
from tcpgoodput.storage import as_json, write_bytes, write_table, write_text

ERROR_COLUMNS = ["impairments", "model", "status", "n", "median_%", "q90_%"]


def write_tables(table: Path, errors: Path, ranges: Path) -> None:
    """Write two small tables: models' errors, and quantities' ranges, by kind of connections.

    The module `expected` reads these small tables instead of loading this module's slow libraries.
    """
    names = pq.read_schema(table).names
    models = [name.removeprefix(STATUS) for name in names if name.startswith(STATUS)]
    evidence = read_evidence(table, {model: [model] for model in models}).with_narrow_intervals()
    rows = evidence.rows("model")
    rows = rows[rows["status"].isin(IN_DOMAIN)]
    groups = ["impairments", "model", "status"]
    table = errors_by(rows, groups)[ERROR_COLUMNS]  # in the order of the models
    place = {"native": 0, "reduced": 1, **{name: n for n, name in enumerate(models)}}
    order = {column: table[column].map(lambda v: place.get(v, v)) for column in groups}
    write_table(table.loc[pd.DataFrame(order).sort_values(groups).index], errors)
    kinds = evidence.connections.groupby("impairments", sort=True)
    parts = [ranges_of(own).assign(impairments=kind) for kind, own in kinds]
    found = pd.concat(parts)
    write_table(found[["impairments", *found.columns.drop("impairments")]], ranges)


PARTS = ("numba", "numpy", "pyarrow", "scipy")
"""Libraries whose versions are recorded, because another version may change the numbers."""


def write_record(space: Space, conditions: Conditions, table: Path, folder: Path) -> None:
    """Copy a sample's table into a folder, with its small tables and its provenance."""
    request = to_answer(space, conditions)
    content = table.read_bytes()
    check_origin(table, pq.read_schema(table), origin_of(request))
    record = folder / f"{space.name}.parquet"
    note = as_json(
        {
            "sha256": hashlib.sha256(content).hexdigest(),
            "connections": pq.read_metadata(table).num_rows,
            "request": request,
            "libraries": [name for name in installed() if name.startswith(PARTS)],
        }
    )
    write_bytes(record, content)
    errors, ranges = (record_table(record, t) for t in (ERRORS_BY_KIND, RANGES_BY_KIND))
    write_tables(record, errors, ranges)
    write_text(record.with_suffix(".json"), note)


POINTS = 512
"""Number of points of the census per step. A step takes about ten seconds; after each step the
progress is shown."""


def answer_again(space: Space) -> Iterator[tuple[int, int]]:
    """Evaluate all models again on a recorded census; yield the finished steps and all steps."""
    record = record_of(space.name)
    if not record.is_file():
        raise refused(record, "", "is not there: `snakemake record_census` makes it")
    before = verified(record)["request"]
    conditions = Conditions(before["equations"], "draft", before["measured"]["seed"])
    request, known = to_answer(space, conditions), read_table(record)
    pieces = chunks(space.census.points, POINTS)
    with TemporaryDirectory() as folder:
        tables = [Path(folder, f"{piece.name}.parquet") for piece in pieces]
        with ProcessPoolExecutor(
            len(os.sched_getaffinity(0)), mp_context=get_context("spawn")
        ) as pool:
            jobs = [
                pool.submit(write_chunk, request, _measured_in(piece, known), table)
                for piece, table in zip(pieces, tables, strict=True)
            ]
            for done, job in enumerate(jobs, start=1):
                job.result()
                yield done, len(jobs)
        joined = Path(folder, "joined.parquet")
        join_chunks(space, conditions, tables, joined)
        write_record(space, conditions, joined, RECORDED_SAMPLES)


def _measured_in(piece: Chunk, known: pa.Table) -> dict[int, Record]:
    """Return the recorded measurements of a chunk, by the number of their point."""
    points = known["point"]
    after = pc.greater_equal(points, piece.first)
    inside = known.filter(pc.and_(after, pc.less(points, piece.first + piece.count)))
    return {row["point"]: row for row in inside.select(MEASURED.names).to_pylist()}


def work(arguments: argparse.Namespace) -> None:
    """Evaluate all models again on a recorded census, and print the progress."""
    for done, total in answer_again(load_census(arguments.census)):
        print(f"{done} of {total}", flush=True)


if __name__ == "__main__":
    sys.exit(run_job(job_parser(__spec__.name, "census"), work))
