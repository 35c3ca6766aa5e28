"""Small measurements whose numbers are known, in the formats that the tools print."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

LOST = frozenset({10, 20, 21, 22, 50})
"""Echoes that get no reply: five, in three loss events."""

BASE_MS, COUNT = 20, 100
"""Round trips are 20, 21, 22, 23 and 24 ms in turn, so the median of a hundred is 22 ms."""


def rtt_ms(number: int) -> int:
    return BASE_MS + number % 5


def ping(lost: Collection[int] = LOST, count: int = COUNT, *, stamped: bool = True) -> str:
    """Return the output of Linux' ping with an echo each 0.5 s, with or without time stamps."""
    lines = ["PING 192.0.2.7 (192.0.2.7) 56(84) bytes of data."]
    for number in range(1, count + 1):
        if number in lost:
            continue
        clock = f"[{1_700_000_000 + 0.5 * number + rtt_ms(number) / 1e3:.6f}] " * stamped
        reply = f"64 bytes from 192.0.2.7: icmp_seq={number} ttl=57 time={rtt_ms(number)}.0 ms"
        lines.append(clock + reply)
    received = count - len([number for number in lost if number <= count])
    lines += ["", "--- 192.0.2.7 ping statistics ---"]
    lines += [
        f"{count} packets transmitted, {received} received, "
        f"{100 - 100 * received // count}% packet loss, time {500 * (count - 1)}ms",
        "rtt min/avg/max/mdev = 20.000/22.000/24.000/1.414 ms",
    ]
    return "\n".join(lines) + "\n"


def iperf3(seconds: int = 10, **end: Any) -> dict[str, Any]:
    """Return a TCP test of iperf3 at 8 Mbit/s, with 10 Mbit/s in its third second.

    Round trips are 30 ms, and 60 ms in the last second. 14 of about 7000 segments of 1448 bytes
    were sent again.
    """
    intervals = []
    for second in range(seconds):
        rate_bps = 10e6 if second == 2 else 8e6
        row = {"start": second, "end": second + 1, "seconds": 1.0, "bits_per_second": rate_bps}
        row |= {"bytes": rate_bps / 8, "omitted": False, "sender": True, "retransmits": 0}
        rtt_us = 60_000 if second == seconds - 1 else 30_000
        stream = {**row, "socket": 5, "rtt": rtt_us, "snd_cwnd": 57_920, "snd_wnd": 289_600}
        intervals.append({"streams": [stream], "sum": row})
    return {
        "start": {
            "connected": [{"socket": 5}],
            "version": "iperf 3.12",
            "timestamp": {"timesecs": 1_700_000_500},
            "tcp_mss_default": 1448,
            "test_start": {"protocol": "TCP", "num_streams": 1, "reverse": 0},
        },
        "intervals": intervals,
        "end": {
            "streams": [],
            "sum_sent": {"bits_per_second": 8.2e6, "retransmits": 14},
            "sum_received": {"bits_per_second": 8.1e6},
            "sender_tcp_congestion": "reno",
            **end,
        },
    }


def events(test: dict[str, Any]) -> str:
    """Return a test as iperf3 --json-stream prints it: a line for each part."""
    parts = [("start", test["start"])]
    parts += [("interval", interval) for interval in test["intervals"]]
    parts += [("end", test["end"])]
    return "".join(json.dumps({"event": name, "data": data}) + "\n" for name, data in parts)


def irtt(count: int = 100) -> dict[str, Any]:
    """Return irtt's round trips of 20 ms, 20 ms apart; 7, 8 and 90 are lost."""
    trips: list[dict[str, Any]] = []
    for number in range(count):
        sent = {"wall": 1_700_000_000_000_000_000 + 20_000_000 * number}
        trip: dict[str, Any] = {"seqno": number, "timestamps": {"client": {"send": sent}}}
        is_lost = number in (7, 8, 90)
        trip |= {"lost": "true_up" if is_lost else "false", "delay": {}}
        if not is_lost:
            trip["delay"] = {"rtt": 20_000_000, "send": 9_000_000, "receive": 11_000_000}
        trips.append(trip)
    version = {"irtt": "0.9.1", "json_format": 1}
    params = {"params": {"interval": 20_000_000}}
    stats = {"upstream_loss_percent": 3.0, "downstream_loss_percent": 0.0}
    return {"version": version, "config": params, "stats": stats, "round_trips": trips}


def ss(samples: int = 6, resent: int = 2) -> str:
    """Return samples of ss -tin, a second apart, of a transfer at 8 Mbit/s and an idle one.

    Of each thousand segments of the transfer, `resent` are sent again.
    """
    lines = []
    for k in range(samples):
        lines += [
            f"{1_700_000_000 + k}.250000000",
            "State Recv-Q Send-Q Local Address:Port Peer Address:Port Process",
            "ESTAB 0 0 10.0.0.1:22 10.0.0.9:50000",
            "\t cubic wscale:7,7 rto:204 rtt:1.5/0.5 mss:1448 cwnd:10 bytes_acked:100 minrtt:1.1",
            "ESTAB 0 90000 10.0.0.1:42314 10.0.0.2:5201",
            f"\t bbr wscale:7,7 rto:230 rtt:{30 + k}.5/1.1 mss:1400 cwnd:45 bytes_sent:1 "
            f"bytes_acked:{1_000_000 * (k + 1)} data_segs_out:{1000 * (k + 1)} "
            f"rwnd_limited:900ms(90.5%) retrans:0/{resent * (k + 1)} minrtt:28.5 snd_wnd:70000",
        ]
    return "\n".join(lines) + "\n"
