"""Tables of a census: Parquet files that say what they were made from, with checksums.

Every page of a file has a checksum, and each file names the request that it answers: a table that
was damaged, or that was made from another configuration, is refused.
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

from tcpgoodput.comparison.census.design import Chunk
from tcpgoodput.configuration import refused
from tcpgoodput.storage import write_parquet

ORIGIN = b"census"
"""The key of a table's metadata under which its origin stands."""

GROUP = 2**14
"""Rows of a joined table that are in memory at once."""

Record = dict[str, Any]


def origin_of(request: Mapping[str, Any]) -> str:
    """Return what names a request, whatever order its keys have."""
    return hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()[:16]


def write_table(rows: Sequence[Record], schema: pa.Schema, origin: str, path: Path) -> None:
    """Write rows as a whole file at once."""
    columns = {name: [row.get(name) for row in rows] for name in schema.names}
    table = pa.Table.from_pydict(columns, schema=schema).replace_schema_metadata({ORIGIN: origin})
    write_parquet(table, path)


def read_chunk(path: Path, origin: str | None) -> pa.Table:
    """Read the table of the chunk that the file is named after; see `read_table`.

    Raises:
        ConfigurationError: as `read_table`; or it has another chunk's points.

    """
    table, chunk = read_table(path, origin), Chunk.of(path.stem)
    least_most = pc.min_max(table["point"]).as_py()
    if table.num_rows and not (
        chunk.first <= least_most["min"] <= least_most["max"] < chunk.first + chunk.count
    ):
        raise refused(path, "", "has the points of another chunk: remove it, and it is made again")
    return table


def read_table(path: Path, origin: str | None = None) -> pa.Table:
    """Read a table, its checksums verified.

    Args:
        path: of the file.
        origin: of the request that it must answer; None: of any.

    Raises:
        ConfigurationError: the file is damaged, or was made from another configuration.

    """
    try:
        table = pq.read_table(path, page_checksum_verification=True, memory_map=False)
    except (OSError, pa.ArrowException) as error:
        reason = str(error).splitlines()[0]
        raise refused(path, "", f"is damaged ({reason}): remove it, and it is made again") from None
    check_origin(path, table.schema, origin)
    return table


def check_origin(path: Path, schema: pa.Schema, origin: str | None) -> None:
    """See to it that a file answers a request.

    Raises:
        ConfigurationError: it answers another one.

    """
    found = (schema.metadata or {}).get(ORIGIN, b"").decode()
    if origin is not None and found != origin:
        message = (
            f"was made from another configuration ({found or 'none'}, not {origin}): remove it, "
            "and it is made again"
        )
        raise refused(path, "", message)


def join(parts: Iterable[Path], origin: str, path: Path) -> int:
    """Write one table of several, a little at a time in memory; return how many rows it has.

    Its bytes depend on the rows alone, not on the parts that they come in.

    Raises:
        ConfigurationError: a part is damaged, or was made from another configuration, or has the
            points of another one.

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
        assert writer is not None  # a census has a chunk at least
        writer.close()
        temporary.replace(path)
    finally:
        if writer is not None and writer.is_open:
            writer.close()
        temporary.unlink(missing_ok=True)
    return rows


def _groups(parts: Iterable[Path], origin: str) -> Iterator[pa.Table]:
    """Yield the rows of all parts in groups of one size, but for the last."""
    waiting: list[pa.Table] = []
    for part in parts:
        waiting.append(read_chunk(part, origin))
        while sum(table.num_rows for table in waiting) >= GROUP:
            every = pa.concat_tables(waiting)
            yield every.slice(0, GROUP).combine_chunks()
            waiting = [every.slice(GROUP)]
    if (rest := pa.concat_tables(waiting)).num_rows:
        yield rest.combine_chunks()
