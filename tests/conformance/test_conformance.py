"""Packet sequences from other projects' tests, RFCs and the source of Linux."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from tcpgoodput.configuration import read
from tcpgoodput.simulator.compiled import ticks
from tests.conformance.driver import (
    RECORD,
    SEQUENCES,
    Differs,
    Driver,
    outcomes,
    play,
    receiver_outcome,
)

PLAYED = [one for one in read(SEQUENCES).data if "does_not_apply" not in one]


@pytest.mark.parametrize("sequence", PLAYED, ids=[one["id"] for one in PLAYED])
def test_the_sender_follows_each_sequence(sequence: dict[str, Any]) -> None:
    play(sequence)


def test_the_receiver_accepts_segments_in_any_order() -> None:
    assert receiver_outcome() == ("agrees", "")


@pytest.mark.parametrize(
    "wrong",
    [{"sends": "0-8"}, {"sends": "0-9", "cwnd": 11}, {"sends": "0-9", "state": "recovery"}],
)
def test_a_wrong_packet_window_or_state_is_a_difference(wrong: dict[str, Any]) -> None:
    with pytest.raises(Differs):
        play({"events": [{"write": 10, **wrong}]})


def test_an_unexpected_timeout_is_a_difference() -> None:
    with pytest.raises(Differs, match="the timer expires"):
        play({"events": [{"write": 10, "sends": "0-9"}, {"at": 5000, "ack": 9}]})


def test_the_recorded_outcomes_are_up_to_date() -> None:
    pd.testing.assert_frame_equal(pd.read_csv(RECORD, keep_default_na=False), outcomes())


def test_linux_discards_cubics_last_maximum_at_a_timeout() -> None:
    """After a timeout Linux's CUBIC adds a packet to cwnd per 20 ACKs, as before its first loss."""
    plain = {"tail_loss_probe": False, "loss_detection": "duplicates", "f_rto": False}
    driver = Driver({**plain, "initial_window_packets": 100}, rtt_ms=100)
    driver.take({"write": 1000})
    assert driver.take({"timer": [290, 310]}) == [0]
    for ack in range(70):
        driver.take({"at": 400 + ack, "ack": ack})
    assert driver.sender.cwnd == driver.sender.ssthresh == 70
    for ack in range(70, 100):
        driver.take({"at": 50 * (ack - 60), "ack": ack})
    assert driver.sender.cwnd == 71


def test_hystart_ends_slow_start_at_a_train_of_acks() -> None:
    """ACKs a millisecond apart form a train; slow start ends if the train lasts too long.

    At an RTT of 20 ms, the limit is (20 + 1)/2 ms.
    """
    driver = Driver({}, rtt_ms=20)
    driver.take({"write": 400})
    driver.take({"at": 20, "ack": 9})
    for ack in range(10, 21):
        driver.take({"at": 30 + ack, "ack": ack})
    assert driver.sender.ssthresh == float("inf")
    driver.take({"at": 51, "ack": 21})
    assert driver.sender.ssthresh == 31


def test_hystart_breaks_a_train_at_a_pause() -> None:
    driver = Driver({}, rtt_ms=20)
    driver.take({"write": 400})
    driver.take({"at": 20, "ack": 9})
    for ack, at in ((10, 40), (11, 41), (12, 44), (13, 52)):
        driver.take({"at": at, "ack": ack})
    assert driver.sender.ssthresh == float("inf")


@pytest.mark.parametrize(("acked_ms", "rtt_ms"), [(213.9, 100), (214.1, 101), (113.7, 1)])
def test_a_resent_packet_has_a_round_trip_of_whole_milliseconds(
    acked_ms: float, rtt_ms: int
) -> None:
    """Linux takes it from the time stamps, in whole milliseconds, at least one (tcp_rtt_tsopt_us).

    The packet is resent at 113.6 ms, which has the time stamp 113.
    """
    driver = Driver({"timestamps": True}, rtt_ms=110)
    driver.take({"write": 10})
    for report, at in ((1, 113.2), (2, 113.4)):
        driver.take({"at": at, "report": report})
    assert driver.take({"at": 113.6, "report": 3}) == [0]
    driver.receiver.echo = ticks(0.1136)
    driver.take({"at": acked_ms, "ack": 9})
    assert driver.sender.last_rtt == pytest.approx(ticks(rtt_ms / 1e3), abs=1)
