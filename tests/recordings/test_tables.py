"""Tables of times and rates in different data sets' formats give the same recorded link."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tcpgoodput.cli.app import run
from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.scenario.capacity.trace import mean_of_trace_bps, read_capacity_trace
from tcpgoodput.studies.recordings.columns import TableColumns
from tcpgoodput.studies.recordings.facts import facts_of
from tcpgoodput.studies.recordings.files import read_recording
from tcpgoodput.studies.recordings.recording import RateRecording


def read(path: Path, text: str | bytes, **options: str | float) -> RateRecording:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    found = read_recording(path, None, TableColumns(**options))  # type: ignore[arg-type]
    assert isinstance(found, RateRecording)
    return found


def refusal(path: Path, text: str | bytes, **options: str | float) -> ConfigurationError:
    with pytest.raises(ConfigurationError) as error:
        read(path, text, **options)
    return error.value


SAME = [
    ("1555.5 5\n1556 0\n1556.5 2.5\n", {}),
    ("  0\t5\n0.5\t0\n1\t2.5\n", {"rate_unit": "Mbps"}),
    ("time_s,Mbps\n0,5\n0.5,0\n1,2.5\n", {}),
    ("# a data set\n\ntime_s,kbit/s\n0,5000\n0.5,0\n\n1,2500\n\n", {}),
    ("t_ms;DL (Mbit/s)\n0;5,0\n500;0,0\n1000;2,5\n", {}),
    ("MB/s,time,speed\n0.625,0,30\n0,0.5,31\n0.3125,1,32\n", {}),
    (
        "unix,x,throughput bits per second\n1.7e9,a,5e6\n1700000000.5,b,0\n1700000001,c,2.5e6\n",
        {"time_column": "UNIX"},
    ),
    ("timestamp,dl_kbps\n1700000000000,5000\n1700000000500,0\n1700000001000,2500\n", {}),
    (
        "when,bitrate\n2024-05-01T12:00:00Z,5\n2024-05-01T12:00:00.5Z,0\n2024-05-01T12:00:01Z,2.5\n",
        {"rate_unit": "Mbit/s", "time_column": "when"},
    ),
    (
        "0,5,9\n500,0,9\n1000,2.5,9\n",
        {"time_column": "1", "rate_column": "2", "rate_unit": "mbps", "time_unit": "ms"},
    ),
    ("time_s,capacity_bps\n0,5e6\n0.5,0\n1,2.5e6\n1.5,0\n", {}),
]


@pytest.mark.parametrize(("text", "options"), SAME)
def test_all_formats_give_the_same_link(tmp_path: Path, text: str, options: dict[str, str]) -> None:
    found = read(tmp_path / "link.csv", text, **options)
    assert found.times_s.tolist() == pytest.approx([0, 0.5, 1, 1.5])
    assert found.rates_bps.tolist() == pytest.approx([5e6, 0, 2.5e6])
    assert found.mean_bps == pytest.approx(2.5e6)


@pytest.mark.parametrize("pack", [lambda b: b, gzip.compress, bz2.compress, lzma.compress])
def test_packed_files_with_a_byte_order_mark_are_read(
    tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    text = "\ufefftime_s,Mbps\r\n0,5\r\n1,3\r\n".encode()
    found = read(tmp_path / "link.csv.gz", pack(text))
    assert (found.name, found.rates_bps.tolist()) == ("link.csv", [5e6, 3e6])


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("time_s,Mbps\n0,5\n1,-2\n2,3\n", {}, "t:3: column Mbps: -2 Mbit/s is outside 0 to"),
        ("time_s,Mbps\n0,5\n1,nan\n2,3\n", {}, "t:3: column Mbps: needs a number, has 'nan'"),
        ("time_s,Mbps\n0,5\n\n1\n2,3\n", {}, "t:4: column Mbps: needs a number, has ''"),
        ("time_s,Mbps\n0,5\n2,1\n1,3\n", {}, "t:4: the time is before that of line 3"),
        ("time_s,Mbps\n0,5\n0,3\n", {}, "t:2: is the only time"),
        ("time_s,Mbps\n0,5\n1,1\n2,1\n42,1\n", {}, "t:5: comes 40 s after line 4"),
        ("time_s,Mbps\n0,5\n1,2,3\n", {}, "t:3: has 3 fields, where the first line has 2"),
        ("time_s,Mbps\n0,5,1\n1,2\n", {}, "t:2: has 3 fields, where the first line has 2"),
        ("time_s,Mbps\n0,5\n1,2,5\n2,3\n", {}, "(decimal commas? separate columns by ;)"),
        ("\n0 5 1\n1 2 3 4\n", {}, "t:3: has 4 fields, where the first line has 3"),
        ("time_s,Mbps\n0,5\n", {}, "t:2: is the only time"),
        ("time_s,Mbps\n", {}, "t:1: has a heading and no rows"),
        ("time_s,capacity_bps\n0,5\n", {}, "needs at least two rows"),
        ("", {}, "t: is empty"),
        ("\n\n", {}, "t: is empty"),
        ("time_s,Mbps\n0,0\n1,0\n", {}, "column Mbps is 0 in all rows"),
        ("time_s,rate\n0,5\n1,2\n", {}, "column rate: its unit is unknown: set it by --rate-unit"),
        ("0,5\n1,2\n", {}, "its unit is unknown: set it by --rate-unit"),
        ("time_s,MBPS\n0,5\n1,2\n", {}, "its unit is unknown"),
        ("time_s,a_Mbps,b_Mbps\n0,5,6\n1,2,3\n", {}, "--rate-column (a_Mbps, b_Mbps)"),
        ("x,y,z\n0,5,6\n1,2,3\n", {}, "select one with --time-column (x, y, z)"),
        ("time_s,Mbps\n0,5\n1,2\n", {"rate_column": "mbit"}, "no column 'mbit'"),
        ("time_s,Mbps\n0,5\n1,2\n", {"rate_unit": "furlong"}, "--rate-unit: no unit 'furlong'"),
        ("time_s,Mbps\n0,5\n1,2\n", {"time_unit": "week"}, "--time-unit: no unit 'week'"),
        ("time,Mbps\n0,5\n1000,2\n", {}, "set the unit by --time-unit ms or s"),
        ("date,Mbps\n2024-05-01,5\nnoon,2\n", {}, "t:3: column date: 'noon' is no number"),
        ("1\n2\n", {"rate_unit": "Mbps"}, "has one number in each line"),
        ('time_s,Mbps\n0,5\n1,"2\n2,3\n', {}, 't:3: has a " without another one'),
        ('time_s,Mbps,x\n0,5,a\n1,2,"b\n2,3,c\n3,3,"d"\n', {}, 't:3: has a " without'),
        ('0 5\n1 "2\n2 3"\n3 4\n', {}, 't:2: has a " without another one'),
    ],
)
def test_bad_tables_are_one_message_with_a_line(
    tmp_path: Path, text: str, options: dict[str, str], message: str
) -> None:
    found = str(refusal(tmp_path / "t", text, **options))
    assert message in found
    assert len(found.splitlines()) == 1


def test_every_row_with_decimal_commas_is_refused(tmp_path: Path) -> None:
    problems = refusal(tmp_path / "t", "time_s,Mbps\n0,1,5\n1,3,2\n2,2,1\n").problems
    assert [problem.line for problem in problems] == [2, 3, 4]
    assert all("decimal commas?" in problem.message for problem in problems)


@pytest.mark.parametrize(
    "text",
    [
        "time_s,Mbps\n0,5,\n1,2,\n2,3, \n",
        'time_s,Mbps,place\n0,5,"a, b"\n1,2,"c, d"\n2,3,e\n',
        "time_s,Mbps,place\n0,5\n1,2\n2,3\n",
    ],
)
def test_rows_without_further_values_are_read(tmp_path: Path, text: str) -> None:
    found = read(tmp_path / "t", text)
    assert found.times_s.tolist() == [0, 1, 2, 3]
    assert found.rates_bps.tolist() == [5e6, 2e6, 3e6]


@pytest.mark.parametrize(
    ("beginning", "what"),
    [
        (b"\xd4\xc3\xb2\xa1\x02\x00\x04\x00", "packet capture (pcap)"),
        (b"\x0a\x0d\x0d\x0a\x1c\x00\x00\x00", "packet capture (pcapng)"),
        (b"12:00:01.5 IP 10.0.0.1.5001 > 10.0.0.2.80: Flags [S], seq 1\n", "tcpdump"),
        (b"[  5]   0.00-1.00   sec  1.12 MBytes  14.01 Mbits/sec\n", "iperf's text"),
        (b"[1732764000.1] 64 bytes from 192.0.2.7: icmp_seq=1 ttl=57 time=3 ms\n", "round trips"),
        (b"64 bytes from 192.0.2.7: icmp_seq=1 ttl=57 time=3 ms\n", "output of ping"),
        (b'{\n"version": {\n"irtt": "0.9.1"\n},\n"stats": {}}', "irtt's JSON"),
        (b"  1 0.000000 10.0.0.1 -> 10.0.0.2 TCP 74 1 > 2 [SYN]\n", "tshark"),
        (b'[{"time": 1, "rate": 2}]', "JSON: write"),
        (b"[[0, 1], [1, 2]]", "JSON: write"),
        (b"Connecting to host 10.0.0.1, port 5201\n", "iperf's text"),
        (b"0.12 10.0.0.1:5001 10.0.0.2:80 32 0x1f 0x1f 2 21 145 85\n", "tcp_probe's output"),
        (b"iperf-1 [000] 1.5: tcp_probe: src=10.0.0.1:1 dest=10.0.0.2:2\n", "tcp_probe's output"),
        (b"State Recv-Q Send-Q Local\nESTAB 0 0 10.0.0.1:80\n\t cubic cwnd:10\n", "output of ss"),
        (b"# mahimahi mm-link (downlink) [link.down]\n", "log of mm-link"),
        (b"PK\x03\x04\x14\x00", "zip archive"),
        (b"\x00\x01\x02", "no text"),
    ],
)
def test_files_of_other_tools_are_named(tmp_path: Path, beginning: bytes, what: str) -> None:
    result = str(refusal(tmp_path / "t", beginning))
    assert what in result
    assert "Mahimahi" in result
    assert "\\x" not in result
    assert result.isprintable()


def made(times_s: list[float], rates_bps: list[float]) -> RateRecording:
    return RateRecording("made", "0" * 64, None, np.array(times_s), np.array(rates_bps))


def test_silences_of_rates_continue_across_the_end() -> None:
    link = made([0, 1, 2, 3, 4, 6, 7], [0, 0, 5, 0, 3, 0])
    starts, lengths = link.gaps()
    assert (starts.tolist(), lengths.tolist()) == ([3, 6], [1, 3])
    starts, lengths = made([0, 1, 2], [5, 0]).gaps()
    assert (starts.tolist(), lengths.tolist()) == ([1], [1])
    assert made([0, 1, 2], [5, 1]).gaps()[0].size == 0


@pytest.mark.parametrize("place_s", [0.0, 0.5, 1.0, 6.25])
def test_parts_and_shifted_links_keep_the_rates(place_s: float) -> None:
    link = made([0, 1, 2, 3, 4, 6, 7], [1, 0, 5, 0, 3, 0])
    first, second = link.half(0), link.half(1)
    assert (first.length_s, second.length_s) == (3.5, 3.5)
    assert (first.bits, second.bits) == (6, 6)
    late = link.from_place(place_s)
    assert late.length_s == pytest.approx(7)
    _, rates = link.rates(0.25)
    _, later = late.rates(0.25)
    assert later.tolist() == pytest.approx(np.roll(rates, -int(4 * place_s)).tolist(), abs=1e-9)


def test_a_constant_table_is_steady() -> None:
    facts = facts_of(made([0, 1, 2, 5], [8e6] * 3), round_trip_s=0.04, silence_s=0.2, bin_s=1)
    record = facts.record()
    assert (record["coherence_s"], record["dominant_hz"], record["packets"]) == (None, None, None)
    assert (record["silences"], record["longest_silence_s"]) == (0, 0)


def test_a_table_becomes_a_capacity_with_its_own_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "drive.csv").write_text("t_ms,dl_mbps\n0,8\n1000,0\n2000,4\n", "utf-8")
    options = ["trace", str(tmp_path / "drive.csv"), "--as", "capacity", "--output"]
    assert run([*options, str(tmp_path / "c.csv")]) == 0
    assert "dl_mbps in Mbit/s" in " ".join(capsys.readouterr().err.split())
    times, rates = read_capacity_trace(tmp_path / "c.csv")
    assert (times.tolist(), rates.tolist()) == ([0, 1, 2, 3], [8e6, 0, 4e6, 0])
    assert mean_of_trace_bps(tmp_path / "c.csv") == 4e6
    again = ["trace", str(tmp_path / "c.csv"), "--as", "capacity"]
    assert run(again) == 0
    assert capsys.readouterr().out == (tmp_path / "c.csv").read_text(encoding="utf-8")


def test_a_table_is_described_and_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    Path("drive.csv").write_text("t_s,Mbps\n0,8\n1,2\n2,4\n", "utf-8")
    picture = tmp_path / "link.png"
    assert run(["trace", "drive.csv", "--picture", str(picture)]) == 0
    result = capsys.readouterr()
    assert "4.667 Mbit/s" in result.out
    assert max(map(len, [*result.out.splitlines(), *result.err.splitlines()])) <= 80
    assert picture.is_file()


def test_rows_of_one_time_count_as_their_mean_rate(tmp_path: Path) -> None:
    recording = read(tmp_path / "t", "time_s,Mbps\n0,4\n0,6\n1,8\n2,1\n2,2\n2,3\n")
    assert recording.times_s.tolist() == [0, 1, 2, 3]
    assert recording.rates_bps.tolist() == [5e6, 8e6, 2e6]
    assert "3 rows repeat the time of the row before" in recording.understood
