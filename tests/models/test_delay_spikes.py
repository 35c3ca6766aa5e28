"""The models of delay spikes, compared with integration, Monte Carlo simulation and limits."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tcpgoodput.answers import Conditions
from tcpgoodput.models import MODELS
from tcpgoodput.models.delay_spikes.curves import spike_cycles
from tcpgoodput.models.delay_spikes.cycles import Cycle, cycle
from tcpgoodput.models.delay_spikes.laws import mean_excess, mean_over, scales
from tcpgoodput.models.delay_spikes.lossless import mean_packets, packets
from tcpgoodput.models.delay_spikes.lossy import cycles_within, mean_cycles
from tcpgoodput.models.predict import predict
from tcpgoodput.scenario.distributions import Exponential, Lomax, MarkovExponential, Pareto, Uniform
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
    value = predict(MODELS[model], subject).goodput_pps
    assert value is not None
    return value


LOSSY = {"process": "bernoulli", "probability": 0.02}


def delays(each_s: float) -> dict[str, float]:
    return {"forward_delay_s": each_s, "backward_delay_s": each_s}


def link(rate_bps: float, each_s: float = 0.1, **more: Any) -> dict[str, Any]:
    return {"path": {"rate_bps": rate_bps, **delays(each_s), **more}}


def lossy(probability: float, **more: Any) -> dict[str, Any]:
    return {"loss": LOSSY | {"probability": probability}, **more}


def uniform(low: float, high: float) -> Uniform:
    return Uniform(distribution="uniform", low_s=low, high_s=high)


def exponential(mean: float) -> Exponential:
    return Exponential(distribution="exponential", mean_s=mean)


def pareto(mean: float, shape: float) -> Pareto:
    return Pareto(distribution="pareto", mean_s=mean, shape=shape)


def lomax(mean: float, shape: float) -> Lomax:
    return Lomax(distribution="lomax", mean_s=mean, shape=shape)


def modulated(mean: float) -> MarkovExponential:
    """Return the Markov-modulated exponential distribution of the study's section 4.2."""
    return MarkovExponential(
        distribution="markov-exponential",
        mean0_s=0.25 * mean,
        mean1_s=1.75 * mean,
        p01=0.5,
        p10=0.5,
    )


def by_quadrature(density: Any, low: float, high: float, silence: float) -> float:
    """Return the mean packets between two spikes, E(A) of equation (4), with 30 digits."""
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


@pytest.mark.parametrize(("low", "high"), [(0.0, 4.0), (1.0, 6.5), (10.0, 30.0), (5.1, 5.2)])
def test_uniform_intervals_agree_with_quadrature(low: float, high: float) -> None:
    exact = by_quadrature(lambda t: 1 / (high - low), low, high, 1.5)
    assert mean_packets(uniform(low, high), 1.5, R, C) == pytest.approx(exact, rel=1e-10)


@pytest.mark.parametrize("mean", [1.0, 6.0, 20.0])
def test_heavy_tailed_intervals_agree_with_quadrature(mean: float) -> None:
    scale = mean / 3
    exact = by_quadrature(lambda t: 1.5 * scale**1.5 / t**2.5, scale, mpmath.inf, 1.5)
    assert mean_packets(pareto(mean, 1.5), 1.5, R, C) == pytest.approx(exact, rel=1e-9)
    spread = mean / 2
    exact = by_quadrature(lambda t: 1.5 / spread * (1 + t / spread) ** -2.5, 0, mpmath.inf, 1.5)
    assert mean_packets(lomax(mean, 1.5), 1.5, R, C) == pytest.approx(exact, rel=1e-9)


def test_rare_spikes_do_not_reduce_goodput() -> None:
    rare = spiky({"distribution": "exponential", "mean_s": 1e8})
    assert goodput("delay_spikes.lossless", rare) == pytest.approx(C, rel=1e-6)
    with_spikes = spiky({"distribution": "exponential", "mean_s": 1e8}, loss=LOSSY)
    without = with_spikes.model_copy(update={"spikes": None})
    for model in ("delay_spikes.lossy", "delay_spikes.lossy_exact"):
        assert goodput(model, with_spikes) == pytest.approx(goodput(model, without), rel=1e-6)


def renewal_function(
    total: float, short: float, long: float, beta: float, unit: float = 1e-3
) -> np.ndarray:
    """Return the mean number M(T) of cycles at multiples T of `unit` up to `total`, by renewal.

    A cycle lasts a = `short` or, with probability β, b = `long` seconds: M(T) = (1 − β)[T ≤ a? T/a
    : 1 + M(T − a)] + β[T ≤ b? T/b : 1 + M(T − b)].
    """
    a, b, last = round(short / unit), round(long / unit), round(total / unit)
    m = np.zeros(last + 1)
    for t in range(1, last + 1):
        m[t] = (1 - beta) * (t / a if t <= a else 1 + m[t - a]) + beta * (
            t / b if t <= b else 1 + m[t - b]
        )
    return m


@pytest.mark.parametrize("beta", [0.1, 0.5, 0.9, 0.0, 1.0])
@pytest.mark.parametrize(("short", "long"), [(0.1, 1.0), (0.5, 1.0), (0.1, 0.7)])
@pytest.mark.parametrize("total", [0.05, 0.1, 1.0, 1.999, 2.0, 7.3])
def test_the_exact_sum_equals_the_renewal_function(
    total: float, short: float, long: float, beta: float
) -> None:
    means = Cycle(1, 1.0, short, long, 4.0, beta)
    exact = renewal_function(total, short, long, beta)[-1]
    assert cycles_within([total], means)[0] == pytest.approx(exact, rel=1e-10)


def as_printed(total: Fraction, short: Fraction, long: Fraction, beta: Fraction) -> Fraction:
    """Return the mean number of cycles by the printed sums (7), as an exact fraction."""
    reward, probability = Fraction(0), Fraction(0)
    for n in range(int(total / short) + 1):
        for m in range(int(total / long) + 1):
            spent = n * short + m * long
            if spent >= total:
                continue
            visits = math.comb(n + m, m) * beta**m * (1 - beta) ** n
            for step, weight in ((short, 1 - beta), (long, beta)):
                if spent + step >= total:
                    reward += visits * weight * (n + m + (total - spent) / step)
                    probability += visits * weight
    assert probability == 1
    return reward


@pytest.mark.parametrize("beta", [Fraction(1, 10), Fraction(1, 2)])
@pytest.mark.parametrize("short", [Fraction(1, 10), Fraction(1, 2), Fraction(7, 10)])
@pytest.mark.parametrize("tenths", [1, 5, 7, 10, 15, 20, 33, 50])
def test_the_exact_sum_is_correct_on_and_off_its_lattice(
    tenths: int, short: Fraction, beta: Fraction
) -> None:
    """At a time nτ_CA + mτ_SS (n, m whole) rounding errors could lose a term of the sum (7)."""
    means = Cycle(1, 1.0, float(short), 1.0, 4.0, float(beta))
    for total in (Fraction(tenths, 10), Fraction(tenths, 10) + Fraction(1, 37)):
        exact = as_printed(total, short, Fraction(1), beta)
        assert cycles_within(float(total), means) == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize("beta", [0.02, 0.3, 0.9])
def test_cycles_of_a_long_time_equal_the_renewal_function(beta: float) -> None:
    """For long times the model uses the mean rate of congestion cycles, which is precise enough."""
    means = Cycle(1, 1.0, 0.01, 0.017, 4.0, beta)
    assert cycles_within(30.0, means) == pytest.approx(
        renewal_function(30.0, 0.01, 0.017, beta)[-1], rel=1e-7
    )
    # Cycles last Y seconds. For long times T, their mean number minus T/E(Y) tends to
    # Var(Y)/(2 E(Y)²).
    variance = beta * (1 - beta) * 0.007**2
    excess = cycles_within(1e4, means) - 1e4 / means.mean_s
    assert excess == pytest.approx(variance / means.mean_s**2 / 2, abs=1e-5)


@pytest.mark.parametrize(
    ("law", "density"),
    [
        (uniform(1.0, 9.0), lambda t: ((t > 1) & (t < 9)) / 8),
        (uniform(4.0, 4.5), lambda t: ((t > 4) & (t < 4.5)) * 2.0),
        (exponential(6.0), lambda t: np.exp(-t / 6) / 6),
        (pareto(6.0, 2.5), lambda t: np.where(t > 3.6, 2.5 * 3.6**2.5 / t**3.5, 0)),
        (pareto(0.9, 1.5), lambda t: np.where(t > 0.3, 1.5 * 0.3**1.5 / t**2.5, 0)),
        (lomax(6.0, 20.0), lambda t: 20 / 114 * (1 + t / 114) ** -21),
    ],
)
def test_the_averaged_exact_sum_agrees_with_quadrature(law: Any, density: Any) -> None:
    """The mean number of cycles between two spikes equals the integral (6) over the intervals."""
    means, silence, unit = Cycle(2, 1.0, 0.83, 1.31, 5.0, 0.4), 1.7, 0.01
    longest = 500.0
    m = renewal_function(longest, 0.83, 1.31, 0.4, unit)
    nodes, weights = np.polynomial.legendre.leggauss(6)
    t = unit * (np.arange(len(m) + 169)[:, None] + (1 + nodes) / 2)
    cycles = np.interp(t - silence, unit * np.arange(len(m)), m)
    exact = float(np.sum(cycles * density(t) * weights / 2 * unit))
    if law.distribution == "pareto":  # tail: beyond the last node, cycles have their mean rate
        end, shape = float(unit * (len(m) + 169)), law.shape
        beyond = (law.scale_s / end) ** shape
        exact += beyond * (m[-1] + (end / (shape - 1) + end - silence - longest) / means.mean_s)
    assert mean_cycles(law, silence, means) == pytest.approx(exact, rel=1e-8)


def test_modulated_intervals_are_a_mixture_of_exponential_ones() -> None:
    """The goodputs equal the study's equations (11) and (13), averages over the chain's states."""
    law = {"distribution": "markov-exponential", "mean0_s": 5.0, "mean1_s": 35.0} | {
        "p01": 0.1,
        "p10": 0.3,
    }
    shares, means = (0.75, 0.25), (5.0, 35.0)
    total = sum(s * m for s, m in zip(shares, means, strict=True))

    def g(mu: float) -> float:
        r = R / mu
        power = math.log(2) * C ** (1 - r / math.log(2))
        return math.exp(-5 / mu) * (r - power) / (r - math.log(2))

    expected = sum(s * m * g(m) for s, m in zip(shares, means, strict=True)) / total
    assert goodput("delay_spikes.lossless", spiky(law)) == pytest.approx(expected, rel=1e-12)
    loss = {"process": "bernoulli", "probability": 0.05}
    cycle_s = cycle(0.05, R, C, 0.2).mean_s
    left = sum(s * m * math.exp(-5 / m) for s, m in zip(shares, means, strict=True)) / total
    assert goodput("delay_spikes.lossy", spiky(law, loss=loss)) == pytest.approx(
        left / (0.05 * cycle_s), rel=1e-12
    )
    equal = law | {"mean0_s": 20.0, "mean1_s": 20.0}
    for model in ("delay_spikes.lossy", "delay_spikes.lossy_exact"):
        assert goodput(model, spiky(equal, loss=loss)) == pytest.approx(
            goodput(model, spiky({"distribution": "exponential", "mean_s": 20.0}, loss=loss)),
            rel=1e-12,
        )


@given(st.floats(0.01, 20), st.floats(0.05, 1), st.floats(1, 3), st.floats(0, 1))
def test_the_exact_sum_is_within_walds_bounds(
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
def test_walds_error_has_its_values_at_short_and_long_times(
    beta: float, short: float, first: float, last: float
) -> None:
    means = Cycle(1, 1.0, short, 1.0, 4.0, beta)
    error = [1 - t / means.mean_s / cycles_within([t], means)[0] for t in (1e-3, 10.0)]
    assert error == pytest.approx([first, last], rel=0.01)
    # Cycles last Y seconds. As T → 0 their exact mean number is T E(1/Y), and Wald's number is
    # T/E(Y), so its relative error is 1 − 1/(E(Y) E(1/Y)).
    inverse = (1 - beta) / short + beta
    assert error[0] == pytest.approx(1 - 1 / (means.mean_s * inverse), rel=1e-9)


@pytest.mark.parametrize(("rate_bps", "window"), [(100e3, 2), (100e3, 3), (100e3, 4), (40e3, 2)])
def test_a_small_receiver_window_limits_the_rate_to_a_window_per_round_trip(
    rate_bps: float, window: int
) -> None:
    """C_max is W/R if W is smaller than what the path holds, 5.3 or 2.7 packets; R: round trip."""
    rtt_s, limit = 0.2 + 4608 / rate_bps, {"tcp": {"max_window_packets": window}} | link(rate_bps)
    law = {"distribution": "exponential", "mean_s": 20.0}
    most = window / rtt_s
    r = rtt_s / 20
    grown = (r - math.log(2) * most ** (1 - r / math.log(2))) / (r - math.log(2))
    for name in ("lossless", "lossless_random_length"):
        found = goodput(f"delay_spikes.{name}", spiky(law, **limit))
        assert found == pytest.approx(math.exp(-5 / 20) * grown, rel=1e-9)
    mean_s = cycle(0.02, rtt_s, most, 0.2).mean_s
    for name in ("lossy", "lossy_exact", "lossy_random_length"):
        found = goodput(f"delay_spikes.{name}", spiky(law, loss=LOSSY, **limit))
        assert found == pytest.approx(math.exp(-5 / 20) / (0.02 * mean_s), rel=0.002)


def test_a_window_that_is_the_product_in_whole_packets_does_not_limit_the_rate() -> None:
    law = {"distribution": "exponential", "mean_s": 20.0}
    for name, loss in (("lossless", {}), ("lossy", {"loss": LOSSY})):
        rates = {
            window: goodput(
                f"delay_spikes.{name}",
                spiky(law, tcp={"max_window_packets": window}, **link(100e3), **loss),
            )
            for window in (1, 2, 3, 4, 5, 6, 50)
        }
        assert rates[5] == rates[6] == rates[50]
        assert sorted(rates.values()) == list(rates.values())
        assert len(set(rates.values())) == 5


def test_spikes_longer_than_every_interval_give_zero_goodput() -> None:
    subject = spiky({"distribution": "uniform", "low_s": 1, "high_s": 4})
    assert goodput("delay_spikes.lossless", subject) == 0


@pytest.mark.parametrize(
    ("interval", "duration"),
    [
        (uniform(8, 8), uniform(5, 10)),
        (uniform(2, 9), uniform(1, 8)),
        (pareto(9, 1.5), uniform(1, 8)),
        (exponential(0.4), uniform(1, 8)),
        (pareto(9, 1.5), exponential(2)),
        (uniform(2, 9), exponential(50)),
        (pareto(9, 1.5), pareto(4, 1.2)),
        (exponential(9), pareto(4, 1.2)),
        (lomax(9, 1.5), uniform(1, 8)),
        (exponential(9), lomax(4, 1.5)),
    ],
)
def test_random_lengths_agree_with_stratified_lengths(interval: Any, duration: Any) -> None:
    """The goodputs equal averages over 20 000 quantiles of the spikes' durations."""
    u = (np.arange(20_000) + 0.5) / 20_000
    match duration:
        case Uniform(low_s=low, high_s=high):
            lengths = low + (high - low) * u
        case Exponential(mean_s=mean):
            lengths = -mean * np.log1p(-u)
        case Pareto(scale_s=scale, shape=shape):
            lengths = scale * (1 - u) ** (-1 / shape)
        case Lomax(spread_s=scale, shape=shape):
            lengths = scale * ((1 - u) ** (-1 / shape) - 1)
    reward = mean_packets(interval, lengths, R, C).mean() / interval.mean_s
    plain = spiky(interval.model_dump(), duration.model_dump())
    assert goodput("delay_spikes.lossless_random_length", plain) == pytest.approx(reward, rel=2e-4)
    lossy = spiky(interval.model_dump(), duration.model_dump(), loss=LOSSY)
    sending = mean_excess(interval, lengths).mean() / interval.mean_s
    assert goodput("delay_spikes.lossy_random_length", lossy) == pytest.approx(
        sending / (0.02 * cycle(0.02, R, C, 0.2).mean_s), rel=2e-4
    )


@pytest.mark.parametrize("mean_s", [0.05, 0.5, 5])
def test_short_intervals_are_averaged_exactly_over_long_spikes(mean_s: float) -> None:
    """The mean excess for intervals of mean S is S e^(−d/S); d is uniform up to 100 s."""
    law, spikes = exponential(mean_s), uniform(0, 100)
    left_s = mean_over(spikes, lambda d: mean_excess(law, d), scales(law, 100))
    assert left_s == pytest.approx(-(mean_s**2) * math.expm1(-100 / mean_s) / 100, rel=1e-12)


def test_random_length_models_agree_with_constant_length() -> None:
    for law in (uniform(2, 9), exponential(7), pareto(9, 1.5), lomax(9, 1.5), modulated(9)):
        plain = spiky(law.model_dump(), 3.0)
        assert goodput("delay_spikes.lossless_random_length", plain) == pytest.approx(
            goodput("delay_spikes.lossless", plain), rel=1e-12
        )
        lossy = spiky(law.model_dump(), 3.0, loss=LOSSY)
        assert goodput("delay_spikes.lossy_random_length", lossy) == pytest.approx(
            goodput("delay_spikes.lossy", lossy), rel=1e-12
        )


def test_a_path_of_one_packet_per_second_has_no_slow_start() -> None:
    law = pareto(9, 1.5)
    assert mean_packets(law, 3.0, R, 1.0) == pytest.approx(mean_excess(law, 3.0), rel=1e-12)
    slow = spiky(law.model_dump(), path={"rate_bps": 4000, **delays(0.1)})
    assert "slow start begins" in str(predict(MODELS["delay_spikes.lossless"], slow).reason)


def test_laws_of_intervals_are_ordered_as_the_study_states() -> None:
    """By section 4.2 uniform intervals give the least, Pareto ones the most only if short."""
    rtt_s, silence = 0.7152, 5.0

    def both(law: Any) -> np.ndarray:
        lossless = mean_packets(law, silence, rtt_s, C) / law.mean_s
        return np.array([lossless, mean_excess(law, silence) / law.mean_s])

    for mean in np.arange(1, 60.5, 0.5):
        flat = both(uniform(mean - min(mean, 5), mean + min(mean, 5)))
        plain, tail, mixed, second = (
            both(law)
            for law in (exponential(mean), pareto(mean, 1.5), modulated(mean), lomax(mean, 1.5))
        )
        assert (flat <= np.min([plain, tail, mixed, second], axis=0) * (1 + 1e-12)).all()
        assert (mixed > plain).all()
        assert (second > plain).all()
        assert list(tail > plain) == [mean < 6.979, mean < 5.527]
        if mean >= 15:  # no interval of either law is shorter than a spike, 5 s
            assert flat[1] == pytest.approx(tail[1], rel=1e-12)


def test_when_intervals_outlast_spike_and_rise_their_law_does_not_matter() -> None:
    rise = R * math.log2(C)
    lost = 7.5 + rise - R / math.log(2) * (1 - 1 / C)
    for law in (uniform(10, 30), pareto(30, 1.5), uniform(20, 20)):
        assert mean_packets(law, 7.5, R, C) / law.mean_s == pytest.approx(
            C * (1 - lost / law.mean_s), rel=1e-12
        )


@pytest.mark.parametrize(
    ("model", "parts", "status", "reason"),
    [
        ("lossless", {}, "native", ""),
        ("lossy", lossy(0.02), "native", ""),
        ("lossless", lossy(0.02), "undefined", "independent loss"),
        ("lossy", {}, "undefined", "need random loss"),
        ("lossless", {"tcp": {"ack_every": 2}}, "out-of-domain", "one for each packet"),
        ("lossless", {"tcp": {"max_window_packets": 2}}, "out-of-domain", "receiver window"),
        ("lossless", {"tcp": {"max_window_packets": 3}}, "native", ""),
        ("lossless", link(1e6), "out-of-domain", "bandwidth-delay product"),
        ("lossless", link(4e4, buffer_packets=2), "out-of-domain", "overflows"),
        ("lossless", {"duration": 0.1}, "out-of-domain", "no slow start follows"),
        ("lossy", lossy(0.08), "out-of-domain", "timeouts"),
        ("lossy", lossy(0.02, tcp={"variant": "tahoe"}), "out-of-domain", "halve"),
        ("lossy", lossy(0.97) | link(4e4, 0.4), "undefined", "slow start"),
        ("lossy", lossy(0.02) | link(1e6), "native", ""),
        ("lossy", lossy(0.05), "out-of-domain", "above 2 %"),
        ("lossy_exact", lossy(0.05), "out-of-domain", "above 2 %"),
        ("lossy", lossy(0.8), "undefined", "slow start"),
        ("lossy_printed_slope", lossy(0.02) | link(1e6), "out-of-domain", "delay product"),
        ("lossy_printed_slope", lossy(0.05), "native", ""),
        ("lossy_printed_slope", lossy(0.08), "out-of-domain", "above 5 %"),
    ],
)
def test_domain_of_the_models_is_as_stated(
    model: str, parts: dict[str, Any], status: str, reason: str
) -> None:
    subject = spiky({"distribution": "uniform", "low_s": 10, "high_s": 30}, **parts)
    prediction = predict(MODELS[f"delay_spikes.{model}"], subject)
    assert prediction.status == status, prediction.reason
    assert reason in str(prediction.reason)


@pytest.mark.parametrize(("round_trips", "status"), [(9.9, "out-of-domain"), (10.1, "native")])
def test_spikes_leave_ten_round_trips_between_them(round_trips: float, status: str) -> None:
    mean_s = 5 + round_trips * R
    subject = spiky({"distribution": "uniform", "low_s": mean_s - 1, "high_s": mean_s + 1})
    assert predict(MODELS["delay_spikes.lossless"], subject).status == status


def test_printed_equations_are_undefined_for_the_studys_links() -> None:
    subject = spiky({"distribution": "uniform", "low_s": 10, "high_s": 30}, loss=LOSSY)
    for model in ("lossy", "lossy_exact", "lossy_random_length", "lossy_printed_slope"):
        prediction = predict(MODELS[f"delay_spikes.{model}"], subject, Conditions("printed"))
        assert prediction.status == "undefined"
        assert "printed equation" in str(prediction.reason)


@given(st.floats(0.02, 50), st.floats(1e-4, 0.05), st.floats(5e4, 1e9), st.floats(0.1, 10))
def test_goodput_scales_with_time(mean_s: float, p: float, rate_bps: float, by: float) -> None:
    """If all times are multiplied by `by`, the goodput in packets/s is divided by `by`."""

    def rate(factor: float, model: str) -> float:
        subject = spiky(
            {"distribution": "exponential", "mean_s": mean_s * factor},
            5.0 * factor,
            loss={"process": "bernoulli", "probability": p},
            path={"rate_bps": rate_bps / factor, **delays(0.1 * factor)},
            tcp={"rto": {"min_s": 0.2 * factor}},
        )
        return goodput(model, subject)

    for model in ("lossy", "lossy_exact", "lossy_random_length"):
        name = f"delay_spikes.{model}"
        assert rate(by, name) * by == pytest.approx(rate(1, name), rel=1e-9)


def test_a_drawn_interval_carries_its_packets() -> None:
    path = spiky({"distribution": "constant", "mean_s": 10})
    intervals = [15.0, 5.9, 4.0, 9.0]
    drawn = spike_cycles(path, silence_s=5, intervals_s=intervals)
    assert (np.diff(drawn.x) >= 0).all()
    spikes_s = [drawn.landmarks[f"Z{number}"] for number in range(5)]
    assert spikes_s == pytest.approx([0, 15, 20.9, 24.9, 33.9])
    assert (drawn.x[0], drawn.x[-1]) == pytest.approx((0, 33.9))
    area = np.trapezoid(drawn.y, drawn.x)
    assert area == pytest.approx(sum(packets(t - 5, R, C) for t in intervals), rel=1e-3)
    in_state = [
        spike_cycles(path, silence_s=5, intervals_s=intervals, states=[0, 1, 1, 0], state=state)
        for state in (0, 1)
    ]
    assert sum(np.trapezoid(np.nan_to_num(c.y), c.x) for c in in_state) == pytest.approx(area)
    for wrong in (
        {"silence_s": 5, "intervals_s": []},
        {"silence_s": -1, "intervals_s": [9.0]},
        {"silence_s": 5, "intervals_s": [9.0], "state": 1},
        {"silence_s": 5, "intervals_s": [9.0], "states": [0, 1]},
    ):
        with pytest.raises(ValueError, match=r"\w+ \w+"):
            spike_cycles(path, **wrong)
