"""What the files of a run say: the cells of tables, and the words of notebooks and LaTeX parts.

Two runs are compared by these cells and words. The Parquet file beside a manifest contains them, so
that the files of the other run are not needed.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tcpgoodput.configuration import refused
from tcpgoodput.storage import write_parquet

SCHEMA = pa.schema(
    [("file", pa.string()), ("column", pa.string()), ("cells", pa.list_(pa.string()))]
)

Content = dict[str, list[str]]
"""The cells of a table by column; for a notebook the words by cell, for a text by line."""

NUMBER = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)")


def read_csv(path: Path) -> Content:
    """Read a CSV table; missing cells of a row are empty, and surplus cells are ignored.

    Raises:
        ValueError: the file is not UTF-8, or not a table.

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


def words_of(text: str) -> list[str]:
    """Return the numbers of a text, and the parts between them without surplus blanks."""
    parts = (" ".join(part.split()) for part in NUMBER.split(text))
    return [part for part in parts if part]


def read_notebook(path: Path) -> Content:
    """Read the words that the cells of an executed notebook print.

    Raises:
        ValueError: the file is not a notebook.

    """
    try:
        cells = json.loads(path.read_bytes())["cells"]
        outputs = [cell.get("outputs", []) for cell in cells]
        texts = ["\n".join(map(_printed, every)) for every in outputs]
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"is not a notebook: {error}") from None
    return {f"cell {n}": words_of(text) for n, text in enumerate(texts, 1) if text}


def _printed(output: dict[str, object]) -> str:
    """Return the plain text of a cell's output; a picture's is a name without numbers."""
    data = output.get("data", {})
    text = output.get("text", data.get("text/plain", "") if isinstance(data, dict) else "")
    return text if isinstance(text, str) else "".join(map(str, text or []))  # type: ignore[call-overload]


def read_text(path: Path) -> Content:
    """Read the words of a text, line by line.

    Raises:
        ValueError: the file is not UTF-8.

    """
    lines = path.read_text(encoding="utf-8").splitlines()
    return {f"line {n}": words_of(line) for n, line in enumerate(lines, 1)}


READERS: dict[str, Callable[[Path], Content]] = {
    ".csv": read_csv,
    ".ipynb": read_notebook,
    ".tex": read_text,
}
"""For each suffix of files that are compared by what they say: the function that reads them."""


def is_readable(path: str) -> bool:
    """Return whether a file is compared by what it says; a picture is not."""
    return Path(path).suffix in READERS


def read_content(path: Path) -> Content:
    """Read what a file of a run says.

    Raises:
        ValueError: the file is damaged.

    """
    return READERS[path.suffix](path)


def write_contents(files: Iterable[str], root: Path, path: Path) -> None:
    """Write what some files say to one Parquet file, with a row for each column, cell or line.

    Args:
        files: readable files, as paths relative to `root`.
        root: the folder that contains the files.
        path: the Parquet file.

    """
    found = [(f, column, cells) for f in files for column, cells in read_content(root / f).items()]
    columns = [list(part) for part in zip(*found, strict=True)] or [[], [], []]
    table = pa.table(dict(zip(SCHEMA.names, columns, strict=True)), schema=SCHEMA)
    write_parquet(table, path)


def read_contents(path: Path, files: Iterable[str]) -> dict[str, Content]:
    """Read what some files say from a file that `write_contents` has written.

    Returns:
        The contents by path; that of a file without a row is empty.

    Raises:
        ConfigurationError: the file is damaged.

    """
    names = list(files)
    rows = [("file", "in", names)] if names else None
    try:
        found = pq.read_table(path, page_checksum_verification=True, filters=rows)
    except (OSError, pa.ArrowException) as error:
        raise refused(path, "", f"cannot be read: {str(error).splitlines()[0]}") from None
    contents: dict[str, Content] = {name: {} for name in names}
    for row in found.to_pylist():
        if row["file"] in contents:
            contents[row["file"]][row["column"]] = row["cells"]
    return contents


def read_columns(path: Path) -> dict[str, list[str]]:
    """Read the names of the columns of each file from a file that `write_contents` has written.

    Raises:
        ConfigurationError: the file is damaged.

    """
    try:
        found = pq.read_table(path, columns=["file", "column"])
    except (OSError, pa.ArrowException) as error:
        raise refused(path, "", f"cannot be read: {str(error).splitlines()[0]}") from None
    columns: dict[str, list[str]] = {}
    for row in found.to_pylist():
        columns.setdefault(row["file"], []).append(row["column"])
    return columns
