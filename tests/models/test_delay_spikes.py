"""The renewal models against quadrature, renewal recursion, Monte Carlo, limits and scaling."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tcpgoodput.models import MODELS
from tcpgoodput.models.delay_spikes.cycles import Cycle
from tcpgoodput.models.delay_spikes.lossless import mean_packets, packets
from tcpgoodput.models.delay_spikes.lossy_exact import cycles_within
from tcpgoodput.scenario.distributions import Exponential, MarkovExponential, Pareto, Uniform
from tests.scenarios import scenario

R, C = 0.3152, 40e3 / 4608


def spiky(interval: dict[str, Any], duration: dict[str, Any] | float = 5.0, **parts: Any):
    if isinstance(duration, float):
        duration = {"distribution": "constant", "mean_s": duration}
    path = {"rate_bps": 40e3, "forward_delay_s": 0.1, "backward_delay_s": 0.1}
    return scenario(
        tcp={"mss_bytes": 576, **parts.pop("tcp", {})},
        path=parts.pop("path", path),
        spikes={"interval": interval, "duration": duration},
        **parts,
    )


def goodput(model: str, subject: Any) -> float:
    value = MODELS[model].predict(subject).goodput_pps
    assert value is not None
    return value


def by_quadrature(density: Any, low: float, high: float, silence: float) -> float:
    """Return E(A) of (4) at 30 digits."""
    with mpmath.workdps(30):
        rtt, rate = mpmath.mpf(R), mpmath.mpf(C)
        rise = rtt * mpmath.log(rate, 2)

        def reward(t: Any) -> Any:
            left = t - silence
            if left <= 0:
                return mpmath.mpf(0)
            grown = rtt / mpmath.log(2) * (2 ** (min(left, rise) / rtt) - 1)
            return grown + rate * max(left - rise, 0)

        inner = [
            x for x in (silence, silence + rise, silence + 60, silence + 600) if low < x < high
        ]
        return float(mpmath.quad(lambda t: reward(t) * density(t), [low, *inner, high]))


@pytest.mark.parametrize("mean", [0.2, R / math.log(2), 1.0, 8.0, 50.0])
def test_exponential_intervals_by_quadrature(mean: float) -> None:
    exact = by_quadrature(lambda t: mpmath.exp(-t / mean) / mean, 0, mpmath.inf, 1.5)
    law = Exponential(distribution="exponential", mean_s=mean)
    assert mean_packets(law, 1.5, R, C) == pytest.approx(exact, rel=1e-10)


@pytest.mark.parametrize(("low", "high"), [(0.0, 4.0), (1.0, 6.5), (10.0, 30.0), (5.1, 5.2)])
def test_uniform_intervals_by_quadrature(low: float, high: float) -> None:
    exact = by_quadrature(lambda t: 1 / (high - low), low, high, 1.5)
    law = Uniform(distribution="uniform", low_s=low, high_s=high)
    assert mean_packets(law, 1.5, R, C) == pytest.approx(exact, rel=1e-10)


@pytest.mark.parametrize("mean", [1.0, 6.0, 20.0])
def test_pareto_intervals_by_quadrature(mean: float) -> None:
    scale = mean / 3
    exact = by_quadrature(lambda t: 1.5 * scale**1.5 / t**2.5, scale, mpmath.inf, 1.5)
    law = Pareto(distribution="pareto", mean_s=mean, shape=1.5)
    assert mean_packets(law, 1.5, R, C) == pytest.approx(exact, rel=1e-9)


def test_modulated_intervals_by_a_real_chain() -> None:
    law = MarkovExponential(
        distribution="markov-exponential", mean0_s=5.0, mean1_s=35.0, p01=0.1, p10=0.3
    )
    random = np.random.default_rng(1)
    count = 400_000
    uniform, state = random.random(count), 0
    states = np.empty(count, dtype=int)
    for n in range(count):
        states[n] = state
        if uniform[n] < (law.p01, law.p10)[state]:
            state = 1 - state
    intervals = random.exponential(np.where(states == 0, law.mean0_s, law.mean1_s))
    rewards = np.array([packets(t - 5.0, R, C) for t in intervals[:100_000]])
    per_state = [rewards[states[:100_000] == s] for s in (0, 1)]
    share = law.pi0
    mixed = share * per_state[0].mean() + (1 - share) * per_state[1].mean()
    error = math.hypot(
        *(w * r.std() / len(r) ** 0.5 for w, r in zip((share, 1 - share), per_state, strict=True))
    )
    assert abs(mean_packets(law, 5.0, R, C) - mixed) < 4 * error
    assert abs((states == 0).mean() - share) < 0.01


@given(st.floats(0.01, 200), st.floats(0.01, 30), st.floats(0.2, 5))
def test_exponential_goodput_depends_on_ratios_only(mean: float, silence: float, by: float) -> None:
    def rate(scale: float) -> float:
        law = Exponential(distribution="exponential", mean_s=mean * scale)
        return mean_packets(law, silence * scale, R * scale, C) / (mean * scale)

    assert rate(by) == pytest.approx(rate(1.0), rel=1e-9)


def test_rare_spikes_cost_nothing() -> None:
    rare = spiky({"distribution": "exponential", "mean_s": 1e8})
    assert goodput("delay_spikes.lossless", rare) == pytest.approx(C, rel=1e-6)
    loss = {"process": "bernoulli", "probability": 0.02}
    with_spikes = spiky({"distribution": "exponential", "mean_s": 1e8}, loss=loss)
    without = with_spikes.model_copy(update={"spikes": None})
    for model in ("delay_spikes.lossy", "delay_spikes.lossy_exact"):
        assert goodput(model, with_spikes) == pytest.approx(goodput(model, without), rel=1e-6)


def renewal_function(total: float, short: float, long: float, beta: float) -> float:
    """Return M(T) = (1 − β)[T ≤ a? T/a : 1 + M(T − a)] + β[T ≤ b? T/b : 1 + M(T − b)]."""
    memory: dict[int, float] = {}

    def value(t: int) -> float:
        if t not in memory:
            memory[t] = sum(
                weight * (t / step if t <= step else 1 + value(t - step))
                for weight, step in ((1 - beta, a), (beta, b))
            )
        return memory[t]

    unit = 1e-3
    a, b = round(short / unit), round(long / unit)
    for t in range(round(total / unit) + 1):  # bottom up: no deep recursion
        value(t)
    return memory[round(total / unit)]


@pytest.mark.parametrize("beta", [0.1, 0.5, 0.9, 0.0, 1.0])
@pytest.mark.parametrize(("short", "long"), [(0.1, 1.0), (0.5, 1.0), (0.1, 0.7)])
@pytest.mark.parametrize("total", [0.05, 0.1, 1.0, 1.999, 2.0, 7.3])
def test_the_exact_sum_is_the_renewal_function(
    total: float, short: float, long: float, beta: float
) -> None:
    means = Cycle(1, 1.0, short, long, 4.0, beta)
    exact = renewal_function(total, short, long, beta)
    assert cycles_within([total], means)[0] == pytest.approx(exact, rel=1e-10)


@given(st.floats(0.01, 20), st.floats(0.05, 1), st.floats(1, 3), st.floats(0, 1))
def test_the_exact_sum_keeps_within_the_bounds(
    t: float, short: float, ratio: float, b: float
) -> None:
    means = Cycle(1, 1.0, short, short * ratio, 4.0, b)
    count = cycles_within([t], means)[0]
    longest = means.slow_start_s
    assert (t - longest) / means.mean_s - 1e-9 <= count <= (t + longest) / means.mean_s + 1e-9


@pytest.mark.parametrize(
    ("beta", "short", "first", "last"),
    [(0.1, 0.1, 0.42163, 0.0188), (0.1, 0.5, 0.04306, 0.00204), (0.5, 0.1, 0.66942, 0.0190),
     (0.5, 0.5, 0.11111, 0.00415)],
)  # fmt: skip
def test_walds_error_at_its_ends(beta: float, short: float, first: float, last: float) -> None:
    means = Cycle(1, 1.0, short, 1.0, 4.0, beta)
    error = [1 - t / means.mean_s / cycles_within([t], means)[0] for t in (1e-3, 10.0)]
    assert error == pytest.approx([first, last], rel=0.01)
    # As T → 0 the reward is that of a first cycle: 1 − 1/(E(Y) E(1/Y)).
    inverse = (1 - beta) / short + beta
    assert error[0] == pytest.approx(1 - 1 / (means.mean_s * inverse), rel=1e-9)


def test_spikes_longer_than_every_interval_leave_nothing() -> None:
    subject = spiky({"distribution": "uniform", "low_s": 1, "high_s": 4})
    assert goodput("delay_spikes.lossless", subject) == 0


def test_random_lengths_by_monte_carlo() -> None:
    subject = spiky(
        {"distribution": "exponential", "mean_s": 20},
        {"distribution": "uniform", "low_s": 5, "high_s": 10},
    )
    random = np.random.default_rng(2)
    intervals, lengths = random.exponential(20, 200_000), random.uniform(5, 10, 200_000)
    rewards = np.array([packets(t, R, C) for t in intervals - lengths])
    mean, error = rewards.mean() / 20, rewards.std() / 20 / 200_000**0.5
    assert abs(goodput("delay_spikes.lossless_random_length", subject) - mean) < 4 * error
    # Values of section 3.2 against the mean length, computed apart from this code.
    assert goodput("delay_spikes.lossless_random_length", subject) == pytest.approx(
        5.81125, rel=1e-5
    )
    assert goodput("delay_spikes.lossless", subject) == pytest.approx(5.79615, rel=1e-5)


laws = st.one_of(
    st.builds(lambda m: {"distribution": "constant", "mean_s": m}, st.floats(1e-2, 1e4)),
    st.builds(lambda m: {"distribution": "exponential", "mean_s": m}, st.floats(1e-2, 1e6)),
    st.builds(
        lambda m, s: {"distribution": "pareto", "mean_s": m, "shape": s},
        st.floats(1e-2, 1e4),
        st.floats(1.01, 10),
    ),
)


@given(laws, laws, st.floats(1e-9, 0.99), st.floats(1e3, 1e9), st.floats(1e-4, 5))
def test_any_scenario_gets_a_number_or_a_reason(
    interval: dict[str, Any], duration: dict[str, Any], p: float, rate_bps: float, delay_s: float
) -> None:
    path = {"rate_bps": rate_bps, "forward_delay_s": delay_s, "backward_delay_s": delay_s}
    for loss in ({"process": "none"}, {"process": "bernoulli", "probability": p}):
        subject = spiky(interval, duration, loss=loss, path=path)
        for name in MODELS.names():
            if name.startswith("delay_spikes"):
                prediction = MODELS[name].predict(subject)
                if prediction.goodput_pps is None:
                    assert prediction.reason
                else:
                    assert 0 <= prediction.goodput_pps < math.inf
