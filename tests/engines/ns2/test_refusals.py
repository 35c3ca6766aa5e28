"""Scenarios that ns-2 cannot run are refused with a reason; all others are accepted."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tcpgoodput.engines.ns2 import Ns2
from tcpgoodput.engines.ns2.script import refusal
from tests.engines.ns2.scenarios import SCENARIOS, SINUSOID, SPIKES
from tests.scenarios import scenario


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ({"tcp": {"variant": "cubic"}}, "RFC 9438"),
        ({"tcp": {"ca_increment": "floor"}}, r"1/floor\(cwnd\)"),
        ({"tcp": {"variant": "newreno", "full_ack_window": "flight"}}, "must be ssthresh"),
        ({"tcp": {"variant": "newreno", "partial_window_deflation": "unchanged"}}, "partial ACK"),
        ({"tcp": {"ack_every": 3}}, "not every 3"),
        ({"tcp": {"dupthresh": 4}}, "first two only"),
        ({"tcp": {"max_window_packets": 2**31}}, "32 bits"),
        ({"tcp": {"rto": {"fixed_s": 0.1, "tick_s": 0.1}}}, "two ticks, 0.2 s"),
        ({"tcp": {"rto": {"initial_s": 0.1}}}, "before the first sample"),
        ({"tcp": {"rto": {"tick_s": 1e-6}}}, "32767 ticks"),
        ({"path": {"buffer_packets": 1}}, "hold 2 packets"),
        ({"path": {"buffer_packets": 2}, "spikes": SPIKES}, "hold 3 packets"),
        (
            {"loss": {"process": "gilbert-elliott", "good_to_bad": 0.1, "bad_to_good": 0.2}
             | {"clock": "packet"}},
            "rare outages",
        ),
    ],
)  # fmt: skip
def test_unsupported_scenarios_are_refused(parts: dict[str, Any], reason: str) -> None:
    assert re.search(reason, str(refusal(scenario(**parts))))


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ({}, "needs a capacity"),
        ({"capacity": SINUSOID, "spikes": SPIKES}, "delay spikes .* would also affect"),
        (
            {"capacity": SINUSOID, "loss": {"process": "bernoulli", "probability": 0.1}},
            "losses, .* would also affect",
        ),
        (
            {"capacity": SINUSOID, "handoffs": {"interval_s": 1, "packets": 1, "fate": "lost"}},
            "hand-offs would also affect",
        ),
    ],
)
def test_cross_traffic_needs_a_capacity_and_no_other_impairment(
    parts: dict[str, Any], reason: str
) -> None:
    one = scenario(path={"rate_bps": 1e5}, **parts)
    assert re.search(reason, str(Ns2("cross-traffic").refusal(one)))
    assert Ns2().refusal(one) is None


@pytest.mark.parametrize("name", SCENARIOS)
def test_supported_scenarios_are_accepted(name: str) -> None:
    assert refusal(SCENARIOS[name]) is None
