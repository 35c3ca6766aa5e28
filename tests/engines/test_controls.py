"""Control variates of the packet simulator, which reduce the variance of the mean goodput.

They are the path's random draws minus their expected values.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tcpgoodput.answers import Conditions
from tcpgoodput.engines.controls import FEWEST_DRAWS, controls
from tcpgoodput.engines.packet import Packet
from tcpgoodput.scenario import Scenario, random_stream
from tcpgoodput.simulator.simulation import Counts, Simulation
from tcpgoodput.statistics import Interval

LOSS = {"process": "bernoulli", "probability": 0.01}
BURSTS = {"process": "gilbert-elliott", "good_to_bad": 0.005, "bad_to_good": 0.2}
EVERY_TWENTY = {"distribution": "exponential", "mean_s": 20.0}
SECONDS = {"distribution": "uniform", "low_s": 1.0, "high_s": 5.0}
SPIKES = {"interval": EVERY_TWENTY, "duration": SECONDS}
MARKOV = {"distribution": "markov-exponential", "mean0_s": 5, "mean1_s": 50, "p01": 0.1, "p10": 0.2}
RANDOM_CAPACITY = {"process": "ar1", "min_bps": 2e5, "max_bps": 2e6, "coherence_s": 2.0}
SHADOWING = {"process": "shadowing", "peak_bps": 2e6, "mean_bps": 1e6, "speed_mps": 10.0}

KINDS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "independent loss": ({"loss": LOSS}, ["excess_good_runs"]),
    "bursts in slots": ({"loss": BURSTS}, ["excess_good_runs", "excess_bad_runs"]),
    "bursts in packets": (
        {"loss": BURSTS | {"bad_to_good": 0.6, "clock": "packet"}},
        ["excess_good_runs", "excess_bad_runs"],
    ),
    "delay spikes": ({"spikes": SPIKES}, ["excess_spikes", "excess_durations"]),
    "random capacity": ({"capacity": RANDOM_CAPACITY}, ["excess_capacity"]),
    "shadowing": ({"capacity": SHADOWING}, ["excess_capacity"]),
}


def connection(parts: dict[str, Any]) -> Scenario:
    path = {"rate_bps": 2e6, "forward_delay_s": 0.03, "backward_delay_s": 0.03}
    return Scenario.model_validate(
        {
            "id": "controlled",
            "title": "2 Mbit/s, packets of 1000 bytes",
            "tcp": {"variant": "newreno", "mss_bytes": 1000, "max_window_packets": 64},
            "path": path | {"buffer_packets": 100},
            **parts,
        }
    )


def runs_of(one: Scenario, count: int, duration_s: float) -> list[Counts]:
    found = []
    for number in range(count):
        simulation = Simulation(one, random_stream(one, 1, number))
        simulation.run(20.0)
        before = simulation.counts
        simulation.run(20.0 + duration_s)
        found.append((simulation.counts - before)._replace(time_s=duration_s))
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_what_the_path_draws_beyond_its_expectation_has_mean_zero(kind: str) -> None:
    parts, names = KINDS[kind]
    for duration_s in (7.0, 60.0):  # a bias would be visible with few draws, as in 7 s
        found = runs_of(connection(parts), 400, duration_s)
        for name in names:
            excess = np.array([getattr(run, name) for run in found])
            assert excess.std() > 0
            assert abs(excess.mean()) < 4 * excess.std() / np.sqrt(len(excess))


@pytest.mark.parametrize("kind", KINDS)
def test_controls_narrow_the_interval_and_keep_the_mean(kind: str) -> None:
    found = Packet().measure(connection(KINDS[kind][0]), Conditions(seed=4))
    plain = Interval.of(found.each_pps)
    assert found.half_width_pps < 0.8 * plain.half_width
    assert abs(found.goodput_pps - plain.mean) < 1.5 * plain.half_width


def test_few_draws_are_no_control() -> None:
    enough_s = FEWEST_DRAWS * EVERY_TWENTY["mean_s"]
    one = connection({"spikes": SPIKES})
    assert len(controls(one, runs_of(one, 3, enough_s))) == 2
    assert controls(one, runs_of(one, 3, 0.9 * enough_s)) == []


def test_intervals_with_a_memory_are_no_control() -> None:
    one = connection({"spikes": SPIKES | {"interval": MARKOV}})
    assert controls(one, runs_of(one, 3, 2000.0)) == []


def test_a_path_without_random_processes_has_no_control() -> None:
    one = connection({"handoffs": {"interval_s": 10.0, "packets": 3, "fate": "lost"}})
    assert controls(one, runs_of(one, 3, 1000.0)) == []


def test_overflows_of_the_buffer_are_no_draws_of_the_loss_process() -> None:
    """Of 250 packets/s one is lost in 200 s, while the buffer overflows every few seconds."""
    path = {"rate_bps": 2e6, "forward_delay_s": 0.03, "backward_delay_s": 0.03}
    loss = {"process": "bernoulli", "probability": 2e-5}
    one = connection({"loss": loss, "path": path | {"buffer_packets": 20}})
    found = runs_of(one, 6, 200.0)
    assert min(run.loss_events for run in found) > FEWEST_DRAWS
    assert len({run.packets_lost for run in found}) > 1
    assert controls(one, found) == []
