"""Ladder diagrams (packets and ACKs over time) of NewReno after d losses in a window W.

The numbers of packets sent and repeated are compared with those in the study of hand-offs.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tcpgoodput.scenario import Scenario
from tcpgoodput.simulator.ladder import SPREAD, ladder
from tests.scenarios import scenario


def newreno() -> Scenario:
    return scenario(
        tcp={"variant": "newreno", "limited_transmit": False, "recovery": "slow-but-steady"}
    )


def new_packets(frame: pd.DataFrame, first: float, last: float) -> int:
    sent = frame[(frame["direction"] == "data") & (frame["kind"] == "data")]
    return int(((sent["sent_rtt"] >= first - 1e-9) & (sent["sent_rtt"] < last - 1e-9)).sum())


@pytest.mark.parametrize(("window", "lost"), [(20, 4), (30, 5), (24, 1), (40, 10)])
def test_new_packets_in_the_round_trip_after_a_loss_equal_a_count(window: int, lost: int) -> None:
    """In the round trip after d losses in a window W, W/2 − d new packets are sent.

    Of the W − d duplicate ACKs, the first W/2 release none.
    """
    frame = ladder(newreno(), window=window, hit=lost, rounds=3)
    assert new_packets(frame, 1.0, 2.0) == window // 2 - lost


@pytest.mark.parametrize(("window", "lost"), [(20, 4), (30, 5)])
def test_one_hole_is_repaired_per_round_trip(window: int, lost: int) -> None:
    frame = ladder(newreno(), window=window, hit=lost, rounds=lost + 3)
    repairs = frame[frame["kind"] == "retransmission"]
    assert repairs["packet"].tolist() == list(range(lost))
    # Two retransmissions are one round trip apart, plus the wait in the link's queue (SPREAD).
    assert np.all(np.diff(repairs["sent_rtt"]) >= 1 - 1e-9)
    assert np.all(np.diff(repairs["sent_rtt"]) < 1 + SPREAD)
    assert (frame["kind"] == "partial").sum() == lost - 1


def test_lost_packets_do_not_arrive_and_everything_else_does() -> None:
    frame = ladder(newreno(), window=20, hit=4, rounds=3)
    assert frame.loc[frame["kind"] == "lost", "packet"].tolist() == [0, 1, 2, 3]
    assert frame.loc[frame["kind"] == "lost", "arrives_rtt"].isna().all()
    rest = frame[frame["kind"] != "lost"]
    assert np.allclose(rest["arrives_rtt"] - rest["sent_rtt"], 0.5)


def test_late_packets_are_overtaken_and_finally_acknowledged() -> None:
    frame = ladder(newreno(), window=20, hit=3, late_rtt=1.2, rounds=4)
    late = frame[frame["kind"] == "late"]
    assert late["packet"].tolist() == [0, 1, 2]
    assert np.allclose(late["arrives_rtt"] - late["sent_rtt"], 1.7)
    assert {"duplicate", "partial"} <= set(frame["kind"])


def test_without_a_hand_off_nothing_is_retransmitted() -> None:
    frame = ladder(newreno(), window=10, hit=0, rounds=4)
    assert set(frame["kind"]) == {"data", "ack"}
