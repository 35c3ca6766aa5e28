"""The Parvez model (NewReno under bursts): enumeration, limits, and the packet simulator."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tcpgoodput
from tcpgoodput.models import MODELS
from tcpgoodput.models.literature import parvez
from tcpgoodput.models.literature.parvez import Losses
from tcpgoodput.models.mathis.square_root import throughput_pps as square_root_pps
from tcpgoodput.models.predict import predict
from tcpgoodput.models.reductions.events import losses_per_event, slots_per_event
from tests.scenarios import scenario

INDEPENDENT = {"process": "bernoulli", "probability": 0.01}
BURSTS = {"process": "gilbert-elliott", "good_to_bad": 1 / 3000, "bad_to_good": 1 / 3}

losses = st.floats(1e-9, 0.3)
followers = st.floats(0, 0.9)
round_trips = st.floats(1e-3, 5)
timeouts = st.floats(0.01, 60)
per_ack = st.sampled_from([1, 2, 4])


@pytest.mark.parametrize("limited_transmit", [True, False])
@pytest.mark.parametrize(("q", "share"), [(0.0, 0.1), (0.3, 0.1), (0.8, 0.4), (1.0, 0.2)])
@pytest.mark.parametrize("window", range(1, 9))
def test_duplicate_acks_equal_an_enumeration(
    window: int, q: float, share: float, limited_transmit: bool
) -> None:
    """Each packet behind the first loss, and each by limited transmit, arrives or is lost."""
    enough = 0.0
    for behind in itertools.product([True, False], repeat=window - 1):
        for extra in itertools.product([True, False], repeat=2):
            chance = math.prod(1 - q if arrives else q for arrives in behind)
            chance *= math.prod(1 - share if arrives else share for arrives in extra)
            duplicates, sent = sum(behind), 0
            while limited_transmit and sent < min(duplicates, 2):
                duplicates += extra[sent]
                sent += 1
            enough += chance * (duplicates >= 3)
    found = parvez.fast_retransmit(window, q, share, limited_transmit)
    assert found == pytest.approx(enough, abs=1e-12)


def new_packets(window: int, lost: int) -> int:
    """Simulate fast recovery by RFC 6582; return the number of new packets until it ends."""
    cwnd, flight, sent = window / 2 + 3, window, 0
    new_in_flight, duplicates = 0, window - lost
    cwnd += duplicates - 3  # the first three are counted above
    while flight < math.floor(cwnd):
        flight, sent, new_in_flight = flight + 1, sent + 1, new_in_flight + 1
    for _ in range(lost - 1):
        # A partial ACK reduces the flight by one; cwnd is deflated by one and inflated by one.
        flight -= 1
        arrived, new_in_flight = new_in_flight, 0
        cwnd += arrived  # each new packet that arrived causes a duplicate ACK, which inflates cwnd
        while flight < math.floor(cwnd):
            flight, sent, new_in_flight = flight + 1, sent + 1, new_in_flight + 1
    return sent


@pytest.mark.parametrize("window", [8, 20, 60])
@pytest.mark.parametrize("lost", [1, 2, 3, 4])
def test_new_packets_of_fast_recovery_follow_the_rules(window: int, lost: int) -> None:
    found = parvez.recovery_packets(window, lost)
    assert found == sum(max(0, window / 2 - lost + k) for k in range(lost))
    assert found == new_packets(window, lost)


@given(losses, per_ack, st.floats(2, 1e4))
def test_the_share_of_lost_packets_equals_the_independent_loss(
    p: float, b: int, window: float
) -> None:
    found = parvez.cycle_at(window, Losses(p, p), b, limited_transmit=True)
    assert found.lost / found.packets == pytest.approx(p, rel=1e-9)


@given(st.floats(1e-6, 0.3), st.floats(0.05, 0.9), st.floats(2, 1e3))
def test_the_share_of_lost_packets_equals_that_of_the_channel(
    alpha: float, beta: float, window: float
) -> None:
    """The model describes the channel by two loss probabilities."""
    if alpha + beta >= 1:
        return
    channel = {"process": "gilbert-elliott", "good_to_bad": alpha, "bad_to_good": beta}
    at = parvez.losses_of(scenario(loss=channel))
    assert at is not None
    found = parvez.cycle_at(window, at(window), 1, limited_transmit=True)
    assert found.packets == pytest.approx(slots_per_event(alpha, beta, window), rel=1e-9)
    assert found.lost == pytest.approx(losses_per_event(alpha, beta, window), rel=1e-9)


@given(losses, followers, per_ack, st.booleans())
def test_the_window_is_consistent_with_its_losses(
    p: float, q: float, b: int, limited: bool
) -> None:
    found = parvez.cycle(lambda _: Losses(p, q), b, None, limited)
    assert found.window >= 2
    assert found.window == 2 or found.sent == pytest.approx(found.packets, rel=1e-6)
    assert 0 <= found.timeout <= 1


@given(round_trips, timeouts, per_ack)
def test_rare_single_losses_tend_to_the_square_root_law(r: float, t0: float, b: int) -> None:
    t0 = max(t0, r)
    for p, within in ((1e-8, 2e-3), (1e-12, 1e-4)):
        found = parvez.goodput_pps(lambda _, p=p: Losses(p, p), r, min(t0, 10 * r), b)
        assert found == pytest.approx(square_root_pps(p, r, b), rel=within)


@given(round_trips, timeouts, st.integers(1, 1000))
def test_rare_loss_tends_to_the_window_limit(r: float, t0: float, limit: int) -> None:
    found = parvez.goodput_pps(lambda _: Losses(1e-13, 0.1), r, t0, 1, limit)
    assert found == pytest.approx(limit / r, rel=1e-4)


@given(st.floats(1e-8, 0.1), round_trips, per_ack)
def test_longer_bursts_reduce_goodput(p: float, r: float, b: int) -> None:
    found = [
        parvez.goodput_pps(lambda _, q=q: Losses(p, q), r, 2 * r, b) for q in (0, 0.02, 0.1, 0.3)
    ]
    assert found == sorted(found, reverse=True)


def test_the_window_without_timeouts_solves_a_quadratic() -> None:
    """N = 1/p = 3W²/8 + 3W/4 - 1, with one loss per event and an ACK per packet."""
    p = 1e-6
    found = parvez.cycle(lambda _: Losses(p, 0.0), 1, None, limited_transmit=True)
    root = 1 / 3 + math.sqrt(1 / 9 + 8 / (3 * p))
    assert found.window == pytest.approx(root, rel=1e-5)


@pytest.mark.parametrize(
    "loss",
    [
        INDEPENDENT,
        {**INDEPENDENT, "probability": 0.05},
        BURSTS,
        {**BURSTS, "good_to_bad": 1 / 300},
        {**BURSTS, "bad_to_good": 1 / 8},
    ],
)
def test_parvez_agrees_with_the_packet_simulator(loss: dict[str, object]) -> None:
    """For rare losses, the model's constant √1.5 is 6.5 % below 1.31 of random losses."""
    subject = scenario(tcp={"recovery": "slow-but-steady"}, loss=loss)
    measured = tcpgoodput.simulate(subject).goodput_bps
    prediction = predict(MODELS["parvez"], subject)
    assert prediction.status == "native"
    assert prediction.goodput_bps is not None
    assert abs(math.log(prediction.goodput_bps / measured)) < 0.1
