"""HyStart++, ACK by ACK, against RFC 9406 read a second time, in bytes and seconds."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from tcpgoodput.scenario import Scenario
from tcpgoodput.simulator.clock import TICKS_PER_S
from tcpgoodput.simulator.simulation import Simulation
from tcpgoodput.simulator.trace import ACK, DELAYED_ACK
from tests.scenarios import scenario

SMSS = 1000
EVENTS = 20_000


class Reader:
    """Sections 4.2 and 4.3 for a sender that does not pace, from the first window on."""

    def __init__(self, first_window: int) -> None:
        self.cwnd, self.ssthresh = float(first_window * SMSS), math.inf
        self.window_end = first_window * SMSS  # SND.NXT after the first window
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
    """Return a reader who saw all ACKs until a loss, and both windows after each, in packets."""
    simulation = Simulation(of, np.random.default_rng(1), phases=False, traced_events=EVENTS)
    simulation.run(until_s)
    events, sent = simulation.events()
    assert 100 < events.size < EVENTS
    reader = Reader(of.tcp.initial_window_packets)
    windows, acked, sent_at, begin = [], -1, {}, 0
    for number, event in enumerate(events):
        nxt = len(sent_at)
        if event["kind"] in (ACK, DELAYED_ACK) and event["ack"] > acked:
            una = int(event["ack"]) + 1
            rtt = (int(event["time"]) - sent_at[acked + 1]) / TICKS_PER_S
            reader.on_ack(una * SMSS, nxt * SMSS, (una - acked - 1) * SMSS, rtt)
            acked = una - 1
            if reader.phases[-1] != "congestion avoidance":
                windows.append((float(event["cwnd"]), reader.cwnd / SMSS))
        while begin < sent.size and sent[begin]["event"] == number:
            packet = int(sent[begin]["packet"])
            if packet in sent_at:  # repeated: the first slow start is over
                return reader, windows
            sent_at[packet] = int(event["time"])
            begin += 1
    return reader, windows


def starting(**parts: Any) -> Scenario:
    tcp = {"variant": "sack", "initial_window_packets": 10, "slow_start": "hystart++"}
    path = {"rate_bps": 8e7, "forward_delay_s": 0.02, "backward_delay_s": 0.03}
    tcp, path = {**tcp, **parts.pop("tcp", {})}, {**path, **parts.pop("path", {})}
    return scenario(tcp=tcp, path=path, **parts)


@pytest.mark.parametrize(
    "tcp",
    [
        {},
        {"variant": "newreno"},
        {"variant": "cubic"},
        {"growth": "packets", "ack_every": 2, "delayed_ack_timeout_s": 0.4},
        {"growth": "packets", "ack_every": 12, "delayed_ack_timeout_s": 0.4},  # more than L
        {"initial_window_packets": 1},
    ],
    ids=["sack", "newreno", "cubic", "an ACK for two", "an ACK for twelve", "one packet"],
)
@pytest.mark.parametrize("round_trip_s", [0.01, 0.05, 0.3])
def test_every_window_of_the_first_slow_start_is_the_rfcs(
    tcp: dict[str, Any], round_trip_s: float
) -> None:
    path = {"rate_bps": 8e6, "forward_delay_s": 0.0, "backward_delay_s": round_trip_s}
    reader, windows = played(starting(tcp=tcp, path=path), 40 * round_trip_s + 5)
    assert reader.phases[:2] == ["slow start", "conservative"]
    assert reader.phases[-1] == "congestion avoidance"
    ours, read = np.array(windows).T
    np.testing.assert_allclose(ours, read, rtol=1e-12)


def test_it_ends_where_the_queue_begins_and_a_plain_one_where_the_buffer_ends() -> None:
    """A pipe of 500 packets and a buffer of 4000."""
    path = {"buffer_packets": 4000}
    counts = {}
    for slow_start in ("standard", "hystart++"):
        one = starting(path=path, tcp={"slow_start": slow_start, "growth": "packets"})
        simulation = Simulation(one, np.random.default_rng(1), phases=False)
        simulation.run(3.0)
        counts[slow_start] = simulation.counts
    assert counts["standard"].dropped > 500
    assert counts["hystart++"].dropped == 0
    assert counts["hystart++"].delivered > 0.9 * counts["standard"].delivered


def test_round_trips_that_fall_again_bring_slow_start_back(tmp_path: Path) -> None:
    """Add 30 ms to the second round, for as long as it takes to notice: jitter, no queue."""
    file = tmp_path / "delay.csv"
    steps = "0,0.05\n0.12,0.08\n0.17,0.05\n9,0.05\n"
    file.write_text("time_s,delay_s\n" + steps, encoding="utf-8")
    path = {"rate_bps": 8e8, "forward_delay_s": 0.0, "backward_delay_s": 0.05}
    reader, windows = played(starting(path=path, delay={"file": str(file)}), 0.5)
    assert reader.phases[:3] == ["slow start", "conservative", "slow start"]
    ours, read = np.array(windows).T
    np.testing.assert_allclose(ours, read, rtol=1e-12)


def test_a_slow_start_that_is_told_its_end_is_a_plain_one() -> None:
    """Compare the windows up to ssthresh, as after a timeout, over a queue that grows."""
    windows = []
    for slow_start in ("standard", "hystart++"):
        one = starting(tcp={"slow_start": slow_start})
        simulation = Simulation(
            one, np.random.default_rng(1), phases=False, ssthresh_packets=900, traced_events=5000
        )
        simulation.run(1.0)
        events, _ = simulation.events()
        windows.append(events["cwnd"].tolist())
    assert windows[0] == windows[1]
    assert windows[0][-1] > 900


def test_a_sender_without_a_scoreboard_refuses_it() -> None:
    with pytest.raises(ValidationError, match="reno has none of the keys of today's senders"):
        starting(tcp={"variant": "reno"})
