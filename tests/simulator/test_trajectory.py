"""Simulated window, queue and packets in flight over time, as figures show them."""

from __future__ import annotations

import pytest

from tcpgoodput.studies.sender_views import loss_windows, trajectory
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


def test_losses_are_detected_at_the_receiver_window_where_they_are_rare() -> None:
    """Of 10 000 packets one is lost. A window grows from 4 to 8 packets in 4 + 5 + 6 + 7 packets.

    So about 22 of 10 000 packets are sent at smaller windows.
    """
    rare = {"process": "bernoulli", "probability": 1e-4}
    tcp = {"variant": "newreno", "max_window_packets": 8, "limited_transmit": False}
    one = scenario(tcp=tcp, path={**PATH, "buffer_packets": None}, loss=rare)
    found = loss_windows(one, largest=8, losses=500)
    assert found.x[-1] == 8
    assert found.y.sum() == pytest.approx(1)
    assert found.landmarks["at_largest"] == found.y[-1] > 0.98
    assert found.landmarks["mean"] == pytest.approx(found.x @ found.y)
    assert loss_windows(one, largest=9, losses=5).landmarks["at_largest"] == 0


def test_losses_of_a_full_buffer_are_detected_at_the_window_that_overflows_it() -> None:
    """A path of 50 packets and a buffer of 20 hold 69 to 70; the window that overflows is larger.

    It is larger by one packet, and may grow by one more until the loss is noticed. Slow start
    overflows the buffer by many packets; its recovery may have a loss event of its own.
    """
    one = scenario(tcp={"variant": "newreno", "limited_transmit": False}, path=PATH)
    found = loss_windows(one, largest=70, losses=20)
    assert found.landmarks["at_largest"] >= 19 / 20
    assert found.x[-1] <= 72


def test_a_distribution_needs_its_losses() -> None:
    short = scenario(tcp={"variant": "sack", "transfer_packets": 100}, path=PATH)
    with pytest.raises(ValueError, match="has 0 loss events, 3001 are needed"):
        loss_windows(short, largest=8)
    with pytest.raises(ValueError, match="losses is 0"):
        loss_windows(short, largest=8, losses=0)
