"""Domains of the models: which scenarios violate their conditions, and the reason."""

from __future__ import annotations

from typing import Any

import pytest

from tcpgoodput.answers import Conditions
from tcpgoodput.models import MODELS
from tcpgoodput.models.predict import predict
from tests.scenarios import scenario

STEADY = {"recovery": "slow-but-steady"}
FULL = {"path": {"buffer_packets": 3000}}
"""A path that holds 12 500 packets, with a finite buffer."""


def tcp(variant: str = "newreno", **keys: Any) -> dict[str, Any]:
    return {"tcp": {"variant": variant, **keys}}


def loss(probability: float) -> dict[str, Any]:
    return {"loss": {"process": "bernoulli", "probability": probability}}


def bursts(alpha: float, beta: float, **keys: Any) -> dict[str, Any]:
    channel = {"process": "gilbert-elliott", "good_to_bad": alpha, "bad_to_good": beta}
    return {"loss": {**channel, **keys}}


def hits(interval_s: float, packets: int = 1, **keys: Any) -> dict[str, Any]:
    return {"handoffs": {"interval_s": interval_s, "packets": packets, "fate": "lost", **keys}}


def path(rate_bps: float = 1e9, buffer: int | None = None) -> dict[str, Any]:
    return {"path": {"rate_bps": rate_bps, "buffer_packets": buffer}}


def spikes(mean_s: float) -> dict[str, Any]:
    duration = {"distribution": "constant", "mean_s": 4}
    interval = {"distribution": "exponential", "mean_s": mean_s}
    return {"spikes": {"interval": interval, "duration": duration}}


def wave(least_bps: float, frequency_hz: float) -> dict[str, Any]:
    square = {"process": "square", "min_bps": least_bps, "max_bps": 2e7}
    return {"capacity": {**square, "frequency_hz": frequency_hz}}


OUT = "out-of-domain"
SHORT_BURSTS = bursts(1 / 3000, 1 / 3)
TRAINS = tcp("sack") | bursts(0.01, 0.5)

DOMAINS: dict[str, list[tuple[dict[str, Any], str]]] = {
    "mathis": [
        (loss(0.01), "native"),
        (tcp("sack") | loss(0.02), "native"),
        (tcp("sack") | loss(0.03), OUT),
        (tcp("reno") | loss(0.06), OUT),
        (tcp("tahoe") | loss(0.001), OUT),
        (tcp("cubic") | loss(0.01), OUT),
        (path(1e8, 4) | loss(0.001), "native"),
        (path(1e8, 4) | loss(0.001) | tcp(ack_every=2), OUT),
    ],
    "altman": [
        (hits(4), "native"),
        (hits(1), OUT),
        (hits(4, 3), OUT),
        (hits(4, 3) | tcp("sack"), "native"),
        (hits(4, fate="late", late_s=0.3), OUT),
        (hits(2) | tcp(ack_every=2), OUT),
        (hits(4) | tcp("cubic"), OUT),
        (hits(4) | tcp(max_window_packets=70), "reduced"),
        (hits(4) | path(4e6), "reduced"),
        (loss(0.001), OUT),
    ],
    "pftk": [
        (tcp("reno", rto={"min_s": 1.0}) | loss(0.05), "native"),
        (tcp("reno", rto={"min_s": 1.0}) | loss(0.2), OUT),
        (tcp("sack") | loss(0.01), "native"),
        (tcp("sack", rto={"min_s": 1.0}) | loss(0.01), OUT),
        (loss(0.05), OUT),
        (tcp("cubic") | loss(0.01), OUT),
    ],
    "cubic": [
        (tcp("cubic") | loss(0.01), "native"),
        (tcp("cubic") | loss(0.03), OUT),
        (tcp("cubic", max_window_packets=10) | loss(0.01), "reduced"),
        (tcp("sack") | loss(0.01), OUT),
    ],
    "poojary": [
        (tcp("cubic") | loss(1e-4), "native"),
        (tcp("sack") | loss(1e-4), OUT),
        (tcp("cubic") | loss(0.03), OUT),
        (tcp("cubic") | loss(0.01), OUT),  # CUBIC uses its Reno-friendly region
        (tcp("cubic", max_window_packets=100) | loss(1e-4), "reduced"),
        (tcp("cubic") | path(1e7) | loss(1e-4), "reduced"),
        (tcp("cubic", dupthresh=5) | loss(1e-4), OUT),
        (tcp("cubic") | path(buffer=8) | loss(1e-4), "native"),
        # The window grows by 11 packets in a round trip, above the buffer.
        (tcp("cubic") | path(buffer=8) | loss(1e-5), OUT),
    ],
    "lakshman_madhow": [
        (FULL | tcp(max_window_packets=13_000), "native"),
        (FULL | tcp(max_window_packets=16_000), OUT),
        (FULL | tcp(max_window_packets=40_000), "native"),
        (FULL | tcp(ack_every=2), "native"),
        (FULL | tcp("tahoe"), OUT),
        (FULL | tcp("cubic"), OUT),
        (FULL | loss(0.01), "undefined"),
    ],
    "parvez": [
        (loss(0.01), "native"),
        (SHORT_BURSTS | tcp(**STEADY), "native"),
        (SHORT_BURSTS | tcp(rto={"min_s": 1.0}), "native"),
        (SHORT_BURSTS, OUT),  # recovery takes 0.3 s, the RTO is 0.2 s
        (loss(0.01) | tcp("sack"), OUT),
        (loss(0.01) | tcp(partial_window_deflation="ssthresh"), OUT),
        (loss(0.01) | tcp(stack="linux-6.18"), OUT),
        (loss(0.01) | tcp(dupthresh=4), OUT),
        (loss(0.01) | tcp(max_window_packets=8), "native"),
        (loss(0.01) | path(1e6), "reduced"),
        (tcp(max_window_packets=8), "native"),
        (tcp(max_window_packets=8) | path(1e5), "reduced"),
        ({}, "undefined"),
        (bursts(1 / 3000, 1 / 200) | path(1e7), OUT),
        (bursts(1 / 3000, 1 / 3, clock="packet") | tcp(**STEADY), OUT),
        (hits(10.0, 2), "reduced"),
        # Simulated: the formula is 1.1 times too high at 10 % loss, and 1.9 times at 20 %. The
        # states of these channels are independent from slot to slot.
        (path(1e8, 100) | loss(0.1), "native"),
        (path(1e8, 100) | loss(0.2), OUT),
        (path(1e8, 100) | bursts(0.1, 0.9), "native"),
        (path(1e8, 100) | bursts(0.2, 0.8), OUT),
    ],
    "packet_trains": [
        (TRAINS | path(8e6), "native"),
        (tcp("sack", ack_every=2) | bursts(0.01, 0.5) | path(8e6), OUT),
        (tcp("sack") | bursts(0.01, 0.5, clock="packet") | path(8e6), OUT),
        (bursts(0.001, 0.5) | path(1e8, 100), "native"),
        (bursts(0.001, 0.5) | path(1e6, 100), OUT),
    ],
    "delay_spikes.lossless": [
        (path(1e5) | spikes(20), "native"),
        (path(1e5) | spikes(5), OUT),
    ],
    "delay_spikes.lossy": [
        (path(1e8, 100) | loss(0.001), "native"),
        (path(1e8, 1) | loss(0.001), OUT),
    ],
    # Simulated at 1 Hz: the fluid is six times too high if the link stops, and right if not.
    "variable_capacity.fluid": [
        (tcp("sack") | path(2e7, 100) | wave(0, 1), OUT),
        (tcp("sack") | path(2e7, 100) | wave(0, 5), "native"),
        (tcp("sack") | path(2e7, 100) | wave(1e6, 1), "native"),
        (tcp("tahoe") | path(2e7, 100) | wave(1e6, 1), OUT),
        (tcp("cubic") | path(2e7, 100) | wave(1e6, 1), OUT),
        (tcp("reno") | path(2e7, 100) | wave(1e6, 1), OUT),
        (tcp("sack", ack_every=2) | path(2e7, 100) | wave(1e6, 1), OUT),
        (tcp("sack", max_window_packets=3) | path(2e7, 100) | wave(1e6, 1), OUT),
    ],
    "bbr.random_loss": [
        (tcp("bbr") | path(8e6, 3), OUT),
        (tcp("bbr") | path(8e6, 4), "native"),
        # Of 101 packets 0.03² are 0.09 timeouts in a round trip, and 0.04² are 0.16.
        (tcp("bbr") | path(8e6) | loss(0.03), "native"),
        (tcp("bbr") | path(8e6) | loss(0.04), OUT),
        (tcp("bbr", stack="linux-6.18") | path(8e6) | loss(0.04), "native"),
    ],
}


@pytest.mark.parametrize(
    ("model", "parts", "status"),
    [(model, *case) for model, cases in DOMAINS.items() for case in cases],
)
def test_domains_are_as_stated(model: str, parts: dict[str, Any], status: str) -> None:
    prediction = predict(MODELS[model], scenario(**parts))
    assert prediction.status == status, prediction.reason
    assert (prediction.reason is None) == (status in ("native", "reduced"))
    assert (prediction.goodput_pps is None) == (status == "undefined")


@pytest.mark.parametrize(
    ("model", "parts", "words"),
    [
        ("packet_trains", bursts(0.001, 0.5) | path(1e6, 100), "W_m"),
        ("delay_spikes.lossless", path(1e5) | spikes(5), "between spikes"),
        ("delay_spikes.lossy", path(1e8, 1) | loss(0.001), "that ACKs release"),
        ("lakshman_madhow", FULL | loss(0.01), "independent loss"),
        ("bbr.random_loss", tcp("bbr") | path(8e6) | loss(0.04), "RACK"),
        *(
            ("variable_capacity.fluid", sender | path(2e7, 100) | wave(1e6, 1), words)
            for sender, words in (
                (tcp("tahoe"), "tahoe"),
                (tcp("cubic"), "CUBIC"),
                (tcp("reno"), "Reno"),
                (tcp("sack", ack_every=2), "ACK"),
                (tcp("sack", max_window_packets=3), "at most 3 packets"),
            )
        ),
    ],
)
def test_the_reason_names_what_is_violated(model: str, parts: dict[str, Any], words: str) -> None:
    assert words in str(predict(MODELS[model], scenario(**parts)).reason)


@pytest.mark.parametrize(
    "model", ["mathis", "misra", "pftk", "pftk_approximation", "pftk_send_rate"]
)
def test_formulas_for_independent_loss_exclude_bursts_and_queues(model: str) -> None:
    inside = path(1e8, 100) | loss(0.001)
    for parts, status, words in (
        ({}, "native", "None"),
        (path(1e8, 2), OUT, "that ACKs release"),
        (tcp(dupthresh=5), OUT, "needs 5 duplicate ACKs"),
    ):
        prediction = predict(MODELS[model], scenario(**inside | parts))
        assert prediction.status == status
        assert words in str(prediction.reason)
    full = scenario(**path(5e6, 100) | loss(0.001))
    prediction = predict(MODELS[model], full, Conditions(reductions=False))
    assert prediction.status == OUT
    assert "queue" in str(prediction.reason)
    assert predict(MODELS[model], full).reduction == "R-WIN"


@pytest.mark.parametrize(
    ("model", "sender", "parts"),
    [
        ("variable_capacity.closed_form", {"max_window_packets": 5, "ack_every": 4}, {}),
        ("lakshman_madhow", {"max_window_packets": 5, "ack_every": 4}, {}),
        # These scenarios have no window limit, but their losses keep the window small.
        ("mathis", {"ack_every": 4}, loss(0.01)),
        ("cubic", {"variant": "cubic", "ack_every": 20}, loss(0.001)),
    ],
)
def test_a_small_window_with_delayed_acks_is_out_of_domain(
    model: str, sender: dict[str, Any], parts: dict[str, Any]
) -> None:
    delayed, each = (
        predict(MODELS[model], scenario(**path(1e8, 100) | parts | tcp(**keys)))
        for keys in (sender, sender | {"ack_every": 1})
    )
    assert delayed.status == OUT
    assert "delayed-ACK timer" in str(delayed.reason)
    assert "delayed-ACK timer" not in str(each.reason)


@pytest.mark.parametrize(("place", "status"), [("before", "native"), ("after", OUT)])
def test_goodput_is_limited_by_the_rate_minus_losses(place: str, status: str) -> None:
    lossy = {"loss": loss(0.02)["loss"] | {"place": place}}
    slow = scenario(**tcp("sack") | path(8e3) | lossy)
    prediction = predict(MODELS["delay_spikes.lossy"], slow)
    assert prediction.utilisation is not None
    assert 0.98 < prediction.utilisation < 1
    assert prediction.status == status
    assert ("more than the path delivers" in str(prediction.reason)) == (place == "after")
