"""HyStart++ in the simulator, compared ACK by ACK with a second implementation of RFC 9406.

HyStart of Linux's CUBIC is compared with windows that the kernel's developers report.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from tests.scenarios import scenario
from tests.simulator.hystart import EVENTS, jittering, played, starting
from tests.simulator.running import run


@pytest.mark.parametrize(
    "tcp",
    [
        {},
        {"variant": "newreno"},
        {"variant": "cubic"},
        {"growth": "packets", "ack_every": 2, "delayed_ack_timeout_s": 0.4},
        # Each ACK is for twelve packets; by RFC 9406 it increases cwnd by at most L = 8 packets.
        {"growth": "packets", "ack_every": 12, "delayed_ack_timeout_s": 0.4},
        {"initial_window_packets": 1},
    ],
    ids=["sack", "newreno", "cubic", "an ACK for two", "an ACK for twelve", "one packet"],
)
@pytest.mark.parametrize("round_trip_s", [0.01, 0.05, 0.3])
def test_windows_of_the_first_slow_start_equal_the_rfcs(
    tcp: dict[str, Any], round_trip_s: float
) -> None:
    path = {"rate_bps": 8e6, "forward_delay_s": 0.0, "backward_delay_s": round_trip_s}
    reader, windows = played(starting(tcp=tcp, path=path), 40 * round_trip_s + 5)
    assert reader.phases[:2] == ["slow start", "conservative"]
    assert reader.phases[-1] == "congestion avoidance"
    ours, read = np.array(windows).T
    np.testing.assert_allclose(ours, read, rtol=1e-12)


def test_hystart_ends_slow_start_before_the_buffer_overflows() -> None:
    """HyStart++ ends slow start before the window fills path (500 packets) and buffer (4000)."""
    path = {"buffer_packets": 4000}
    counts = {}
    for slow_start in ("standard", "hystart++"):
        one = starting(path=path, tcp={"slow_start": slow_start, "growth": "packets"})
        counts[slow_start] = run(one, 3.0, phase=0.0).counts
    assert counts["standard"].packets_dropped > 500
    assert counts["hystart++"].packets_dropped == 0
    assert counts["hystart++"].delivered > 0.9 * counts["standard"].delivered


def test_slow_start_resumes_if_round_trips_fall_again(tmp_path: Path) -> None:
    reader, windows = played(jittering(tmp_path / "delay.csv"), 0.5)
    assert reader.phases[:3] == ["slow start", "conservative", "slow start"]
    ours, read = np.array(windows).T
    np.testing.assert_allclose(ours, read, rtol=1e-12)


def test_hystart_does_not_change_a_slow_start_with_finite_ssthresh() -> None:
    """The windows with and without HyStart++ are equal if ssthresh is finite, as after a timeout.

    HyStart++ is only for the first slow start, although the queue and the RTT grow here, too.
    """
    windows = []
    for slow_start in ("standard", "hystart++"):
        one = starting(tcp={"slow_start": slow_start})
        simulation = run(one, 1.0, phase=0.0, ssthresh_packets=900, traced_events=5000)
        events, _ = simulation.events()
        windows.append(events["cwnd"].tolist())
    assert windows[0] == windows[1]
    assert windows[0][-1] > 900


def test_a_sender_without_a_scoreboard_refuses_hystart() -> None:
    with pytest.raises(ValidationError, match="reno has none of the keys of today's senders"):
        starting(tcp={"variant": "reno"})


@pytest.mark.parametrize("ack_every", [1, 2])
def test_linux_leaves_slow_start_as_its_authors_report(ack_every: int) -> None:
    """The kernel's commit 25c1a9ca53db reports a window of 632 packets on a path like this one.

    Before this commit the kernel left slow start at 516 packets. The path has 50 Mbit/s, a round
    trip of 150 ms, and a buffer of one bandwidth-delay product, 619 packets.
    """
    path = {"rate_bps": 5e7, "forward_delay_s": 0.075, "backward_delay_s": 0.075}
    tcp = {"variant": "cubic", "stack": "linux-6.18", "mss_bytes": 1448, "ack_every": ack_every}
    one = scenario(tcp={**tcp, "header_bytes": 66}, path={**path, "buffer_packets": 619})
    events, _ = run(one, 1.5, traced_events=EVENTS).events()
    (left,) = {one for one in events["ssthresh"].tolist() if one < math.inf}
    assert left == pytest.approx(632, rel=0.01)
