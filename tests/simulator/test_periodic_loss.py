"""Every 1/p-th packet is lost: distances, share, and agreement with a saw-tooth counted by hand."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import tcpgoodput
from tcpgoodput.models import MODELS
from tcpgoodput.models.predict import predict
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.loss import Periodic
from tests.scenarios import scenario


def path(p: float, variant: str = "sack") -> Scenario:
    return scenario(
        tcp={"variant": variant, "mss_bytes": 1448, "header_bytes": 52},
        path={"rate_bps": 1e9, "forward_delay_s": 0.05, "backward_delay_s": 0.05},
        loss={"process": "periodic", "probability": p},
    )


@pytest.mark.parametrize("p", [0.5, 0.3, 0.01, 1 / 137, 2.5e-4])
def test_losses_are_as_far_apart_as_whole_numbers_allow(p: float) -> None:
    loss = Periodic(process="periodic", probability=p)
    runs = list(itertools.islice(loss.bad_runs(np.random.default_rng(4)), 3000))
    first = np.array([run[0] for run in runs])
    assert all(end == start + 1 for start, end in runs)
    assert first[0] <= 1 / p
    assert set(np.diff(first)) <= {math.floor(1 / p), math.ceil(1 / p)}
    assert (first[-1] - first[0]) / 2999 == pytest.approx(1 / p, abs=1 / 2999)


def test_replications_begin_with_different_phases() -> None:
    loss = Periodic(process="periodic", probability=0.001)
    first = [next(loss.bad_runs(np.random.default_rng(seed)))[0] for seed in range(200)]
    assert np.mean(first) == pytest.approx(500, abs=80)
    assert min(first) < 50
    assert max(first) > 950


def test_without_loss_there_are_no_runs_and_no_impairment() -> None:
    none = Periodic(process="periodic", probability=0.0)
    assert list(none.bad_runs(np.random.default_rng(1))) == []
    assert none.impairment is None
    assert next(Periodic(process="periodic", probability=5e-324).bad_runs(np.random.default_rng(1)))


def test_only_the_square_root_law_describes_periodic_loss() -> None:
    for model in MODELS.values():
        prediction = predict(model, path(0.002))
        if model.name == "mathis":
            assert prediction.status == "native"
            same = predict(
                model,
                path(0.002).model_copy(
                    update={
                        "loss": scenario(loss={"process": "bernoulli", "probability": 0.002}).loss
                    }
                ),
            )
            assert prediction.goodput_pps == same.goodput_pps
        else:
            assert prediction.status == "undefined", model.name


@pytest.mark.parametrize("p", [0.001, 0.004])
def test_the_saw_tooth_agrees_with_one_counted_by_hand(p: float) -> None:
    """SACK's goodput is that of windows W/2, W/2 + 1, … with half a round trip of recovery.

    A tooth begins with half of the window W at the loss, and has 1/p packets. In the round trip
    after the loss, half a window of new packets is sent.
    """
    window, packets, trips = 10.0, [], []
    for _ in range(400):
        w, sent, rounds = window / 2, 0.0, 0.0
        while sent + w < 1 / p:
            sent, rounds, w = sent + w, rounds + 1, w + 1
        rounds += (1 / p - sent) / w
        window = w
        packets.append(1 / p)
        trips.append(rounds + 0.5)
    by_hand = sum(packets[100:]) / (sum(trips[100:]) * 0.1)
    found = tcpgoodput.simulate(path(p), replications=4, duration_s=400, seed=5)
    assert found.goodput_pps == pytest.approx(by_hand, rel=0.05)
    share = found.retransmissions / found.packets_sent
    assert share == pytest.approx(p, rel=0.05)
