"""The cells of published tables, as text, in one file with checksums."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tcpgoodput.configuration import refused
from tcpgoodput.storage.parquet import write_parquet

SCHEMA = pa.schema(
    [("file", pa.string()), ("column", pa.string()), ("cells", pa.list_(pa.string()))]
)

Table = dict[str, list[str]]
"""The cells of a table, column by column, in the order of the columns."""


def read_csv(path: Path) -> Table:
    """Read a table; a row that is too short has empty cells, what exceeds the heading is left out.

    Raises:
        ValueError: it is no text in UTF-8, or no table.

    """
    try:
        with path.open(newline="", encoding="utf-8") as file:
            heading, *rows = list(csv.reader(file)) or [[]]
    except csv.Error as error:
        raise ValueError(str(error)) from None
    return {
        name: [row[position] if position < len(row) else "" for row in rows]
        for position, name in enumerate(heading)
    }


def write_cells(files: Iterable[str], root: Path, path: Path) -> None:
    """Write the cells of some tables below a folder."""
    found = [(f, column, cells) for f in files for column, cells in read_csv(root / f).items()]
    columns = [list(part) for part in zip(*found, strict=True)] or [[], [], []]
    table = pa.table(dict(zip(SCHEMA.names, columns, strict=True)), schema=SCHEMA)
    write_parquet(table, path)


def read_cells(path: Path, files: Iterable[str]) -> dict[str, Table]:
    """Read the cells of some tables.

    Raises:
        ConfigurationError: the file is damaged.

    """
    asked = list(files)
    rows = [("file", "in", asked)] if asked else None
    try:
        found = pq.read_table(path, page_checksum_verification=True, filters=rows)
    except (OSError, pa.ArrowException) as error:
        raise refused(path, "", f"cannot be read: {str(error).splitlines()[0]}") from None
    tables: dict[str, Table] = {name: {} for name in asked}
    for row in found.to_pylist():
        if row["file"] in tables:
            tables[row["file"]][row["column"]] = row["cells"]
    return tables
