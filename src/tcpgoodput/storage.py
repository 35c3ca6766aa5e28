"""Files that are written atomically: text, JSON, CSV and Parquet."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import os
import secrets
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    import pandas as pd


def as_json(content: Any) -> str:
    """Return content as indented JSON text, as in result files."""
    return json.dumps(content, indent=1, allow_nan=False, ensure_ascii=False) + "\n"


def as_lines(content: Any) -> str:
    """Return a list or dict as JSON with one entry in each line, so that diffs are readable."""
    if isinstance(content, dict):
        lines = [f"{_compact(key)}: {_compact(part)}" for key, part in content.items()]
        return "{\n" + ",\n".join(lines) + "\n}\n"
    return "[\n" + ",\n".join(map(_compact, content)) + "\n]\n"


def _compact(content: Any) -> str:
    return json.dumps(content, allow_nan=False, ensure_ascii=False, separators=(",", ":"))


def digest_of_file(file: Path) -> str:
    """Return a digest of a file's content: the first 16 hexadecimal digits of its SHA-256."""
    return hashlib.sha256(file.read_bytes()).hexdigest()[:16]


def write_text(path: Path | str, text: str) -> None:
    """Write a text file atomically: under a temporary name, flushed to disk, then renamed."""
    write_bytes(path, text.encode())


def write_bytes(path: Path | str, content: bytes) -> None:
    """Write a file atomically; see `write_text`.

    An existing file keeps its permissions, and a symbolic link its target, which is written.

    Raises:
        OSError: the file cannot be written; the error names the file in every case, even if the
            disk is full.

    """
    try:
        _write_bytes(Path(os.path.realpath(path)), content)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def _write_bytes(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, temporary)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


DIGITS = 12
"""Number of significant digits of numbers in CSV tables. Further digits can differ between
machines."""


def csv_text(columns: list[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Return rows as CSV text with the given columns; missing values and NaN are empty."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(row.get(column)) for column in columns] for row in rows)
    return buffer.getvalue()


def write_table(table: pd.DataFrame, path: Path | str) -> None:
    """Write a table as a CSV file, as the tables of results are: 12 digits, missing values empty.

    Args:
        table: the table; its index is not written.
        path: the file; its folder is made if it does not exist.

    """
    rows = table.astype(object).where(table.notna(), None).to_dict("records")
    write_text(path, csv_text([str(name) for name in table], rows))


def as_published(value: float) -> float:
    """Return a number rounded to 12 significant digits (`DIGITS`), as in the tables of results."""
    return float(f"{value:.{DIGITS}g}")


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.{DIGITS}g}"
    return str(value)


def made(path: Path) -> Path:
    """Return the path of a file that a run makes, unchanged.

    Raises:
        FileNotFoundError: the file does not exist; the message names the command that makes it.

    """
    if not path.is_file():
        raise FileNotFoundError(f"{path} is not there: `snakemake {path}` makes it")
    return path


def read_rows(path: Path) -> list[dict[str, str]]:
    """Read a CSV table; return each row as a dict of texts by column.

    Raises:
        FileNotFoundError: see `made`.

    """
    with made(path).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write_parquet(table: pa.Table, path: Path) -> None:
    """Write a table as a Parquet file atomically; the same table gives the same bytes."""
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", write_page_checksum=True)
    write_bytes(path, sink.getvalue().to_pybytes())
