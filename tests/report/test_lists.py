"""Tables of the report have a heading even if they are empty."""

from __future__ import annotations

import csv
import io

import pytest

from tcpgoodput.report import agreement, lists, sentences
from tcpgoodput.storage import csv_text


def test_a_table_of_nothing_has_its_heading() -> None:
    assert csv_text(sentences.COLUMNS, sentences.records([])) == "sentence,refuted_by,missing\n"
    assert lists.exact_csv(agreement.COLUMNS, []) == ",".join(agreement.COLUMNS) + "\n"


def test_every_column_of_the_fallen_sentences_is_told() -> None:
    rows = sentences.records([sentences.Sentence("order", ("A > B: A = 1, B = 2",), ("C",))])
    assert list(rows[0] | rows[1]) == sentences.COLUMNS


def test_errata_are_told_with_all_digits() -> None:
    rows = lists.errata_rows()
    told = list(csv.DictReader(io.StringIO(lists.exact_csv(lists.ERRATA_COLUMNS, rows))))
    assert [list(row) for row in told] == [lists.ERRATA_COLUMNS] * len(rows)
    values = [float(row["corrected_value"]) for row in told if row["corrected_value"]]
    assert values == [r["corrected_value"] for r in rows if r["corrected_value"] is not None]


def test_a_cell_that_no_column_names_is_an_error() -> None:
    with pytest.raises(ValueError, match="more"):
        lists.exact_csv(["one"], [{"one": 1, "more": 2}])
