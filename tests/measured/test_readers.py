"""Each reader finds the numbers that a small file was made with; broken files get one message."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tcpgoodput.configuration import ConfigurationError
from tcpgoodput.studies.measured import probes
from tcpgoodput.studies.measured.files import Guesses, read_measurement, read_measurements
from tcpgoodput.studies.measured.known import (
    Known,
    Reading,
    add_losses,
    count_interval,
    seconds,
    share_interval,
)
from tests.measured import made

NOTHING = Guesses()


def read(folder: Path, text: str, guesses: Guesses = NOTHING, name: str = "file.txt") -> Reading:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return read_measurement(path, guesses)


def known(reading: Reading, quantity: str) -> Known:
    found = reading.get(quantity)
    assert found is not None, f"{quantity} is not known"
    return found


def value(reading: Reading, quantity: str) -> float:
    return known(reading, quantity).value


def message(folder: Path, text: str, name: str = "file.txt") -> str:
    with pytest.raises(ConfigurationError) as error:
        read(folder, text, name=name)
    assert len(error.value.problems) == 1
    return str(error.value)


def test_intervals_of_shares_and_counts() -> None:
    # Without an event, the ends are 1 - 0.025^(1/n) (Clopper, Pearson) and -ln 0.025 (Garwood).
    assert share_interval(0, 20) == pytest.approx((0, 1 - 0.025 ** (1 / 20)))
    assert share_interval(20, 20) == pytest.approx((0.025 ** (1 / 20), 1))
    assert count_interval(0) == pytest.approx((0, -math.log(0.025)))


@pytest.mark.parametrize("stamped", [True, False])
def test_ping(tmp_path: Path, stamped: bool) -> None:
    found = read(tmp_path, made.ping(stamped=stamped))
    assert value(found, "rtt_min_s") == pytest.approx(0.020)
    assert value(found, "rtt_median_s") == pytest.approx(0.022)
    assert value(found, "loss") == 0.05
    assert value(found, "lost_runs") == 0.03
    assert value(found, "run_packets") == pytest.approx(5 / 3)
    assert value(found, "reordered") == 0
    # The run of three echoes, 1.5 s, is longer than chance explains.
    assert value(found, "stalls_per_s") == pytest.approx(1 / 50)
    assert value(found, "stall_s") == pytest.approx(1.5)
    assert (found.span_s is not None) == stamped
    # The summary and the time stamps both give the half second, so nothing is guessed.
    assert found.notes == []


def test_ping_without_times_assumes_a_second(tmp_path: Path) -> None:
    replies = "".join(f"64 bytes from 192.0.2.7: seq={k} ttl=57 time=3.5 ms\n" for k in range(30))
    found = read(tmp_path, replies)
    assert "--every" in found.notes[0]
    assert "30 s" in known(found, "stalls_per_s").how
    assert "30 s" not in str(read(tmp_path, replies, Guesses(every_s=0.2)).get("stalls_per_s"))


def test_a_negative_round_trip_of_ping_is_refused(tmp_path: Path) -> None:
    found = message(tmp_path, made.ping().replace("time=", "time=-", 1))
    assert re.search(r":\d+: has a negative round trip, -\S+ ms", found)


def test_ping_counts_echoes_lost_at_both_ends(tmp_path: Path) -> None:
    assert value(read(tmp_path, made.ping({1, 99, 100})), "loss") == 0.03


@pytest.mark.parametrize("first", [1, 90, 181])
def test_an_outage_of_ping_is_a_stall(tmp_path: Path, first: int) -> None:
    # Twenty echoes, half a second apart, at the beginning, in the middle or at the end.
    found = read(tmp_path, made.ping(set(range(first, first + 20)), 200))
    assert value(found, "stalls_per_s") == pytest.approx(1 / 100)
    assert value(found, "stall_s") == pytest.approx(10)
    assert value(found, "bad_s") == pytest.approx(10, rel=0.1)


def test_outages_at_the_ends_of_runs_of_ping(tmp_path: Path) -> None:
    text = made.ping(set(range(80, 101))) + made.ping({5}) + made.ping(set(range(91, 101)))
    found = read(tmp_path, text)
    assert value(found, "loss") == pytest.approx((21 + 1 + 10) / 300)
    assert value(found, "lost_runs") == pytest.approx(3 / 300)


def test_losses_at_the_end_need_a_summary(tmp_path: Path) -> None:
    whole = made.ping(set(range(181, 201)), 200)
    replies = whole[: whole.index("\n---")]
    assert any("cannot be seen" in note for note in read(tmp_path, replies).notes)
    assert not any("cannot be seen" in note for note in read(tmp_path, whole).notes)
    named = "".join(f"no answer yet for icmp_seq={k}\n" for k in range(181, 201))
    found = read(tmp_path, f"{replies}{named}")
    assert value(found, "loss") == pytest.approx(0.1)
    assert found.notes == []


def test_ping_in_two_runs(tmp_path: Path) -> None:
    found = read(tmp_path, made.ping({5}) + made.ping({7, 8}))
    assert value(found, "loss") == pytest.approx(3 / 200)
    assert value(found, "lost_runs") == pytest.approx(2 / 200)


def test_runs_of_ping_without_time_stamps(tmp_path: Path) -> None:
    found = read(tmp_path, 2 * made.ping(set(), stamped=False))
    # 200 echoes, half a second apart by each summary.
    assert "100 s" in known(found, "stalls_per_s").how


def test_ping_past_the_largest_sequence_number(tmp_path: Path) -> None:
    numbers = [*range(65_500, 65_536), *range(64)]
    lines = [f"64 bytes from 192.0.2.7: icmp_seq={k} ttl=57 time=20 ms\n" for k in numbers]
    assert value(read(tmp_path, "".join(lines)), "loss") == 0


def test_ping_out_of_order(tmp_path: Path) -> None:
    lines = made.ping(set()).splitlines(keepends=True)
    lines[40], lines[41] = lines[41], lines[40]  # the clocks stay in order
    clocks = [line.split("]")[0] for line in lines]
    lines[40] = lines[40].replace(clocks[40], clocks[41])
    lines[41] = lines[41].replace(clocks[41], clocks[40])
    assert value(read(tmp_path, "".join(lines)), "reordered") == pytest.approx(1 / 100)


def test_stalls_of_ping(tmp_path: Path) -> None:
    # A stall of 1.5 s delays three echoes, half a second apart, by 1.5, 1.0 and 0.5 s.
    text = made.ping(set(), stamped=False)
    for number, delay_ms in ((30, 1500), (31, 1000), (32, 500), (70, 700)):
        old, new = made.rtt_ms(number), made.rtt_ms(number) + delay_ms
        text = text.replace(
            f"seq={number} ttl=57 time={old}.0", f"seq={number} ttl=57 time={new}.0"
        )
    found = read(tmp_path, text)
    assert known(found, "stalls_per_s").count == 2
    assert value(found, "stalls_per_s") == pytest.approx(2 / 50)
    assert value(found, "stall_s") == pytest.approx((1.5 + 0.7) / 2, abs=0.003)


@pytest.mark.parametrize("lost", [frozenset(), {41}, {42, 45, 48}])
def test_a_lost_echo_ends_no_stall(tmp_path: Path, lost: frozenset[int]) -> None:
    text = made.ping(lost, stamped=False)
    for number in range(40, 50):  # a stall of 5 s, whose replies come together in their order
        delay_ms = 5000 - 500 * (number - 40) + number % 3
        text = text.replace(
            f"seq={number} ttl=57 time={made.rtt_ms(number)}.0", f"seq={number} time={delay_ms}"
        )
    found = read(tmp_path, text)
    assert known(found, "stalls_per_s").count == 1
    assert value(found, "stall_s") == pytest.approx(4.98, abs=0.01)
    assert value(found, "reordered") == 0  # ping prints them as they come


def test_ping_of_windows_and_a_summary(tmp_path: Path) -> None:
    lines = ["Pinging 192.0.2.7 with 32 bytes of data:"]
    lines += ["Reply from 192.0.2.7: bytes=32 time=25ms TTL=57"] * 38
    lines[10:10] = ["Request timed out."] * 2
    assert value(read(tmp_path, "\n".join(lines)), "loss") == pytest.approx(2 / 40)
    quiet = "".join(made.ping().splitlines(keepends=True)[-3:])
    found = read(tmp_path, "PING 192.0.2.7 (192.0.2.7) 56(84) bytes of data.\n\n" + quiet)
    assert value(found, "rtt_min_s") == pytest.approx(0.020)
    assert value(found, "loss") == 0.05


def test_ping_in_another_language(tmp_path: Path) -> None:
    german = made.ping().replace("bytes from", "Bytes von").replace("time=", "Zeit=")
    assert value(read(tmp_path, german), "loss") == 0.05
    windows = "Antwort von 192.0.2.7: Bytes=32 Zeit=25ms TTL=57\n" * 40
    assert "another language" in message(tmp_path, windows)


def test_the_summary_of_ping_in_german(tmp_path: Path) -> None:
    """The lines of iputils in German, with two echoes that were lost at the end."""
    lines = [f"64 Bytes von 192.0.2.7: icmp_seq={k} ttl=55 Zeit=20,5 ms" for k in range(1, 99)]
    lines[9] = "Von 192.0.2.1 icmp_seq=10 Zielhost nicht erreichbar"
    lines.append("100 Pakete übertragen, 97 empfangen, +1 Fehler, 3% Paketverlust, Zeit 19800ms")
    found = read(tmp_path, "\n".join(lines) + "\n")
    assert value(found, "loss") == 0.03
    assert "in 20 s" in known(found, "stalls_per_s").how  # 0.2 s between echoes


def test_a_ping_that_was_cut_off(tmp_path: Path) -> None:
    text = made.ping()
    end = text.index("icmp_seq=80")
    for length in (end, end + 20, end - 30):
        found = read(tmp_path, text[:length])
        assert any("cut off" in note for note in found.notes)
        assert value(found, "loss") == 5 / 79
    assert not any("cut off" in note for note in read(tmp_path, text).notes)


def test_five_lines_of_ping(tmp_path: Path) -> None:
    found = message(tmp_path, made.ping(set(), 5))
    assert "5 probes" in found
    assert "ping -D -c 600" in found
    assert "round trip, minimum 20 ms" in found


def test_a_refusal_leaves_out_intervals(tmp_path: Path) -> None:
    found = message(tmp_path, made.ping({2}, 5))
    assert "share of lost packets 20 %; " in found


def test_a_long_log_is_read_in_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes, "MOST_PROBES", 50)
    monkeypatch.setattr("tcpgoodput.configuration.packed_text.BLOCK_BYTES", 4096)
    found = read(tmp_path, made.ping(set(), 1000))
    assert found.lines < 1000
    assert any("only the first" in note for note in found.notes)
    assert value(found, "loss") == 0


def test_bad_times_are_found() -> None:
    # A link that is bad for 0.5 s every 20.5 s on average, seen every 0.1 s.
    stream, spacing_s = np.random.default_rng(1), 0.1
    times_s = np.cumsum(stream.exponential([20.0, 0.5], (10_000, 2)).ravel())
    at_s = np.arange(0, times_s[-1], spacing_s)
    lost = np.searchsorted(times_s, at_s) % 2 == 1
    reading = Reading(Path("made"), "made")
    add_losses(reading, lost, spacing_s, 0.05, "probes")
    assert value(reading, "bad_s") == pytest.approx(0.5, rel=0.05)
    assert value(reading, "loss") == pytest.approx(0.5 / 20.5, rel=0.05)


def test_independent_losses_have_no_bad_times() -> None:
    reading = Reading(Path("made"), "made")
    add_losses(reading, np.random.default_rng(2).random(5000) < 0.02, 0.1, 0.05, "probes")
    assert reading.get("bad_s") is None


def test_irtt(tmp_path: Path) -> None:
    found = read(tmp_path, json.dumps(made.irtt()))
    assert value(found, "rtt_min_s") == pytest.approx(0.020)
    assert value(found, "loss") == 0.03
    assert value(found, "loss_events") == 0.02
    assert "3 % upstream" in found.notes[0]
    assert "cut off" in message(tmp_path, json.dumps(made.irtt())[:-40])


@pytest.mark.parametrize("form", [json.dumps, made.events])
def test_iperf3_over_tcp(tmp_path: Path, form: object) -> None:
    assert callable(form)
    found = read(tmp_path, form(made.iperf3()))
    assert value(found, "goodput_bps") == 8.1e6
    assert value(found, "peak_bps") == 10e6
    assert value(found, "loaded_rtt_s") == pytest.approx(0.030)
    assert value(found, "loaded_rtt_max_s") == pytest.approx(0.060)
    assert value(found, "window_bytes") == 289_600
    # 8.1 Mbit/s for ten seconds are 6992 segments of 1448 bytes, and 14 were sent again.
    assert value(found, "resent") == pytest.approx(14 / (6992 + 14), rel=1e-3)
    assert found.variant == "reno"
    assert found.span_s == (1_700_000_500, 1_700_000_510)


def test_parallel_streams(tmp_path: Path) -> None:
    test = made.iperf3()
    test["start"]["test_start"]["num_streams"] = 4
    found = read(tmp_path, json.dumps(test))
    assert value(found, "goodput_bps") == 8.1e6 / 4
    assert value(found, "peak_bps") == 10e6  # of all streams, which fill the link together


def test_iperf3_in_both_directions(tmp_path: Path) -> None:
    test = made.iperf3()
    for interval in test["intervals"]:
        back = {**interval["sum"], "bits_per_second": 3e6, "sender": False}
        interval["sum_bidir_reverse"] = back
        interval["streams"].append({**back, "socket": 7})
    test["end"]["sum_received_bidir_reverse"] = {"bits_per_second": 3e6}
    text = json.dumps(test)
    forward, back = read(tmp_path, text), read(tmp_path, text, Guesses(is_backward=True))
    assert value(forward, "goodput_bps") == 8.1e6
    assert "--backward" in forward.notes[0]
    assert value(back, "goodput_bps") == 3e6
    assert back.get("loaded_rtt_s") is None


def sent(megabits: Sequence[float], rtts_us: Sequence[int] = (), **start: Any) -> dict[str, Any]:
    """Return a test of TCP as its sender, with what was written and the round trip each second."""
    test = made.iperf3(len(megabits))
    test["start"]["test_start"] |= start
    for k, (interval, size) in enumerate(zip(test["intervals"], megabits, strict=True)):
        interval["sum"]["bits_per_second"] = 1e6 * size
        interval["streams"][0]["rtt"] = rtts_us[k] if rtts_us else 30_000 + k
    return test


IN_STEPS = [6, *(3 * [0, 0, 3])]
"""Megabits that a sender with a large buffer writes over a link with one a second."""


def test_a_sender_with_a_full_buffer_is_no_stall(tmp_path: Path) -> None:
    found = read(tmp_path, json.dumps(sent(IN_STEPS)))
    assert known(found, "stalls_per_s").count == 0
    assert value(found, "interval_bps") == pytest.approx(1e6)
    assert value(found, "peak_bps") == pytest.approx(1e6)
    assert "wrote nothing in 6 of 10 intervals" in found.notes[0]


def test_a_link_without_acknowledgements_stood_still(tmp_path: Path) -> None:
    written, rtts_us = [6, 2, 2, 0, 0, 2, 0, 4, 2, 2], [30, 31, 32, 33, 33, 34, 35, 36, 37, 38]
    found = read(tmp_path, json.dumps(sent(written, rtts_us)))
    # The second 3 to 4 began with acknowledgements, that from 4 to 5 had none; that from 6 had.
    assert known(found, "stalls_per_s").count == 1
    assert value(found, "stall_s") == 2
    assert value(found, "peak_bps") == pytest.approx(2e6)
    # A sender that is held to a rate has nothing to send at times, and gets no acknowledgements.
    held = read(tmp_path, json.dumps(sent(written, rtts_us, target_bitrate=2_000_000)))
    assert held.get("stalls_per_s") is None


def test_what_fills_the_buffer_is_left_out(tmp_path: Path) -> None:
    test = sent([4, 9, *(8 * [1])])
    test["end"]["sum_sent"]["bytes"], test["end"]["sum_received"]["bytes"] = 2_625_000, 1_250_000
    assert value(read(tmp_path, json.dumps(test)), "peak_bps") == pytest.approx(1e6)


def test_a_receiver_without_data_is_a_stall(tmp_path: Path) -> None:
    test = sent([1, 1, 1, 0, 0, 1, 1, 1, 1, 1])
    for interval in test["intervals"]:
        for row in (interval["sum"], *interval["streams"]):
            row["sender"] = False
            for name in ("retransmits", "rtt"):
                row.pop(name, None)
    found = read(tmp_path, json.dumps(test))
    assert known(found, "stalls_per_s").count == 1
    assert value(found, "stall_s") == 2


@pytest.mark.parametrize(
    ("head", "rest", "count"),
    [
        ("Connecting to host 192.0.2.7, port 5201", "", None),
        ("Connecting to host 192.0.2.7, port 5201\nReverse mode, remote host is sending", "", 1),
        ("Accepted connection from 192.0.2.7, port 40000", "", 1),
        ("Accepted connection from 192.0.2.7, port 40000", "    0   56.6 KBytes", None),
    ],
)
def test_which_side_wrote_a_text(tmp_path: Path, head: str, rest: str, count: int | None) -> None:
    rows = ["[ ID] Interval           Transfer     Bitrate" + "         Retr  Cwnd" * bool(rest)]
    rows += [
        f"[  5]   {k}.00-{k + 1}.00   sec   977 KBytes  {8 * (k != 3)}.00 Mbits/sec{rest}"
        for k in range(8)
    ]
    found = read(tmp_path, f"{head}\n" + "\n".join(rows))
    stalls = found.get("stalls_per_s")
    assert (stalls.count if stalls else None) == count
    assert value(found, "peak_bps") == pytest.approx(8e6)


@pytest.mark.parametrize(("lost", "fills"), [(300, True), (10, False)])
def test_iperf3_over_udp(tmp_path: Path, lost: int, fills: bool) -> None:
    counts = {"bits_per_second": 5e6, "packets": 1000, "lost_packets": lost}
    test = made.iperf3(sum_received=counts, sum={})
    test["start"]["test_start"] |= {"protocol": "UDP", "blksize": 1400}
    text = json.dumps(test)
    found = read(tmp_path, text)
    assert (found.get("rate_bps") is not None) == fills
    if fills:  # 28 bytes of headers for 1400 bytes of payload
        assert value(found, "rate_bps") == pytest.approx(5e6 * 1428 / 1400)
    assert (found.get("loss") is not None) == (not fills)
    assert "--udp-fills" in found.notes[-1]
    other = read(tmp_path, text, Guesses(udp_fills=not fills))
    assert (other.get("rate_bps") is not None) == (not fills)


def test_iperf3_that_failed_or_was_cut_off(tmp_path: Path) -> None:
    refused = {"start": {"connected": [], "version": "iperf 3.12"}, "intervals": [], "end": {}}
    refused["error"] = "unable to connect to server: Connection refused"
    assert "Connection refused" in message(tmp_path, json.dumps(refused))
    assert "cut off" in message(tmp_path, json.dumps(made.iperf3())[:-50])
    assert "at least 5 are needed" in message(tmp_path, json.dumps(made.iperf3(3)))


def test_iperf3_text(tmp_path: Path) -> None:
    rows = ["[ ID] Interval           Transfer     Bitrate         Retr  Cwnd"]
    rows += [
        f"[  5]   {k}.00-{k + 1}.00   sec   977 KBytes  8.00 Mbits/sec    {k}   56.6 KBytes       "
        for k in range(6)
    ]
    rows += ["- - - - - - -", "[ ID] Interval           Transfer     Bitrate         Retr"]
    rows += ["[  5]   0.00-6.00   sec  5.86 MBytes  8.10 Mbits/sec   15             sender"]
    rows += ["[  5]   0.00-6.04   sec  5.80 MBytes  7.90 Mbits/sec                  receiver"]
    found = read(tmp_path, "Connecting to host 192.0.2.7, port 5201\n" + "\n".join(rows))
    assert value(found, "goodput_bps") == 7.9e6
    assert value(found, "peak_bps") == 8e6
    assert known(found, "resent").count == 0 + 1 + 2 + 3 + 4 + 5


def test_iperf_2_text(tmp_path: Path) -> None:
    rows = ["[ ID] Interval          Transfer    Bandwidth     Write/Err  Rtry     Cwnd/RTT(var)"]
    rows += [
        f"[  1] {k}.0000-{k + 1}.0000 sec   640 KBytes  5.24 Mbits/sec  5/0          2     "
        f"1023K/{40 + k}000(5999) us  184"
        for k in range(6)
    ]
    rows += ["[  1] 0.0000-6.0156 sec  4.00 MBytes  5.56 Mbits/sec  33/0      12     1K/1(1) us  1"]
    found = read(tmp_path, "Client connecting to 192.0.2.7, TCP port 5001\n" + "\n".join(rows))
    assert value(found, "goodput_bps") == pytest.approx(5.56e6)
    assert value(found, "loaded_rtt_s") == pytest.approx(0.0425)
    assert known(found, "resent").count == 12


def test_iperf_2_csv(tmp_path: Path) -> None:
    row = "2026112912441{},192.0.2.1,50852,192.0.2.7,5001,1,{}.0-{}.0,650000,{}"
    rows = [row.format(k, k, k + 1, 5_200_000 + 100_000 * (k == 3)) for k in range(6)]
    whole = row.format(6, 0, 6, 5_210_000)
    found = read(tmp_path, "\n".join([*rows, whole]))
    assert value(found, "goodput_bps") == 5_210_000
    assert value(found, "peak_bps") == 5_300_000
    udp = [f"{one},0.1,30,100,30.000,0" for one in rows]
    assert "180 of 600 datagrams" in " ".join(read(tmp_path, "\n".join(udp)).notes)
    blank = "\n".join(["", *rows[:3], "", *rows[3:], whole, " ", ""])
    assert value(read(tmp_path, blank), "goodput_bps") == 5_210_000
    broken = "\n".join([*rows[:3], "20261129124414,192.0.2.1"])
    assert "iperf 2's CSV" in message(tmp_path, broken)
    assert ":4:" in message(tmp_path, broken)


def test_ss(tmp_path: Path) -> None:
    found = read(tmp_path, made.ss())
    assert value(found, "rtt_min_s") == pytest.approx(0.0285)
    assert value(found, "loaded_rtt_s") == pytest.approx(0.033)  # 30.5, 31.5, … 35.5 ms
    assert value(found, "goodput_bps") == pytest.approx(8e6)
    assert value(found, "resent") == pytest.approx(12 / 6000)
    assert value(found, "window_bytes") == 70_000
    assert value(found, "window_limited") == pytest.approx(0.905)
    assert found.variant == "bbr"
    assert "2 connections" in found.notes[0]
    assert "least 5 are needed" in message(tmp_path, made.ss(2))
    assert "ss -ti" in message(tmp_path, "State Recv-Q Send-Q Local Address:Port\n")


def test_nstat(tmp_path: Path) -> None:
    block = "#kernel\nTcpOutSegs {} 0.0\nTcpRetransSegs {} 0.0\nTcpExtTCPTimeouts {} 0.0\n"
    falling = [(2000, 4, 1), (1000, 2, 0), (3000, 6, 1)]
    found = read(tmp_path, "".join(block.format(*one) for one in falling))
    assert value(found, "resent") == 12 / 6000
    assert value(found, "timeouts") == 2
    rising = "".join(block.format(*one) for one in [(2000, 4, 1), (5000, 9, 3), (6000, 12, 4)])
    found = read(tmp_path, rising)
    assert value(found, "resent") == 8 / 4000
    assert "--nstat" in found.notes[0]
    assert value(read(tmp_path, rising, Guesses(nstat_totals=False)), "timeouts") == 8
    two = "".join(block.format(*one) for one in [(2000, 4, 1), (5000, 9, 3)])
    assert value(read(tmp_path, two), "resent") == 5 / 3000
    one_falls = "".join(block.format(*one) for one in [(2000, 4, 1), (5000, 3, 3)])
    assert value(read(tmp_path, one_falls), "resent") == 7 / 7000
    # nstat leaves out counters that are 0: the timeouts fall from 2 to 0.
    left_out = block.format(2000, 4, 2) + "#kernel\nTcpOutSegs 5000 0.0\nTcpRetransSegs 9 0.0\n"
    assert value(read(tmp_path, left_out), "resent") == 13 / 7000
    assert "1000 are needed" in message(tmp_path, block.format(10, 0, 0))
    lines = '{"kernel":{"TcpOutSegs":2000,"TcpRetransSegs":5}}\n'
    assert value(read(tmp_path, lines), "resent") == 5 / 2000


def packets(count: int = 1200) -> str:
    """Return tshark's fields: a segment each 10 ms, answered after 40 ms; 100, 101, 600 again."""
    rows = ["frame.time_epoch,tcp.srcport,tcp.len,tcp.analysis.retransmission,tcp.analysis.ack_rtt"]
    for k in range(count):
        rows.append(f"{1e9 + 0.01 * k:.6f},5001,1400,{'1' * (k in (100, 101, 600))},")
        rows.append(f"{1e9 + 0.01 * k + 0.04:.6f},443,0,,0.040")
    return "\n".join(rows) + "\n"


def test_packets_of_tshark(tmp_path: Path) -> None:
    found = read(tmp_path, packets(), name="packets.csv")
    assert value(found, "mss_bytes") == 1400
    assert value(found, "rtt_min_s") == pytest.approx(0.040)
    assert value(found, "resent") == 3 / 1200
    assert value(found, "loss_events") == 2 / 1200  # the repeats of 100 and 101 are 10 ms apart
    assert value(found, "burst_packets") == 1.5
    assert value(found, "goodput_bps") == pytest.approx(8 * 1400 * 1197 / 11.99, rel=1e-6)
    assert "1000 are needed" in message(tmp_path, packets(300))
    late = packets().replace("analysis.retransmission", "analysis.out_of_order")
    found = read(tmp_path, late)  # at the sender, nothing overtakes: these were sent again
    assert value(found, "resent") == 3 / 1200
    assert value(found, "reordered") == 0
    at_receiver = read(tmp_path, packets().replace("0.040", "0.0001"))
    assert at_receiver.get("rtt_min_s") is None
    assert "at the receiver" in " ".join(at_receiver.notes)
    untimed = packets().replace("frame.time_epoch", "frame.len")
    assert "without the column frame.time_epoch" in message(tmp_path, untimed)


def test_a_csv_of_wireshark(tmp_path: Path) -> None:
    rows = ['"No.","Time","Source","Destination","Protocol","Length","Info"']
    for k in range(1100):
        info = "[TCP Retransmission] 5001 > 443" if k in (7, 500) else "5001 > 443 [ACK]"
        rows.append(f'"{k}","{0.01 * k:.6f}","10.0.0.1","10.0.0.2","TCP","1514","{info}"')
    found = read(tmp_path, "\n".join(rows))
    assert value(found, "mss_bytes") == 1448
    assert value(found, "resent") == 2 / 1100
    assert "less 66 bytes" in found.notes[0]


def test_tcptrace(tmp_path: Path) -> None:
    names = "actual_data_pkts actual_data_bytes rexmt_data_pkts RTT_samples RTT_min RTT_max RTT_avg"
    names += " throughput max_segm_size outoforder_pkts"
    heading = ["conn_#", "host_a", *(f"{n}_{way}" for n in names.split() for way in ("a2b", "b2a"))]
    cells = "1,a,5,2000,400,2800000,0,10,3,900,1,28.5,2,90.5,1.5,33.25,9,125000,100,1400,0,4"
    text = f"# tcptrace\n{','.join(heading)}\n\n{cells}\n"
    found = read(tmp_path, text)
    assert value(found, "resent") == 10 / 2000
    assert value(found, "reordered") == 4 / 2000
    assert value(found, "rtt_min_s") == pytest.approx(0.0285)
    assert value(found, "goodput_bps") == 1e6
    assert value(found, "mss_bytes") == 1400
    assert "carried data" in message(tmp_path, f"{','.join(heading)}\n")


def test_a_capture_needs_tshark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    path = tmp_path / "cut.pcap"
    path.write_bytes(bytes.fromhex("d4c3b2a1020004000000000000000000"))
    with pytest.raises(ConfigurationError, match="needs tshark"):
        read_measurement(path, NOTHING)


def test_recorded_links(tmp_path: Path) -> None:
    # A packet of 1500 bytes each 2 ms is 6 Mbit/s; a gap of 0.5 s is a stall.
    times_ms = [*range(2, 5001, 2), *range(5500, 10_001, 2)]
    found = read(tmp_path, "\n".join(map(str, times_ms)) + "\n")
    assert value(found, "rate_bps") == pytest.approx(len(times_ms) * 12_000 / 10, rel=1e-3)
    assert value(found, "stall_s") == pytest.approx(0.5, abs=0.005)
    table = "time_s,Mbit/s\n" + "".join(f"{k},{4 + k % 2}\n" for k in range(20))
    assert value(read(tmp_path, table, name="rates.csv"), "rate_bps") == pytest.approx(4.5e6)
    rates = "3.5,Mbits/sec\n4.5,Mbits/sec\n" * 10
    found = read(tmp_path, rates, Guesses(every_s=1), name="rates.csv")
    assert value(found, "rate_bps") == pytest.approx(4e6)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("Dear colleague,\nthe link is slow.\n", "no measurement"),
        ("1. A list,\n2. **in a page**, with commas, and words\n", "no measurement"),
        ("<!DOCTYPE html><html></html>", "a web page"),
        ("12:00:00.03 IP 10.0.0.1.41 > 10.0.0.2.52: Flags [.], length 1448\n", "tcpdump -w"),
        ("2026-11-29 12:00:00.03 IP6 fe80::1.41 > fe80::2.52: Flags [.]\n", "tcpdump -w"),
        ("300 packets captured\n310 packets received by filter\n", "tcpdump -w"),
        ("iperf3: error - unable to connect to server: Connection refused", "failed"),
        ("[  5] local 10.0.0.1 port 5 connected to 10.0.0.2 port 5201\n", "without a line"),
    ],
)
def test_files_of_no_kind(tmp_path: Path, text: str, words: str) -> None:
    assert words in message(tmp_path, text)


def test_files_that_contradict_each_other(tmp_path: Path) -> None:
    paths = [tmp_path / "near.txt", tmp_path / "far.txt"]
    paths[0].write_text(made.ping(), encoding="utf-8")
    far = made.ping()
    for number in range(5):
        far = far.replace(f"time={made.BASE_MS + number}.0", f"time={60 + number}.0")
    paths[1].write_text(far, encoding="utf-8")
    with pytest.raises(ConfigurationError, match="contradicts"):
        read_measurements(paths, NOTHING)
    assert len(read_measurements(paths, NOTHING, may_differ=True)) == 2
    # A queue lengthens the round trip of a transfer: three times as long is no contradiction.
    longer = made.iperf3()
    for interval in longer["intervals"]:
        interval["streams"][0]["rtt"] = 66_000
    paths[1].write_text(json.dumps(longer), encoding="utf-8")
    assert len(read_measurements(paths, NOTHING)) == 2


@pytest.mark.parametrize("kind", ["TCP", "UDP"])
def test_the_receiver_of_iperf3(tmp_path: Path, kind: str) -> None:
    """Its rows have no `retransmits`, as those of `iperf3 -R` and of UDP."""
    test = made.iperf3()
    for interval in test["intervals"]:
        for row in (interval["sum"], *interval["streams"]):
            row["sender"] = False
            for name in ("retransmits", "rtt", "snd_cwnd", "snd_wnd"):
                row.pop(name, None)
            row |= {"lost_packets": 1, "packets": 700} if kind == "UDP" else {}
    test["start"]["test_start"] |= {"protocol": kind, "reverse": 1}
    counts = {"lost_packets": 10, "packets": 7000}
    test["end"]["sum_received"] |= counts if kind == "UDP" else {}
    found = read(tmp_path, json.dumps(test))
    if kind == "UDP":
        assert value(found, "loss") == pytest.approx(10 / 7000)
    else:
        assert value(found, "goodput_bps") == 8.1e6
        assert value(found, "resent") == pytest.approx(14 / 7000, rel=0.01)  # of the other end


@pytest.mark.parametrize("text", [json.dumps(made.iperf3(), indent=1), made.events(made.iperf3())])
def test_two_tests_in_one_file(tmp_path: Path, text: str) -> None:
    text = text.replace('{"event": "', '{"event":"') if text.startswith('{"event"') else text
    assert "a file of its own" in message(tmp_path, f"{text}\n{text}\n")


def test_a_test_after_a_ping_is_not_read_and_noted(tmp_path: Path) -> None:
    found = read(tmp_path, made.ping() + json.dumps(made.iperf3(), indent=1) + "\n")
    assert any("are not of ping" in note for note in found.notes)
    assert value(found, "loss") == 0.05


def test_ss_without_times_counts_the_time_with_data(tmp_path: Path) -> None:
    text = "".join(line + "\n" for line in made.ss().splitlines() if not line[:1].isdigit())
    counted = text.replace("rwnd_limited", "busy:{}000ms rwnd_limited").split("{}")
    text = "".join(part + f"{k}" * (k < len(counted)) for k, part in enumerate(counted, 1))
    found = read(tmp_path, text)
    assert value(found, "goodput_bps") == pytest.approx(8e6)  # a million bytes a second
    assert any("no times between the samples" in note for note in found.notes)


def test_ends_of_an_interval_enclose_the_value_as_shown() -> None:
    longest = Known("loaded_rtt_s", 0.10052, 0.10051, 0.1052, "file")
    assert longest.text == "100.5 (100.5 to 105.2) ms"
    assert Known("rtt_p95_s", 1.3234, 1.29, 1.4401, "file").text == "1323 (1290 to 1440) ms"
    assert Known("loss", 0.0, 0.0, 0.00123, "file").text == "0 (0 to 0.123) %"


@pytest.mark.parametrize("impossible", [math.inf, math.nan])
def test_an_impossible_number_of_a_damaged_file_has_a_text(impossible: float) -> None:
    assert Known("goodput_bps", impossible, 1e6, 2e6, "file").text == f"{impossible} Mbit/s"
    assert seconds(impossible) == f"{impossible} s"
