"""A written file has its final name only if it is complete, and its bytes are reproducible."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tcpgoodput.storage import as_json, as_lines, write_bytes, write_text

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
    assert path.stat().st_mode & 0o777 == 0o644


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
