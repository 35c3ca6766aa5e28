"""R-ARQ, a link that retransmits as a slower one: compared with enumeration and simulation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tcpgoodput.answers import Answer, Conditions, Estimate, Undefined
from tcpgoodput.engines.referees import ENGINES
from tcpgoodput.models import MODELS
from tcpgoodput.models.predict import predict
from tcpgoodput.models.reductions.retransmission import (
    attempts_of,
    mean_delay_s,
    without_retransmission,
)
from tcpgoodput.scenario import Scenario
from tcpgoodput.scenario.arq import Arq
from tcpgoodput.scenario.loss import Bernoulli, GilbertElliott
from tests.scenarios import scenario

WIFI: dict[str, Any] = {"error": 0.3, "attempts": 7}
HARQ: dict[str, Any] = {"error": 0.1, "attempts": 4, "turnaround_s": 0.008}
CHANNEL = {"process": "gilbert-elliott", "good_to_bad": 0.05, "bad_to_good": 0.4, "clock": "packet"}
MATHIS, FLUID = MODELS["mathis"], MODELS["variable_capacity.fluid"]


def wifi(arq: dict[str, Any] | None = WIFI, **parts: Any) -> Scenario:
    tcp = {"variant": "sack", "mss_bytes": 1460, "header_bytes": 40, **parts.pop("tcp", {})}
    path = {"rate_bps": 2e7, "forward_delay_s": 0.02, "backward_delay_s": 0.02}
    path = {**path, "buffer_packets": 100, **parts.pop("path", {})}
    return scenario(tcp=tcp, path=path, arq=arq, **parts)


@pytest.mark.parametrize(("error", "most"), [(0.3, 7), (0.1, 4), (0.5, 1), (0.9, 3)])
def test_attempts_are_those_of_a_truncated_geometric_law(error: float, most: int) -> None:
    found = attempts_of(Arq(error=error, attempts=most))
    by_count = [error ** (n - 1) * (1 - error) for n in range(1, most)] + [error ** (most - 1)]
    assert math.fsum(by_count) == pytest.approx(1)
    assert found.mean == pytest.approx(math.fsum(n * p for n, p in enumerate(by_count, start=1)))
    assert isinstance(found.lost, Bernoulli)
    assert found.lost.probability == pytest.approx(error**most)


@pytest.mark.parametrize("most", [1, 2, 5])
def test_attempts_over_a_channel_are_those_of_a_simulated_one(most: int) -> None:
    stream, bad = np.random.default_rng(4), False
    turns = stream.random(600_000)
    attempts, packets, lost = 0, 0, []
    for turn in turns:
        bad = turn >= 0.4 if bad else turn < 0.05
        attempts += 1
        if not bad or attempts == most:
            packets, attempts = packets + 1, 0
            lost.append(bad)
    found = attempts_of(Arq(error=CHANNEL, attempts=most))
    assert found.mean == pytest.approx(turns.size / packets, rel=0.005)
    assert isinstance(found.lost, GilbertElliott)
    after = np.array(lost)
    again = after[1:][after[:-1]].mean()
    begins = after[1:][~after[:-1]].mean()
    assert 1 - found.lost.bad_to_good == pytest.approx(again, rel=0.1)
    assert found.lost.good_to_bad == pytest.approx(begins, rel=0.1)


@pytest.mark.parametrize(("error", "turnaround_s"), [(0.1, 0.008), (0.3, 0.002), (0.4, 0.05)])
def test_the_mean_delay_in_order_is_that_of_the_latest_packet_ahead(
    error: float, turnaround_s: float
) -> None:
    """Draw the failures of a million packets of a train, and keep them in order."""
    packet_s, most = 0.0006, 4
    arq = Arq(error=error, attempts=most, turnaround_s=turnaround_s)
    mean = attempts_of(arq).mean
    failures = np.random.default_rng(3).geometric(1 - error, 10**6) - 1
    late_s = np.minimum(failures, most - 1) * (turnaround_s + packet_s)
    sent_s = mean * packet_s * np.arange(late_s.size)
    arrives_s = np.maximum.accumulate(sent_s + late_s)
    found_s = mean_delay_s(arq, mean, packet_s)
    assert found_s == pytest.approx((arrives_s - sent_s).mean(), rel=0.01)
    unordered = arq.model_copy(update={"delivery": "as-it-comes"})
    assert mean_delay_s(unordered, mean, packet_s) == pytest.approx(late_s.mean(), rel=0.01)


def test_a_single_attempt_is_a_loss() -> None:
    for kind in ({}, {"turnaround_s": 0.01}):
        found = without_retransmission(wifi({"error": 0.02, "attempts": 1, **kind})).scenario
        plain = wifi(None, loss={"process": "bernoulli", "probability": 0.02})
        assert found.model_dump() == plain.model_dump()


def test_a_link_becomes_slower_later_and_lossy() -> None:
    capacity = {"process": "sinusoid", "min_bps": 5e6, "max_bps": 2e7, "frequency_hz": 0.1}
    handoffs = {"interval_s": 5, "packets": 2, "fate": "lost", "delay_steps_s": [0.02, 0.05]}
    loss = {"process": "bernoulli", "probability": 0.01, "place": "before"}
    request = wifi(capacity=capacity, handoffs=handoffs, loss=loss)
    restated = without_retransmission(request)
    found, mean = restated.scenario, (1 - 0.3**7) / 0.7
    delay_s = (mean - 1) * 1500 * 8 / 2e7
    assert restated.by == ("R-ARQ",)
    assert restated.outside is None
    assert found.arq is None
    assert found.path.rate_bps == pytest.approx(2e7 / mean)
    assert found.propagation_rtt_s == pytest.approx(0.04 + delay_s)
    assert (found.capacity.min_bps, found.capacity.max_bps) == pytest.approx(
        (5e6 / mean, 2e7 / mean)
    )
    assert found.handoffs.delay_steps_s == pytest.approx([0.02 + delay_s, 0.05 + delay_s])
    assert found.loss.probability == pytest.approx(1 - 0.99 * (1 - 0.3**7))
    assert found.loss.place == "before"


@pytest.mark.parametrize(
    ("turnaround_s", "delivery", "expected_pps"),
    [(0, "in-order", 1 / 0.06), (0.01, "as-it-comes", 15)],
)
@pytest.mark.parametrize(
    ("model", "variant"),
    [
        ("bbr.random_loss_upper", "bbr"),
        ("lakshman_madhow", "sack"),
        ("delay_spikes.lossless", "sack"),
    ],
)
def test_a_window_of_one_packet_waits_for_each_attempt_once(
    model: str, variant: str, turnaround_s: float, delivery: str, expected_pps: float
) -> None:
    """Of 5/3 attempts of 12 ms and 2/3 of a turnaround, behind 40 ms of propagation."""
    arq = {"error": 0.4, "attempts": 1000, "turnaround_s": turnaround_s, "delivery": delivery}
    path = {"rate_bps": 1e6, "forward_delay_s": 0.02, "backward_delay_s": 0.02}
    tcp = {"variant": variant, "mss_bytes": 1500, "max_window_packets": 1}
    found = predict(MODELS[model], scenario(tcp=tcp, path=path, arq=arq))
    assert found.goodput_pps == pytest.approx(expected_pps, rel=1e-9)


def test_many_models_answer_for_a_wifi_link_and_agree_with_simulation() -> None:
    request = wifi(tcp={"max_window_packets": 300})
    measured = ENGINES["packet"].measure(request, Conditions(precision="draft"))
    found = [predict(model, request) for model in MODELS.values()]
    valued = [one for one in found if one.goodput_pps is not None]
    assert len(valued) >= 6
    assert all(one.reduction.startswith("R-ARQ") for one in valued)
    reduced = [one for one in valued if one.status == "reduced"]
    assert {"mathis", "variable_capacity.fluid"} <= {one.name for one in reduced}
    for one in reduced:
        assert one.goodput_pps == pytest.approx(measured.goodput_pps, rel=0.05)


def test_without_reductions_no_model_describes_the_link() -> None:
    found = predict(MATHIS, wifi(), Conditions(reductions=False))
    assert found.status == "undefined"
    assert "does not describe link retransmission" in str(found.reason)


def test_a_link_that_never_fails_is_no_impairment() -> None:
    loss = {"process": "bernoulli", "probability": 0.01}
    never = predict(MATHIS, wifi({"error": 0, "attempts": 4}, loss=loss))
    plain = predict(MATHIS, wifi(None, loss=loss))
    assert (never.status, never.goodput_pps) == (plain.status, plain.goodput_pps)


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (wifi({**HARQ, "error": CHANNEL}), "bursts of errors"),
        (wifi(loss={"process": "periodic", "probability": 0.01}), "periodic loss, and what"),
        (wifi(loss={**CHANNEL, "clock": "slot"}), "as one loss process"),
        (wifi(capacity={"process": "trace", "file": "a.csv"}), "follows a trace"),
    ],
)
def test_what_no_reduction_restates_is_undefined(request_: Scenario, reason: str) -> None:
    with pytest.raises(Undefined, match=reason):
        without_retransmission(request_)
    found = predict(FLUID, request_)
    assert found.status == "undefined"
    assert reason in str(found.reason)


def test_overtaken_packets_are_out_of_domain_unless_the_sender_waits_for_them() -> None:
    as_it_comes = {**HARQ, "delivery": "as-it-comes"}
    # 13.3 packets of 0.6 ms pass in 8 ms.
    reason = without_retransmission(wifi(as_it_comes)).outside
    assert reason is not None
    assert "overtaken by up to 13.3 packets" in reason
    assert without_retransmission(wifi(as_it_comes, tcp={"dupthresh": 14})).outside is None
    assert without_retransmission(wifi(HARQ)).outside is None
    rack = {"stack": "linux-6.18"}
    assert without_retransmission(wifi(as_it_comes, tcp=rack)).outside is None
    near = {"forward_delay_s": 0.01, "backward_delay_s": 0.01}
    assert "RACK" in str(without_retransmission(wifi(as_it_comes, tcp=rack, path=near)).outside)
    assert predict(MATHIS, wifi(as_it_comes)).status == "out-of-domain"


def test_slots_of_errors_are_out_of_domain() -> None:
    slots = {**CHANNEL, "clock": "slot"}
    assert without_retransmission(wifi({**WIFI, "error": CHANNEL})).outside is None
    assert "slots" in str(without_retransmission(wifi({**WIFI, "error": slots})).outside)


def test_no_goodput_exceeds_what_the_attempts_let_through() -> None:
    """With a single attempt per packet, the link would carry more than with failed ones."""
    request = wifi(loss={"process": "none"})
    most_pps = 0.7 * 2e7 / 12000
    for model in MODELS.values():
        found = predict(model, request)
        if found.status in ("native", "reduced"):
            assert found.goodput_pps <= most_pps * (1 + 1e-9)


@pytest.mark.parametrize(("error", "most"), [(0.3, 2), (0.1, 2), (0.05, 6)])
def test_a_full_link_delivers_the_attempts_that_succeed(error: float, most: int) -> None:
    """It delivers C (1 - e), less than the restated link's rate C/m by the lost packets."""
    link = wifi(
        {"error": error, "attempts": most}, loss={"process": "none"}, path={"rate_bps": 1e5}
    )
    whole = 1e5 / 12000
    restated = without_retransmission(link)
    sent_pps = whole * (1 - error) / (1 - error**most)
    for given, expected in [
        (0.9 * whole * (1 - error), 0.9 * whole * (1 - error)),
        (whole * (1 - error), whole * (1 - error)),
        (sent_pps * (1 - 1e-12), whole * (1 - error)),
        (sent_pps * 1.001, sent_pps * 1.001),  # more than the link sends: not of this kind
    ]:
        found = restated.answer(Answer(given))
        assert isinstance(found, Answer)
        assert found.goodput == pytest.approx(expected, rel=1e-12)
    estimate = restated.answer(Answer(Estimate(sent_pps * (1 - 1e-12), sent_pps / 2, sent_pps, 3)))
    assert isinstance(estimate, Answer)
    assert estimate.goodput.goodput_pps == pytest.approx(whole * (1 - error), rel=1e-9)
