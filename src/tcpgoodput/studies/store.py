"""Files with a figure's data: a table of all rows, and a file of landmarks and domains.

The second file contains what is needed to draw the figure but is in no row: landmarks, and the
ranges of x in which models are out of domain.
"""

from __future__ import annotations

from pathlib import Path

from tcpgoodput.storage import as_json, csv_text, write_text
from tcpgoodput.studies.answering import Computed

OUTSIDE = "out-of-domain"


def answers_path(results: Path, study: str, figure: str) -> Path:
    """Return the path of a figure's table."""
    return results / study / "answers" / f"{figure}.csv"


def domains_path(answers: Path) -> Path:
    """Return the path of the file with the landmarks and domains of a figure's table."""
    return answers.with_suffix(".json")


def write_answers(computed: Computed, path: Path) -> None:
    """Write the rows to `path` as CSV, and landmarks and ranges out of domain next to it."""
    domains = {"landmarks": computed.landmarks, "outside": outside(computed)}
    write_text(domains_path(path), as_json(domains))
    write_text(path, csv_text(computed.columns, computed.rows))


def outside(computed: Computed) -> dict[str, dict[str, list[list[float]]]]:
    """Return the ranges of x in which models are out of domain, by panel and series."""
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
