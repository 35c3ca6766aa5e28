"""Parquet files that are whole under their final name, each page with a checksum."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tcpgoodput.storage.files import write_bytes


def write_parquet(table: pa.Table, path: Path) -> None:
    """Write a table at once: the same bytes for the same table."""
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", write_page_checksum=True)
    write_bytes(path, sink.getvalue().to_pybytes())
