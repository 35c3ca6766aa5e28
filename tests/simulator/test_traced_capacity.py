"""A capacity trace from a file is simulated step by step, for any number of steps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tcpgoodput.scenario import Scenario
from tcpgoodput.simulator.channel.capacity import fill_capacity
from tcpgoodput.simulator.channel.state import new_channel
from tcpgoodput.simulator.compiled import TICKS_PER_S
from tcpgoodput.simulator.simulation import Simulation
from tests.scenarios import scenario
from tests.simulator.running import counted, run

STEP_S = 0.02


def traced(file: Path, times_s: np.ndarray, rates_bps: np.ndarray) -> Scenario:
    lines = [f"{t:.10g},{c:.10g}\n" for t, c in zip(times_s, [*rates_bps, 0], strict=True)]
    file.write_text("time_s,capacity_bps\n" + "".join(lines), encoding="utf-8")
    return scenario(
        tcp={"variant": "sack"},
        path={
            "rate_bps": float(max(rates_bps)),
            "forward_delay_s": 0.02,
            "backward_delay_s": 0.02,
            "buffer_packets": 10,
        },
        capacity={"process": "trace", "file": str(file)},
    )


def table_of(request: Scenario) -> tuple[np.ndarray, float]:
    """Return the capacity of each of the simulator's steps (bit/s), and the step's length (s)."""
    rng = np.random.default_rng(1)
    channel = new_channel(request, rng, phase=0.0)[0]
    ticks = fill_capacity(channel, request, rng, phase=0.0)
    with np.errstate(divide="ignore"):
        return request.packet_bits * TICKS_PER_S / ticks, channel.step / TICKS_PER_S


def test_each_step_of_a_long_recording_has_its_own_rate(tmp_path: Path) -> None:
    rates = np.random.default_rng(1).choice([0.0, 5e6, 60e6], 30_000)
    found, step_s = table_of(traced(tmp_path / "c.csv", STEP_S * np.arange(30_001), rates))
    assert step_s == pytest.approx(STEP_S)
    assert found == pytest.approx(rates, rel=1e-6, abs=1e-3)


def test_a_very_long_step_does_not_overflow_the_clock(tmp_path: Path) -> None:
    """A step of the capacity trace that is longer than the run does not overflow the clock.

    The trace's random start decides whether the link has 1 or 4 Mbit/s during the whole run.
    """
    request = traced(tmp_path / "c.csv", np.array([0, 1e12, 2e12]), np.array([1e6, 4e6]))
    found = set()
    for seed in range(8):
        later = counted(Simulation(request, np.random.default_rng(seed)), 20.0, 40.0)
        found.add(round(later.delivered * request.packet_bits / 20 / 1e6))
    assert found == {1, 4}


def test_a_short_last_step_does_not_change_the_others(tmp_path: Path) -> None:
    rates = np.random.default_rng(1).choice([1e6, 60e6], 9_000)
    times = np.append(STEP_S * np.arange(9_000), STEP_S * 8_999.3)
    found, step_s = table_of(traced(tmp_path / "c.csv", times, rates))
    assert step_s < STEP_S / 3
    middles = step_s * (np.arange(found.size) + 0.5)
    own = rates[np.searchsorted(times[:-1], middles, side="right") - 1]
    # At least 70 % of the simulator's steps lie within one step of the file; the others overlap
    # two steps of the file.
    assert np.mean(np.isclose(found, own, rtol=1e-6)) > 0.7
    held = found.sum() * step_s
    assert held == pytest.approx(rates @ np.diff(times), rel=1e-6)


def test_a_repeated_recording_gives_the_same_goodput(tmp_path: Path) -> None:
    """A capacity trace, and a file with the same trace four times, give the same goodput."""
    rates = np.random.default_rng(2).choice([1e6, 4e6, 60e6], 3_000)
    delivered = []
    for times in (1, 4):
        steps = STEP_S * np.arange(3_000 * times + 1)
        request = traced(tmp_path / f"{times}.csv", steps, np.tile(rates, times))
        delivered.append(run(request, 4 * 60.0, phase=0.0).counts.delivered)
    assert delivered[1] == delivered[0]
