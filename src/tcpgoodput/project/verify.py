"""Comparison of a run's output files with a manifest, a list of files with their digests."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tcpgoodput.configuration import refused
from tcpgoodput.project.manifest import CELLS, Manifest, sha256_of
from tcpgoodput.storage import write_parquet

SCHEMA = pa.schema(
    [("file", pa.string()), ("column", pa.string()), ("cells", pa.list_(pa.string()))]
)

Table = dict[str, list[str]]
"""The cells of a table, column by column, in the order of the columns."""


def read_csv(path: Path) -> Table:
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


def write_cells(files: Iterable[str], root: Path, path: Path) -> None:
    """Write the cells of some CSV tables to one Parquet file, with a row for each column.

    Args:
        files: paths of the tables, relative to `root`.
        root: the folder that contains the tables.
        path: the Parquet file.

    """
    found = [(f, column, cells) for f in files for column, cells in read_csv(root / f).items()]
    columns = [list(part) for part in zip(*found, strict=True)] or [[], [], []]
    table = pa.table(dict(zip(SCHEMA.names, columns, strict=True)), schema=SCHEMA)
    write_parquet(table, path)


def read_cells(path: Path, files: Iterable[str]) -> dict[str, Table]:
    """Read the cells of some tables from a file that `write_cells` has written.

    Returns:
        The tables by path; a table that the file does not contain is empty.

    Raises:
        ConfigurationError: the file is damaged.

    """
    names = list(files)
    rows = [("file", "in", names)] if names else None
    try:
        found = pq.read_table(path, page_checksum_verification=True, filters=rows)
    except (OSError, pa.ArrowException) as error:
        raise refused(path, "", f"cannot be read: {str(error).splitlines()[0]}") from None
    tables: dict[str, Table] = {name: {} for name in names}
    for row in found.to_pylist():
        if row["file"] in tables:
            tables[row["file"]][row["column"]] = row["cells"]
    return tables


@dataclass(frozen=True)
class ColumnDifference:
    """Differences between two tables in one column."""

    column: str
    difference: str
    """Sentence that describes the differences of the column."""
    relative: float | None
    """Largest relative difference of numbers in the column; None if anything else differs."""


def differences(before: Table, after: Table) -> Iterator[ColumnDifference]:
    """Yield the differences of the table `after` from the table `before`, column by column.

    Columns that are equal are left out.
    """
    for column in sorted(before.keys() - after.keys()):
        yield ColumnDifference(column, "is missing", None)
    for column in sorted(after.keys() - before.keys()):
        yield ColumnDifference(column, "is new", None)
    common = [column for column in before if column in after]
    if common != [column for column in after if column in before]:
        yield ColumnDifference("", "columns stand in another order", None)
    for column in common:
        old, new = before[column], after[column]
        if len(old) != len(new):
            yield ColumnDifference(column, f"has {len(new)} rows, not {len(old)}", None)
        elif old != new:
            yield _column_difference(column, old, new)


def tolerance_of(relative: float) -> float:
    """Return the smallest power of ten that is not below a relative difference; 0 for 0."""
    return 10.0 ** math.ceil(math.log10(relative)) if relative else 0.0


def _column_difference(column: str, old: list[str], new: list[str]) -> ColumnDifference:
    changed = [row for row, pair in enumerate(zip(old, new, strict=True)) if pair[0] != pair[1]]
    errors = {row: _relative(old[row], new[row]) for row in changed}
    words = [row for row, error in errors.items() if error is None]
    if words:
        row = words[0]
        description = f"{len(words)} of {len(old)} cells, the first in row {row + 1}"
        return ColumnDifference(column, f"{description}: {new[row]!r}, not {old[row]!r}", None)
    numbers = {row: error for row, error in errors.items() if error is not None}
    row = max(numbers, key=lambda row: numbers[row])
    where = f"{len(changed)} of {len(old)} numbers, by {numbers[row]:.2g} at most in row {row + 1}"
    return ColumnDifference(column, f"{where}: {new[row]}, not {old[row]}", numbers[row])


def _relative(old: str, new: str) -> float | None:
    """Return the relative difference of two cells' numbers; None if one is no finite number."""
    try:
        a, b = float(old), float(new)
    except ValueError:
        return None
    if not (math.isfinite(a) and math.isfinite(b)):
        return None
    return abs(a - b) / max(abs(a), abs(b)) if a != b else 0.0


@dataclass(frozen=True)
class Finding:
    """A difference between a manifest and one file of a run."""

    path: str
    kind: str
    """Kind of difference: missing, extra, differs, or skipped (no rule of the run makes it)."""
    reason: str = ""
    """Explanation if `columns` does not describe the difference; else empty."""
    columns: list[ColumnDifference] = field(default_factory=list)

    @property
    def relative(self) -> float | None:
        """The largest relative difference of numbers; None if anything else also differs."""
        sizes = [column.relative for column in self.columns]
        known = [size for size in sizes if size is not None]
        return max(known) if known and len(known) == len(sizes) else None


def compared(
    manifest: Manifest, folder: Path, root: Path, own: Manifest | None = None
) -> list[Finding]:
    """Return the differences between a manifest and the files below a folder, by path.

    Args:
        manifest: the manifest of the expected results.
        folder: the folder of the manifest, which contains the cells of its tables.
        root: the folder of a run.
        own: the manifest of this run, which lists the run's rules; None: unknown.

    Raises:
        ConfigurationError: the file of cells does not belong to the manifest.

    """
    findings = []
    changed = []
    for file in manifest.files:
        path = root / file.path
        if not path.is_file():
            skipped = own is not None and file.rule not in own.rules
            reason = f"this run has no rule `{file.rule}`" if skipped else ""
            findings.append(Finding(file.path, "skipped" if skipped else "missing", reason))
        elif path.stat().st_size != file.size or sha256_of(path) != file.sha256:
            changed.append(file.path)
    cells = _cells(manifest, folder / CELLS, [path for path in changed if path.endswith(".csv")])
    findings += [_difference(root, path, cells) for path in changed]
    findings += [Finding(path, "extra") for path in _extra(manifest, root)]
    return sorted(findings, key=lambda finding: finding.path)


def _cells(manifest: Manifest, file: Path, tables: list[str]) -> dict[str, Table]:
    if not tables or not file.is_file():
        return {}
    if sha256_of(file) != manifest.cells:
        raise refused(file, "", "is not the one that the manifest names")
    return read_cells(file, tables)


def _difference(root: Path, path: str, cells: dict[str, Table]) -> Finding:
    if not path.endswith(".csv"):
        return Finding(path, "differs", "in its bytes")
    if path not in cells:
        return Finding(path, "differs", f"in its bytes; its numbers are in {CELLS}, not at hand")
    try:
        columns = list(differences(cells[path], read_csv(root / path)))
    except ValueError as error:
        return Finding(path, "differs", f"it is no table any more: {error}")
    return Finding(path, "differs", "" if columns else "in its bytes, in no cell", columns)


def _extra(manifest: Manifest, root: Path) -> Iterator[str]:
    """Yield files that look like output files of a run but are not in the manifest.

    Such a file is in a folder of a listed file and has the suffix of a listed file of this folder.
    """
    listed = {file.path for file in manifest.files}
    places = {(Path(path).parent, Path(path).suffix) for path in listed}
    for folder, suffix in sorted(places):
        for file in sorted((root / folder).glob(f"*{suffix}")):
            path = (folder / file.name).as_posix()
            if path not in listed and not file.name.startswith("."):
                yield path
