"""Parquet tables of measured connections are reproducible.

They are refused if they are damaged or belong to another sample of connections (census).
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from tcpgoodput.comparison.census import measure
from tcpgoodput.comparison.census.design import chunks
from tcpgoodput.comparison.census.measure import join, origin_of, read_table, write_table
from tcpgoodput.configuration import ConfigurationError

SCHEMA = pa.schema([("point", pa.int32()), ("value", pa.float32()), ("word", pa.string())])
ROWS = [{"point": n, "value": n / 3 if n % 5 else None, "word": f"w{n % 4}"} for n in range(900)]


def parts(folder: Path, size: int, origin: str = "here") -> list[Path]:
    made = []
    for chunk in chunks(len(ROWS), size):
        path = folder / f"{size}" / f"{chunk.name}.parquet"
        write_table(ROWS[chunk.first :][: chunk.count], SCHEMA, origin, path)
        made.append(path)
    return made


def test_a_joined_table_does_not_depend_on_its_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure, "GROUP", 128)
    files = [tmp_path / f"{size}.parquet" for size in (50, 300, 900)]
    for file in files:
        assert join(parts(tmp_path, int(file.stem)), "here", file) == 900
    assert len({file.read_bytes() for file in files}) == 1
    assert read_table(files[0]).to_pylist()[1]["point"] == 1


def test_a_flipped_byte_is_refused_or_harmless(tmp_path: Path) -> None:
    (path,) = parts(tmp_path, 900)
    sound, refused = path.read_bytes(), 0
    for at in range(8, len(sound) - 1200, 37):  # the file's footer stays as it is
        path.write_bytes(sound[:at] + bytes([sound[at] ^ 0x40]) + sound[at + 1 :])
        try:
            found = read_table(path).to_pylist()
        except ConfigurationError:
            refused += 1
        else:  # the changed byte has no effect, for example in a page header
            assert found == pa.Table.from_pylist(ROWS, SCHEMA).to_pylist()
    assert refused > 10


def test_a_truncated_file_is_refused(tmp_path: Path) -> None:
    (path,) = parts(tmp_path, 900)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ConfigurationError, match=r"00000000-00000899\.parquet.*is damaged"):
        read_table(path)


def test_a_part_of_another_census_is_refused_and_nothing_written(tmp_path: Path) -> None:
    mixed = [*parts(tmp_path, 300), *parts(tmp_path, 450, origin="there")]
    target = tmp_path / "whole.parquet"
    with pytest.raises(ConfigurationError, match="another configuration"):
        join(mixed, "here", target)
    assert [p.name for p in tmp_path.iterdir() if p.is_file()] == []


def test_an_origin_does_not_depend_on_the_order_of_keys() -> None:
    assert origin_of({"a": 1, "b": [2]}) == origin_of({"b": [2], "a": 1})
    assert origin_of({"a": 1}) != origin_of({"a": 2})
