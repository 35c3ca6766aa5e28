"""A written file has its final name only if it is complete; its cells and bytes are defined."""

from __future__ import annotations

import csv
import errno
import io
import json
import math
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tcpgoodput.storage import (
    as_json,
    as_lines,
    as_published,
    csv_text,
    read_rows,
    write_bytes,
    write_text,
)

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
def test_json_is_unchanged_after_writing_and_reading(content: object) -> None:
    assert json.loads(as_json(content)) == content


@given(st.lists(JSON, max_size=4) | st.dictionaries(st.text(), JSON, max_size=4))
def test_each_entry_is_written_as_one_line(content: list[object] | dict[str, object]) -> None:
    text = as_lines(content)
    assert json.loads(text) == content
    assert len(text.rstrip("\n").split("\n")) == 2 + max(len(content), 1)


def test_nan_is_not_written_to_json() -> None:
    for text in (as_json, as_lines):
        with pytest.raises(ValueError, match="not JSON compliant"):
            text([float("nan")])


def test_folders_are_made_and_files_can_be_read_by_all(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "c.txt"
    write_text(path, "µ\n")
    assert path.read_bytes() == "µ\n".encode()
    usual = tmp_path / "usual.txt"
    usual.touch()
    assert path.stat().st_mode == usual.stat().st_mode


def test_a_file_has_the_permissions_that_the_user_wants(tmp_path: Path) -> None:
    private, old = tmp_path / "private.txt", tmp_path / "old.txt"
    old.touch(mode=0o640)
    before = os.umask(0o077)
    try:
        for path in (private, old):
            write_text(path, "text")
    finally:
        os.umask(before)
    assert [path.stat().st_mode & 0o777 for path in (private, old)] == [0o600, 0o640]


def test_a_link_still_leads_to_the_written_file(tmp_path: Path) -> None:
    target, link = tmp_path / "there" / "a.txt", tmp_path / "link.txt"
    link.symlink_to(target)
    for text in ("first", "second"):
        write_text(link, text)
        assert link.is_symlink()
        assert target.read_text() == text
    assert sorted(tmp_path.rglob("*.txt")) == [link, target]


def test_a_failed_write_keeps_the_old_file_and_no_temporary_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "results.csv"
    write_text(path, "old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_bytes(path, b"new")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["results.csv"]


def test_a_full_disk_is_reported_with_the_file_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"No space left on device: .*a\.txt") as raised:
        write_text(tmp_path / "a.txt", "text")
    assert raised.value.filename == str(tmp_path / "a.txt")
    assert list(tmp_path.iterdir()) == []


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
