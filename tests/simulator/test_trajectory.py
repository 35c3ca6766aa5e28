"""Simulated window, queue and packets in flight over time, as figures show them."""

from __future__ import annotations

import pytest

from tcpgoodput.studies.sender_views import trajectory
from tests.scenarios import scenario

PATH = {"rate_bps": 4e6, "forward_delay_s": 0.02, "backward_delay_s": 0.08, "buffer_packets": 20}


def test_a_saw_tooth_lies_between_half_and_all_of_path_and_buffer() -> None:
    one = scenario(tcp={"variant": "sack"}, path=PATH)
    holds = 50 + 20
    window = trajectory(one, quantity="window", start_s=100, stop_s=160).y
    assert holds / 2 - 2 < window.min() < 0.6 * holds
    assert 0.9 * holds < window.max() < holds + 2
    queue = trajectory(one, quantity="queue", start_s=100, stop_s=160)
    assert queue.y.max() == 20
    assert (queue.x[0], queue.x[-1]) == (100, 160)


@pytest.mark.parametrize("start_s", [0, 5])
def test_flight_is_limited_by_the_receiver_window_and_cwnd_is_not(start_s: float) -> None:
    wide = {**PATH, "rate_bps": 1e8, "buffer_packets": None}
    one = scenario(tcp={"variant": "newreno", "max_window_packets": 20}, path=wide)
    flight = trajectory(one, quantity="flight", start_s=start_s, stop_s=10).y
    window = trajectory(one, quantity="window", start_s=start_s, stop_s=10).y
    assert flight.max() == flight[-1] == 20
    assert (flight <= window).all()
    assert window[-1] > 20


def test_invalid_trajectories_are_refused() -> None:
    one = scenario(path=PATH)
    with pytest.raises(ValueError, match="choose one of window, ssthresh, queue, flight"):
        trajectory(one, quantity="cwnd", start_s=0, stop_s=1)
    with pytest.raises(ValueError, match="nothing happens"):
        trajectory(one, quantity="queue", start_s=1.001, stop_s=1.0011)


def test_a_trajectory_has_landmarks_of_largest_and_last_value() -> None:
    one = scenario(tcp={"variant": "sack"}, path=PATH)
    shown = {"quantity": "window", "start_s": 100, "stop_s": 160}
    found = trajectory(one, **shown)
    marks = found.landmarks
    assert (marks["largest"], marks["last"]) == (found.y.max(), found.y[-1])
    assert marks["largest"] > marks["last"] > 0
