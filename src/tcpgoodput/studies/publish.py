"""A figure's answers as they are published: the fixed columns, each series under its label."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping

from tcpgoodput.storage import csv_text

PUBLISHED = ["panel", "series", "origin", "x", "x_unit", "y", "y_unit", "y_low", "y_high", "n"]
"""Of a figure of lines; tables and diagrams have columns of their own."""

Labels = Mapping[str, Mapping[str, str]]
"""By panel and the id of the series; empty for what is no figure of lines."""


def published(answers: str, labels: Labels) -> str:
    """Return a figure's answers, a table as CSV, as they are published."""
    rows = csv.DictReader(io.StringIO(answers, newline=""))
    columns = PUBLISHED if labels else list(rows.fieldnames or [])
    return csv_text(columns, _labelled(rows, labels) if labels else rows)


def _labelled(rows: csv.DictReader[str], labels: Labels) -> Iterator[dict[str, str]]:
    for row in rows:
        yield {**row, "series": labels[row["panel"]][row["series"]]}
