"""Simulated replications that are continued for a longer measured time, not started again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tcpgoodput.answers import Conditions
from tcpgoodput.engines.closeness import Target, successive_measurements
from tcpgoodput.engines.packet import Packet
from tcpgoodput.engines.planning import (
    BBR_PERIOD_S,
    BUDGETS,
    LONG_WARM_UPS,
    PHASES,
    Plan,
    most_replications,
    plan,
)
from tcpgoodput.engines.replications import Replications
from tests.scenarios import scenario

PLAN = Plan(4, warm_up_s=20, phase_s=5, measured_s=60, ssthresh_packets=10)

PATHS: dict[str, dict[str, Any]] = {
    "independent loss": {"loss": {"process": "bernoulli", "probability": 0.01}},
    "spikes": {
        "spikes": {
            "interval": {"distribution": "exponential", "mean_s": 5.0},
            "duration": {"distribution": "uniform", "low_s": 0.5, "high_s": 2.0},
        },
        "loss": {"process": "bernoulli", "probability": 0.005},
    },
    "late hand-offs": {
        "handoffs": {"interval_s": 3.0, "packets": 4, "fate": "late", "late_s": 0.8},
        "loss": {"process": "gilbert-elliott", "good_to_bad": 0.002, "bad_to_good": 0.3},
    },
    "random capacity": {
        "capacity": {"process": "ar1", "min_bps": 2e5, "max_bps": 2e6, "coherence_s": 0.5},
        "loss": {"process": "bernoulli", "probability": 0.002},
    },
}


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("sender", ["newreno", "cubic"])
@pytest.mark.parametrize("factor", [1.3, 2.0, 7.0])
def test_a_continued_replication_equals_a_long_one(path: str, sender: str, factor: float) -> None:
    one = scenario(tcp={"variant": sender}, **PATHS[path])
    longer = replace(PLAN, measured_s=factor * PLAN.measured_s)
    continued, afresh = Replications(one, 1), Replications(one, 1)
    first = continued.simulated(2, PLAN)
    found, expected = continued.simulated(2, longer), afresh.simulated(2, longer)
    assert found.whole == expected.whole
    assert found.whole.delivered > first.whole.delivered
    assert 0.5 * longer.measured_s <= found.beginning.time_s <= PLAN.measured_s * factor


def test_another_warm_up_begins_another_replication() -> None:
    one = scenario(**PATHS["independent loss"])
    replications, longer = Replications(one, 1), replace(PLAN, warm_up_s=40)
    assert replications.simulated(0, PLAN) != replications.simulated(0, longer)
    assert replications.simulated(0, PLAN) == Replications(one, 1).simulated(0, PLAN)


def test_the_closer_measurement_contains_the_packets_of_the_one_before() -> None:
    one = scenario(**PATHS["spikes"])
    target = Target(half_width=0.01, most_packets=4_000_000, replications=20)
    first, *_, last = successive_measurements(one, Conditions(precision="draft"), target)
    assert last.packets_sent > 1.3 * first.packets_sent
    assert last.measured_s > first.measured_s
    assert abs(last.goodput_pps - first.goodput_pps) < (first.half_width_pps + last.half_width_pps)


def test_a_long_warm_up_limits_the_number_of_replications() -> None:
    spikes, linux = {"spikes": PATHS["spikes"]["spikes"]}, {"stack": "linux-6.18"}
    assert most_replications(scenario(tcp=linux, **spikes), 20) == LONG_WARM_UPS
    assert most_replications(scenario(tcp=linux, **PATHS["spikes"]), 20) == 20
    assert most_replications(scenario(tcp={**linux, "transfer_packets": 9}, **spikes), 20) == 20


def test_the_random_gain_cycle_of_bbr_needs_all_replications() -> None:
    handoffs = {"interval_s": 3.0, "packets": 4, "fate": "late", "late_s": 0.8}
    assert most_replications(scenario(handoffs=handoffs), 20) == PHASES
    assert most_replications(scenario(tcp={"variant": "bbr"}, handoffs=handoffs), 20) == 20
    transfer = scenario(tcp={"variant": "bbr", "transfer_packets": 9})
    found = Packet().measure(transfer, Conditions(precision="draft"))
    assert found.replications == BUDGETS["draft"].transfers


@pytest.mark.parametrize(
    ("frequency_hz", "spikes_s", "measured_s"),
    [(0.05, None, 40.0), (0.04, None, 50.0), (1.0, 100.0, 300.0)],
)
def test_whole_periods_contain_three_of_the_rarest_events(
    frequency_hz: float, spikes_s: float | None, measured_s: float
) -> None:
    """BBR probes for the round trip every 10.2 s: 30.6 s take two periods of 20 or of 25 s."""
    spikes = {
        "interval": {"distribution": "exponential", "mean_s": spikes_s},
        "duration": {"distribution": "constant", "mean_s": 0.5},
    }
    one = scenario(
        tcp={"variant": "bbr", "stack": "linux-6.18"},
        path={"rate_bps": 1e8},
        loss={"process": "bernoulli", "probability": 0.01},
        spikes=spikes if spikes_s else None,
        capacity={
            "process": "sinusoid", "min_bps": 5e7, "max_bps": 1e8, "frequency_hz": frequency_hz
        },
    )  # fmt: skip
    planned = plan(one, BUDGETS["paper"], 1)
    assert planned.measured_s == pytest.approx(measured_s)
    assert planned.warm_up_s >= 3 * BBR_PERIOD_S


def test_more_requested_packets_always_lengthen_the_measurement() -> None:
    # Late hand-offs differ in their phases only, so there are at most `PHASES` replications.
    handoffs = {"interval_s": 3.0, "packets": 4, "fate": "late", "late_s": 0.8}
    one, usual = scenario(handoffs=handoffs), BUDGETS["paper"]
    plans = [plan(one, usual.of(round(k * usual.most_packets)), 1) for k in (1.0, 1.4, 2.0)]
    times = [plan.replications * plan.measured_s for plan in plans]
    assert times == sorted(set(times)), times


def test_requested_packets_are_those_of_all_cycles() -> None:
    sine = {"process": "sinusoid", "min_bps": 2e6, "max_bps": 8e6, "frequency_hz": 0.37}
    one = scenario(capacity=sine, path={"buffer_packets": 30})
    wanted = 3_000_000
    found = Packet().measure(one, Conditions(precision="paper"), packets=wanted)
    assert 0.3 * wanted < found.packets_sent < 2 * wanted, found.packets_sent
