"""Conditions that several models' domains share: which scenarios violate them, and the reason."""

from __future__ import annotations

from typing import Any

import pytest

from tcpgoodput.answers import Conditions
from tcpgoodput.models import MODELS
from tcpgoodput.models.predict import predict
from tests.scenarios import scenario

LOSS = {"process": "bernoulli", "probability": 0.001}
NO_LOSS = {"process": "none"}
PATH = {"rate_bps": 1e8, "buffer_packets": 100}
SMALL = {"max_window_packets": 5, "ack_every": 4}


def status(model: str, **parts: Any) -> tuple[str, str | None]:
    prediction = predict(MODELS[model], scenario(**{"path": PATH, "loss": LOSS, **parts}))
    return prediction.status, prediction.reason


@pytest.mark.parametrize(
    "model", ["mathis", "misra", "pftk", "pftk_approximation", "pftk_send_rate"]
)
def test_formulas_for_independent_loss_exclude_bursts_and_queues(model: str) -> None:
    assert status(model) == ("native", None)
    small, reason = status(model, path={**PATH, "buffer_packets": 2})
    assert small == "out-of-domain"
    assert reason is not None
    assert "that ACKs release" in reason
    full = scenario(path={**PATH, "rate_bps": 5e6}, loss=LOSS)
    prediction = predict(MODELS[model], full, Conditions(reductions=False))
    assert prediction.status == "out-of-domain"
    assert "queue" in str(prediction.reason)
    assert predict(MODELS[model], full).reduction == "R-WIN"
    other, reason = status(model, tcp={"dupthresh": 5})
    assert other == "out-of-domain"
    assert "needs 5 duplicate ACKs" in str(reason)


def test_delayed_acks_need_a_larger_buffer() -> None:
    path = {**PATH, "buffer_packets": 4}
    assert status("mathis", path=path)[0] == "native"
    assert status("mathis", path=path, tcp={"ack_every": 2})[0] == "out-of-domain"


@pytest.mark.parametrize(
    ("model", "parts"),
    [
        ("variable_capacity.closed_form", {"tcp": SMALL, "loss": NO_LOSS}),
        ("lakshman_madhow", {"tcp": SMALL, "loss": NO_LOSS}),
        # These scenarios have no window limit, but their losses keep the window small.
        ("mathis", {"tcp": {"ack_every": 4}, "loss": {**LOSS, "probability": 0.01}}),
        ("cubic", {"tcp": {"variant": "cubic", "ack_every": 20}}),
    ],
)
def test_a_small_window_with_delayed_acks_is_out_of_domain(
    model: str, parts: dict[str, Any]
) -> None:
    found, reason = status(model, **parts)
    assert found == "out-of-domain"
    assert "delayed-ACK timer" in str(reason)
    each = {**parts, "tcp": {**parts["tcp"], "ack_every": 1}}
    assert "delayed-ACK timer" not in str(status(model, **each)[1])


def test_a_buffer_of_one_packet_is_out_of_the_renewal_models_domain() -> None:
    small = {**PATH, "buffer_packets": 1}
    assert "that ACKs release" in str(status("delay_spikes.lossy", path=small)[1])
    assert "that ACKs release" not in str(status("delay_spikes.lossy")[1])


@pytest.mark.parametrize(("place", "expected"), [("before", "native"), ("after", "out-of-domain")])
def test_goodput_is_limited_by_the_rate_minus_losses(place: str, expected: str) -> None:
    loss = {"process": "bernoulli", "probability": 0.02, "place": place}
    path = {"rate_bps": 8e3, "buffer_packets": None}
    prediction = predict(
        MODELS["delay_spikes.lossy"], scenario(tcp={"variant": "sack"}, path=path, loss=loss)
    )
    assert prediction.utilisation is not None
    assert 0.98 < prediction.utilisation < 1
    assert prediction.status == expected
    assert ("more than the path delivers" in str(prediction.reason)) == (place == "after")


def test_packet_trains_need_a_larger_window_than_losses_allow() -> None:
    burst = {"process": "gilbert-elliott", "good_to_bad": 0.001, "bad_to_good": 0.5}
    wide = status("packet_trains", loss=burst)
    narrow, reason = status("packet_trains", loss=burst, path={**PATH, "rate_bps": 1e6})
    assert wide == ("native", None)
    assert narrow == "out-of-domain"
    assert reason is not None
    assert "W_m" in reason


def test_frequent_spikes_are_out_of_domain() -> None:
    def spiky(mean_s: float) -> tuple[str, str | None]:
        spikes = {
            "interval": {"distribution": "exponential", "mean_s": mean_s},
            "duration": {"distribution": "constant", "mean_s": 4},
        }
        path = {"rate_bps": 1e5, "buffer_packets": None}
        return status("delay_spikes.lossless", loss={"process": "none"}, path=path, spikes=spikes)

    assert spiky(20) == ("native", None)
    close, reason = spiky(5)
    assert close == "out-of-domain"
    assert reason is not None
    assert "between spikes" in reason


@pytest.mark.parametrize(
    ("least_bps", "frequency_hz", "wanted"),
    [(0, 1, "out-of-domain"), (0, 5, "native"), (1e6, 1, "native")],
)
def test_a_stop_of_each_period_ends_the_fluids_domain(
    least_bps: float, frequency_hz: float, wanted: str
) -> None:
    """Simulated at 1 Hz: the fluid is six times too high if the link stops, and right if not."""
    wave = {"process": "square", "min_bps": least_bps, "max_bps": 2e7}
    capacity = {**wave, "frequency_hz": frequency_hz}
    path = {**PATH, "rate_bps": 2e7}
    link = {"path": path, "loss": NO_LOSS, "capacity": capacity, "tcp": {"variant": "sack"}}
    assert status("variable_capacity.fluid", **link)[0] == wanted


@pytest.mark.parametrize(("share", "wanted"), [(0.1, "native"), (0.2, "out-of-domain")])
def test_heavy_loss_ends_the_domain_of_parvez(share: float, wanted: str) -> None:
    """Simulated: the formula is 1.1 times too high at 10 % loss, and 1.9 times at 20 %."""
    assert status("parvez", loss={**LOSS, "probability": share})[0] == wanted
    # A channel whose next slot does not depend on this one loses packets independently.
    channel = {"process": "gilbert-elliott", "good_to_bad": share, "bad_to_good": 1 - share}
    assert status("parvez", loss=channel)[0] == wanted
