"""Comparison of a run's output files with a manifest, a list of files with their digests."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tcpgoodput.configuration import refused
from tcpgoodput.project.manifest import (
    CELLS,
    Content,
    Manifest,
    is_readable,
    read_content,
    read_contents,
    sha256_of,
)
from tcpgoodput.project.settings import RESERVED_NAMES

RELATIVE = 1e-9
"""Largest relative difference of equal numbers. Processors round differently in the sixteenth
digit, and up to four further digits are lost where similar numbers are subtracted. No number is
printed with more than nine digits."""

ABSOLUTE = 1e-13
"""Largest difference of equal numbers. It concerns zeros up to rounding, such as the logarithm of a
ratio of equal goodputs, which have no relative difference to speak of."""

Kind = Literal["missing", "extra", "skipped", "differs", "digits", "bytes"]
"""Kind of a difference between a manifest and a file of a run.

- `missing`: the run does not have the file.
- `extra`: the manifest does not list the file.
- `skipped`: the run does not have the file, and no rule that makes it.
- `differs`: numbers or words differ, or cannot be compared.
- `digits`: numbers differ, but not by more than `RELATIVE` or `ABSOLUTE`.
- `bytes`: only bytes differ. All cells and words are equal, or the file is a picture or page, which
  shows numbers of tables.
"""


@dataclass(frozen=True)
class ColumnDifference:
    """Differences between two tables in one column."""

    column: str
    difference: str
    """Sentence that describes the differences of the column."""
    relative: float | None
    """Largest relative difference of numbers in the column; None if anything else differs. Numbers
    that differ by at most `ABSOLUTE` count as equal."""

    @property
    def is_rounding(self) -> bool:
        """Whether all numbers of the column count as equal."""
        return self.relative is not None and self.relative <= RELATIVE


def differences(before: Content, after: Content) -> Iterator[ColumnDifference]:
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
    return abs(a - b) / max(abs(a), abs(b)) if abs(a - b) > ABSOLUTE else 0.0


@dataclass(frozen=True)
class Finding:
    """A difference between a manifest and one file of a run."""

    path: str
    kind: Kind
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

    The cells of its tables are in `folder`. The run's own manifest lists the run's rules; None:
    unknown.

    Raises:
        ConfigurationError: the file of cells does not belong to the manifest.

    """
    findings = []
    changed = []
    for file in manifest.files:
        path = root / file.path
        if not path.is_file():
            if own is not None and file.rule not in own.rules:
                reason = f"this run has no rule `{file.rule}`"
                findings.append(Finding(file.path, "skipped", reason))
            else:
                findings.append(Finding(file.path, "missing"))
        elif path.stat().st_size != file.size or sha256_of(path) != file.sha256:
            changed.append(file.path)
    contents = _contents(manifest, folder / CELLS, [path for path in changed if is_readable(path)])
    findings += [_difference(root, path, contents) for path in changed]
    extra = extra_files((file.path for file in manifest.files), root)
    findings += [Finding(path, "extra") for path in extra]
    return sorted(findings, key=lambda finding: finding.path)


def _contents(manifest: Manifest, file: Path, readable: list[str]) -> dict[str, Content]:
    if not readable or not file.is_file():
        return {}
    if sha256_of(file) != manifest.cells:
        raise refused(file, "", "is not the one that the manifest names")
    return read_contents(file, readable)


def _difference(root: Path, path: str, contents: dict[str, Content]) -> Finding:
    if not is_readable(path):
        return Finding(path, "bytes")
    if path not in contents:
        return Finding(path, "differs", f"in its bytes; its numbers are in {CELLS}, not at hand")
    try:
        columns = list(differences(contents[path], read_content(root / path)))
    except ValueError as error:
        return Finding(path, "differs", f"it cannot be read any more: {error}")
    if not columns:
        return Finding(path, "bytes")
    kind: Kind = "digits" if all(column.is_rounding for column in columns) else "differs"
    return Finding(path, kind, columns=columns)


def extra_files(listed: Iterable[str], root: Path) -> list[str]:
    """Return files that look like output files of a run but are not listed, sorted by path.

    Such a file has the suffix of a listed file of the same folder, or of a folder beside it. These
    are the folders of studies, whose names change with the configuration.
    """
    known = set(listed)
    suffixes: dict[Path, set[str]] = {}
    beside: dict[Path, set[str]] = {}
    for path in map(Path, known):
        suffixes.setdefault(path.parent, set()).add(path.suffix)
        if len(path.parts) > 2:
            beside.setdefault(path.parent.parent, set()).add(path.suffix)
    folders = {one for folder in suffixes for one in (folder, *folder.parents)}
    for parent, kinds in beside.items():
        for folder in filter(Path.is_dir, (root / parent).glob("[!.]*")):
            if parent / folder.name not in folders and folder.name not in RESERVED_NAMES:
                for inner in (folder, *filter(Path.is_dir, folder.rglob("*"))):
                    suffixes[inner.relative_to(root)] = kinds
    return sorted(
        (folder / file.name).as_posix()
        for folder, kinds in suffixes.items()
        for suffix in kinds
        for file in (root / folder).glob(f"*{suffix}")
        if (folder / file.name).as_posix() not in known and not file.name.startswith(".")
    )
