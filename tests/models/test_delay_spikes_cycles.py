"""Congestion cycles against step-by-step integration, continuity and the study's own constants."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tcpgoodput.models.base import Undefined
from tcpgoodput.models.delay_spikes.curves import avoidance_cycles, slow_start_cycle
from tcpgoodput.models.delay_spikes.cycles import (
    PRINTED,
    cycle,
    cycle_in_round_trips,
    timeout_probability,
)
from tests.scenarios import scenario

losses = st.floats(1e-6, 0.3)
round_trips = st.floats(0.02, 2)
rates = st.floats(1.5, 2000)


def marched(p: float, rtt_s: float, max_rate: float, slow_start: bool) -> float:
    """Return the time to send 1/p packets, in small steps from the verbal description."""
    pure = math.sqrt(2 / (3 * p * rtt_s))
    if pure < max_rate / 2:
        start, ceiling = pure, math.inf
    elif p * rtt_s * max_rate**2 > 1:
        # The linear rise from x₀ and the flat part bring 1/p while the window doubles.
        start = float(
            mpmath.findroot(
                lambda x: (
                    rtt_s * (max_rate**2 - x**2) / 2 + max_rate * rtt_s * (2 * x - max_rate) - 1 / p
                ),
                (max_rate / 2, max_rate),
                solver="anderson",
            )
        )
        ceiling = max_rate
    else:
        start = ceiling = max_rate
    time, rate, left = 0.0, 1.0 if slow_start else start, 1 / p
    step = rtt_s / 4000
    while left > 0:
        if rate < start:
            grown = min(rate * 2 ** (step / rtt_s), start)
        else:
            grown = min(rate + step / rtt_s, ceiling)
        left -= step * (rate + grown) / 2
        rate, time = grown, time + step
    return time + left / rate


@pytest.mark.parametrize("seed", range(40))
def test_cycles_last_as_long_as_sending_takes(seed: int) -> None:
    random = np.random.default_rng(seed)
    rtt_s, max_rate = random.uniform(0.1, 1.5), random.uniform(3, 40)
    p = 10 ** random.uniform(-2.2, -0.9)
    try:
        means = cycle(p, rtt_s, max_rate, 0.7)
    except Undefined:
        pytest.skip("slow start would begin above its end")
    assert means.avoidance_s == pytest.approx(marched(p, rtt_s, max_rate, False), rel=2e-3)
    assert means.slow_start_s - 0.7 == pytest.approx(marched(p, rtt_s, max_rate, True), rel=2e-3)


@pytest.mark.parametrize(
    ("rate_bps", "p", "mode", "start", "avoidance", "slow", "window", "beta"),
    [
        (40e3, 0.02, 3, 40e3 / 4608, 5.76, 6.340375, 2.736111, 1.0),
        (40e3, 0.05, 2, 7.403572, 2.333606, 2.908517, 2.736111, 1.0),
        (100e3, 0.02, 2, 11.677726, 2.873655, 3.571498, 5.340278, 0.6000085),
        (100e3, 0.05, 1, 7.360905, 1.811371, 2.363266, 3.622743, 0.8637234),
    ],
)
def test_the_links_of_the_study(
    rate_bps: float, p: float, mode: int, start: float, avoidance: float, slow: float,
    window: float, beta: float,
) -> None:  # fmt: skip
    means = cycle(p, 0.2 + 4608 / rate_bps, rate_bps / 4608, 0.0)
    assert means.mode == mode
    values = (means.start_pps, means.avoidance_s, means.slow_start_s, means.window_packets)
    assert values == pytest.approx((start, avoidance, slow, window), rel=1e-6)
    assert means.timeout_probability == pytest.approx(beta, rel=1e-6)


@given(round_trips, rates, st.sampled_from(["1|2", "2|3"]))
def test_cycles_are_continuous_where_modes_meet(rtt_s: float, max_rate: float, at: str) -> None:
    p = (8 / 3 if at == "1|2" else 1) / (rtt_s * max_rate**2)
    assume(1e-9 < p < 0.9 and max_rate / 2 > 1.01)
    below, above = (cycle(p * (1 + e), rtt_s, max_rate, 0.2) for e in (-1e-9, 1e-9))
    assert below.mode != above.mode
    assert below.avoidance_s == pytest.approx(above.avoidance_s, rel=1e-4)
    assert below.slow_start_s == pytest.approx(above.slow_start_s, rel=1e-4)


@given(losses, round_trips, rates)
def test_a_timeout_never_shortens_a_cycle(p: float, rtt_s: float, max_rate: float) -> None:
    try:
        means = cycle(p, rtt_s, max_rate, 0.0)
    except Undefined:
        return
    assert means.slow_start_s >= means.avoidance_s * (1 - 1e-9)


@given(losses, round_trips, rates, st.floats(0.1, 10))
def test_in_units_of_round_trips_time_scales(
    p: float, rtt_s: float, max_rate: float, factor: float
) -> None:
    try:
        means = cycle_in_round_trips(p, rtt_s, max_rate, 0.2)
    except Undefined:
        return
    slower = cycle_in_round_trips(p, rtt_s * factor, max_rate / factor, 0.2 * factor)
    assert slower.mean_s == pytest.approx(means.mean_s * factor, rel=1e-6)


@given(st.floats(3.001, 1e6), st.floats(1e-12, 0.99))
def test_timeout_probability_is_the_formula_at_fifty_digits(window: float, p: float) -> None:
    with mpmath.workdps(60):
        q, w = 1 - mpmath.mpf(p), mpmath.mpf(window)
        exact = min(1, (1 - q**3) * (1 + q**3 * (1 - q ** (w - 3))) / (1 - q**w))
    assert timeout_probability(window, p) == pytest.approx(float(exact), rel=1e-12)


def test_the_printed_root_is_of_a_negative_number_for_every_link_of_the_study() -> None:
    for rate_bps in (40e3, 100e3):
        for p in (0.02, 0.05):
            with pytest.raises(Undefined):
                cycle(p, 0.2 + 4608 / rate_bps, rate_bps / 4608, 0.2, PRINTED)


@pytest.mark.parametrize("p", [0.02, 0.05])
@pytest.mark.parametrize("rate_bps", [40e3, 100e3])
def test_drawn_cycles_carry_one_over_p_packets(p: float, rate_bps: float) -> None:
    drawn = scenario(
        tcp={"mss_bytes": 576},
        path={"rate_bps": rate_bps, "forward_delay_s": 0.1, "backward_delay_s": 0.1},
        loss={"process": "bernoulli", "probability": p},
    )
    plain, slow = avoidance_cycles(drawn, cycles=1), slow_start_cycle(drawn)
    assert np.trapezoid(plain.y, plain.x) == pytest.approx(1 / p, rel=1e-12)
    assert np.trapezoid(slow.y, slow.x) == pytest.approx(1 / p, rel=1e-3)
