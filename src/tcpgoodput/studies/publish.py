"""Publish a figure's answers: the fixed columns, each series under its label.

python -m tcpgoodput.studies.publish ANSWERS LABELS PUBLISHED
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from tcpgoodput.storage.files import write_text
from tcpgoodput.storage.tables import csv_text

PUBLISHED = ["panel", "series", "origin", "x", "x_unit", "y", "y_unit", "y_low", "y_high", "n"]
"""Of a figure of lines; tables and diagrams have columns of their own."""

Labels = Mapping[str, Mapping[str, str]]
"""By panel and the id of the series; empty for what is no figure of lines."""


def published(answers: Path, labels: Labels) -> str:
    """Return a figure's answers as they are published, as CSV."""
    with answers.open(newline="", encoding="utf-8") as file:
        rows = csv.DictReader(file)
        columns = PUBLISHED if labels else list(rows.fieldnames or [])
        return csv_text(columns, _labelled(rows, labels) if labels else rows)


def _labelled(rows: csv.DictReader[str], labels: Labels) -> Iterator[dict[str, str]]:
    for row in rows:
        yield {**row, "series": labels[row["panel"]][row["series"]]}


if __name__ == "__main__":
    from_answers, from_labels, to = map(Path, sys.argv[1:])
    write_text(to, published(from_answers, json.loads(from_labels.read_text(encoding="utf-8"))))
