"""Cases that users of other TCP senders reported, with the rates that follow by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tcpgoodput.answers import Conditions
from tcpgoodput.engines.packet import Packet
from tcpgoodput.models import MODELS
from tcpgoodput.models.predict import predict
from tcpgoodput.scenario import Scenario
from tcpgoodput.simulator.simulation import Counts, Simulation
from tests.scenarios import scenario
from tests.simulator.running import counted

WIDE = {"rate_bps": 1e12, "forward_delay_s": 0.05, "backward_delay_s": 0.05}


def delayed_acks(window: int, timeout_s: float) -> Scenario:
    tcp = {"max_window_packets": window, "ack_every": 2, "delayed_ack_timeout_s": timeout_s}
    return scenario(tcp={**tcp, "rto": {"min_s": 1}}, path=WIDE)


@pytest.mark.parametrize(
    ("window", "timeout_s", "pps"), [(1, 0.1, 5), (2, 0.1, 20), (3, 0.15, 20), (5, 0.15, 40)]
)
def test_a_receiver_that_waits_for_a_second_packet(
    window: int, timeout_s: float, pps: float
) -> None:
    """A window of one packet waits for the receiver's timer: R + 0.1 s for each packet, R = 0.1 s.

    Of an odd window the last packet is acknowledged with the first of the next round trip R, which
    comes before the timer.
    """
    simulation = Simulation(delayed_acks(window, timeout_s), np.random.default_rng(1))
    counts = counted(simulation, 10, 110)
    assert counts.delivered == pytest.approx(100 * pps, abs=window)
    assert counts.timeouts == 0


def test_no_model_is_in_domain_if_the_receivers_timer_decides() -> None:
    assert {predict(MODELS[n], delayed_acks(1, 0.1)).status for n in MODELS.names()} <= {
        "out-of-domain",
        "undefined",
    }


@pytest.mark.parametrize("variant", ["newreno", "sack", "cubic"])
def test_a_path_that_becomes_slower_than_the_timeout(tmp_path: Path, variant: str) -> None:
    """The RTO backs off until a new packet gives a sample; then each round trip has a window.

    The path's round trip is 50 ms for 10 s, and 3.05 s from then on.
    """
    file = tmp_path / "delay.csv"
    file.write_text("time_s,delay_s\n0,0.025\n10,3.025\n5000,3.025\n", encoding="utf-8")
    tcp = {"variant": variant, "max_window_packets": 20, "rto": {"min_s": 0.2}}
    path = {"rate_bps": 1e9, "forward_delay_s": 0.025, "backward_delay_s": 0.025}
    slow = scenario(tcp=tcp, path=path, delay={"file": str(file)})
    simulation = Simulation(slow, np.random.default_rng(1), phase=0.0)
    first = counted(simulation, 10, 60)
    assert 1 <= first.timeouts <= 5  # 0.2, 0.4, 0.8, 1.6 s, …
    # cwnd is small after the timeouts; the receiver's window is the limit again after some minutes.
    later = counted(simulation, 500, 500 + 100 * 3.05)
    assert later.delivered == pytest.approx(100 * 20, abs=20)
    assert later.retransmissions == later.timeouts == 0


def late_packets(late_s: list[float], **tcp: bool) -> Counts:
    """Delay every 200th packet by the given times in turn, on a link of 1000 packets/s."""
    sender = {"variant": "sack", "stack": "linux-6.18", "max_window_packets": 400, **tcp}
    path = {"rate_bps": 8e6, "forward_delay_s": 0.0993, "backward_delay_s": 0.0993}
    late = {2000 + 200 * n: late_s[n % len(late_s)] for n in range(500)}
    simulation = Simulation(scenario(tcp=sender, path=path), np.random.default_rng(1), late_s=late)
    return counted(simulation, 10, 100)


@pytest.mark.parametrize("late_s", [[0, 0.03], [0, 0.03, 0.052]])
def test_a_sender_with_time_stamps_learns_that_packets_are_reordered(late_s: list[float]) -> None:
    """RACK waits for a quarter of the round trip, 49.6 ms, once it has seen reordering."""
    counts = late_packets(late_s, timestamps=True)
    assert counts.retransmissions == 0
    assert counts.delivered == pytest.approx(90_000, rel=1e-3)


def test_a_sender_without_time_stamps_keeps_its_goodput() -> None:
    assert late_packets([0, 0.03, 0.052], timestamps=False).delivered >= 0.95 * 90_000


def test_half_of_the_packets_lost() -> None:
    """The measurement ends; each of the backed-off timeouts delivers a packet or two."""
    path = {"rate_bps": 2e6, "forward_delay_s": 0.005, "backward_delay_s": 0.005}
    half = scenario(
        tcp={"variant": "newreno"}, path=path, loss={"process": "bernoulli", "probability": 0.5}
    )
    found = Packet().measure(half, Conditions(precision="draft"))
    assert 100 < found.goodput_pps * 8000 < 2000
    assert found.timeouts is not None
    assert found.packets_sent is not None
    assert found.timeouts > 0.2 * found.packets_sent


def test_rack_forgets_a_smaller_round_trip_after_five_minutes(tmp_path: Path) -> None:
    """Packets late by 20 ms are retransmitted while RACK waits for a quarter of 21 ms only.

    The round trip of 21 ms becomes 201 ms after 60 s; a quarter of that is more than 20 ms.
    """
    file = tmp_path / "delay.csv"
    file.write_text("time_s,delay_s\n0,0.01\n60,0.19\n5000,0.19\n", encoding="utf-8")
    path = {"rate_bps": 8e6, "forward_delay_s": 0.01, "backward_delay_s": 0.01}
    tcp = {"variant": "sack", "loss_detection": "rack", "max_window_packets": 10}
    slower = scenario(tcp=tcp, path=path, delay={"file": str(file)})
    late = dict.fromkeys(range(1000, 100_000, 200), 0.02)
    simulation = Simulation(slower, np.random.default_rng(1), phase=0.0, late_s=late)
    assert counted(simulation, 100, 355).retransmissions > 30
    later = counted(simulation, 400, 660)
    assert later.retransmissions == 0
    assert later.delivered == pytest.approx(260 * 10 / 0.201, rel=0.01)


def lossy_cubic(probability: float = 0.2) -> Scenario:
    return scenario(
        tcp={"variant": "cubic", "stack": "linux-6.18", "mss_bytes": 1448},
        path={"rate_bps": 6.5e6, "forward_delay_s": 0.05, "backward_delay_s": 0.05},
        loss={"process": "bernoulli", "probability": probability},
    )


def test_linuxs_cubic_at_a_fifth_lost() -> None:
    """Kernel 6.18 reached 155 ± 24 kbit/s in three runs of 60 s.

    A QUIC sender was reported with 391 kbit/s: it also repairs lost retransmissions without
    timeouts.
    """
    found = Packet().measure(lossy_cubic(), Conditions(precision="draft"))
    assert found.goodput_pps * 1448 * 8 == pytest.approx(155e3, abs=24e3)


@pytest.mark.parametrize("model", MODELS.names())
def test_no_model_is_in_domain_at_a_fifth_lost(model: str) -> None:
    prediction = predict(MODELS[model], lossy_cubic())
    assert prediction.status in ("out-of-domain", "undefined")
    assert prediction.reason


def test_the_response_of_cubic_is_in_domain_if_few_packets_are_lost() -> None:
    assert predict(MODELS["cubic"], lossy_cubic(0.005)).status in ("native", "reduced")
