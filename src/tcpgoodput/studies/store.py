"""Files with a figure's data: `answers/FIGURE.csv` and `.json`, and the table `FIGURE.csv`.

The CSV file below `answers/` has all columns. The JSON file next to it has what is needed to draw
the figure but is in no row: landmarks, and the ranges of x in which models are out of domain. The
table `FIGURE.csv` is for readers: it has fewer columns, and labels instead of ids of series.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path

from tcpgoodput.storage import as_json, csv_text, write_text
from tcpgoodput.studies.answering import PUBLISHED, Computed

OUTSIDE = "out-of-domain"


def answers_path(results: Path, study: str, figure: str) -> Path:
    """Return the path of the CSV file below `answers/` with all data of a figure."""
    return results / study / "answers" / f"{figure}.csv"


def domains_path(answers: Path) -> Path:
    """Return the path of the JSON file with a figure's landmarks and ranges out of domain.

    Args:
        answers: the path of the figure's CSV file below `answers/`.

    """
    return answers.with_suffix(".json")


def write_answers(computed: Computed, path: Path) -> None:
    """Write the rows to `path` as CSV; next to it, landmarks and ranges out of domain as JSON."""
    domains = {"landmarks": computed.landmarks, "outside": outside(computed)}
    write_text(domains_path(path), as_json(domains))
    write_text(path, csv_text(computed.columns, computed.rows))


def outside(computed: Computed) -> dict[str, dict[str, list[list[float]]]]:
    """Return the ranges of x in which models are out of domain, by panel and id of the series.

    A range is `[first x, last x]` of consecutive points out of domain. Series that are in domain
    everywhere are left out.
    """
    found: dict[str, dict[str, list[list[float]]]] = {}
    following = None
    for row in computed.rows:
        series = (row.get("panel"), row.get("series"))
        if row.get("status") != OUTSIDE:
            following = None
            continue
        spans = found.setdefault(str(series[0]), {}).setdefault(str(series[1]), [])
        if following == series:
            spans[-1][1] = row["x"]
        else:
            spans.append([row["x"], row["x"]])
        following = series
    return found


Labels = Mapping[str, Mapping[str, str]]
"""Labels of series by panel and id; empty if the figure has no lines."""


def published(answers: str, labels: Labels) -> str:
    """Convert a figure's data with all columns to the table for readers; both are CSV text."""
    rows = csv.DictReader(io.StringIO(answers, newline=""))
    columns = PUBLISHED if labels else list(rows.fieldnames or [])
    return csv_text(columns, _labelled(rows, labels) if labels else rows)


def _labelled(rows: csv.DictReader[str], labels: Labels) -> Iterator[dict[str, str]]:
    for row in rows:
        yield {**row, "series": labels[row["panel"]][row["series"]]}
