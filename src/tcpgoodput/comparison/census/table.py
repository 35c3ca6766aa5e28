"""Tables of a random sample: Parquet files that contain their origin and checksums.

Every page of a file has a checksum. Each file contains a digest of the request that produced it:
the settings of the connections, of their measurements and of the models. A damaged table, or one
made from another configuration, is refused.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tcpgoodput.comparison.census.design import RECORDED_SAMPLES, Chunk
from tcpgoodput.configuration import refused
from tcpgoodput.storage import write_parquet

ORIGIN = b"census"
"""Key of the Parquet metadata whose value is the digest of the request that produced the table."""

GROUP = 2**14
"""Number of rows that are written at once while the tables of chunks are joined, so that little
memory is used. Chosen by hand."""

Record = dict[str, Any]


def origin_of(request: Mapping[str, Any]) -> str:
    """Return a digest of a request that does not depend on the order of its keys."""
    return hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()[:16]


def write_table(rows: Sequence[Record], schema: pa.Schema, origin: str, path: Path) -> None:
    """Write rows as a table, atomically; missing columns become null.

    `origin` is the digest of the request that produced the rows; see `origin_of`.
    """
    columns = {name: [row.get(name) for row in rows] for name in schema.names}
    table = pa.Table.from_pydict(columns, schema=schema).replace_schema_metadata({ORIGIN: origin})
    write_parquet(table, path)


def read_chunk(path: Path, origin: str | None) -> pa.Table:
    """Read the table of a chunk, whose file is named after the chunk; see `read_table`."""
    table, chunk = read_table(path, origin), Chunk.of(path.stem)
    least_most = pc.min_max(table["point"]).as_py()
    if table.num_rows and not (
        chunk.first <= least_most["min"] <= least_most["max"] < chunk.first + chunk.count
    ):
        raise refused(path, "", "has the points of another chunk: remove it, and it is made again")
    return table


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
        waiting.append(read_chunk(part, origin))
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
