"""Capacity files of users are read as written, and wrong or huge ones are refused quickly."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from tcpgoodput.configuration import ConfigurationError, packed_text
from tcpgoodput.scenario.capacity import trace
from tcpgoodput.scenario.capacity.trace import read_capacity_trace

HEADING = "time_s,capacity_bps\n"


def problems_of(path: Path, content: str | bytes) -> list[str]:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ConfigurationError) as error:
        read_capacity_trace(path)
    return [f"{problem.line} {problem.key} {problem.message}" for problem in error.value.problems]


@pytest.mark.parametrize(
    "content",
    [
        b"time_s,capacity_bps\n0,5\n10,3\n15,0\n\n\n",
        b"time_s,capacity_bps\n0,5\n\n10,3\n , \n15,0",
        b"time_s,capacity_bps\r0,5\r10,3\r15,0\r",
        b'"time_s","capacity_bps"\r\n"0","5"\r\n10,3\r\n15,0\r\n\r\n',
        "time_s,capacity_bps\r\n0,5\r\n10,3\r\n15,0\r\n".encode("utf-16"),
        "\ufefftime_s,capacity_bps\n0,5\n10,3\n15,0\n".encode("utf-16-be"),
    ],
)
def test_line_ends_blank_lines_and_encodings_change_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "c.csv").write_bytes(content)
    times, rates = read_capacity_trace(tmp_path / "c.csv")
    assert (times.tolist(), rates.tolist()) == ([0, 10, 15], [5, 3, 0])


def test_an_end_of_line_across_two_blocks_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed_text, "BLOCK_BYTES", 3)
    (tmp_path / "c.csv").write_bytes((HEADING + "0,5\n1,0\n").replace("\n", "\r\n").encode())
    assert b"".join(packed_text.lines_of(tmp_path / "c.csv")) == (HEADING + "0,5\n1,0\n").encode()


def test_a_wrong_first_row_is_the_only_problem(tmp_path: Path) -> None:
    found = problems_of(tmp_path / "c.csv", HEADING + "0,5 000 000\n10,2000000\n15,0\n")
    assert found == ["2  needs two numbers, has '0,5 000 000'"]


@pytest.mark.parametrize("rows", [1, 30_000])
def test_a_stray_quote_is_a_problem_of_its_line(tmp_path: Path, rows: int) -> None:
    # More characters than Python's module csv allows in a cell follow the quote.
    more = "".join(f"{n},1\n" for n in range(20, 20 + rows))
    found = problems_of(tmp_path / "c.csv", f'{HEADING}0,5\n10,"3\n{more}')
    assert found == ["3  needs two numbers, has '10,\"3'"]


def test_a_wrong_row_does_not_hide_a_time_that_falls(tmp_path: Path) -> None:
    found = problems_of(tmp_path / "c.csv", HEADING + "0,5\nx,1\n2,1\n1,0\n")
    assert [problem.split()[0] for problem in found] == ["3", "5"]


def test_wrong_rows_of_a_huge_file_take_no_memory(tmp_path: Path) -> None:
    packed = lzma.compress(HEADING.encode() + b"1,x\n" * 2**22)
    assert len(problems_of(tmp_path / "c.csv.xz", packed)) == 9


def test_a_line_of_many_cells_is_quoted_in_part(tmp_path: Path) -> None:
    (found,) = problems_of(tmp_path / "c.csv", HEADING + "0," * 20_000 + "\n1,0\n")
    assert len(found) < 100


def test_too_many_lines_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace, "MOST_ROWS", 100)
    (found,) = problems_of(tmp_path / "c.csv", HEADING + "\n" * 200)
    assert "more than 100 lines" in found
