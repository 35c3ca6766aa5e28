"""Poojary's model of CUBIC under independent loss: constant by Monte Carlo, scaling, domain."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tcpgoodput
from tcpgoodput.models import MODELS
from tcpgoodput.models.literature import cubic, poojary
from tcpgoodput.models.predict import predict
from tests.scenarios import scenario

LOSS = {"process": "bernoulli", "probability": 1e-4}


def played_out(window_kept: float, *, fast_convergence: bool) -> float:
    """Simulate CUBIC windows with random losses; return 1 over the mean time between them."""
    random = np.random.default_rng(7)
    chains, losses, forgotten = 8_000, 60, 20
    window = plateau = np.ones(chains)
    total = 0.0
    for loss in range(losses):
        lowered = fast_convergence & (window < plateau)
        plateau = np.where(lowered, window * (1 + window_kept) / 2, window)
        k = np.cbrt(plateau - window_kept * window)
        sent = random.exponential(size=chains)
        low, high = np.zeros(chains), np.full(chains, 40.0)
        for _ in range(45):
            t = (low + high) / 2
            short = ((t - k) ** 4 - k**4) / 4 + plateau * t < sent
            low, high = np.where(short, t, low), np.where(short, high, t)
        window = (t - k) ** 3 + plateau
        if loss >= forgotten:
            total += t.sum()
    return chains * (losses - forgotten) / total


@pytest.mark.parametrize(
    ("window_kept", "fast_convergence"), [(0.7, True), (0.7, False), (0.5, True)]
)
def test_the_constant_agrees_with_a_simulated_chain(
    window_kept: float, fast_convergence: bool
) -> None:
    computed = poojary.constant(window_kept, fast_convergence=fast_convergence)
    found = played_out(window_kept, fast_convergence=fast_convergence)
    assert computed == pytest.approx(found, rel=2.5e-3)


def test_quoted_constants_are_right() -> None:
    assert poojary.cubic_window_packets(1, 1) == pytest.approx(1.1962, abs=1e-4)
    without = poojary.cubic_window_packets(1, 1, fast_convergence=False)
    assert without == pytest.approx(1.3005, abs=1e-4)
    assert poojary.constant() == pytest.approx(1.504, abs=5e-4)
    assert poojary.constant(fast_convergence=False) == pytest.approx(1.635, abs=1e-3)
    assert poojary.reno_friendly_window_packets(1) == pytest.approx(1.274, abs=5e-4)


def test_a_finer_table_does_not_change_the_constant(monkeypatch: pytest.MonkeyPatch) -> None:
    coarse = poojary.constant()
    monkeypatch.setattr(poojary, "POINTS", 900)
    monkeypatch.setattr(poojary, "NODES", 120)
    assert poojary.constant.__wrapped__() == pytest.approx(coarse, rel=1e-4)


@given(st.floats(1e-9, 0.1), st.floats(1e-3, 5))
def test_independent_losses_give_a_larger_window_than_periodic_ones(p: float, rtt_s: float) -> None:
    ratio = poojary.cubic_window_packets(p, rtt_s) / cubic.cubic_window_packets(p, rtt_s)
    assert ratio == pytest.approx(1.1962 / 1.0538, rel=2e-4)


def test_the_goodput_is_the_mean_window_over_the_round_trip() -> None:
    prediction = predict(MODELS["poojary"], scenario(tcp={"variant": "cubic"}, loss=LOSS))
    window = 1.19624 * (0.1 / 1e-4) ** 0.75
    assert prediction.goodput_pps == pytest.approx(window / 0.1, rel=1e-4)


def test_poojary_agrees_with_the_packet_simulator_for_rare_loss() -> None:
    """At an RTT of one second CUBIC's window far exceeds the Reno-friendly window."""
    path = {"forward_delay_s": 0.5, "backward_delay_s": 0.5}
    rare = scenario(tcp={"variant": "cubic"}, path=path, loss=LOSS)
    measured = tcpgoodput.simulate(rare).goodput_bps
    prediction = predict(MODELS["poojary"], rare)
    assert prediction.goodput_bps is not None
    assert abs(math.log(prediction.goodput_bps / measured)) < 0.06
