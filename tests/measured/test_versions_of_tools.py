"""Transfers and probes as tools of several versions, on either end, write them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tcpgoodput.studies.measured.files import Guesses
from tcpgoodput.studies.recordings.columns import TableColumns
from tcpgoodput.studies.recordings.files import read_recording
from tests.measured import made
from tests.measured.test_readers import message, read, value


def rows(rate: str, rest: str = "", *, who: str = "[  5]", ends: range = range(1, 11)) -> str:
    """Return the lines of the intervals of a second that end then."""
    return "".join(f"{who} {e - 1:.2f}-{e:.2f} sec  2.50 MBytes  {rate}/sec{rest}\n" for e in ends)


def whole(rate: str, rest: str, *, who: str = "[  5]") -> str:
    """Return the line of a whole test."""
    return f"{who} 0.00-10.00 sec  25.0 MBytes  {rate}/sec{rest}\n"


HEAD = "Connecting to host 192.0.2.1, port 5201\n[ ID] Interval  Transfer  Bitrate\n"
WITH_RETR = "[ ID] Interval  Transfer  Bitrate  Retr\n"


def test_rates_of_iperf3_in_bytes(tmp_path: Path) -> None:
    found = read(tmp_path, HEAD + WITH_RETR + rows("1.25 MBytes", "    0   70 KBytes"))
    # iperf divides bytes by powers of 1024, and bits by powers of 1000 (its units.c).
    assert value(found, "goodput_bps") == 1.25 * 8 * 1024**2
    assert value(found, "resent") == 0


def test_the_loss_of_a_udp_test_is_that_of_the_receiver(tmp_path: Path) -> None:
    arrived = "  0.017 ms  43160/86320 (50%)  receiver"
    sent = rows("100 Mbits", "  8632") + whole("100 Mbits", "  0.000 ms  0/86320 (0%)  sender")
    found = read(tmp_path, HEAD + sent + whole("50.0 Mbits", arrived))
    assert value(found, "rate_bps") == 50e6
    assert "43160 of 86320" in found.notes[0]
    # A server's log without a summary: the intervals are added up.
    cut = HEAD + rows("75.0 Mbits", "  0.017 ms  2158/8632 (25%)")
    assert "21580 of 86320" in read(tmp_path, cut).notes[0]


def test_the_receiver_of_a_tcp_test_has_the_senders_count(tmp_path: Path) -> None:
    end = whole("21.0 Mbits", "  523  sender") + whole("21.0 Mbits", "  receiver")
    found = read(tmp_path, HEAD + rows("21.0 Mbits") + WITH_RETR + end)
    assert value(found, "resent") == pytest.approx(523 / (21e7 / 8 / 1448 + 523), rel=1e-3)
    # The summary alone: the sender's and the receiver's line are of the same seconds.
    assert value(read(tmp_path, HEAD + WITH_RETR + end), "goodput_bps") == 21e6


def test_streams_share_the_link(tmp_path: Path) -> None:
    text = HEAD
    for e in range(1, 11):
        own = range(e, e + 1)
        text += "".join(rows("21.0 Mbits", who=f"[  {n}]", ends=own) for n in (5, 7, 9, 11))
        text += rows("84.0 Mbits", who="[SUM]", ends=own)
    found = read(tmp_path, text)
    assert (found.streams, value(found, "goodput_bps"), value(found, "peak_bps")) == (4, 21e6, 84e6)


@pytest.mark.parametrize(("backward", "bps"), [(False, 21e6), (True, 84e6)])
def test_both_ways_as_the_server_prints_them(tmp_path: Path, backward: bool, bps: float) -> None:
    text = HEAD + rows("21.0 Mbits", who="[  5][RX-S]") + rows("84.0 Mbits", who="[  8][TX-S]")
    assert value(read(tmp_path, text, Guesses(is_backward=backward)), "goodput_bps") == bps


def test_a_short_rest_tells_no_rate(tmp_path: Path) -> None:
    rest = "[  5] 10.00-10.01 sec  128 KBytes  105 Mbits/sec\n"
    empty = "[  5] 10.00-10.00 sec  8.00 KBytes  900 Mbits/sec\n"
    found = read(tmp_path, HEAD + rows("21.0 Mbits") + rest + empty)
    assert value(found, "peak_bps") == 21e6


def test_a_second_test_in_a_text_is_refused(tmp_path: Path) -> None:
    once = HEAD + rows("21.0 Mbits")
    assert "several tests" in message(tmp_path, once + once)


def udp(sent_bps: float, lost: int, **more: Any) -> dict[str, Any]:
    """Return the JSON of a UDP test as the client of iperf3 before 3.12 writes it."""
    test = made.iperf3()
    for interval in test["intervals"]:
        interval["sum"] |= {"bits_per_second": sent_bps, "packets": 1000}
        interval["sum"].pop("retransmits", None)
    test["start"]["test_start"]["protocol"] = "UDP"
    test["end"] = {"sum": {"bits_per_second": sent_bps, "lost_packets": lost, "packets": 10_000}}
    return test | more


def test_an_old_iperf3_states_what_was_sent(tmp_path: Path) -> None:
    found = read(tmp_path, json.dumps(udp(1e8, 5000)))
    assert value(found, "rate_bps") == pytest.approx(5e7, rel=0.03)  # with headers
    assert "(" not in next(one.text for one in found.known if one.quantity == "rate_bps")
    server = {"intervals": [{"sum": {**one["sum"], "bits_per_second": 4e7, "lost_packets": 600}}
                            for one in udp(1e8, 0)["intervals"]]}  # fmt: skip
    found = read(tmp_path, json.dumps(udp(1e8, 6000, server_output_json=server)))
    assert value(found, "rate_bps") == pytest.approx(4e7, rel=0.03)


def test_a_udp_test_of_which_nothing_arrived(tmp_path: Path) -> None:
    assert "nothing arrived" in message(tmp_path, json.dumps(udp(1e8, 10_000)))
    text = HEAD + rows("0.00 bits", "  0.000 ms  0/0 (0%)")
    assert "nothing arrived" in message(tmp_path, text)
    assert "-" not in read(tmp_path, json.dumps(udp(1e8, -1))).notes[0].split()[0]


SERVER_ROW = "20240501121000,192.0.2.1,5001,192.0.2.2,5003,3,0.0-10.0,21000000,16800000"


def test_rows_of_iperf_2_for_the_same_seconds(tmp_path: Path) -> None:
    client = "20240501121000,192.0.2.2,5003,192.0.2.1,5001,3,0.0-10.0,26250000,21000000\n"
    udp_rows = f"{client}{SERVER_ROW},0.017,3566,17832,20.0,0\n"
    assert value(read(tmp_path, udp_rows), "rate_bps") == 16.8e6
    other = client.replace(",3,", ",4,")
    both = client.replace(",3,", ",-1,").replace("21000000", "42000000")
    found = read(tmp_path, client + other + both)
    assert (found.streams, value(found, "goodput_bps")) == (2, 21e6)


PINGING = "\nPinging 192.0.2.7 with 32 bytes of data:\n"
REPLY = "Reply from 192.0.2.7: bytes=32 time=20ms TTL=57\n"
LOST = "Request timed out.\n"


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        (2 * (PINGING + 15 * REPLY), 0),
        (PINGING + 10 * LOST + 30 * REPLY, 0.25),
        (PINGING + 30 * REPLY + 10 * "PING: transmit failed. General failure.\n", 0.25),
        (PINGING + 30 * REPLY + 10 * "Reply from 192.0.2.1: TTL expired in transit.\n", 0.25),
        (PINGING + 20 * "Reply from 2001:db8::7: time=20ms\n", 0),
    ],
)
def test_pings_of_windows(tmp_path: Path, text: str, lost: float) -> None:
    assert value(read(tmp_path, text), "loss") == lost


def test_a_late_reply_after_the_numbers_begin_again(tmp_path: Path) -> None:
    numbers = [*range(65_500, 65_535), 0, 65_535, *range(1, 40)]
    lines = [f"64 bytes from 192.0.2.7: icmp_seq={n} ttl=57 time=600 ms\n" for n in numbers]
    assert value(read(tmp_path, "".join(lines)), "loss") == 0


@pytest.mark.parametrize(("state", "closed"), [("ESTAB ", "CLOSE-WAIT "), ("", "")])
def test_other_connections_in_ss_are_left_out(tmp_path: Path, state: str, closed: str) -> None:
    text = made.ss().replace("ESTAB ", state) + f"{closed}0 0 192.0.2.2:22 198.51.100.9:4000\n"
    text += "\t cubic rtt:90/1 cwnd:10 data_segs_out:12\n"
    found, alone = read(tmp_path, text), read(tmp_path, made.ss())
    for quantity in ("resent", "loaded_rtt_s", "goodput_bps"):
        assert value(found, quantity) == value(alone, quantity)
    assert "3 connections" in found.notes[0]


def test_numbers_whose_commas_are_ambiguous_are_refused(tmp_path: Path) -> None:
    lines = [f"{n}\t{9 + n},{n:03}" for n in range(1, 40)]
    assert "thousands" in message(tmp_path, "\n".join(["time_s\tthroughput_kbps", *lines, ""]))


def test_rows_without_a_rate_take_time(tmp_path: Path) -> None:
    path = tmp_path / "rates.csv"
    path.write_text("rate_mbps\n" + 20 * "10\n" + 20 * "\n" + 20 * "10\n", encoding="utf-8")
    found = read_recording(path, None, TableColumns(every_s=1.0, missing="zero"))
    assert (found.length_s, found.mean_bps) == (60, pytest.approx(2 / 3 * 1e7))


def test_the_time_between_pings_is_not_that_of_a_table(tmp_path: Path) -> None:
    table = "time_s,rate_mbps\n" + "".join(f"{k},10\n" for k in range(60))
    found = read(tmp_path, table, Guesses(every_s=0.2))
    assert "60 s" in next(one.how for one in found.known if one.quantity == "rate_bps")
