"""How two tables differ: in their shape, in words, or in numbers, and then by how much."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from tcpgoodput.project.cells import Table


@dataclass(frozen=True)
class ColumnDifference:
    """What differs in one column."""

    column: str
    said: str
    """In words."""
    relative: float | None
    """The largest relative difference of its numbers; None: it differs in more than numbers."""


def differences(before: Table, after: Table) -> Iterator[ColumnDifference]:
    """Yield what differs, column by column."""
    for column in before.keys() - after.keys():
        yield ColumnDifference(column, "is missing", None)
    for column in after.keys() - before.keys():
        yield ColumnDifference(column, "is new", None)
    common = [column for column in before if column in after]
    if common != [column for column in after if column in before]:
        yield ColumnDifference("", "columns stand in another order", None)
    for column in common:
        old, new = before[column], after[column]
        if len(old) != len(new):
            yield ColumnDifference(column, f"has {len(new)} rows, not {len(old)}", None)
        elif old != new:
            yield _difference(column, old, new)


def tolerance_of(relative: float) -> float:
    """Return the smallest power of ten within which numbers are equal."""
    return 10.0 ** math.ceil(math.log10(relative)) if relative else 0.0


def _difference(column: str, old: list[str], new: list[str]) -> ColumnDifference:
    changed = [row for row, pair in enumerate(zip(old, new, strict=True)) if pair[0] != pair[1]]
    errors = {row: _relative(old[row], new[row]) for row in changed}
    words = [row for row, error in errors.items() if error is None]
    if words:
        row = words[0]
        said = f"{len(words)} of {len(old)} cells, the first in row {row + 1}"
        return ColumnDifference(column, f"{said}: {new[row]!r}, not {old[row]!r}", None)
    numbers = {row: error for row, error in errors.items() if error is not None}
    row = max(numbers, key=lambda row: numbers[row])
    where = f"{len(changed)} of {len(old)} numbers, by {numbers[row]:.2g} at most in row {row + 1}"
    return ColumnDifference(column, f"{where}: {new[row]}, not {old[row]}", numbers[row])


def _relative(old: str, new: str) -> float | None:
    """Return the difference of two numbers over the larger; None if one is not a finite number."""
    try:
        a, b = float(old), float(new)
    except ValueError:
        return None
    if not (math.isfinite(a) and math.isfinite(b)):
        return None
    return abs(a - b) / max(abs(a), abs(b)) if a != b else 0.0
