"""Cells of tables: empty for None, rounded numbers, unchanged text."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tcpgoodput.storage import as_published, csv_text, read_rows, write_text


def test_missing_values_are_empty_cells() -> None:
    rows = [{"a": None, "b": math.nan}, {"b": 0.0}, {"a": 0, "b": False, "c": "beyond"}]
    assert csv_text(["a", "b"], rows) == "a,b\n,\n,0\n0,False\n"


def test_numbers_have_twelve_digits_and_integers_all_digits() -> None:
    rows = [{"x": 1 / 3, "n": 12345678901234567}]
    assert csv_text(["x", "n"], rows) == "x,n\n0.333333333333,12345678901234567\n"


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_as_published_equals_the_number_in_the_table(value: float) -> None:
    ((_,), (cell,)) = csv.reader(io.StringIO(csv_text(["x"], [{"x": value}])))
    assert float(cell) == as_published(value)
    assert math.isclose(as_published(value), value, rel_tol=1e-11, abs_tol=1e-320)
    assert as_published(as_published(value)) == as_published(value)


def test_a_table_is_read_as_text_row_by_row(tmp_path: Path) -> None:
    rows = [{"name": 'a "b", c', "note": "two\nlines"}, {"name": "$p$", "note": "µ"}]
    path = tmp_path / "table.csv"
    write_text(path, csv_text(["name", "note"], rows))
    assert read_rows(path) == rows
