"""Tables with the data of figures in the results: fixed columns, labels of series, 12 digits."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tcpgoodput.studies.answering import (
    COLUMNS,
    PUBLISHED,
    Computed,
    outside,
    published,
    write_answers,
)

ROWS = [
    {"panel": "a", "series": "pftk", "origin": "model", "x": 1 / 3, "y": 2 / 3, "n": 1}
    | {"x_unit": "1", "y_unit": "kbit/s", "status": "native"},
    {"panel": "b", "series": "pftk", "origin": "model", "x": 0.5, "n": 1}
    | {"x_unit": "1", "y_unit": "kbit/s", "status": "undefined", "reason": 'no, "never"'},
    {"panel": "a", "series": "seen", "origin": "packet", "x": 0.5, "y": 1.0, "y_low": 0.9, "n": 20}
    | {"x_unit": "1", "y_unit": "kbit/s", "y_high": 1.1, "key": "k", "setting": "s"},
]
LABELS = {"a": {"pftk": "PFTK, full", "seen": "measured, $p$"}, "b": {"pftk": "PFTK again"}}


COMPUTED = Computed(COLUMNS, ROWS, {"a": {"SD": 2.5}, "b": {}})


def test_published_columns_equal_the_documented_ones() -> None:
    page = (Path(__file__).parents[2] / "docs" / "output.md").read_text(encoding="utf-8")
    assert f"`{', '.join(PUBLISHED)}`" in page


def test_series_are_published_under_their_labels_panel_by_panel() -> None:
    header, *rows = csv.reader(io.StringIO(published(COMPUTED, LABELS)))
    assert header == PUBLISHED
    assert [(row[0], row[1]) for row in rows] == [
        ("a", "PFTK, full"),
        ("b", "PFTK again"),
        ("a", "measured, $p$"),
    ]
    assert rows[0][3:] == ["0.333333333333", "1", "0.666666666667", "kbit/s", "", "", "1"]
    assert rows[1][5] == ""
    assert rows[2][7:] == ["0.9", "1.1", "20"]


def test_a_label_changes_nothing_else() -> None:
    renamed = {"a": {**LABELS["a"], "pftk": "another"}, "b": LABELS["b"]}
    before, after = (published(COMPUTED, labels) for labels in (LABELS, renamed))
    assert after == before.replace('"PFTK, full"', "another")


def test_a_series_without_a_label_is_an_error() -> None:
    with pytest.raises(KeyError, match="seen"):
        published(COMPUTED, {"a": {"pftk": "PFTK"}, "b": {"pftk": "PFTK"}})


def test_tables_are_published_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "table1.csv"
    rows = [{"variant": "sack", "share": 0.1 + 0.2}, {"variant": "a, b", "share": None}]
    table = Computed(["variant", "share"], rows, {})
    write_answers(table, path)
    text = path.read_text(encoding="utf-8")
    assert published(table, {}) == text == 'variant,share\nsack,0.3\n"a, b",\n'


def test_landmarks_are_saved_with_the_answers(tmp_path: Path) -> None:
    write_answers(COMPUTED, tmp_path / "answers" / "fig01.csv")
    domains = json.loads((tmp_path / "answers" / "fig01.json").read_text(encoding="utf-8"))
    assert domains == {"landmarks": {"a": {"SD": 2.5}, "b": {}}, "outside": {}}


def test_ranges_out_of_domain_are_saved_with_the_answers(tmp_path: Path) -> None:
    home, away = {"status": "native"}, {"status": "out-of-domain"}
    request = [("p", home, 1), ("p", away, 2), ("p", away, 3), ("p", home, 4), ("p", away, 5)]
    request += [("q", away, 1), ("q", home, 2)]
    rows = [{"panel": "a", "series": name, "x": float(x), **is_} for name, is_, x in request]
    assert outside(Computed(COLUMNS, rows, {})) == {
        "a": {"p": [[2.0, 3.0], [5.0, 5.0]], "q": [[1.0, 1.0]]}
    }
