"""Detection of senders that wait for timeouts with far more packets outstanding than their window.

The three goodputs of CUBIC were measured before the detection existed: 1.05 Mbit/s with a receiver
window of 100 packets; without one, 0.5 Mbit/s over 2 000 s and 0.1 Mbit/s over 120 000 s.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tcpgoodput.answers import Conditions
from tcpgoodput.engines.base import STALLED, Measurement, is_unsteady
from tcpgoodput.engines.packet import Packet
from tcpgoodput.scenario.files import load_scenarios
from tests.scenarios import scenario

SCENARIOS = Path(__file__).parents[2] / "config" / "scenarios"


def found(loss: float, **tcp: Any) -> Measurement:
    """Measure a connection over 10 Mbit/s with a round trip of 20 ms for 1 000 s."""
    path = {"rate_bps": 10e6, "forward_delay_s": 0.01, "backward_delay_s": 0.01}
    lossy = {"process": "bernoulli", "probability": loss}
    connection = scenario(tcp={"mss_bytes": 1460, **tcp}, path=path, loss=lossy)
    return Packet().measure(connection, Conditions(), replications=10, duration_s=1000)


@pytest.mark.parametrize(("variant", "loss"), [("cubic", 0.1), ("cubic", 0.15), ("sack", 0.1)])
def test_a_missing_receiver_window_is_the_measurements_reason(variant: str, loss: float) -> None:
    stalled = found(loss, variant=variant)
    assert str(stalled.reason).startswith(STALLED)
    assert "tcp.max_window_packets" in str(stalled.reason)
    assert not stalled.is_steady
    assert is_unsteady(stalled.reason)
    bounded = found(loss, variant=variant, max_window_packets=50)
    assert bounded.is_steady
    assert bounded.goodput_pps > stalled.goodput_pps


def test_a_receiver_window_of_a_million_packets_is_no_limit() -> None:
    stalled = found(0.1, variant="cubic", max_window_packets=1_000_000)
    assert "1000000 packets" in str(stalled.reason)


@pytest.mark.parametrize(
    ("variant", "loss"),
    [("cubic", 0.01), ("cubic", 0.05), ("sack", 0.05), ("newreno", 0.2), ("reno", 0.1)],
)
def test_ordinary_losses_stall_no_sender(variant: str, loss: float) -> None:
    assert found(loss, variant=variant).is_steady


def test_senders_that_find_lost_retransmissions_do_not_stall() -> None:
    assert found(0.1, variant="cubic", stack="linux-6.18").is_steady


def test_no_scenario_of_the_project_stalls() -> None:
    for own in load_scenarios(SCENARIOS).values():
        if own.tcp.transfer_packets is None:
            measured = Packet().measure(own, Conditions(precision="draft"), replications=3)
            assert not str(measured.reason).startswith(STALLED), own.id
