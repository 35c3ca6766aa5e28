"""Cardwell's model of a finite transfer's duration, compared with 50-digit values and limits."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tcpgoodput.answers import Conditions, Equations
from tcpgoodput.models import ERRATA, MODELS
from tcpgoodput.models.literature.cardwell import (
    slow_start_packets,
    slow_start_packets_printed,
    slow_start_s,
    slow_start_window,
    transfer_s,
)
from tcpgoodput.models.literature.pftk import goodput_pps
from tcpgoodput.models.predict import predict
from tests.models.test_closed_forms import pftk_printed
from tests.scenarios import scenario

sizes = st.integers(1, 100_000)
losses = st.floats(1e-12, 0.9)
round_trips = st.floats(1e-3, 5)
timeouts = st.floats(0.01, 60)
per_ack = st.sampled_from([1, 2, 4])
first_windows = st.integers(1, 10)
windows = st.one_of(st.none(), st.integers(1, 1000))
FORMS: tuple[Equations, ...] = ("printed", "corrected")


def exactly(
    d: int, p: float, r: float, t0: float, b: int, w1: int, limit: int | None, printed: bool
) -> float:
    """Return the duration of a transfer of d packets in seconds, with 50 digits."""
    with mpmath.workdps(50):
        P, R, T0 = mpmath.mpf(p), mpmath.mpf(r), mpmath.mpf(t0)
        w_max = mpmath.mpf(limit) if limit else mpmath.inf
        w = min(mpmath.mpf(w1), d, w_max)
        g = 1 + mpmath.mpf(1) / b
        lost = 1 - (1 - P) ** d
        packets = lost * (1 - P) / P + 1 if printed else lost / P
        ends_at = packets * (g - 1) / g + w / g
        if ends_at <= w_max:
            rounds = mpmath.log(packets * (g - 1) / w + 1) / mpmath.log(g)
        else:
            rest = packets - (g * w_max - w) / (g - 1)
            rounds = mpmath.log(w_max / w) / mpmath.log(g) + 1 + rest / w_max
        ends_at, q = min(ends_at, w_max), 1 - P
        Q = mpmath.mpf(1)
        if ends_at > 3:
            Q = min(Q, (1 - q**3) * (1 + q**3 * (1 - q ** (ends_at - 3))) / (1 - q**ends_at))
        f = 1 + P + 2 * P**2 + 4 * P**3 + 8 * P**4 + 16 * P**5 + 32 * P**6
        recovery = lost * (Q * f * T0 / (1 - P) + (1 - Q) * R)
        rate = pftk_printed(P, R, T0, b, w_max, sent=False)
        return float(R * rounds + recovery + max(0, d - packets) / rate)


@given(sizes, losses, round_trips, timeouts, per_ack, first_windows, windows, st.booleans())
def test_transfer_time_agrees_with_fifty_digits(
    d: int, p: float, r: float, t0: float, b: int, w1: int, limit: int | None, printed: bool
) -> None:
    found = transfer_s(d, p, r, t0, b=b, first_window=w1, max_window=limit, printed=printed)
    assert found == pytest.approx(exactly(d, p, r, t0, b, w1, limit, printed), rel=1e-9)


@given(sizes, round_trips, timeouts, per_ack, first_windows, windows)
def test_rare_loss_tends_to_the_time_without_loss(
    d: int, r: float, t0: float, b: int, w1: int, limit: int | None
) -> None:
    options = {"b": b, "first_window": w1, "max_window": limit}
    clean = transfer_s(d, 0, r, t0, **options)
    for p in (5e-324, 1e-300, 1e-18):
        assert transfer_s(d, p, r, t0, **options) == pytest.approx(clean, rel=1e-9)


@given(st.integers(1, 10), round_trips, timeouts, per_ack)
def test_a_transfer_within_the_first_window_takes_one_round_trip(
    d: int, r: float, t0: float, b: int
) -> None:
    assert transfer_s(d, 0, r, t0, b=b, first_window=10) == pytest.approx(r, rel=1e-12)


@pytest.mark.parametrize("b", [1, 2])
def test_a_long_transfer_tends_to_pftks_goodput(b: int) -> None:
    for limit in (None, 8):
        d, (p, r, t0) = 10**10, (0.01, 0.1, 0.4)
        found = d / transfer_s(d, p, r, t0, b=b, max_window=limit)
        assert found == pytest.approx(goodput_pps(p, r, t0, b, limit), rel=1e-5)


@given(st.integers(1, 16), first_windows)
def test_slow_start_of_whole_rounds_takes_their_number_of_round_trips(rounds: int, w1: int) -> None:
    """With an ACK per packet the window doubles: w1 (2^n - 1) packets take n round trips."""
    d = w1 * (2**rounds - 1)
    assert slow_start_s(d, w1, 0.1) == pytest.approx(0.1 * rounds)
    assert slow_start_window(d, w1, 1) == pytest.approx(w1 * 2 ** (rounds - 1))


@given(st.integers(1, 9), st.integers(0, 50))
def test_slow_start_with_a_window_limit_takes_whole_rounds(rounds: int, more: int) -> None:
    """The window doubles up to its limit; each further round trip carries `limit` packets."""
    limit = 2 ** (rounds - 1)
    d = 2**rounds - 1 + more * limit
    assert slow_start_s(d, 1, 0.1, max_window=limit) == pytest.approx(0.1 * (rounds + more))


@given(st.integers(1, 2000), st.floats(1e-4, 0.9))
def test_packets_before_the_first_loss_equal_a_direct_sum(d: int, p: float) -> None:
    ends = np.arange(1, d + 1)
    first = p * (1 - p) ** (ends - 1)
    mean = float(np.sum(ends * first)) + d * (1 - p) ** d
    assert slow_start_packets(d, p) == pytest.approx(mean, rel=1e-9)


@given(sizes)
def test_the_printed_form_sends_a_packet_too_many(d: int) -> None:
    assert slow_start_packets(d, 1e-15) == pytest.approx(d)
    assert slow_start_packets_printed(d, 1e-15) == pytest.approx(d + 1)
    effect = ERRATA["literature.first-loss"].effect()
    assert effect.corrected == pytest.approx(100, rel=1e-4)
    assert effect.printed == pytest.approx(1.32 * effect.corrected, rel=0.01)


def finite(d: int | None, p: float = 0.0, **tcp: object) -> object:
    return scenario(
        tcp={"variant": "reno", "transfer_packets": d, "rto": {"fixed_s": 0.4}, **tcp},
        loss={"process": "bernoulli", "probability": p},
    )


def test_a_long_lived_connection_is_undefined() -> None:
    prediction = predict(MODELS["cardwell"], finite(None, 0.01))
    assert prediction.status == "undefined"
    assert "transfer_packets" in str(prediction.reason)


def test_goodput_is_packets_over_time_and_counts_payload_in_bits() -> None:
    prediction = predict(MODELS["cardwell"], finite(100, 0.01))
    time_s = transfer_s(100, 0.01, 0.1, 0.4, delayed_ack_s=0.1)
    assert prediction.goodput_pps == pytest.approx(100 / time_s)
    assert prediction.goodput_bps == pytest.approx(8 * 1000 * 100 / time_s)
    forms = [predict(MODELS["cardwell"], finite(20), Conditions(equations=e)) for e in FORMS]
    assert forms[0].goodput_pps < 0.99 * forms[1].goodput_pps


@pytest.mark.parametrize(("ack_every", "expected_s"), [(1, 0.4), (2, 0.5)])
def test_a_first_window_of_one_packet_waits_for_its_delayed_ack(
    ack_every: int, expected_s: float
) -> None:
    """A window that grows with packets doubles: 15 packets take four round trips of 0.1 s."""
    tcp = {"variant": "newreno", "growth": "packets", "ack_every": ack_every}
    prediction = predict(MODELS["cardwell"], finite(15, **tcp))
    assert prediction.goodput_pps == pytest.approx(15 / expected_s)


@pytest.mark.parametrize(
    ("d", "p", "tcp", "status"),
    [
        (100, 0.0, {}, "native"),
        (100, 0.01, {}, "native"),
        (3, 0.01, {}, "out-of-domain"),
        (2000, 1e-3, {}, "out-of-domain"),  # slow start overshoots the steady-state window
        (2000, 1e-3, {"max_window_packets": 40}, "native"),
        (100, 0.01, {"variant": "sack"}, "out-of-domain"),  # for SACK the RTO, 4 RTT, is too long
        (100, 0.01, {"variant": "sack", "rto": {"fixed_s": 0.2}}, "native"),
        (100, 0.0, {"variant": "sack"}, "native"),
        (20, 0.0, {"ack_every": 2, "initial_window_packets": 10}, "out-of-domain"),
    ],
)
def test_domain_is_as_measured(d: int, p: float, tcp: dict[str, object], status: str) -> None:
    prediction = predict(MODELS["cardwell"], finite(d, p, **tcp))
    assert prediction.status == status, prediction.reason
