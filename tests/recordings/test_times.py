"""Columns of times, rates and units in many forms; the right values are computed by hand."""

from __future__ import annotations

import gzip
import json
import lzma
import re
import subprocess
from pathlib import Path

import pytest

from tcpgoodput.cli.app import run
from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.studies.recordings import tables
from tcpgoodput.studies.recordings.columns import TableColumns
from tcpgoodput.studies.recordings.files import IPERF_TABLE, read_recording
from tcpgoodput.studies.recordings.recording import Recording
from tests.recordings.made import written
from tests.recordings.test_tables import read, refusal


def table(times: list[str], name: str = "time") -> str:
    return f"{name};Mbps\n" + "".join(f"{time};5\n" for time in times)


@pytest.mark.parametrize(
    ("times", "seconds"),
    [
        (["20240501121058", "20240501121059", "20240501121100"], [0, 1, 2]),
        (["20240501121058.5", "20240501121059", "20240501121100"], [0, 0.5, 1.5]),
        (["20240501235959500", "20240502000000000", "20240502000001000"], [0, 0.5, 1.5]),
        (["202405011258", "202405011259", "202405011300"], [0, 60, 120]),
        (["20240501T235959Z", "20240502T000000Z", "20240502T000001Z"], [0, 1, 2]),
        (["20240501_235959", "20240502_000000", "20240502_000001"], [0, 1, 2]),
        (["2019.12.14_10:16:30", "2019.12.14_10:16:31"], [0, 1]),
        (["2019.12.14_10.16.30", "2019.12.14_10.16.31"], [0, 1]),
        (["2024/02/28 23:59:59,5", "2024/02/29 00:00:00,5", "2024/03/01 00:00:00,5"][:2], [0, 1]),
        (["28.02.2024 23:59:59", "29.02.2024 00:00:01"], [0, 2]),
        (["5/1/2024 11:59:59 AM", "5/1/2024 12:00:00 PM", "5/1/2024 12:00:01 PM"], [0, 1, 2]),
        (["12/31/2024 11:59:59 PM", "1/1/2025 12:00:00 AM"], [0, 1]),
        (["01-May-2024 23:59:59", "02-May-2024 00:00:00"], [0, 1]),
        (["May  1, 2024 12:00:00.125 CEST", "May  1, 2024 12:00:01.125 CEST"], [0, 1]),
        (["2024-05-01 12:00:00 EST", "2024-05-01 12:00:01 EST"], [0, 1]),
        (["2024-05-01 12:00:00 CST", "2024-05-01 12:00:01 CST"], [0, 1]),
        (["2024-11-03 01:59:59 EDT", "2024-11-03 01:00:00 EST"], [0, 1]),
        (["2024-10-27T02:59:59+02:00", "2024-10-27T02:00:00+01:00"], [0, 1]),
        (["2024-10-27 02:59:59 UTC+2", "2024-10-27 02:00:00 UTC+1"], [0, 1]),
        (["23:59:59.5", "00:00:00", "00:00:01.5"], [0, 0.5, 2]),
        (["11:59:59 PM", "12:00:00 AM", "12:00:01 AM"], [0, 1, 2]),
        (["[1732764000.25]", "[1732764001]", "[1732764002]"], [0, 0.75, 1.75]),
        (["1700000000000", "1700000000500"], [0, 0.5]),
        (["1700000000000000", "1700000000500000"], [0, 0.5]),
        (["1700000000000000000", "1700000000500000000"], [0, 0.5]),
        (["738642.5", "738642.500115740", "738642.500231481"], [0, 10, 20]),
        (["45413.5", "45413.500115740", "45413.500231481"], [0, 10, 20]),
        (["0,5", "1,0", "1,75"], [0, 0.5, 1.25]),
    ],
)
def test_times_in_many_forms(tmp_path: Path, times: list[str], seconds: list[float]) -> None:
    found = read(tmp_path / "t", table(times)).times_s.tolist()[:-1]
    assert found == pytest.approx(seconds, abs=1e-4)


@pytest.mark.parametrize(
    ("name", "unit_s"),
    [("Time (min)", 60), ("time_h", 3600), ("t [hours]", 3600), ("days", 86_400), ("t_ms", 1e-3)],
)
def test_a_unit_in_the_name_of_a_column_counts(tmp_path: Path, name: str, unit_s: float) -> None:
    found = read(tmp_path / "t", table(["0", "2", "3"], name)).times_s.tolist()[:-1]
    assert found == [0, 2 * unit_s, 3 * unit_s]


@pytest.mark.parametrize(
    ("times", "name", "message"),
    [
        (["0", "1"], "Time (fortnight)", "no unit 'fortnight': set the unit by --time-unit"),
        (["0", "0.0001", "0.0002"], "time", "has steps of 0.0001: set the unit"),
        (["12:30", "12:31"], "time", "'12:30' may be hours and minutes, or minutes and seconds"),
        (["25:00:00 AM", "1:00:00 AM"], "time", "has no such hour"),
        (["2024-02-30 12:00:00", "2024-03-01 12:00:00"], "time", "t:2: column time: '2024-02-30"),
        (["2024-11-03 01:59:59 CDT", "2024-11-03 01:00:00 CST"], "time", "t:3: column time"),
        (["2024-10-27T02:59:59+02:00", "2024-10-27T03:00:00"], "time", "has no time zone"),
        (["2024-10-27 02:59:59", "2024-10-27 02:00:00"], "time", "summer time?"),
        (["12:00:05", "12:00:04"], "time", "times must not decrease"),
    ],
)
def test_times_of_unknown_meaning_are_refused(
    tmp_path: Path, times: list[str], name: str, message: str
) -> None:
    assert message in str(refusal(tmp_path / "t", table(times, name)))


@pytest.mark.parametrize(
    ("last", "zone", "is_hinted"),
    [("03:00:00", "", True), ("03:00:00", "+01:00", False), ("03:30:00", "", False)],
)
def test_an_hour_more_than_the_usual_step_may_be_summer_time(
    tmp_path: Path, last: str, zone: str, is_hinted: bool
) -> None:
    times = [f"2024-03-31 {time}{zone}" for time in ("01:59:57", "01:59:58", "01:59:59", last)]
    found = str(refusal(tmp_path / "t", table(times)))
    assert "s after line 4" in found
    assert found.endswith("to summer time? write times with their offset from UTC") == is_hinted


def test_a_guessed_order_of_day_and_month_is_told(tmp_path: Path) -> None:
    found = read(tmp_path / "t", table(["5/1/2024 23:59:59", "5/2/2024 00:00:00"]))
    assert found.times_s.tolist() == [0, 1, 2]
    assert "the month before the day (guessed" in found.understood


def test_bytes_since_the_row_before_hold_before_the_row(tmp_path: Path) -> None:
    rows = (
        "1453121791806 x 2628451\n1453121792807 x 2000\n1453121793807 x 3000\n1453121793807 x 500\n"
    )
    options = {"time_column": "1", "rate_column": "3", "rate_unit": "byte"}
    found = read(tmp_path / "t", rows, **options)
    assert found.times_s.tolist() == pytest.approx([0, 1.001, 2.001])
    assert found.bits == pytest.approx(8 * 5500)
    assert found.rates_bps.tolist() == pytest.approx([8 * 2000 / 1.001, 8 * 3500])
    assert "first row's amount is not used" in found.understood
    after = read(tmp_path / "t", rows, **options, stamp="start")
    assert after.bits == pytest.approx(8 * 2_630_451)


@pytest.mark.parametrize(
    ("stamp", "bits"), [("start", 320e6), ("end", 10e6 * (1 + 1 + 0 + 1)), (None, 320e6)]
)
def test_a_time_stamp_may_be_the_end(tmp_path: Path, stamp: str | None, bits: float) -> None:
    text = "time_s,Mbps\n1,10\n2,10\n32,0\n33,10\n"
    found = read(tmp_path / "t", text, longest_gap_s=30.0, stamp=stamp)  # type: ignore[arg-type]
    assert (found.length_s, found.bits) == (33, bits)
    assert "--stamp" in found.understood
    assert "1 gap of 29 s in all" in found.understood


@pytest.mark.parametrize(
    ("missing", "times", "rates"),
    [
        ("hold", [0, 1, 2, 3, 4, 5], [4, 4, 4, 1, 1]),
        ("zero", [0, 1, 2, 3, 4, 5, 6], [0, 4, 0, 0, 1, 0]),
        ("drop", [0, 3, 6], [4, 1]),
    ],
)
def test_rows_without_a_rate_are_treated_as_told(
    tmp_path: Path, missing: str, times: list[float], rates: list[float]
) -> None:
    found = read(tmp_path / "t", "time_s,Mbps\n0,-\n1,4\n2,NaN\n3,\n4,1\n5,-\n", missing=missing)
    assert found.times_s.tolist() == times
    assert (found.rates_bps / 1e6).tolist() == rates
    assert "4 of 6 rows have no rate" in found.understood


def test_rows_without_a_rate_are_refused_in_one_line(tmp_path: Path) -> None:
    text = "time_s,Mbps\n" + "".join(f"{k},{'-' if k % 3 else 5}\n" for k in range(99))
    (problem,) = refusal(tmp_path / "t", text).problems
    assert problem.line == 3
    assert "66 of 99" in problem.message
    assert "--missing hold, zero or drop" in problem.message


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("0,5,Mbits/sec\n1,600,Kbits/sec\n2,0,bit/s\n", {}),
        ("t,rate\n0,5 Mbits/sec\n1,600 Kbits/sec\n2,0 bit/s\n", {}),
        ("t,rate,unit,rsrp\n0,5,Mbits/sec,-9\n1,600,Kbits/sec,-9\n2,0,bit/s,-9\n", {}),
        ("5,Mbits/sec\n600,Kbits/sec\n0,bit/s\n", {"every_s": 1.0}),
        ("5000\n600\n0\n", {"every_s": 1.0, "rate_unit": "kbit/s"}),
        ("sep=;\r\nt;kbit/s\r\n0;5000,0\r\n1;600\r\n2;0\r\n", {}),
        ('"sep=|"\nt|kbit/s\n0|5000\n1|600\n2|0\n', {}),
        ("0\t5\n1\t0.6\n2\t0\n", {}),
        ("0\t5,0\n1\t0,6\n2\t0\n", {}),
        ("t,kbit/s\r0,5000\r1,600\r2,0\r", {}),
        ('t,"rate, down [kbit/s]"\n0,5000\n1,600\n2,0\n', {}),
        ("Timestamp,RSRP,DL_bitrate\n0,-9,5000\n1,-9,600\n2,-9,0\n", {}),
    ],
)
def test_units_and_separators_in_many_forms(
    tmp_path: Path, text: str, options: dict[str, float]
) -> None:
    for content in (text.encode(), text.encode("utf-16")):
        found = read(tmp_path / "t", content, **options)
        assert found.times_s.tolist() == [0, 1, 2, 3]
        assert found.rates_bps.tolist() == pytest.approx([5e6, 6e5, 0])


def test_the_proposed_longest_gap_is_long_enough(tmp_path: Path) -> None:
    text = "time_s,Mbps\n0,1\n1,1\n2,1\n14,1\n15,1\n94.123456,1\n"
    found = str(refusal(tmp_path / "t", text))
    assert re.search(r"t:5: .*longest of 2 such gaps", found)
    proposed = float(found.split("--longest-gap ")[1])
    assert read(tmp_path / "t", text, longest_gap_s=proposed).length_s > 94


def test_a_gap_that_no_option_allows_has_another_way_on(tmp_path: Path) -> None:
    found = str(refusal(tmp_path / "t", "time_s,Mbps\n0,1\n1,1\n2,1\n9000,1\n"))
    assert "--longest-gap" not in found
    assert "cut the file there" in found


def test_lines_of_iperf_become_a_table_by_the_proposed_command(tmp_path: Path) -> None:
    lines = "[  5]   0.00-1.00   sec  1.12 MBytes  5.00 Mbits/sec  0.1 ms  3/80 (4%)\n"
    lines += "[  5]   1.00-2.00   sec  71.1 KBytes   600 Kbits/sec  0.1 ms  3/80 (4%)\n"
    lines += "[  5]   0.00-2.00   sec  1.12 MBytes  9.00 Mbits/sec  0.1 ms  6/160 (4%)  receiver\n"
    (tmp_path / "FILE").write_text(lines, encoding="utf-8")
    options = {"cwd": tmp_path, "check": True, "capture_output": True}
    rows = subprocess.run(IPERF_TABLE, shell=True, **options).stdout
    found = read(tmp_path / "t", rows)
    assert found.rates_bps.tolist() == pytest.approx([5e6, 6e5])


@pytest.mark.parametrize("pack", [lambda b: b, gzip.compress])
def test_packets_since_1970_begin_at_0(tmp_path: Path, pack: object) -> None:
    times = [1453121790686, 1453121790693, 1453121790693, 1453121790700]
    (tmp_path / "t").write_bytes(pack("".join(f"{t}\n" for t in times).encode()))  # type: ignore[operator]
    found = read_recording(tmp_path / "t")
    assert (found.length_s, found.packets) == (0.014, 4)
    assert "since 1970" in found.understood


@pytest.mark.parametrize("unit_ms", [1e-3, 1e3, 1e6])
def test_packets_since_1970_in_other_units_are_named(tmp_path: Path, unit_ms: float) -> None:
    with pytest.raises(ConfigurationError, match=r"since 1970 in (s|us|ns)\? write milliseconds"):
        read_recording(written(tmp_path / "t", [round(1453121790686 * unit_ms)]))


@pytest.mark.parametrize("row", [b"x,1\n", b"1,x\n", b"1,2,3\n", b"1,-9\n", b"0,-\n", b"\n"])
def test_a_huge_packed_table_is_refused_with_few_problems(
    tmp_path: Path, row: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "MOST_ROWS", 2**16)
    for rows, message in ((2**16 - 1, "t.xz"), (2**16, "more than the 65536 rows")):
        content = lzma.compress(b"time_s,Mbps\n" + row * rows, preset=0)
        error = refusal(tmp_path / "t.xz", content)
        assert message in str(error)
        assert len(error.problems) <= 9


def test_a_row_of_very_many_columns_is_a_short_message(tmp_path: Path) -> None:
    text = ",".join(f"c{k}" for k in range(9000)) + "\n" + "1," * 8999 + "1\n"
    assert "and 8960 more" in str(refusal(tmp_path / "t", text))


def test_unequal_halves_are_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    slow, fast = range(0, 30_000, 100), range(30_000, 60_000, 2)
    link = written(tmp_path / "t", [*slow, *fast, 60_000])
    request = ["trace", str(link), "--as", "scenarios", "--output", str(tmp_path / "views")]
    assert run(request) == 0
    note = " ".join(capsys.readouterr().err.split())
    assert "0.1204 Mbit/s in the first half and 6 Mbit/s in the second" in note
    assert run([*request[:-1], str(tmp_path / "all"), "--part", "whole"]) == 0
    assert "half" not in capsys.readouterr().err


def test_delays_of_another_length_are_reported(tmp_path: Path) -> None:
    link = written(tmp_path / "link", range(0, 10_001, 10))

    def understood(count: int) -> str:
        found: Recording = read_recording(link, written(tmp_path / "delays", [0] * count))
        return found.understood

    assert "the delays last 10.9 s and the rates 10 s" in understood(1090)
    assert "the delays last 9.5 s" in understood(950)
    assert understood(1000) == understood(1001) == ""


def test_a_link_with_delays_that_begin_at_0_is_described(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    link = written(tmp_path / "link", range(0, 10_001, 10))
    delays = written(tmp_path / "delays", [0] * 600 + [3000] * 400)
    assert run(["trace", str(link), "--delay", str(delays), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["round_trip_s"] == 0.04


@pytest.mark.parametrize(
    "arguments", [["--stamp", "middle"], ["--missing", "guess"], ["--every", "0"], ["--every", "1"]]
)
def test_wrong_options_are_refused(
    tmp_path: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "t").write_text("time_s,Mbps\n0,1\n1,1\n", encoding="utf-8")
    time = ["--time-column", "1"] if arguments == ["--every", "1"] else []
    assert run(["trace", str(tmp_path / "t"), *arguments, *time]) == 2
    assert arguments[0] in capsys.readouterr().err


def test_options_of_tables_are_refused_for_packets(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="only for tables"):
        read_recording(written(tmp_path / "t", [1, 2]), None, TableColumns(stamp="end"))
