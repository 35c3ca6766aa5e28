"""Measure and predict the connections of a random sample in chunks; write and join their tables.

A row of the table has the measurement, the sender's variant, a digest of the path, the connection's
quantities, and each model's goodput and status. Goodputs have the seven digits of single precision.

The tables are Parquet files, of which every page has a checksum. Each has a digest of the request
that produced it: the settings of the connections, of their measurements and of the models. A
damaged table, or one made from another configuration, is refused.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tcpgoodput.answers import Conditions
from tcpgoodput.comparison.census.design import (
    RECORDED_SAMPLES,
    Chunk,
    Record,
    Space,
    drawn,
    space_of,
    to_measure,
)
from tcpgoodput.comparison.census.quantities import QUANTITIES, quantities_of
from tcpgoodput.comparison.census.schema import Precision
from tcpgoodput.configuration import refused
from tcpgoodput.engines.measure import measured
from tcpgoodput.engines.measurements import Request, Setting
from tcpgoodput.engines.packet import Packet
from tcpgoodput.models import MODELS
from tcpgoodput.models.predict import predict
from tcpgoodput.scenario.content import path_content_of
from tcpgoodput.storage import write_parquet

MOST_TRANSFERS = 500
"""Largest number of transfers that are simulated to measure the goodput of a finite transfer. Each
transfer is a new simulation, which takes time. Chosen by hand."""

GOODPUT, STATUS = "goodput:", "status:"
"""Prefixes of the columns with a model's goodput and status; the model's name follows."""

MEASURED = pa.schema(
    [
        ("point", pa.int32()),
        ("impairments", pa.string()),
        ("goodput_pps", pa.float32()),
        ("half_width_pps", pa.float32()),
        ("replications", pa.int16()),
        ("packets_sent", pa.int64()),
        ("timeouts", pa.int32()),
        ("fast_retransmits", pa.int32()),
        ("loss_events", pa.int32()),
        ("reason", pa.string()),
    ]
)

IDENTITY = pa.schema([("variant", pa.string()), ("path", pa.string())])
"""Columns that identify a connection: the sender's variant, and a digest of the path. The digest is
the same in two censuses that differ in the sender only."""


def to_answer(space: Space, conditions: Conditions) -> Record:
    """Return the request to measure a random sample and to evaluate models on it, as JSON."""
    return {
        "measured": to_measure(space, conditions.seed),
        "models": space.census.models or MODELS.names(),
        "equations": conditions.equations,
    }


def measure_chunk(space: Space, conditions: Conditions, table: Path) -> None:
    """Measure a chunk's connections, evaluate the models, and write the table named after it."""
    request = to_answer(space, conditions)
    write_chunk(request, measurements(request["measured"], Chunk.of(table.stem)), table)


def measurements(request: Record, chunk: Chunk) -> dict[int, Record]:
    """Measure the connections of a chunk; return the measurements by number of their point."""
    precision = Precision.model_validate(request["census"]["precision"])
    engine = Packet(threads=1)
    found: dict[int, Record] = {}
    for connection in drawn(space_of(request), chunk):
        scenario = connection.scenario
        most = precision.most_packets
        if transfer := scenario.tcp.transfer_packets:
            most = min(most, MOST_TRANSFERS * transfer)
        setting = Setting(
            "draft",
            request["seed"],
            half_width=precision.half_width,
            most_packets=most,
            replications=precision.replications,
        )
        wanted = Request(engine.name, setting.on(scenario), scenario)
        row = {"point": connection.number, "impairments": connection.impairments}
        found[connection.number] = row | asdict(measured(wanted, engine))
    return found


def write_chunk(request: Record, known: Mapping[int, Record], table: Path) -> None:
    """Evaluate the models on the measured connections of a chunk, and write the table.

    The request is that of `to_answer`; the measurements, with the columns `MEASURED`, are by the
    number of the connection's point.
    """
    columns = [(name, pa.float32()) for name in QUANTITIES]
    for model in request["models"]:
        columns += [(GOODPUT + model, pa.float32()), (STATUS + model, pa.string())]
    found = list(rows(request, Chunk.of(table.stem), known))
    write_table(found, pa.schema([*MEASURED, *IDENTITY, *columns]), origin_of(request), table)


def rows(request: Record, chunk: Chunk, known: Mapping[int, Record]) -> Iterator[Record]:
    """Yield a row of the table for each connection of a chunk; see `write_chunk`."""
    models = [MODELS[name] for name in request["models"]]
    conditions = Conditions(request["equations"], "draft", request["measured"]["seed"])
    for connection in drawn(space_of(request["measured"]), chunk):
        scenario = connection.scenario
        row = {name: known[connection.number][name] for name in MEASURED.names}
        path = hashlib.sha256(path_content_of(scenario).encode()).hexdigest()[:12]
        row |= {"variant": scenario.tcp.variant, "path": path} | quantities_of(scenario)
        for model in models:
            prediction = predict(model, scenario, conditions)
            row |= {
                GOODPUT + model.name: prediction.goodput_pps,
                STATUS + model.name: prediction.status,
            }
        yield row


def join_chunks(space: Space, conditions: Conditions, chunks: Iterable[Path], table: Path) -> int:
    """Join the chunks of a census to one table; return its number of connections."""
    return join(chunks, origin_of(to_answer(space, conditions)), table)


ORIGIN = b"census"
"""Key of the Parquet metadata whose value is the digest of the request that produced the table."""

GROUP = 2**14
"""Number of rows that are written at once while the tables of chunks are joined, so that little
memory is used. Chosen by hand."""


def origin_of(request: Mapping[str, Any]) -> str:
    """Return a digest of a request that does not depend on the order of its keys."""
    return hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()[:16]


def write_table(rows: Sequence[Record], schema: pa.Schema, origin: str, path: Path) -> None:
    """Write rows as a table with the digest of their request; missing columns become null."""
    columns = {name: [row.get(name) for row in rows] for name in schema.names}
    table = pa.Table.from_pydict(columns, schema=schema).replace_schema_metadata({ORIGIN: origin})
    write_parquet(table, path)


def read_table(path: Path, origin: str | None = None) -> pa.Table:
    """Read a table and verify its checksums.

    A damaged table is refused, and one that does not belong to the request with the digest `origin`
    (None: any request).
    """
    try:
        table = pq.read_table(path, page_checksum_verification=True, memory_map=False)
    except (OSError, pa.ArrowException) as error:
        reason = str(error).splitlines()[0]
        raise refused(path, "", f"is damaged ({reason}): remove it, and it is made again") from None
    check_origin(path, table.schema, origin)
    return table


def check_origin(path: Path, schema: pa.Schema, origin: str | None) -> None:
    """Refuse a table that was made for another request than that with the digest `origin`."""
    found = (schema.metadata or {}).get(ORIGIN, b"").decode()
    if origin is not None and found != origin:
        message = (
            f"was made from another configuration ({found or 'none'}, not {origin}): remove it, "
            "and it is made again"
        )
        raise refused(path, "", message)


def join(parts: Iterable[Path], origin: str, path: Path) -> int:
    """Join the tables of chunks to one table, with bounded memory; return the number of rows.

    The tables are in the order of their points, and must belong to the request with the digest
    `origin`. The bytes of the result depend on the rows only, not on their division into chunks.
    """
    temporary = path.with_suffix(".unfinished")
    path.parent.mkdir(parents=True, exist_ok=True)
    rows, writer = 0, None
    try:
        for group in _groups(parts, origin):
            if writer is None:
                writer = pq.ParquetWriter(
                    temporary, group.schema, compression="zstd", write_page_checksum=True
                )
            writer.write_table(group)
            rows += group.num_rows
        assert writer is not None  # a census has at least one chunk
        writer.close()
        temporary.replace(path)
    finally:
        if writer is not None and writer.is_open:
            writer.close()
        temporary.unlink(missing_ok=True)
    return rows


def _groups(parts: Iterable[Path], origin: str) -> Iterator[pa.Table]:
    """Yield the rows of all chunks' tables in groups of `GROUP` rows; the last may be smaller."""
    waiting: list[pa.Table] = []
    for part in parts:
        table, chunk = read_table(part, origin), Chunk.of(part.stem)
        ends = pc.min_max(table["point"]).as_py()
        if table.num_rows and not (
            chunk.first <= ends["min"] <= ends["max"] < chunk.first + chunk.count
        ):
            message = "has the points of another chunk: remove it, and it is made again"
            raise refused(part, "", message)
        waiting.append(table)
        while sum(table.num_rows for table in waiting) >= GROUP:
            every = pa.concat_tables(waiting)
            yield every.slice(0, GROUP).combine_chunks()
            waiting = [every.slice(GROUP)]
    if (rest := pa.concat_tables(waiting)).num_rows:
        yield rest.combine_chunks()


def verified_path(table: Path) -> Path:
    """Return the path of a table; if it is a recorded table, verify its checksum first."""
    if table.parent == RECORDED_SAMPLES:
        verified(table)
    return table


def verified(record: Path) -> dict[str, Any]:
    """Verify the checksum of a recorded table, and return the table's provenance."""
    note = record.with_suffix(".json")
    if not note.is_file():
        raise refused(record, "", f"has no {note.name} beside it, which says what it is")
    provenance: dict[str, Any] = json.loads(note.read_text(encoding="utf-8"))
    found = hashlib.sha256(record.read_bytes()).hexdigest()
    if found != provenance["sha256"]:
        raise refused(record, "", f"is damaged: its checksum is not that of {note.name}")
    return provenance
