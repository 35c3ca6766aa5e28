"""The square-root model of Mathis et al., compared with areas, identities and scaling laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tcpgoodput.answers import Conditions
from tcpgoodput.models import ERRATA, MODELS
from tcpgoodput.models.mathis.square_root import throughput_pps, window_sawtooth
from tcpgoodput.models.predict import predict
from tests.scenarios import scenario

losses = st.floats(1e-8, 0.05)


@given(losses, st.sampled_from([1, 2]))
def test_a_tooth_has_one_over_p_packets(p: float, b: int) -> None:
    tooth = window_sawtooth(
        scenario(loss={"process": "bernoulli", "probability": p}, tcp={"ack_every": b}), teeth=1
    )
    assert np.trapezoid(tooth.y, tooth.x) == pytest.approx(1 / p, rel=1e-12)


def test_a_window_that_grows_with_packets_has_the_peak_of_the_model() -> None:
    """W = √(8/(3p)) is 100 packets, whatever number of packets an ACK has."""
    tcp = {"ack_every": 2, "growth": "packets"}
    loss = {"process": "bernoulli", "probability": 8 / 3e4}
    subject = scenario(tcp=tcp, loss=loss, path={"rate_bps": 1e10})
    tooth = window_sawtooth(subject, teeth=1)
    assert tooth.landmarks["W"] == pytest.approx(100)
    assert tooth.landmarks["period"] == pytest.approx(50)
    found = predict(MODELS["mathis"], subject)
    assert found.goodput_pps == pytest.approx(tooth.landmarks["mean"] / 0.1)


def test_goodput_above_the_path_rate_is_capped_or_out_of_domain() -> None:
    slow = scenario(loss={"process": "bernoulli", "probability": 1e-4}, path={"rate_bps": 1e6})
    assert predict(MODELS["mathis"], slow).reduction == "R-WIN"
    assert predict(MODELS["mathis"], slow, Conditions(reductions=False)).status == "out-of-domain"


def test_throughput_agrees_with_a_window_stepped_by_rounds() -> None:
    """The rate equals that of a window which grows by 1 per RTT and halves every 1/p packets."""
    p, rounds = 1e-4, 200_000
    window, sent, total = 80.0, 0.0, 0.0
    for _ in range(rounds):
        sent, total, window = sent + window, total + window, window + 1
        if sent >= 1 / p:
            sent, window = sent - 1 / p, window / 2
    assert total / rounds == pytest.approx(throughput_pps(p, 1.0), rel=0.01)


def test_the_rounded_rate_is_within_a_byte_of_ipv6_with_timestamps() -> None:
    effect = ERRATA["mathis.rounded-rate"].effect()
    assert effect.printed == pytest.approx(throughput_pps(0.01, 0.1) * 1428.87 * 8 / 1e3, rel=1e-5)
    assert effect.corrected == pytest.approx(0.122474487139 * 11584)


def test_a_saw_tooth_needs_loss() -> None:
    for loss in ({"process": "none"}, {"process": "bernoulli", "probability": 0}):
        with pytest.raises(ValueError, match="probability above 0"):
            window_sawtooth(scenario(loss=loss))
    lossy = scenario(loss={"process": "bernoulli", "probability": 0.01})
    with pytest.raises(ValueError, match="teeth"):
        window_sawtooth(lossy, teeth=0)


def test_the_printed_largest_window_is_in_packets() -> None:
    effect = ERRATA["mathis.bytes-for-packets"].effect()
    assert 3 / 8 * effect.printed**2 == pytest.approx(1 / 0.01)
    assert effect.corrected == pytest.approx(1448 * effect.printed)
