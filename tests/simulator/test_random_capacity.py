"""Random capacities have the documented distribution and correlation in the simulator's steps."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tcpgoodput.simulator.channel.capacity import fill_capacity, next_step
from tcpgoodput.simulator.channel.state import new_channel
from tcpgoodput.simulator.compiled import TICKS_PER_S
from tests.scenarios import scenario

STEPS = 60_000
LAG = 5
"""Number of steps of the capacity in a coherence time, after which its autocorrelation is 0.1."""


def rates_bps(**capacity: Any) -> np.ndarray:
    """Return the capacity (bit/s) in each of `STEPS` steps of the simulator."""
    request = scenario(capacity=capacity, path={"rate_bps": 1e9})
    stream = np.random.default_rng(3)
    channel = new_channel(request, stream, phase=0.0)[0]
    table = fill_capacity(channel, request, stream, phase=0.0)
    ticks = np.empty(STEPS)
    for number in range(STEPS):
        next_step(channel, table, stream)
        ticks[number] = channel.packet_ticks
    assert channel.step_until == STEPS * channel.step
    return request.packet_bits * TICKS_PER_S / ticks


def correlation(values: np.ndarray, lag: int) -> float:
    return float(np.corrcoef(values[:-lag], values[lag:])[0, 1])


@pytest.mark.parametrize("variance", ["preserved", "literal"])
def test_an_autoregression_has_its_mean_deviation_and_correlation(variance: str) -> None:
    rates = rates_bps(
        process="ar1",
        min_bps=1e6,
        max_bps=3e6,
        coherence_s=0.1,
        step_s=0.1 / LAG,
        variance=variance,
    )
    memory = 0.1 ** (1 / LAG)
    uniform = 1e6 / math.sqrt(3)
    spread = uniform * (1 if variance == "preserved" else math.sqrt((1 - memory) / (1 + memory)))
    near = 0.08 if variance == "preserved" else 0.02  # clipping reduces the variance
    assert rates.min() >= 1e6 * (1 - 1e-9)
    assert rates.max() <= 3e6 * (1 + 1e-9)
    assert rates.mean() == pytest.approx(2e6, rel=0.01)
    assert rates.std() == pytest.approx(spread, rel=near)
    assert correlation(rates, LAG) == pytest.approx(0.1, abs=0.03)


def test_shadowing_is_normal_in_decibels_with_its_mean_rate() -> None:
    rates = rates_bps(
        process="shadowing",
        peak_bps=1e9,  # the peak rate is so high that it never limits the capacity
        mean_bps=2e6,
        speed_mps=50 / 0.1,
        step_s=0.1 / LAG,
        sigma_db=6.0,
    )
    # At a cell's vertex, the six interfering sites are 1, 1, 2, 2, √7 and √7 cell radii away.
    snr = 1 / (2 * (1 + 2**-4 + math.sqrt(7) ** -4))
    scale_bps = np.median(rates) / math.log2(1 + snr)
    shadowing_db = -10 * np.log10((2 ** (rates / scale_bps) - 1) / snr)
    assert rates.mean() == pytest.approx(2e6, rel=0.02)
    assert shadowing_db.std() == pytest.approx(6.0, rel=0.02)
    assert np.mean(np.abs(shadowing_db) < 6.0) == pytest.approx(0.683, abs=0.01)
    assert correlation(shadowing_db, LAG) == pytest.approx(0.1, abs=0.03)
    assert correlation(shadowing_db, 1) == pytest.approx(0.1 ** (1 / LAG), abs=0.03)


def test_no_step_of_a_shadowed_link_is_faster_than_its_peak() -> None:
    rates = rates_bps(process="shadowing", peak_bps=3e6, mean_bps=2e6, speed_mps=500.0, step_s=0.02)
    assert rates.max() == pytest.approx(3e6)
    assert rates.mean() == pytest.approx(2e6, rel=0.02)
