"""Second implementation of HyStart++ by RFC 9406, in bytes and seconds, to test the simulator."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from tcpgoodput.scenario import Scenario
from tcpgoodput.simulator.compiled import TICKS_PER_S
from tcpgoodput.simulator.simulation import Simulation
from tcpgoodput.simulator.trace import ACK, DELAYED_ACK
from tests.scenarios import scenario

SMSS = 1000
EVENTS = 20_000


class Reader:
    """HyStart++ by RFC 9406, sections 4.2 and 4.3, for a sender without pacing.

    Windows are in bytes; `phases` has the names of all phases of slow start so far.
    """

    def __init__(self, first_window: int) -> None:
        self.cwnd, self.ssthresh = float(first_window * SMSS), math.inf
        self.window_end = first_window * SMSS  # windowEnd, which is SND.NXT
        self.last_round_min_rtt = self.current_round_min_rtt = math.inf
        self.rtt_sample_count = 0
        self.css_baseline_min_rtt = math.inf
        self.css_round = 0
        self.phases = ["slow start"]

    def on_ack(self, una: int, nxt: int, newly_acked: int, rtt: float) -> None:
        if self.phases[-1] == "congestion avoidance":
            return
        in_css = self.phases[-1] == "conservative"
        self.cwnd += min(newly_acked, 8 * SMSS) / (4 if in_css else 1)
        self.current_round_min_rtt = min(self.current_round_min_rtt, rtt)
        self.rtt_sample_count += 1
        enough = self.rtt_sample_count >= 8
        if in_css:
            if enough and self.current_round_min_rtt < self.css_baseline_min_rtt:
                self.css_baseline_min_rtt = math.inf
                self.phases.append("slow start")
        elif enough and self.last_round_min_rtt < math.inf:
            thresh = max(0.004, min(self.last_round_min_rtt / 8, 0.016))
            if self.current_round_min_rtt >= self.last_round_min_rtt + thresh:
                self.css_baseline_min_rtt = self.current_round_min_rtt
                self.css_round = 0
                self.phases.append("conservative")
        if una >= self.window_end:
            self._end_round(nxt)

    def _end_round(self, nxt: int) -> None:
        if self.phases[-1] == "conservative":
            self.css_round += 1
            if self.css_round >= 5:
                self.ssthresh = self.cwnd
                self.phases.append("congestion avoidance")
        self.window_end = nxt
        self.last_round_min_rtt = self.current_round_min_rtt
        self.current_round_min_rtt = math.inf
        self.rtt_sample_count = 0


def played(of: Scenario, until_s: float) -> tuple[Reader, list[tuple[float, float]]]:
    """Simulate a scenario, and apply RFC 9406 to the simulated ACKs until the first loss.

    Return the second implementation (the reader), and after each ACK the simulator's and the
    reader's window in packets. The last pair has the two values of ssthresh at the end of slow
    start.
    """
    simulation = Simulation(of, np.random.default_rng(1), phase=0.0, traced_events=EVENTS)
    simulation.run(until_s)
    events, sent = simulation.events()
    assert 50 < events.size < EVENTS
    reader = Reader(of.tcp.initial_window_packets)
    windows, acked, sent_at, begin = [], -1, {}, 0
    for number, event in enumerate(events):
        nxt = len(sent_at)
        if event["kind"] in (ACK, DELAYED_ACK) and event["ack"] > acked:
            began = reader.phases[-1]
            una = int(event["ack"]) + 1
            rtt = (int(event["time"]) - sent_at[acked + 1]) / TICKS_PER_S
            reader.on_ack(una * SMSS, nxt * SMSS, (una - acked - 1) * SMSS, rtt)
            acked = una - 1
            if reader.phases[-1] != "congestion avoidance":
                windows.append((float(event["cwnd"]), reader.cwnd / SMSS))
            elif began != "congestion avoidance":
                windows.append((float(event["ssthresh"]), reader.ssthresh / SMSS))
        while begin < sent.size and sent[begin]["event"] == number:
            packet = int(sent[begin]["packet"])
            if packet in sent_at:  # a retransmission: the first slow start is over
                return reader, windows
            sent_at[packet] = int(event["time"])
            begin += 1
    return reader, windows


def starting(**parts: Any) -> Scenario:
    tcp = {"variant": "sack", "initial_window_packets": 10, "slow_start": "hystart++"}
    path = {"rate_bps": 8e7, "forward_delay_s": 0.02, "backward_delay_s": 0.03}
    tcp, path = {**tcp, **parts.pop("tcp", {})}, {**path, **parts.pop("path", {})}
    return scenario(tcp=tcp, path=path, **parts)


CASES: dict[str, tuple[dict[str, Any], float]] = {
    "five milliseconds more": (
        {
            "tcp": {"initial_window_packets": 9},
            "path": {"rate_bps": 8e6, "backward_delay_s": 0.01},
        },
        0.8,
    ),
    "conservative twice": ({"path": {"rate_bps": 8e6, "backward_delay_s": 0.05}}, 1.6),
    "less than an eighth of a long round trip more": (
        {
            "tcp": {"initial_window_packets": 11},
            "path": {"rate_bps": 1e6, "backward_delay_s": 0.3},
        },
        4.0,
    ),
    "an ACK for more packets than the limit": (
        {
            "tcp": {"growth": "packets", "ack_every": 12, "delayed_ack_timeout_s": 0.4},
            "path": {"rate_bps": 8e6, "backward_delay_s": 0.05},
        },
        1.0,
    ),
}
"""Cases: parts of a scenario, and the time in seconds until its first slow start has ended."""


def differing(jitter: Path) -> str:
    """Compare the simulator's windows with RFC 9406; return the first difference or an empty text.

    Args:
        jitter: file to which the trace of a delay that rises and falls again is written.

    """
    cases = {name: (starting(**parts), until_s) for name, (parts, until_s) in CASES.items()}
    cases["jitter"] = (jittering(jitter), 0.3)
    for name, (one, until_s) in cases.items():
        _, windows = played(one, until_s)
        ours, read = np.array(windows).T
        if not np.allclose(ours, read, rtol=1e-12, atol=0):
            return f"{name}: other windows than those of RFC 9406"
    return ""


def jittering(file: Path) -> Scenario:
    """Return a scenario with a round trip 30 ms longer than the first, so that HyStart++ reacts."""
    steps = "0,0.05\n0.12,0.08\n0.17,0.05\n9,0.05\n"
    file.write_text("time_s,delay_s\n" + steps, encoding="utf-8")
    path = {"rate_bps": 8e8, "forward_delay_s": 0.0, "backward_delay_s": 0.05}
    return starting(path=path, delay={"file": str(file)})
