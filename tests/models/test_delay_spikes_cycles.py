"""Durations of congestion cycles between delay spikes agree with integration and the study."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import brentq

from tcpgoodput.answers import Undefined
from tcpgoodput.models.delay_spikes.curves import (
    avoidance_cycles,
    cycle_constants,
    slow_start_cycle,
)
from tcpgoodput.models.delay_spikes.cycles import (
    CORRECTED,
    PRINTED_GROWTH,
    EquationSet,
    cycle,
    growth_of_a_window,
    printed_growth,
    slow_start_cycle_s,
)
from tests.scenarios import scenario

losses = st.floats(1e-6, 0.3)
round_trips = st.floats(0.02, 2)
rates = st.floats(1.5, 2000)


GROWTHS = [(CORRECTED, 2, 1), (PRINTED_GROWTH, 1, 0)]
"""Equations; a, if the rate grows by 1/Rᵃ packets/s in a second; b, if slow start begins with 1/Rᵇ
packets/s. R is the round trip in seconds."""


def pure_or_cut_start(p: float, slope: float, max_rate: float) -> tuple[float, float]:
    """Return x₀, the rate after a loss, and the rate's limit (inf if it is never reached)."""
    # Without a limit the rate rises by `slope` packets/s in a second, so from x to 2x in x/slope
    # seconds. In this time 1/p packets are sent.
    x = brentq(lambda x: trapezium(x, 2 * x) * x / slope - 1 / p, 1e-9, 1e9, rtol=1e-14)
    if x < max_rate / 2:
        return x, math.inf
    if 1 / p < max_rate * max_rate / slope:

        def area(x: float) -> float:
            rise = (max_rate - x) / slope
            return trapezium(x, max_rate) * rise + max_rate * (x / slope - rise)

        return brentq(lambda x: area(x) - 1 / p, max_rate / 2, max_rate), max_rate
    return max_rate, max_rate


def trapezium(left: float, right: float) -> float:
    return (left + right) / 2


def time_to_send(
    amount: float, rate: Callable[[np.ndarray], np.ndarray], kinks: list[float], guess: float
) -> float:
    """Return the time in which `amount` packets are sent, by Simpson's rule between the kinks.

    The time must be less than three times the `guess`.
    """
    ends = sorted({0.0, 3 * guess, *(k for k in kinks if 0 < k < 3 * guess)})
    times, sent = [0.0], [0.0]
    for start, stop in pairwise(ends):
        t = np.linspace(start, stop, 10_001)
        y = rate(t)
        step = (stop - start) / 5000 / 6 * (y[:-2:2] + 4 * y[1:-1:2] + y[2::2])
        times += list(t[2::2])
        sent += list(sent[-1] + np.cumsum(step))
    assert sent[-1] > amount
    return float(np.interp(amount, sent, times))


def linear_growth(
    start: float, ceiling: float, slope: float, begin_s: float = 0.0
) -> tuple[Callable[[np.ndarray], np.ndarray], list[float]]:
    """Return the rate in congestion avoidance as a function of time, and the time of its kink."""
    cut = [begin_s + (ceiling - start) / slope] if ceiling < math.inf else []
    return lambda t: np.minimum(start + (t - begin_s) * slope, ceiling), cut


def slow_start_then_growth(
    start: float, ceiling: float, rtt_s: float, slope: float, first: float
) -> tuple[Callable[[np.ndarray], np.ndarray], list[float]]:
    """Return the rate after a timeout as a function of time, and the times of its kinks."""
    doubling_s = rtt_s * math.log2(start / first)
    linear, cut = linear_growth(start, ceiling, slope, doubling_s)
    doubling = lambda t: first * np.exp2(np.minimum(t, doubling_s) / rtt_s)  # noqa: E731
    return lambda t: np.where(t < doubling_s, doubling(t), linear(t)), [doubling_s, *cut]


@pytest.mark.parametrize("part", range(5))
@pytest.mark.parametrize(("equations", "a", "b"), GROWTHS)
def test_cycle_durations_equal_the_integrated_sending_time(
    part: int, equations: EquationSet, a: int, b: int
) -> None:
    random = np.random.default_rng(part)
    modes = []
    while len(modes) < 30:
        rtt_s, max_rate = random.uniform(0.02, 2), 10 ** random.uniform(0.3, 3)
        slope, first = rtt_s**-a, rtt_s**-b
        p = min(0.5, 10 ** random.uniform(-1.5, 1.5) * slope / max_rate**2)
        start, ceiling = pure_or_cut_start(p, slope, max_rate)
        if start < first:
            continue
        means = cycle(p, rtt_s, max_rate, 0.7, equations)
        assert means.start_pps == pytest.approx(start, rel=1e-9)
        plain = time_to_send(1 / p, *linear_growth(start, ceiling, slope), means.avoidance_s)
        assert means.avoidance_s == pytest.approx(plain, rel=1e-7)
        risen = slow_start_then_growth(start, ceiling, rtt_s, slope, first)
        slow = time_to_send(1 / p, *risen, means.slow_start_s - 0.7)
        assert means.slow_start_s - 0.7 == pytest.approx(slow, rel=1e-7)
        modes.append(means.mode)
    assert {1, 2, 3} == set(modes)


@given(
    st.floats(2, 200),
    round_trips,
    st.floats(0.05, 1),
    st.sampled_from([0.5, 0.9, 1.5, 20]),
    st.sampled_from(["printed", "corrected"]),
)
def test_a_cycle_within_slow_start_has_the_right_duration(
    times: float, rtt_s: float, headroom: float, share: float, form: str
) -> None:
    """No loss probability of the model gives such a cycle, so `slow_start_cycle_s` is called."""
    slope, first = (1 / rtt_s, 1.0) if form == "printed" else (1 / rtt_s**2, 1 / rtt_s)
    growth = printed_growth(rtt_s) if form == "printed" else growth_of_a_window(rtt_s)
    start = times * first
    ceiling = start / headroom
    doubled = rtt_s * (start - first) / math.log(2)
    p = 1 / (share * doubled)
    time_s = slow_start_cycle_s(start, ceiling, p, 0.0, growth)
    exact = time_to_send(
        1 / p, *slow_start_then_growth(start, ceiling, rtt_s, slope, first), time_s
    )
    assert time_s == pytest.approx(exact, rel=1e-6)


@given(losses, round_trips, rates)
def test_a_cycle_has_more_packets_than_its_slow_start(
    p: float, rtt_s: float, max_rate: float
) -> None:
    for equations, a, b in GROWTHS:
        try:
            start = cycle(p, rtt_s, max_rate, 0.0, equations).start_pps
        except Undefined:
            continue
        slow_start = rtt_s * (start - rtt_s**-b) / math.log(2)
        assert 1 / p >= rtt_s**a * start**2 * (1 - 1e-12) > slow_start


@given(round_trips, rates, st.sampled_from(["1|2", "2|3"]))
def test_cycles_are_continuous_where_modes_meet(rtt_s: float, max_rate: float, at: str) -> None:
    p = (8 / 3 if at == "1|2" else 1) / (rtt_s * max_rate) ** 2
    assume(1e-9 < p < 0.9 and max_rate * rtt_s / 2 > 1.01)
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


@given(losses, round_trips, st.floats(0.05, 50))
def test_a_pure_saw_tooth_without_timeouts_has_the_square_root_law(
    p: float, rtt_s: float, headroom: float
) -> None:
    """In mode 1 the corrected goodput is (1/R) √(3/(2p)), the printed one √R so."""
    law = math.sqrt(3 / (2 * p)) / rtt_s
    max_rate = (2 + headroom) * law * max(1, math.sqrt(rtt_s))
    for equations, share in ((CORRECTED, 1.0), (PRINTED_GROWTH, math.sqrt(rtt_s))):
        try:
            means = cycle(p, rtt_s, max_rate, 0.0, equations)
        except Undefined:
            continue
        assert means.mode == 1
        assert 1 / (p * means.avoidance_s) == pytest.approx(law * share, rel=1e-12)


@pytest.mark.parametrize("p", [0.02, 0.05, 0.15])
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


def test_curves_and_tables_of_cycles_refuse_a_scenario_without_loss() -> None:
    lossless = scenario(tcp={"mss_bytes": 576}, path={"rate_bps": 40e3})
    for refuses in (avoidance_cycles, lambda one: cycle_constants({"one": one})):
        with pytest.raises(ValueError, match="need random loss"):
            refuses(lossless)
