"""A figure's numbers on disk: answers with all that is known of each, beside them the landmarks."""

from __future__ import annotations

import json
from pathlib import Path

from tcpgoodput.storage.files import as_json, write_text
from tcpgoodput.storage.tables import csv_text
from tcpgoodput.studies.answering import Computed

Landmarks = dict[str, dict[str, float]]
"""By panel: the named positions that its curves offer to its marks."""


def answers_path(results: Path, study: str, figure: str) -> Path:
    """Return where a figure's answers stand."""
    return results / study / "answers" / f"{figure}.csv"


def landmarks_path(answers: Path) -> Path:
    """Return where the landmarks of a figure's answers stand."""
    return answers.with_suffix(".json")


def write_answers(computed: Computed, path: Path) -> None:
    """Write the rows to `path` (CSV) and the landmarks beside them."""
    write_text(landmarks_path(path), as_json(computed.landmarks))
    write_text(path, csv_text(computed.columns, computed.rows))


def read_landmarks(answers: Path) -> Landmarks:
    """Read the landmarks of a figure's answers."""
    found: Landmarks = json.loads(landmarks_path(answers).read_text(encoding="utf-8"))
    return found
