"""Formulas of the literature, compared with 50 digits, limits and step-by-step simulation."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tcpgoodput.answers import Conditions
from tcpgoodput.models import MODELS
from tcpgoodput.models.literature import cubic, lakshman_madhow
from tcpgoodput.models.literature.altman import PERIODIC, POISSON, constant
from tcpgoodput.models.literature.pftk import goodput_pps
from tcpgoodput.models.literature.pftk_send_rate import send_rate_pps
from tcpgoodput.models.mathis.square_root import (
    independent_loss_constant,
    mean_root_of_exponentials,
)
from tcpgoodput.models.predict import predict
from tests.scenarios import scenario

# The constants c of square-root laws, X = c/(R √p): rate X, RTT R, loss probability p.


def root_by_integral(window_kept: float) -> float:
    """Return the mean of √S as ∫ (1-φ(s)) s^{-3/2} ds / 2√π with s = x².

    S is a sum of exponential variables with weights `window_kept`^(2k), k ≥ 0, and φ its Laplace
    transform.
    """
    with mpmath.workdps(30):
        q = mpmath.mpf(window_kept) ** 2

        def lost(x: mpmath.mpf) -> mpmath.mpf:
            terms = int(mpmath.ceil(mpmath.log(mpmath.mpf(10) ** -32) / mpmath.log(q)))
            s = x**2
            phi = mpmath.mpf(1)
            for k in range(terms):
                phi /= 1 + q**k * s
            return (1 - phi) / s

        inner = mpmath.quad(lost, [0, 1, 4, 30])
        outer = mpmath.quad(lambda y: lost(1 / y) / y**2, [0, mpmath.mpf(1) / 30])
        return float((inner + outer) / mpmath.sqrt(mpmath.pi))


@pytest.mark.parametrize("window_kept", [0.3, 0.5, 0.7])
def test_the_product_equals_the_integral_over_the_laplace_transform(window_kept: float) -> None:
    product = mean_root_of_exponentials(window_kept)
    assert product == pytest.approx(root_by_integral(window_kept), rel=1e-13)


@given(st.floats(0, 0.99))
def test_the_product_agrees_with_fifty_digits(window_kept: float) -> None:
    with mpmath.workdps(50):
        q = mpmath.mpf(window_kept) ** 2
        root = mpmath.sqrt(q)
        exact = mpmath.gamma(1.5) * mpmath.qp(q * root, q) / mpmath.qp(q, q)
    assert mean_root_of_exponentials(window_kept) == pytest.approx(float(exact), rel=1e-12)


def test_quoted_constants_are_right() -> None:
    assert independent_loss_constant() == pytest.approx(1.3098332746580206, rel=1e-14)
    assert independent_loss_constant(0.7) == pytest.approx(1.7508, abs=5e-5)
    assert independent_loss_constant(0.7, 9 / 17) == pytest.approx(1.2739, abs=5e-5)
    assert constant(0.5, PERIODIC) == pytest.approx(math.sqrt(1.5), rel=1e-15)
    assert constant(0.5, POISSON) == pytest.approx(math.sqrt(2), rel=1e-15)
    assert constant(0.5, [4.0]) == pytest.approx(1.8708, abs=5e-5)
    assert constant(0.7, PERIODIC) == pytest.approx(1.6833, abs=5e-5)


def test_independent_loss_constant_agrees_with_a_simulation() -> None:
    """The constant of the square-root law equals that of a simulated window with random losses."""
    random = np.random.default_rng(1)
    p, count = 1e-8, 200_000
    window = packets = rounds = 0.0
    for sent in random.exponential(1 / p, count):
        before = math.sqrt(window**2 + 2 * sent)
        rounds += before - window
        packets += sent
        window = before / 2
    found = packets / rounds * math.sqrt(p)
    assert found == pytest.approx(independent_loss_constant(), rel=4e-3)
    assert constant(0.5, PERIODIC) < found < constant(0.5, POISSON)


# The model of Altman, Avrachenkov and Barakat, for losses at any stationary times.


def fluid_constant(intervals: np.ndarray, window_kept: float) -> float:
    """Return X √p of a window that grows by 1 per round trip, with losses `intervals` apart."""
    window = area = 0.0
    for interval in intervals:
        area += interval * (window + interval / 2)
        window = window_kept * (window + interval)
    mean_window = area / intervals.sum()
    # The constant is X √p. One loss in the mean interval S gives p = 1/(X S).
    return mean_window * math.sqrt(1 / (mean_window * intervals.mean()))


def two_states(random: np.random.Generator, count: int, stay: float) -> np.ndarray:
    """Return intervals of length 1 or 3, each equal to the last one with probability `stay`.

    Their autocovariance at lag k, divided by the square of the mean, is (2 stay - 1)^k / 4.
    """
    changes = random.random(count) > stay
    return np.where(np.cumsum(changes) % 2, 3.0, 1.0)


@pytest.mark.parametrize("window_kept", [0.5, 0.7])
@pytest.mark.parametrize("law", ["deterministic", "exponential", "uniform", "gamma", "two states"])
def test_the_fluid_window_agrees_with_simulated_losses(window_kept: float, law: str) -> None:
    random, count = np.random.default_rng(2), 100_000
    intervals, covariances = {
        "deterministic": (np.ones(count), []),
        "exponential": (random.exponential(1, count), [1]),
        "uniform": (random.uniform(0, 2, count), [1 / 3]),
        "gamma": (random.gamma(0.25, 4, count), [4]),
        "two states": (two_states(random, count, 0.9), [0.25 * 0.8**k for k in range(200)]),
    }[law]
    expected = constant(window_kept, covariances)
    assert fluid_constant(intervals, window_kept) == pytest.approx(expected, rel=0.012)


def test_hand_offs_with_losses_are_undefined_for_altman() -> None:
    hits = {"interval_s": 4, "packets": 1, "fate": "lost"}
    both = scenario(handoffs=hits, loss={"process": "bernoulli", "probability": 0.01})
    prediction = predict(MODELS["altman"], both)
    assert prediction.status == "undefined"
    assert "neither periodic nor a Poisson process" in str(prediction.reason)


# The model of Misra, Gong and Towsley.


def test_the_root_mean_square_window_exceeds_the_mean() -> None:
    """E[W²] = 2/p over time; the mean window, 1.3098/√p, is 7.4 % below the root, √(2/p)."""
    random, p = np.random.default_rng(3), 1e-8
    window = rounds = area = squares = 0.0
    for sent in random.exponential(1 / p, 200_000):
        before = math.sqrt(window**2 + 2 * sent)
        rounds += before - window
        area += (before**2 - window**2) / 2
        squares += (before**3 - window**3) / 3
        window = before / 2
    assert squares / rounds == pytest.approx(2 / p, rel=0.015)
    assert area / rounds == pytest.approx(0.926 * math.sqrt(2 / p), rel=5e-3)


# The model of Lakshman and Madhow.


@given(st.floats(5, 1e5), st.floats(1e-3, 1), st.floats(0, 3))
def test_lakshman_madhow_equals_the_areas_of_a_saw_tooth(c: float, tau: float, x: float) -> None:
    """The window rises from (C R + B)/2 to C R + B; a round trip is R for W < C R, else W/C."""
    product = c * tau + 1
    top = (1 + x) * product
    with mpmath.workdps(50):
        low, top_, cr = mpmath.mpf(top) / 2, mpmath.mpf(top), mpmath.mpf(product)
        bend = min(max(low, cr), top_)
        packets = (top_**2 - low**2) / 2  # W packets per round trip, while W grows by one
        rounds_s = (bend - low) * cr / c + (top_**2 - bend**2) / (2 * c)
        exact = min(float(packets / rounds_s), c)
    found = lakshman_madhow.throughput_pps(c, tau, x * product)
    assert found == pytest.approx(exact, rel=1e-9)


def test_the_packet_in_service_is_negligible_on_a_long_path() -> None:
    link = scenario(path={"buffer_packets": 3000})
    ours, closed = (
        predict(MODELS[n], link) for n in ("lakshman_madhow", "variable_capacity.closed_form")
    )
    assert ours.goodput_pps == pytest.approx(closed.goodput_pps, rel=1e-4)
    assert ours.status == closed.status == "native"


# The response function of CUBIC.


@pytest.mark.parametrize(("start", "within"), [(1.0, 0.01), (0.5, 0.1), (2.0, 0.1)])
@pytest.mark.parametrize("p", [1e-4, 1e-3])
@pytest.mark.parametrize("rtt_s", [0.05, 0.3])
def test_cubics_window_agrees_with_stepped_periodic_losses(
    p: float, rtt_s: float, start: float, within: float
) -> None:
    """The window W(t) = C(t-K)³ + W_max is stepped, with a loss after every 1/p packets.

    The first W_max is `start` times the right one. The window hardly changes near W_max, so the
    effect of a wrong start decays slowly.
    """
    step_s, skipped = rtt_s / 20, 100
    top = start * cubic.cubic_window_packets(p, rtt_s) * 4 / 3.7
    sent = since_s = packets = time_s = 0.0
    teeth = 0
    while teeth < 2 * skipped:
        k_s = (0.3 * top / 0.4) ** (1 / 3)
        window = 0.4 * (since_s - k_s) ** 3 + top
        sent, since_s = sent + window * step_s / rtt_s, since_s + step_s
        if teeth >= skipped:
            packets, time_s = packets + window * step_s / rtt_s, time_s + step_s
        if sent >= 1 / p:
            top, sent, since_s, teeth = window, sent - 1 / p, 0.0, teeth + 1
    window = packets / time_s * rtt_s
    assert window == pytest.approx(cubic.cubic_window_packets(p, rtt_s), rel=within)


# Properties that the formulas of all models share.

RATES = ("mathis", "altman", "misra", "cubic", "poojary")


@pytest.mark.parametrize("name", RATES)
def test_models_are_undefined_without_loss(name: str) -> None:
    for loss in ({"process": "none"}, {"process": "bernoulli", "probability": 0}):
        prediction = predict(MODELS[name], scenario(loss=loss))
        assert prediction.status == "undefined"
        assert "without" in str(prediction.reason)


# The models of Padhye et al.

FORMS = ("pftk", "pftk_send_rate", "pftk_approximation")


def test_payload_is_counted_in_bits() -> None:
    """Goodput in bit/s is goodput in packets/s times 8 times the payload (without headers)."""
    subject = scenario(
        tcp={"variant": "reno", "mss_bytes": 1460, "header_bytes": 40},
        loss={"process": "bernoulli", "probability": 0.01},
    )
    prediction = predict(MODELS["pftk"], subject)
    assert prediction.goodput_bps == pytest.approx(goodput_pps(0.01, 0.1, 0.2) * 1460 * 8)


def test_send_rate_times_one_minus_p_is_not_the_goodput() -> None:
    for p in (0.02, 0.05, 0.1):
        wrong = send_rate_pps(p, 0.1, 0.2) * (1 - p)
        assert wrong > 1.01 * goodput_pps(p, 0.1, 0.2)


@pytest.mark.parametrize("name", FORMS)
def test_no_loss_needs_a_receiver_window(name: str) -> None:
    unlimited = predict(MODELS[name], scenario())
    assert unlimited.status == "undefined"
    assert "without loss" in str(unlimited.reason)
    limited = scenario(tcp={"max_window_packets": 10})
    assert predict(MODELS[name], limited).goodput_pps == pytest.approx(100)


@pytest.mark.parametrize("name", FORMS)
def test_hand_offs_need_a_reduction(name: str) -> None:
    hits = scenario(handoffs={"interval_s": 2, "packets": 1, "fate": "lost"})
    assert predict(MODELS[name], hits, Conditions(reductions=False)).status == "undefined"
    assert predict(MODELS[name], hits).reduction == "R-HO"
