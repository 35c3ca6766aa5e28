"""Detection of connections whose RTO is kept at its maximum by hand-offs, called trapped."""

from __future__ import annotations

from pathlib import Path

import pytest

from tcpgoodput.answers import Conditions
from tcpgoodput.engines.base import TRAPPED
from tcpgoodput.engines.packet import Packet
from tcpgoodput.engines.referees import REFEREES
from tcpgoodput.engines.unsteady import back_offs, trapped_after_s
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.files import load_scenario
from tcpgoodput.scenario.vocabulary import Timeout

SCENARIOS = Path(__file__).parents[2] / "config" / "scenarios"


def scenario_of(name: str) -> Scenario:
    own = Path(__file__).with_name("trapped") / f"{name}.yaml"
    return load_scenario(own if own.is_file() else SCENARIOS / f"{name}.yaml")


@pytest.mark.parametrize(
    ("name", "packets"),
    [("s16-drive", 10**7), ("h19-handoffs", 10**6), ("h26-handoffs-loss", 10**6)],
)
def test_connections_without_a_steady_state_are_found(name: str, packets: int) -> None:
    assert trapped_after_s(scenario_of(name), 1, packets, 1e5) is not None


@pytest.mark.parametrize(
    "name",
    [
        # Hand-offs that lose packets, but rarely trap the connection.
        "s13c-handoff-one-lost",
        "s14c-handoff-batch-lost-sack",
        # No hand-offs that lose packets.
        "s13a-handoff-one-late-half",
        "s10-spikes-lossy",
    ],
)
def test_connections_with_a_steady_state_are_not_reported(name: str) -> None:
    assert trapped_after_s(scenario_of(name), 1, 10**6, 1e5) is None


def test_a_trapped_connection_is_the_measurements_reason() -> None:
    found = Packet().measure(scenario_of("h26-handoffs-loss"), Conditions())
    assert str(found.reason).startswith(TRAPPED)
    assert not found.is_steady


def test_timeouts_double_up_to_the_largest() -> None:
    assert back_offs(Timeout(initial_s=3, max_s=20)) == [3, 6, 12, 20]
    assert back_offs(Timeout(initial_s=3, max_s=2)) == [2]


def test_hand_offs_of_one_round_trip_trap_no_connection() -> None:
    trapped = scenario_of("h26-handoffs-loss")
    assert trapped.handoffs is not None
    ends = trapped.handoffs.model_copy(update={"within_s": trapped.propagation_rtt_s})
    assert trapped_after_s(trapped.model_copy(update={"handoffs": ends}), 1, 10**6, 1e5) is None


@pytest.mark.parametrize("name", ["ns2", "linux"])
def test_ns2_and_linux_refuse_within_s(name: str) -> None:
    request = scenario_of("s13c-handoff-one-lost")
    assert request.handoffs is not None
    ends = request.handoffs.model_copy(update={"within_s": 0.1})
    assert "within_s" in str(REFEREES[name].refusal(request.model_copy(update={"handoffs": ends})))
