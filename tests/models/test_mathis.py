"""The square-root model against areas, identities and scaling."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tcpgoodput.models import MODELS
from tcpgoodput.models.mathis.curves import window_sawtooth
from tcpgoodput.models.mathis.square_root import peak_window_packets, throughput_pps
from tests.scenarios import scenario

losses = st.floats(1e-8, 0.05)
round_trips = st.floats(1e-3, 10)


@given(losses, st.sampled_from([1, 2]))
def test_packets_of_a_tooth_are_one_over_p(p: float, b: int) -> None:
    tooth = window_sawtooth(
        scenario(loss={"process": "bernoulli", "probability": p}, tcp={"ack_every": b}), teeth=1
    )
    assert np.trapezoid(tooth.y, tooth.x) == pytest.approx(1 / p, rel=1e-12)


@given(losses, round_trips, st.sampled_from([1, 2]))
def test_throughput_is_the_mean_window_per_round_trip(p: float, rtt_s: float, b: int) -> None:
    assert throughput_pps(p, rtt_s, b) == pytest.approx(
        0.75 * peak_window_packets(p, b) / rtt_s, rel=1e-12
    )


@given(losses, round_trips)
def test_four_times_the_loss_halves_the_throughput(p: float, rtt_s: float) -> None:
    assert throughput_pps(p, rtt_s) == pytest.approx(2 * throughput_pps(4 * p, rtt_s), rel=1e-12)


@given(losses, round_trips, st.floats(0.1, 10))
def test_throughput_scales_with_time(p: float, rtt_s: float, factor: float) -> None:
    assert throughput_pps(p, rtt_s * factor) * factor == pytest.approx(throughput_pps(p, rtt_s))


def test_no_loss_is_undefined_with_a_reason() -> None:
    prediction = MODELS["mathis"].predict(scenario(loss={"process": "none"}))
    assert prediction.status == "undefined"
    assert "without loss" in str(prediction.reason)


def test_more_than_the_path_carries_is_out_of_domain() -> None:
    slow = scenario(loss={"process": "bernoulli", "probability": 1e-4}, path={"rate_bps": 1e5})
    assert MODELS["mathis"].predict(slow).status == "out-of-domain"
