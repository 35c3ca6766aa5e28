"""Published form of a figure's data: fixed columns, and labels instead of ids."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping

from tcpgoodput.storage import csv_text

PUBLISHED = ["panel", "series", "origin", "x", "x_unit", "y", "y_unit", "y_low", "y_high", "n"]
"""Columns of a published line figure; tables and diagrams have columns of their own."""

Labels = Mapping[str, Mapping[str, str]]
"""Labels of series by panel and id; empty if the figure has no lines."""


def published(answers: str, labels: Labels) -> str:
    """Convert a figure's data, as CSV text, to the CSV text that is published."""
    rows = csv.DictReader(io.StringIO(answers, newline=""))
    columns = PUBLISHED if labels else list(rows.fieldnames or [])
    return csv_text(columns, _labelled(rows, labels) if labels else rows)


def _labelled(rows: csv.DictReader[str], labels: Labels) -> Iterator[dict[str, str]]:
    for row in rows:
        yield {**row, "series": labels[row["panel"]][row["series"]]}
