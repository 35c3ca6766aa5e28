"""A folder of results held against a manifest: what is missing, what is more, what differs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tcpgoodput.configuration import refused
from tcpgoodput.project.cells import Table, read_cells, read_csv
from tcpgoodput.project.digest import sha256_of
from tcpgoodput.project.manifest import CELLS, Manifest
from tcpgoodput.project.numbers import ColumnDifference, differences


@dataclass(frozen=True)
class Finding:
    """What is wrong with one file."""

    path: str
    kind: str
    """missing, extra or differs."""
    reason: str = ""
    """Why no more is said of a file that differs."""
    columns: list[ColumnDifference] = field(default_factory=list)

    @property
    def relative(self) -> float | None:
        """The largest relative difference of numbers, if nothing but numbers differs."""
        sizes = [column.relative for column in self.columns]
        known = [size for size in sizes if size is not None]
        return max(known) if known and len(known) == len(sizes) else None


def compared(manifest: Manifest, beside: Path, root: Path) -> list[Finding]:
    """Return what differs between a manifest and the files below a folder, by their paths.

    Args:
        manifest: of the results as they were.
        beside: the folder of the manifest, which holds the cells of its tables.
        root: the folder of a run.

    Raises:
        ConfigurationError: the cells beside the manifest are not those that it names.

    """
    findings = []
    changed = []
    for file in manifest.files:
        path = root / file.path
        if not path.is_file():
            findings.append(Finding(file.path, "missing"))
        elif path.stat().st_size != file.size or sha256_of(path) != file.sha256:
            changed.append(file.path)
    cells = _cells(manifest, beside / CELLS, [path for path in changed if path.endswith(".csv")])
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
    """Yield files of a published kind that stand beside published ones and are not listed."""
    listed = {file.path for file in manifest.files}
    places = {(Path(path).parent, Path(path).suffix) for path in listed}
    for folder, suffix in sorted(places):
        for file in sorted((root / folder).glob(f"*{suffix}")):
            path = (folder / file.name).as_posix()
            if path not in listed and not file.name.startswith("."):
                yield path
