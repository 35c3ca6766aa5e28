"""Random schedules of a path (spikes, hand-offs, capacity), compared with counts and means."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tcpgoodput.engines.path_schedule import (
    bad_runs,
    capacity_in_steps,
    delay_in_steps,
    durations,
    handoff_times,
    packets_in,
    spike_intervals,
)
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.capacity.of_time import capacity_steps
from tcpgoodput.scenario.loss import GilbertElliott
from tcpgoodput.scenario.physics import mean_capacity_bps
from tcpgoodput.scenario.vocabulary import Spikes
from tests.scenarios import scenario

LAWS = [
    {"distribution": "constant", "mean_s": 2.0},
    {"distribution": "uniform", "low_s": 1.0, "high_s": 3.0},
    {"distribution": "exponential", "mean_s": 2.0},
    {"distribution": "pareto", "mean_s": 2.0, "shape": 3.0},
    {"distribution": "lomax", "mean_s": 2.0, "shape": 3.0},
    {"distribution": "markov-exponential", "mean0_s": 1, "mean1_s": 4, "p01": 0.2, "p10": 0.4},
]


def spiky(interval: dict, duration: dict) -> Scenario:
    return scenario(path={"rate_bps": 1e5}, spikes={"interval": interval, "duration": duration})


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law["distribution"])
def test_durations_have_the_mean_of_their_law(law: dict) -> None:
    spikes = Spikes.model_validate({"interval": law, "duration": law})
    drawn = durations(spikes.interval, np.random.default_rng(1))
    values = np.array([next(drawn) for _ in range(50_000)])
    assert values.min() >= 0
    assert values.mean() == pytest.approx(spikes.interval.mean_s, rel=0.02)


@given(seed=st.integers(0, 2**32), lengths=st.sampled_from(LAWS), intervals=st.sampled_from(LAWS))
def test_the_link_is_silent_in_the_union_of_all_spikes(
    seed: int, lengths: dict, intervals: dict
) -> None:
    one = spiky(intervals, lengths)
    merged = spike_intervals(one, np.random.default_rng(seed), 30.0)
    # For comparison, draw the same spikes; a time is silent if it is within any of them.
    stream = np.random.default_rng(seed)
    between = durations(one.spikes.interval, stream)
    last = durations(one.spikes.duration, stream)
    start, apart = next(between), []
    while start < 30:
        apart.append((start, start + next(last)))
        start += next(between)
    ends = merged.ravel()
    assert (np.diff(ends) > 0).all()
    for time in np.concatenate([np.linspace(0, 40, 400), ends + 1e-9, ends - 1e-9]):
        still = any(a <= time < b for a, b in apart)
        assert still == any(a <= time < b for a, b in merged)


def test_handoffs_come_at_intervals_after_a_random_phase() -> None:
    one = scenario(handoffs={"interval_s": 2.0, "packets": 1, "fate": "lost"})
    firsts = []
    for seed in range(200):
        times = handoff_times(one, np.random.default_rng(seed), 20.0)
        assert np.allclose(np.diff(times), 2)
        assert 18 <= times[-1] < 20
        firsts.append(times[0])
    assert 2 <= min(firsts) < 2.1 < 3.9 < max(firsts) < 4
    assert handoff_times(one, np.random.default_rng(0), 1.0).size == 0
    assert handoff_times(scenario(), np.random.default_rng(0), 20.0).size == 0


def test_a_sinusoid_has_its_mean_and_phase() -> None:
    capacity = {"process": "sinusoid", "min_bps": 2e6, "max_bps": 1e7, "frequency_hz": 0.5}
    one = scenario(path={"rate_bps": 1e7}, capacity=capacity)
    steps = capacity_in_steps(one, np.random.default_rng(3), 100.0)
    assert steps.period_s == 2
    widths = np.diff(np.append(steps.times_s, 2))
    assert steps.rates_bps @ widths == pytest.approx(2 * 6e6, rel=1e-12)
    phase = np.random.default_rng(3).random() * 2
    exact = 6e6 + 4e6 * np.sin(np.pi * (steps.times_s + widths / 2 + phase))
    assert np.abs(steps.rates_bps - exact).max() < 4e6 * np.pi * widths.max()


def test_a_square_and_a_trace_have_their_own_steps(tmp_path: Path) -> None:
    file = tmp_path / "trace.csv"
    file.write_text("time_s,capacity_bps\n0,1e6\n0.5,0\n2,3e6\n4,9\n", encoding="utf-8")
    square = {"process": "square", "min_bps": 1e6, "max_bps": 3e6, "frequency_hz": 0.25}
    trace = {"process": "trace", "file": str(file)}
    for capacity, times, rates in (
        (square, [0, 2], [3e6, 1e6]),
        (trace, [0, 0.5, 2], [1e6, 0, 3e6]),
    ):
        one = scenario(path={"rate_bps": 3e6}, capacity=capacity)
        steps = capacity_in_steps(one, np.random.default_rng(5), 100.0)
        phase = np.random.default_rng(5).random() * 4
        assert steps.times_s[0] == 0
        assert steps.times_s[-1] < steps.period_s == 4
        for time in np.linspace(0.001, 3.999, 500):
            expected = rates[np.searchsorted(times, (time + phase) % 4, side="right") - 1]
            assert steps.rates_bps[np.searchsorted(steps.times_s, time, side="right") - 1] == (
                pytest.approx(expected)
            )


@pytest.mark.parametrize("last", ["0", "1e6", "9e6"])
def test_the_last_row_ends_a_trace_for_every_engine(tmp_path: Path, last: str) -> None:
    """The last row of a capacity trace only gives its end: the mean is 3 Mbit/s in each case."""
    file = tmp_path / "trace.csv"
    file.write_text(f"time_s,capacity_bps\n0,5e6\n1,1e6\n2,{last}\n", encoding="utf-8")
    one = scenario(path={"rate_bps": 5e6}, capacity={"process": "trace", "file": str(file)})
    steps = capacity_in_steps(one, np.random.default_rng(5), 100.0, phases=False)
    assert steps is not None
    assert (steps.times_s.tolist(), steps.rates_bps.tolist()) == ([0, 1], [5e6, 1e6])
    packets = next(capacity_steps(one, 0.5, 8)) * one.packet_bits
    assert packets.tolist() == pytest.approx([2.5e6] * 2 + [5e5] * 2 + [2.5e6] * 2 + [5e5] * 2)
    assert mean_capacity_bps(one) == 3e6


def test_traces_of_rate_and_delay_begin_at_the_same_place(tmp_path: Path) -> None:
    rates, delays = tmp_path / "rates.csv", tmp_path / "delays.csv"
    rates.write_text("time_s,capacity_bps\n0,1e6\n1,3e6\n4,0\n", encoding="utf-8")
    delays.write_text("time_s,delay_s\n0,0.01\n1,0.03\n4,0\n", encoding="utf-8")
    one = scenario(
        path={"rate_bps": 3e6},
        capacity={"process": "trace", "file": str(rates)},
        delay={"file": str(delays)},
    )
    for phases in (True, False):
        stream = np.random.default_rng(5)
        capacity = capacity_in_steps(one, stream, 100.0, phases=phases)
        delay = delay_in_steps(one, stream, capacity, phases=phases)
        assert delay.period_s == 4
        assert delay.times_s.tolist() == capacity.times_s.tolist()
        assert delay.delays_s == pytest.approx(capacity.rates_bps / 1e8)
        assert (capacity.begun_s > 0) == phases
    assert delay.times_s.tolist() == [0, 1]  # as in the file: no random phase


def test_a_delay_trace_with_a_constant_rate_has_a_random_phase(tmp_path: Path) -> None:
    file = tmp_path / "delays.csv"
    file.write_text("time_s,delay_s\n0,0.01\n1,0.03\n4,0\n", encoding="utf-8")
    one = scenario(delay={"file": str(file)})
    drawn = delay_in_steps(one, np.random.default_rng(5), None)
    phase_s = np.random.default_rng(5).random() * 4
    expected = 0.01 if (1.5 + phase_s) % 4 < 1 else 0.03
    at = np.searchsorted(drawn.times_s, 1.5, side="right") - 1
    assert drawn.delays_s[at] == expected
    assert delay_in_steps(scenario(), np.random.default_rng(5), None) is None


def test_a_random_capacity_reaches_the_horizon_at_its_own_steps() -> None:
    capacity = {"process": "ar1", "min_bps": 1e6, "max_bps": 3e6, "coherence_s": 0.1}
    one = scenario(path={"rate_bps": 3e6}, capacity=capacity)
    steps = capacity_in_steps(one, np.random.default_rng(5), 500.0)
    assert steps.period_s == 0
    assert np.allclose(np.diff(steps.times_s), 0.005)
    assert steps.times_s[-1] + 0.005 >= 500
    assert steps.rates_bps.min() >= 1e6
    assert steps.rates_bps.max() <= 3e6 + 1e-6
    assert steps.rates_bps.mean() == pytest.approx(2e6, rel=0.01)


@pytest.mark.parametrize(("alpha", "beta"), [(0.01, 0.2), (0.3, 0.9), (0.5, 1.0), (1.0, 0.5)])
def test_bad_runs_follow_the_chain(alpha: float, beta: float) -> None:
    loss = GilbertElliott(process="gilbert-elliott", good_to_bad=alpha, bad_to_good=beta)
    steps = 200_000
    runs = bad_runs(loss, np.random.default_rng(7), steps)
    assert (np.diff(runs.ravel()) > 0).all()
    assert runs[-1, 0] < steps
    lengths = runs[:, 1] - runs[:, 0]
    assert lengths.mean() == pytest.approx(1 / beta, rel=0.05)
    assert lengths.sum() / steps == pytest.approx(alpha / (alpha + beta), rel=0.05)


def test_a_chain_begins_in_its_stationary_law() -> None:
    loss = GilbertElliott(process="gilbert-elliott", good_to_bad=0.1, bad_to_good=0.3)
    begins_bad = [bad_runs(loss, np.random.default_rng(n), 100.0)[0, 0] == 0 for n in range(4000)]
    assert np.mean(begins_bad) == pytest.approx(0.25, abs=0.03)
    never = loss.model_copy(update={"good_to_bad": 0.0})
    assert bad_runs(never, np.random.default_rng(1), 100.0).shape == (0, 2)


def test_packets_in_lists_every_packet_of_the_runs() -> None:
    runs = np.array([[0, 2], [5, 6], [9, 13]])
    assert packets_in(runs).tolist() == [n for first, end in runs for n in range(first, end)]
    assert packets_in(np.empty((0, 2), np.int64)).size == 0
