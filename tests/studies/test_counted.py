"""Quantities that are computed from an engine's counts, such as timeouts per spike."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError

from tcpgoodput.engines.measurements import Measurement
from tcpgoodput.scenario import Scenario
from tcpgoodput.studies.quantities import COUNTED, Uncounted
from tcpgoodput.studies.schema import Panel
from tests.scenarios import scenario

SPIKES = {
    "interval": {"distribution": "exponential", "mean_s": 20.0},
    "duration": {"distribution": "constant", "mean_s": 5.0},
}
SEEN = Measurement(
    *("key", "packet", "how", 100.0, 90.0, 110.0),
    replications=4,
    measured_s=1000.0,
    packets_sent=400_000,
    timeouts=300,
    fast_retransmits=100,
    loss_events=500,
    packets_lost=800,
    packets_dropped=200,
    mean_rtt_s=0.2,
)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("timeouts_per_spike", 300 / (4000 / 20)),
        ("timeout_share", 300 / 400),
        ("lost_per_event", 800 / 500),
        ("arrived_per_event", (400_000 - 1000) / 500),
        ("round_trip_ms", 200.0),
    ],
)
def test_a_counted_quantity_has_its_value_and_an_interval_around_it(
    name: str, value: float
) -> None:
    spiky = scenario(spikes=SPIKES)
    found, low, high = COUNTED[name].of(spiky, SEEN)
    assert found == pytest.approx(value)
    assert low < found < high


def test_four_times_the_time_halves_the_interval_of_a_ratio() -> None:
    spiky = scenario(spikes=SPIKES)
    longer = replace(SEEN, timeouts=4 * 300, measured_s=4 * 1000.0)
    widths = []
    for seen in (SEEN, longer):
        found, _, high = COUNTED["timeouts_per_spike"].of(spiky, seen)
        assert found == pytest.approx(1.5)
        widths.append(high / found - 1)
    assert widths[0] / widths[1] == pytest.approx(2, rel=0.1)


def test_no_event_at_all_still_has_an_upper_end() -> None:
    found = COUNTED["timeout_share"].of(scenario(), replace(SEEN, timeouts=0))
    assert found == (0.0, 0.0, pytest.approx(0.03))


def test_a_goodput_that_may_be_0_leaves_the_round_trip_without_an_upper_end() -> None:
    wide = replace(SEEN, low_pps=-20.0, high_pps=220.0)
    found = COUNTED["round_trip_ms"].of(scenario(), wide)
    assert found == (pytest.approx(200.0), pytest.approx(200.0 * 100 / 220), math.inf)


@pytest.mark.parametrize(
    ("name", "without", "change"),
    [
        ("timeouts_per_spike", scenario(), {}),
        ("lost_per_event", scenario(), {"packets_lost": None}),
        ("lost_per_event", scenario(), {"loss_events": 0}),
        ("round_trip_ms", scenario(), {"mean_rtt_s": None}),
    ],
)
def test_a_missing_count_gives_no_value(
    name: str, without: Scenario, change: dict[str, Any]
) -> None:
    with pytest.raises(Uncounted):
        COUNTED[name].of(without, replace(SEEN, **change))


def test_a_model_has_no_timeouts() -> None:
    keys = {
        "scenario": "small",
        "quantity": "timeout_share",
        "sweep": {"variable": "p", "values": {"listed": [0.1]}},
        "x": {"label": "p"},
        "y": {"label": "share"},
    }
    Panel.model_validate({**keys, "series": [{"engine": "packet"}]})
    with pytest.raises(ValidationError, match="the model mathis has no value"):
        Panel.model_validate({**keys, "series": [{"model": "mathis"}]})
