"""The models of BBR, compared with their limits and with the packet simulator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tcpgoodput.answers import Conditions
from tcpgoodput.models import MODELS
from tcpgoodput.models.bbr.random_loss import probing_share, stopped_s
from tcpgoodput.models.predict import predict
from tcpgoodput.scenario import Scenario
from tcpgoodput.simulator.simulation import Simulation
from tests.simulator.test_bbr import RATE_PPS, RTT_S, independent, path

BOUNDS = ("bbr.random_loss_lower", "bbr.random_loss", "bbr.random_loss_upper")


def predicted(name: str, request: Scenario) -> float:
    goodput_pps = predict(MODELS[name], request).goodput_pps
    assert goodput_pps is not None
    return goodput_pps


def simulated(request: Scenario, seconds: float = 210.0) -> float:
    simulation = Simulation(request, np.random.default_rng(3))
    simulation.run(10.0)
    before = simulation.counts
    simulation.run(seconds)
    return (simulation.counts - before).goodput_pps


IMPAIRED: list[dict[str, Any]] = [
    {"buffer": 50},
    {"loss": independent(0.001)},
    {"loss": {"process": "gilbert-elliott", "good_to_bad": 0.001, "bad_to_good": 0.3}},
    {
        "buffer": 50,
        "capacity": {"process": "sinusoid", "min_bps": 2e6, "max_bps": 8e6, "frequency_hz": 0.5},
    },
    {
        "handoffs": {"interval_s": 20, "packets": 4, "fate": "lost"},
        "tcp": {"max_window_packets": 20},
    },
    {
        "rtt_s": 0.005,
        "tcp": {"max_window_packets": 20},
        "spikes": {
            "interval": {"distribution": "exponential", "mean_s": 30},
            "duration": {"distribution": "constant", "mean_s": 3},
        },
    },
    {"tcp": {"transfer_packets": 100, "max_window_packets": 20}},
    {"tcp": {"transfer_packets": 100}, "loss": independent(0.001)},
]


@pytest.mark.parametrize("name", [name for name in MODELS.names() if not name.startswith("bbr.")])
@pytest.mark.parametrize("stack", ["linux-6.18", None])
@pytest.mark.parametrize("reductions", [False, True])
def test_bbr_is_outside_every_other_model(name: str, stack: str | None, reductions: bool) -> None:
    conditions = Conditions(precision="draft", reductions=reductions)
    for parts in IMPAIRED:
        request = path(**{**parts, "tcp": {**parts.get("tcp", {}), "stack": stack}})
        status = predict(MODELS[name], request, conditions).status
        assert status in ("out-of-domain", "undefined")


@pytest.mark.parametrize("variant", ["newreno", "sack", "cubic"])
@pytest.mark.parametrize("name", [*BOUNDS, "bbr.fluid"])
def test_the_models_describe_no_other_sender(name: str, variant: str) -> None:
    prediction = predict(MODELS[name], path(tcp={"variant": variant}))
    assert prediction.status == "undefined"
    assert variant in str(prediction.reason)


@given(st.floats(0, 0.2), st.floats(50, 1e5), st.floats(0.002, 1))
def test_the_bounds_are_in_order(p: float, rate_pps: float, rtt_s: float) -> None:
    request = path(rate_pps, rtt_s, loss=independent(p))
    least, middle, most = (predicted(name, request) for name in BOUNDS)
    assert 0 < least <= middle <= most == pytest.approx(rate_pps * (1 - p))
    longest = 0.77  # ten seconds of fourteen at least are not PROBE_RTT
    assert middle >= longest * (1 - p) * most


def test_a_fifth_of_losses_is_the_limit() -> None:
    """5/4 (1 - p) = 1 at p = 1/5."""
    for name in BOUNDS:
        at = predict(MODELS[name], path(loss=independent(0.2)))
        beyond = predict(MODELS[name], path(loss=independent(0.2001)))
        assert (at.status, beyond.status) == ("out-of-domain", "undefined")
        assert "policer" in str(at.reason)


def test_probing_costs_nothing_if_four_packets_fill_the_path() -> None:
    assert probing_share(40.0, 0.1) == 0
    assert probing_share(39.0, 0.1) == 0
    assert probing_share(41.0, 0.1) > 0
    # On a long and fast path: 200 ms and a round trip of 100 ms in 10.3 s.
    assert probing_share(1e9, 0.1) == pytest.approx(0.3 / 10.3)


def test_the_receivers_window_limits_the_goodput() -> None:
    """PROBE_RTT sends 4 of 20 packets for 200 ms and a round trip of 101 ms, every ten seconds."""
    request = path(tcp={"max_window_packets": 20})
    least, middle, most = (predicted(name, request) for name in BOUNDS)
    assert most == pytest.approx(20 / (RTT_S + 1 / RATE_PPS))
    assert middle == pytest.approx((1 - 0.301 * 0.8 / 10.301) * most)
    assert least == pytest.approx(0.99 * middle)


def test_losses_before_the_queue_leave_the_estimate_at_the_rate_of_the_link() -> None:
    """A full path delivers C, here 1000 packets/s; PROBE_RTT takes 97 of 101 packets for 301 ms."""
    request = path(loss={**independent(0.1), "place": "before"})
    least, middle, most = (predicted(name, request) for name in BOUNDS)
    share = 1 - 0.301 * 97 / 101 / 10.301
    assert most == pytest.approx(1000)
    assert middle == pytest.approx(900 * share)
    assert least == pytest.approx(0.99 * 810 * share)


def test_a_loss_stops_the_receivers_window_by_hand() -> None:
    """Two packets need their first transmission again with 1 - 0.9², the second with 1 - 0.99²."""
    assert stopped_s(0.1, 2, 1.0, 1.0) == pytest.approx(0.19 + 0.0199 + 0.001999, abs=3e-4)
    assert stopped_s(0.0, 2, 1.0, 1.0) == 0
    # Sending the window takes 1.6 of the two round trips until the retransmission has arrived.
    assert stopped_s(1e-6, 1000, 1.6, 1.0) == pytest.approx(
        0.4 * (1 - (1 - 1e-6) ** 1000), rel=1e-3
    )
    # A window of two round trips holds what is sent until the first retransmission has arrived.
    assert stopped_s(0.01, 1000, 2.0, 1.0) == pytest.approx(1 - 0.9999**1000, rel=0.02)


@pytest.mark.parametrize(
    ("window", "p"), [(20, 0.01), (50, 0.001), (50, 0.02), (150, 0.001), (150, 0.01), (150, 0.05)]
)
def test_a_window_with_losses_agrees_with_the_simulator(window: int, p: float) -> None:
    request = path(loss=independent(p), tcp={"max_window_packets": window})
    prediction = predict(MODELS["bbr.random_loss"], request)
    assert prediction.status == "native"
    goodput_pps = simulated(request)
    assert prediction.goodput_pps == pytest.approx(goodput_pps, rel=0.08)
    upper = predict(MODELS["bbr.random_loss_upper"], request)
    assert upper.status == "native"
    assert upper.goodput_pps == pytest.approx((1 - p) * min(1000, window / 0.101))
    assert goodput_pps < upper.goodput_pps


@pytest.mark.parametrize(
    ("rate_pps", "rtt_s", "p"),
    [
        (1000, 0.1, 0.0),
        (1000, 0.1, 0.001),
        (1000, 0.1, 0.02),
        (1000, 0.02, 0.05),
        (300, 0.05, 0.01),
        (100, 0.03, 0.0),
        (4000, 0.03, 0.03),
        (2000, 0.2, 0.05),
        (833, 0.1, 0.1),
        (8000, 0.02, 0.1),
        (1000, 0.3, 0.03),
    ],
)
def test_the_simulator_is_between_the_bounds(rate_pps: float, rtt_s: float, p: float) -> None:
    request = path(rate_pps, rtt_s, loss=independent(p))
    least, middle, most = (predicted(name, request) for name in BOUNDS)
    goodput_pps = simulated(request)
    assert 0.99 * least < goodput_pps < 1.005 * most
    assert goodput_pps == pytest.approx(middle, rel=0.02)


# The fluid over a varying capacity


def varying(process: str, frequency_hz: float, buffer: int | None, least_bps: float = 2e6) -> Any:
    capacity = {
        "process": process,
        "min_bps": least_bps,
        "max_bps": 8e6,
        "frequency_hz": frequency_hz,
    }
    return path(buffer=buffer, capacity=capacity)


@pytest.mark.parametrize(("rate_pps", "rtt_s"), [(200.0, 0.1), (1000.0, 0.03), (3000.0, 0.02)])
def test_over_a_constant_capacity_the_fluid_is_the_closed_form(
    rate_pps: float, rtt_s: float
) -> None:
    """The queue does not empty by itself, so PROBE_RTT comes every ten seconds."""
    request = path(rate_pps, rtt_s)
    closed_pps = predicted("bbr.random_loss", request)
    assert predicted("bbr.fluid", request) == pytest.approx(closed_pps, rel=0.01)


def test_a_receivers_window_limits_the_fluid() -> None:
    request = path(tcp={"max_window_packets": 20})
    assert predicted("bbr.fluid", request) == pytest.approx(20 / RTT_S, rel=0.03)


@pytest.mark.parametrize("process", ["sinusoid", "square"])
@pytest.mark.parametrize("frequency_hz", [0.05, 0.3, 1.0, 10.0])
def test_the_fluid_agrees_with_the_simulator(process: str, frequency_hz: float) -> None:
    request = varying(process, frequency_hz, 200)
    prediction = predict(MODELS["bbr.fluid"], request)
    assert prediction.status == "native"
    assert prediction.goodput_pps == pytest.approx(simulated(request, 410.0), rel=0.03)


@pytest.mark.parametrize(
    ("buffer", "least_bps", "word"), [(50, 2e6, "overflow"), (200, 1e4, "timeout")]
)
def test_falls_that_lose_packets_are_outside_the_fluid(
    buffer: int, least_bps: float, word: str
) -> None:
    prediction = predict(MODELS["bbr.fluid"], varying("square", 1.0, buffer, least_bps))
    assert prediction.status == "out-of-domain"
    assert word in str(prediction.reason)


def test_a_random_capacity_gives_an_interval() -> None:
    capacity = {"process": "ar1", "min_bps": 2e6, "max_bps": 8e6, "coherence_s": 0.5}
    request = path(buffer=300, capacity=capacity)
    prediction = predict(MODELS["bbr.fluid"], request, Conditions(precision="draft"))
    assert prediction.goodput_pps == pytest.approx(simulated(request, 210.0), rel=0.1)
