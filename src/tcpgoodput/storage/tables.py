"""Tables as CSV, numbers with the digits that hold on any machine."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

DIGITS = 12
"""Of a number in a table: those that hold on any machine."""


def csv_text(columns: list[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Return rows as CSV."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(row.get(column)) for column in columns] for row in rows)
    return buffer.getvalue()


def as_published(value: float) -> float:
    """Return a number with the digits that a table keeps of it."""
    return float(f"{value:.{DIGITS}g}")


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.{DIGITS}g}"
    return str(value)


def read_rows(path: Path) -> list[dict[str, str]]:
    """Read a table as text, row by row."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
