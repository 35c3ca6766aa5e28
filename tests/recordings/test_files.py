"""Recording files are read completely in every compression, and faulty files are refused."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import lzma
import re
import tracemalloc
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tcpgoodput.configuration import ConfigurationError, packed_text
from tcpgoodput.studies.recordings.files import read_recording
from tests.recordings.made import written


def test_packets_are_counted_by_millisecond_and_the_last_line_is_the_length(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    # A file of so many packets is read in more than one block.
    times = np.sort(rng.integers(0, 90_000, 300_000)).tolist()
    file = written(tmp_path / "link.down", times)
    found = read_recording(file)
    counted = Counter(time % times[-1] for time in times)
    assert found.length_s == times[-1] / 1e3
    assert found.packets == len(times)
    assert {int(t): int(found.opportunities[t]) for t in np.flatnonzero(found.opportunities)} == (
        counted
    )
    assert found.sha256 == hashlib.sha256(file.read_bytes()).hexdigest()


@pytest.mark.parametrize("pack", [lambda b: b, lzma.compress, gzip.compress, bz2.compress])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_packing_and_line_ends_do_not_change_the_link(
    tmp_path: Path, pack: object, end: bytes, last: bool
) -> None:
    text = end.join([b"0", b"5", b"5", b"007"]) + end * last
    (tmp_path / "link.xz").write_bytes(pack(text))  # type: ignore[operator]
    found = read_recording(tmp_path / "link.xz")
    assert found.opportunities.tolist() == [2, 0, 0, 0, 0, 2, 0]
    assert found.sha256 == hashlib.sha256(text).hexdigest()
    assert found.name == "link"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "link: is empty"),
        (b"0\n0\n", "has the length 0 ms"),
        (b"1\n\n3\n", "link:2: needs a whole number of milliseconds, has ''"),
        (b"1\n2.5\n3\n", "link:2: needs a whole number of milliseconds, has '2.5'"),
        (b"1\n-2\n", "link:2: needs a whole number"),
        (b"5\n9\n7\n", "link:3: 7 ms come after 9 ms: times must not decrease"),
        (b"1\n99999999\n", "link:2: is beyond 6 hours"),
        (b"1\n" + b"9" * 400 + b"\n", "link:2: is beyond 6 hours"),
        (b"time\n0\n", "link:1: needs a whole number"),
        (b"\xfa\xfe\n", "link:1: needs a whole number"),
        (b"1\n" + b"1" * 100_000, "has a line longer than 65536 bytes"),
        (b"\xfd7zXZ\x00 and no more", "cannot be unpacked"),
        (lzma.compress(b"1\n2\n")[:-40], "cannot be unpacked"),
        (gzip.compress(b"1\n2\n", mtime=0)[:-9], "cannot be unpacked"),
        (gzip.compress(b"1\n2\n", mtime=0)[:-9] + b"123456789", "cannot be unpacked"),
        (b"\x1f\x8band no more", "cannot be unpacked"),
        (bz2.compress(b"1\n2\n")[:-9], "cannot be unpacked"),
        (bz2.compress(b"1\n2\n")[:-9] + b"123456789", "cannot be unpacked"),
    ],
)
def test_bad_files_are_refused_with_their_line(tmp_path: Path, text: bytes, message: str) -> None:
    (tmp_path / "link").write_bytes(text)
    with pytest.raises(ConfigurationError, match=re.escape(message)):
        read_recording(tmp_path / "link")


def test_a_decreasing_time_between_two_blocks_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed_text, "BLOCK_BYTES", 4)
    with pytest.raises(ConfigurationError, match=r"link:4: 12 ms come after 20 ms"):
        read_recording(written(tmp_path / "link", [10, 15, 20, 12, 30]))


def test_only_some_of_many_bad_lines_are_reported(tmp_path: Path) -> None:
    (tmp_path / "link").write_text("a\n" * 100_000, encoding="ascii")
    with pytest.raises(ConfigurationError) as error:
        read_recording(tmp_path / "link")
    assert len(error.value.problems) == 9
    assert len(str(error.value)) <= 1200


@pytest.mark.parametrize("pack", [lambda b: b, lzma.compress, gzip.compress, bz2.compress])
def test_a_too_long_file_is_refused_with_little_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack: object
) -> None:
    """It takes little memory to refuse a file that is too long, also if it is compressed."""
    monkeypatch.setattr(packed_text, "MOST_BYTES", 2**25)
    # A packed file may have several streams. One of 64 MB takes ten seconds to pack.
    (tmp_path / "link").write_bytes(pack(b"7\n" * 2**20) * 32)  # type: ignore[operator]
    tracemalloc.start()
    try:
        with pytest.raises(ConfigurationError, match="longer than the 32 MB"):
            read_recording(tmp_path / "link")
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 2**25


def test_an_endless_device_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="is no file that ends"):
        read_recording(Path("/dev/zero"))


def test_delays_are_read_with_their_rates(tmp_path: Path) -> None:
    link = written(tmp_path / "link", range(0, 20_001, 10))
    delays = written(tmp_path / "delays", [30, *[20] * 1998, 40])
    found = read_recording(link, delays).delays_s
    assert found is not None
    assert found[[0, 1, -1]].tolist() == [0.03, 0.02, 0.04]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "delays: is empty"),
        ("20\nnan\n", "delays:2: needs a delay of 0 to 60000 ms, has 'nan'"),
        ("20\n-1\n", "delays:2: needs a delay"),
        ("20\n" * 700, "delays: lasts 7 s with a line for each 0.01 s, link 20 s"),
    ],
)
def test_bad_delays_are_refused(tmp_path: Path, text: str, message: str) -> None:
    link = written(tmp_path / "link", range(0, 20_001, 10))
    (tmp_path / "delays").write_text(text, encoding="ascii")
    with pytest.raises(ConfigurationError, match=re.escape(message)):
        read_recording(link, tmp_path / "delays")
