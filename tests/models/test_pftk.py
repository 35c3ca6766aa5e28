"""The model PFTK, compared with 50-digit values, limits, and misprints in other publications."""

from __future__ import annotations

import math

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tcpgoodput.answers import Conditions
from tcpgoodput.models import MODELS
from tcpgoodput.models.literature.pftk import goodput_pps, window_at_loss
from tcpgoodput.models.literature.pftk_approximation import approximate_send_rate_pps
from tcpgoodput.models.literature.pftk_send_rate import send_rate_pps
from tcpgoodput.models.mathis.square_root import throughput_pps
from tcpgoodput.models.predict import predict
from tests.scenarios import scenario

FORMS = ("pftk", "pftk_send_rate", "pftk_approximation")

losses = st.floats(1e-12, 0.99)
round_trips = st.floats(1e-3, 5)
timeouts = st.floats(0.01, 60)
per_ack = st.sampled_from([1, 2, 4])
windows = st.one_of(st.none(), st.integers(1, 100_000))


def at_fifty_digits(
    p: float, rtt_s: float, timeout_s: float, b: int, limit: int | None, goodput: bool
) -> float:
    """Return PFTK's goodput or send rate in packets/s, with 50 digits, by the printed formula.

    `b` is the number of packets per ACK, and `limit` the largest window in packets.
    """
    with mpmath.workdps(50):
        p, rtt, t0 = mpmath.mpf(p), mpmath.mpf(rtt_s), mpmath.mpf(timeout_s)
        offset = mpmath.mpf(2 + b) / (3 * b)
        w = offset + mpmath.sqrt(8 * (1 - p) / (3 * b * p) + offset**2)
        limited = limit is not None and w >= limit
        if limited:
            w = mpmath.mpf(limit)
        q = 1 - p
        shown = (1 - q**3) * (1 + q**3 * (1 - q ** (w - 3))) / (1 - q**w)
        Q = 1 if w <= 3 else min(mpmath.mpf(1), shown)
        f = 1 + p + 2 * p**2 + 4 * p**3 + 8 * p**4 + 16 * p**5 + 32 * p**6
        packets = (1 - p) / p + (w / 2 + Q if goodput else w + Q / (1 - p))
        rounds = b * w / 8 + (1 - p) / (p * w) + 2 if limited else b * w / 2 + 1
        return float(packets / (rtt * rounds + Q * t0 * f / (1 - p)))


@given(losses, round_trips, timeouts, per_ack, windows)
def test_goodput_agrees_with_fifty_digits(
    p: float, r: float, t0: float, b: int, limit: int | None
) -> None:
    exact = at_fifty_digits(p, r, t0, b, limit, goodput=True)
    assert goodput_pps(p, r, t0, b, limit) == pytest.approx(exact, rel=1e-11)


@given(losses, round_trips, timeouts, per_ack, windows)
def test_send_rate_agrees_with_fifty_digits(
    p: float, r: float, t0: float, b: int, limit: int | None
) -> None:
    exact = at_fifty_digits(p, r, t0, b, limit, goodput=False)
    assert send_rate_pps(p, r, t0, b, limit) == pytest.approx(exact, rel=1e-11)


@pytest.mark.parametrize(("p", "ratio"), [(1e-3, 0.961), (1e-5, 0.997), (1e-7, 0.9997)])
def test_rare_loss_tends_to_the_square_root_law(p: float, ratio: float) -> None:
    found = goodput_pps(p, 0.1, 0.2) / throughput_pps(p, 0.1)
    assert found == pytest.approx(ratio, abs=0.03 * (1 - ratio) + 3e-3)
    assert goodput_pps(1e-11, 0.1, 0.2) / throughput_pps(1e-11, 0.1) == pytest.approx(1, abs=1e-5)


@given(round_trips, timeouts, st.integers(1, 1000))
def test_rare_loss_tends_to_the_window_limit(r: float, t0: float, limit: int) -> None:
    assert goodput_pps(1e-12, r, t0, 1, limit) == pytest.approx(limit / r, rel=1e-4)
    assert goodput_pps(0, r, t0, 1, limit) == limit / r


@given(losses, round_trips, timeouts, per_ack, st.floats(0.1, 10))
def test_goodput_scales_with_time(p: float, r: float, t0: float, b: int, by: float) -> None:
    assert goodput_pps(p, r * by, t0 * by, b) * by == pytest.approx(goodput_pps(p, r, t0, b))


@given(st.floats(1e-9, 0.9), round_trips, timeouts, per_ack)
def test_goodput_never_exceeds_the_send_rate(p: float, r: float, t0: float, b: int) -> None:
    assert goodput_pps(p, r, t0, b) <= send_rate_pps(p, r, t0, b) * (1 + 1e-12)


def test_the_mean_window_divides_by_3b() -> None:
    """The mean window has the term (2+b)/(3b); a program with (2+b)/3*b gives another window."""
    assert window_at_loss(0.01, 1) == pytest.approx(1 + math.sqrt(8 * 0.99 / 0.03 + 1), rel=1e-12)
    assert window_at_loss(0.01, 2) == pytest.approx(12.2, abs=0.05)


def terms(w: float, p: float) -> tuple[float, float]:
    """Return PFTK's terms as printed: timeout probability Q, and factor f for doubled timeouts.

    `w` is the window in packets, and `p` the loss event rate.
    """
    q = 1 - p
    Q = (1 - q**3) * (1 + q**3 * (1 - q ** (w - 3))) / (1 - q**w)
    return Q, 1 + p + 2 * p**2 + 4 * p**3 + 8 * p**4 + 16 * p**5 + 32 * p**6


@pytest.mark.parametrize("p", [0.005, 0.02, 0.05])
def test_published_wrong_window_limited_forms_differ(p: float) -> None:
    """Three published wrong versions of the goodput with a window limit are off by over 1 %.

    One lacks two round trips, one multiplies timeouts by the RTT, and one counts packets sent
    instead of packets that arrive.
    """
    r, t0, w = 0.1, 1.0, 6
    Q, f = terms(w, p)
    arrived = (1 - p) / p + w / 2 + Q
    rounds, waits = w / 8 + (1 - p) / (p * w) + 2, Q * t0 * f / (1 - p)
    found = goodput_pps(p, r, t0, 1, w)
    assert found == pytest.approx(arrived / (r * rounds + waits), rel=1e-12)
    without_two = arrived / (r * (rounds - 2) + waits)
    waits_inside = arrived / (r * (rounds + waits))
    sent = ((1 - p) / p + w + Q / (1 - p)) / (r * rounds + waits)
    for wrong in (without_two, waits_inside, sent):
        assert abs(found / wrong - 1) > 0.01


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


@given(st.floats(1e-9, 8 / 27), round_trips, timeouts)
def test_approximation_equals_tfrc_for_small_loss(p: float, r: float, t0: float) -> None:
    tfrc = 1 / (r * math.sqrt(2 * p / 3) + t0 * 3 * math.sqrt(3 * p / 8) * p * (1 + 32 * p**2))
    assert approximate_send_rate_pps(p, r, t0) == pytest.approx(tfrc, rel=1e-12)


@pytest.mark.parametrize(
    ("variant", "p", "timeout_s", "status"),
    [
        ("reno", 0.05, 1.0, "native"),
        ("reno", 0.2, 1.0, "out-of-domain"),
        ("sack", 0.01, 0.2, "native"),
        ("sack", 0.01, 1.0, "out-of-domain"),
        ("newreno", 0.05, 0.2, "out-of-domain"),
        ("cubic", 0.01, 0.2, "out-of-domain"),
    ],
)
def test_pftk_domain_is_as_measured(variant: str, p: float, timeout_s: float, status: str) -> None:
    subject = scenario(
        tcp={"variant": variant, "rto": {"min_s": timeout_s}},
        loss={"process": "bernoulli", "probability": p},
    )
    prediction = predict(MODELS["pftk"], subject)
    assert prediction.status == status
    assert prediction.goodput_pps is not None


@pytest.mark.parametrize("name", FORMS)
def test_no_loss_needs_a_receiver_window(name: str) -> None:
    unlimited = predict(MODELS[name], scenario())
    assert unlimited.status == "undefined"
    assert "without loss" in str(unlimited.reason)
    limited = scenario(tcp={"max_window_packets": 10})
    assert predict(MODELS[name], limited).goodput_pps == pytest.approx(100)


@given(
    st.floats(5e-324, 1, exclude_max=True), st.floats(1, 1e15), st.floats(1e-9, 1e6),
    st.floats(1e-6, 1e9), st.integers(1, 1000), st.one_of(st.none(), st.integers(1, 10**12)),
    st.sampled_from(["reno", "newreno", "sack", "cubic", "oldtahoe"]),
)  # fmt: skip
def test_any_scenario_has_a_finite_value_or_a_reason(
    p: float, rate: float, delay: float, timeout_s: float, b: int, window: int | None, variant: str
) -> None:
    subject = scenario(
        tcp={
            "variant": variant, "ack_every": b, "max_window_packets": window,
            "rto": {"fixed_s": timeout_s},
        },
        path={"rate_bps": rate, "forward_delay_s": delay, "backward_delay_s": 0},
        loss={"process": "bernoulli", "probability": p},
    )  # fmt: skip
    for name in FORMS:
        prediction = predict(MODELS[name], subject)
        assert prediction.goodput_pps is not None
        assert 0 < prediction.goodput_pps < math.inf
        assert prediction.status in ("native", "reduced") or prediction.reason


@pytest.mark.parametrize("name", FORMS)
def test_hand_offs_need_a_reduction(name: str) -> None:
    hits = scenario(handoffs={"interval_s": 2, "packets": 1, "fate": "lost"})
    assert predict(MODELS[name], hits, Conditions(reductions=False)).status == "undefined"
    assert predict(MODELS[name], hits).reduction == "R-HO"
