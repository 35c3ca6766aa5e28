"""The model PFTK, compared with 50-digit values, limits, and misprints in other publications."""

from __future__ import annotations

import pytest

from tcpgoodput.answers import Conditions
from tcpgoodput.models import MODELS
from tcpgoodput.models.literature.pftk import goodput_pps
from tcpgoodput.models.literature.pftk_send_rate import send_rate_pps
from tcpgoodput.models.predict import predict
from tests.scenarios import scenario

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


@pytest.mark.parametrize("name", FORMS)
def test_hand_offs_need_a_reduction(name: str) -> None:
    hits = scenario(handoffs={"interval_s": 2, "packets": 1, "fate": "lost"})
    assert predict(MODELS[name], hits, Conditions(reductions=False)).status == "undefined"
    assert predict(MODELS[name], hits).reduction == "R-HO"
