"""A figure's numbers on disk: answers with all that is known of each, and what stands beside them.

That is what a picture needs and no row has: landmarks, and where models are outside their domains.
"""

from __future__ import annotations

from pathlib import Path

from tcpgoodput.storage import as_json, csv_text, write_text
from tcpgoodput.studies.answering import Computed

OUTSIDE = "out-of-domain"


def answers_path(results: Path, study: str, figure: str) -> Path:
    """Return where a figure's answers stand."""
    return results / study / "answers" / f"{figure}.csv"


def beside_path(answers: Path) -> Path:
    """Return where that stands which is no row."""
    return answers.with_suffix(".json")


def write_answers(computed: Computed, path: Path) -> None:
    """Write the rows to `path` (CSV), and beside them landmarks and stretches outside domains."""
    beside = {"landmarks": computed.landmarks, "outside": outside(computed)}
    write_text(beside_path(path), as_json(beside))
    write_text(path, csv_text(computed.columns, computed.rows))


def outside(computed: Computed) -> dict[str, dict[str, list[list[float]]]]:
    """Return by panel and series between which x, both included, a model is outside its domain."""
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
