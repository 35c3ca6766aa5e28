"""Reductions, which restate a scenario in a model's terms, such as bursts as loss events.

They are compared with simulated channels, the fluid model, limits and scaling laws.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from tcpgoodput.answers import Conditions, Undefined
from tcpgoodput.models import MODELS
from tcpgoodput.models.literature.pftk import goodput_pps as pftk_pps
from tcpgoodput.models.mathis.square_root import throughput_pps
from tcpgoodput.models.predict import predict
from tcpgoodput.models.reductions import REDUCTIONS, events, window
from tcpgoodput.scenario import Scenario, override
from tests.scenarios import scenario

FAST = {"rate_bps": 1e9, "buffer_packets": None}
SACK = {"variant": "sack"}


def spikes(interval: str, mean_s: float, duration_s: float = 4) -> dict[str, Any]:
    return {
        "interval": {"distribution": interval, "mean_s": mean_s},
        "duration": {"distribution": "constant", "mean_s": duration_s},
    }


EVERY_20_S = spikes("exponential", 20)


def channel(alpha: float, beta: float) -> dict[str, Any]:
    return {"process": "gilbert-elliott", "good_to_bad": alpha, "bad_to_good": beta}


def sinusoid(frequency_hz: float, buffer: int | None, **more: Any) -> Scenario:
    process = {"process": "sinusoid", "min_bps": 1e7, "max_bps": 1e8, "frequency_hz": frequency_hz}
    return scenario(
        tcp={"variant": "sack", "mss_bytes": 1500},
        path={"rate_bps": 1e8, "buffer_packets": buffer},
        capacity={**process, **more},
    )


def events_by_hand(alpha: float, beta: float, window_slots: int, count: int) -> float:
    """Simulate `count` loss events of `window_slots`; return the mean slots between them."""
    stream = np.random.default_rng(5)
    slot, bad, found, begun = 0, True, 0, 0
    while found < count:
        if bad and slot >= begun + window_slots:
            found, begun = found + 1, slot
        bad = stream.random() >= beta if bad else stream.random() < alpha
        slot += 1
    return begun / count


@pytest.mark.parametrize(("alpha", "beta", "slots"), [(0.01, 0.2, 8), (0.05, 0.5, 30)])
def test_loss_events_of_bursts_equal_a_count_by_hand(alpha: float, beta: float, slots: int) -> None:
    counted = events_by_hand(alpha, beta, slots, 20_000)
    assert events.slots_per_event(alpha, beta, slots) == pytest.approx(counted, rel=0.02)


def test_independent_loss_is_reduced_to_a_channel() -> None:
    p = 0.01
    lossy = scenario(tcp=SACK, loss={"process": "bernoulli", "probability": p})
    bursty = scenario(tcp=SACK, loss=channel(p, 1 - p))
    reduced = predict(MODELS["packet_trains"], lossy)
    assert reduced.reduction == "R-IID"
    native = predict(MODELS["packet_trains"], bursty)
    assert native.reduction is None
    assert reduced.goodput_pps == native.goodput_pps


@given(st.floats(1e-6, 0.01), st.floats(0.02, 0.9))
def test_the_square_root_law_with_bursts_is_the_only_fixed_point(alpha: float, beta: float) -> None:
    bursty = scenario(path=FAST, loss=channel(alpha, beta))
    found = predict(MODELS["mathis"], bursty, Conditions()).goodput_pps
    assert found is not None
    # Solve W² = c² N(W) for the window W by bisection in log W; N(W) is the number of packets per
    # loss event, and c² = 1.5.
    low, high = 0.0, math.log(1.5 + math.sqrt(1.5) / math.sqrt(alpha)) + 1
    for _ in range(200):
        middle = (low + high) / 2
        w = math.exp(middle)
        above = w**2 > 1.5 * events.slots_per_event(alpha, beta, max(w, 1.0))
        low, high = (low, middle) if above else (middle, high)
    product = 1e9 / 8000 * 0.1
    # A window near the bandwidth-delay product would be limited by another reduction (R-WIN).
    assume(math.exp(low) < product / 4)
    assert found == pytest.approx(math.exp(low) / 0.1, rel=1e-6)


@pytest.mark.parametrize(
    ("clock", "mean_packets", "status"),
    [("packet", 1.9, "reduced"), ("packet", 2, "out-of-domain"), ("slot", 2, "reduced")],
)
def test_bursts_that_outlast_every_timeout_are_out_of_domain(
    clock: str, mean_packets: float, status: str
) -> None:
    loss = {**channel(1e-4, 1 / mean_packets), "clock": clock}
    for name, variant in [("mathis", "sack"), ("cubic", "cubic")]:
        tcp = {"variant": variant, "mss_bytes": 1500}
        answer = predict(MODELS[name], scenario(tcp=tcp, path=FAST, loss=loss))
        assert answer.status == status, answer
        assert ("back-off" in (answer.reason or "")) == (status == "out-of-domain")


@given(st.floats(0.5, 60), st.sampled_from([1, 2]))
def test_the_square_root_law_with_hand_offs_has_a_closed_form(interval_s: float, b: int) -> None:
    hits = scenario(
        tcp={"ack_every": b},
        path=FAST,
        handoffs={"interval_s": interval_s, "packets": 1, "fate": "lost"},
    )
    found = predict(MODELS["mathis"], hits)
    assert found.reduction == "R-HO"
    assert found.goodput_pps == pytest.approx(1.5 * interval_s / (b * 0.1**2), rel=1e-9)


@pytest.mark.parametrize(("late_s", "status"), [(0.0005, "out-of-domain"), (0.05, "reduced")])
def test_late_packets_that_few_overtake_are_no_loss_event(late_s: float, status: str) -> None:
    """At X = 1.5 A_h/R² = 450 packets/s, 0.2 packets are sent in 0.5 ms, and 22 in 50 ms."""
    late = {"interval_s": 3, "packets": 1, "fate": "late", "late_s": late_s}
    found = predict(MODELS["mathis"], scenario(tcp=SACK, path={"rate_bps": 8e6}, handoffs=late))
    assert found.goodput_pps == pytest.approx(450)
    assert found.status == status
    assert ("overtake" in (found.reason or "")) == (status == "out-of-domain")


@pytest.mark.parametrize(
    ("rtt_s", "timeout_s", "none_s", "some_s"),
    [(0.1, 0.2, 0.2, 0.5), (0.1, 1, 0.6, 1.0), (0.3, 1, 1.3, 2.0)],
)
def test_pftk_is_undefined_with_frequent_hand_offs(
    rtt_s: float, timeout_s: float, none_s: float, some_s: float
) -> None:
    def pftk(interval_s: float) -> float | None:
        hits = scenario(
            tcp={"rto": {"fixed_s": timeout_s}},
            path={**FAST, "forward_delay_s": rtt_s / 2, "backward_delay_s": rtt_s / 2},
            handoffs={"interval_s": interval_s, "packets": 1, "fate": "lost"},
        )
        return predict(MODELS["pftk"], hits).goodput_pps

    assert pftk(none_s) is None
    x = pftk(some_s)
    assert x is not None
    assert x == pytest.approx(pftk_pps(1 / (x * some_s), rtt_s, timeout_s), rel=1e-9)
    # x is the largest goodput that PFTK gives for the loss rate at this goodput, which has one loss
    # per hand-off. For each higher goodput, the formula gives less.
    for higher in np.geomspace(1.001 * x, 1e3 * x, 500):
        assert pftk_pps(1 / (higher * some_s), rtt_s, timeout_s) < higher


def test_a_root_above_the_upper_limit_is_the_upper_limit() -> None:
    assert events.largest_fixed_point(lambda x: 10.0, 5.0) == 5.0
    with pytest.raises(Undefined, match="no goodput is consistent"):
        events.largest_fixed_point(lambda x: x / 2, 5.0)


def test_very_rare_spikes_do_not_reduce_goodput() -> None:
    lossy = {"loss": {"process": "bernoulli", "probability": 0.001}, "path": FAST}
    without = predict(MODELS["mathis"], scenario(**lossy)).goodput_pps
    spiky = predict(MODELS["mathis"], scenario(spikes=spikes("exponential", 1e9), **lossy))
    assert spiky.reduction == "R-SP"
    assert spiky.goodput_pps == pytest.approx(without, rel=1e-6)


def test_a_spike_reduces_sending_time_by_its_length_and_a_slow_start() -> None:
    x, rtt_s = 1000.0, 0.1
    # After a spike, slow start from 1 to X R packets (rate X, RTT R) sends fewer packets than the
    # constant rate X would in the same time.
    rise_s = rtt_s * math.log2(x * rtt_s)
    sent = (x * rtt_s - 1) / math.log(2)
    lost_s = rise_s - sent / x
    share = events.sending_share(scenario(spikes=spikes("constant", 20)), x)
    assert share == pytest.approx((20 - 4 - lost_s) / 20, rel=1e-12)


def test_short_spikes_cause_no_slow_start() -> None:
    short = scenario(spikes=spikes("constant", 20, 0.1))
    assert events.sending_share(short, 1e3) == pytest.approx(19.9 / 20)


def test_a_slow_capacity_gives_the_mean_over_constant_rates() -> None:
    slow = sinusoid(1e-4, 83)
    phases = (np.arange(20_000) + 0.5) / 20_000
    rates = (5.5e7 + 4.5e7 * np.sin(2 * np.pi * phases)) / 12_000
    beta = np.minimum(1, 83 / (rates * 0.1))
    expected = np.mean(rates * 0.75 * (1 + beta) ** 2 / (1 + beta + beta**2))
    assert window.carried_by_varying_pps(slow) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(("frequency_hz", "buffer"), [(0.3, 83), (0.7, 208), (1, 417), (0.4, 833)])
def test_a_resonant_capacity_agrees_with_the_fluid_model(frequency_hz: float, buffer: int) -> None:
    resonant = sinusoid(frequency_hz, buffer)
    fluid = predict(MODELS["variable_capacity.fluid"], resonant).goodput_pps
    assert window.carried_by_varying_pps(resonant) == pytest.approx(fluid, rel=0.08)


@pytest.mark.parametrize("frequency_hz", [10, 20, 300])
def test_a_fast_capacity_is_replaced_by_its_mean(frequency_hz: float) -> None:
    fluid = predict(MODELS["variable_capacity.fluid"], sinusoid(frequency_hz, 83)).goodput_pps
    closed = predict(MODELS["variable_capacity.closed_form"], sinusoid(frequency_hz, 83))
    assert closed.reduction == "R-CAP"
    assert closed.goodput_pps == pytest.approx(fluid, rel=0.02)


@pytest.mark.parametrize(
    ("frequency_hz", "buffer", "packets", "expected_pps"),
    [
        (0.001, None, 300, (2500 / 3 + 3000) / 2),  # slow: W/T_m limits one of the two levels
        (0.001, 84, 300, (2500 / 3 + 3000) / 2),  # and overflows the buffer at the other
        (0.5, None, 300, (2500 / 3 + 3000) / 2),  # an unlimited buffer has no overflows either
        (10, 84, 500, 13750 / 3),  # fast: W < E[C] T_m + B
        (1, 84, 150, (2500 / 3 + 1500) / 2),  # resonant: W < C_min T_m + B
    ],
)
def test_a_receiver_window_that_prevents_overflows_does_not_vary(
    frequency_hz: float, buffer: int | None, packets: int, expected_pps: float
) -> None:
    """The square wave has 2500/3 and 25000/3 packets/s, and a round trip lasts 100 ms."""
    wave = sinusoid(frequency_hz, buffer, process="square")
    windowed = override(wave, {"tcp.max_window_packets": packets})
    assert window.cap_pps(windowed) == pytest.approx(expected_pps, rel=1e-12)


def test_a_window_below_every_capacity_is_exactly_its_own_limit() -> None:
    """Models that know the window compare its limit with the cap."""
    windowed = override(sinusoid(1, 84), {"tcp.max_window_packets": 7})
    assert window.cap_pps(windowed) == 7 / windowed.propagation_rtt_s
    lossy = override(windowed, {"loss": {"process": "bernoulli", "probability": 0.001}})
    expected_pps = pftk_pps(0.001, 0.1, 0.2, 1, 7)
    assert predict(MODELS["pftk"], lossy).goodput_pps == pytest.approx(expected_pps, rel=1e-9)


@pytest.mark.parametrize("frequency_hz", [0.005, 15])
def test_capacity_between_the_regimes_is_undefined_for_the_closed_form(frequency_hz: float) -> None:
    between = predict(MODELS["variable_capacity.closed_form"], sinusoid(frequency_hz, 83))
    assert between.status == "undefined"
    assert "only the fluid" in str(between.reason)


def test_an_unlimiting_random_capacity_is_out_of_domain() -> None:
    wild = {"process": "ar1", "min_bps": 5e8, "max_bps": 1e9, "coherence_s": 0.5}
    lossy = {"process": "bernoulli", "probability": 0.001}
    found = predict(MODELS["mathis"], scenario(path=FAST, loss=lossy, capacity=wild))
    assert found.status == "out-of-domain"
    assert found.goodput_pps == pytest.approx(throughput_pps(0.001, 0.1))


@given(st.floats(1e-3, 1e6), st.floats(1e-3, 1e6))
def test_a_cap_tends_to_its_limits(loss_pps: float, cap_pps: float) -> None:
    x = window.capped(loss_pps, cap_pps)
    assert x <= min(loss_pps, cap_pps)
    assert x >= min(loss_pps, cap_pps) * 2**-0.25 * (1 - 1e-12)
    assert window.capped(loss_pps, 1e9 * loss_pps) == pytest.approx(loss_pps)
    assert window.capped(loss_pps, math.inf) == loss_pps


KINDS: dict[str, dict[str, Any]] = {
    "independent": {"loss": {"process": "bernoulli", "probability": 0.004}},
    "bursts": {"loss": channel(0.001, 0.4)},
    "hand-offs": {"handoffs": {"interval_s": 3, "packets": 2, "fate": "lost"}},
    "spikes": {"loss": {"process": "bernoulli", "probability": 0.01}, "spikes": EVERY_20_S},
    "frames": {"arq": {"error": 0.2, "attempts": 3, "turnaround_s": 0.008}},
    "all": {
        "loss": channel(0.001, 0.4),
        "handoffs": {"interval_s": 3, "packets": 2, "fate": "lost"},
        "spikes": EVERY_20_S,
    },
}


def stretched(kind: str, factor: float) -> Scenario:
    """Return scenario `KINDS[kind]` with all times multiplied, and rates divided, by `factor`."""
    parts = {key: dict(value) for key, value in KINDS[kind].items()}
    if "handoffs" in parts:
        parts["handoffs"]["interval_s"] *= factor
    if "arq" in parts:
        parts["arq"]["turnaround_s"] *= factor
    if "spikes" in parts:
        parts["spikes"] = {
            name: {**law, "mean_s": law["mean_s"] * factor} for name, law in EVERY_20_S.items()
        }
    rto = {"min_s": 0.2 * factor, "initial_s": 3 * factor, "max_s": 64 * factor}
    delay = 0.05 * factor
    path = {"rate_bps": 1e7 / factor, "forward_delay_s": delay, "backward_delay_s": delay}
    return scenario(tcp={"variant": "sack", "rto": rto}, path=path, **parts)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=8)
@given(factor=st.floats(0.05, 20))
def test_goodput_of_reductions_scales_with_time(kind: str, factor: float) -> None:
    for name in ("mathis", "pftk", "packet_trains", "handoffs", "variable_capacity.closed_form"):
        plain = predict(MODELS[name], stretched(kind, 1.0))
        slow = predict(MODELS[name], stretched(kind, factor))
        assert slow.reduction == plain.reduction
        assert (slow.goodput_pps is None) == (plain.goodput_pps is None)
        if plain.goodput_pps is not None and slow.goodput_pps is not None:
            assert slow.goodput_pps * factor == pytest.approx(plain.goodput_pps, rel=1e-6)


def test_reductions_compose_and_are_named_in_their_order() -> None:
    found = predict(MODELS["mathis"], stretched("all", 1.0))
    assert found.reduction == "R-GE+R-HO+R-SP"
    assert found.status == "out-of-domain"
    assert "backed off" in str(found.reason)
    without = stretched("all", 1.0).model_copy(update={"spikes": None})
    assert predict(MODELS["mathis"], without).status == "reduced"
    parts = {part for kind in KINDS for m in MODELS.values() for part in _taken(m.name, kind)}
    assert parts | {"R-CAP"} == set(REDUCTIONS)


def _taken(name: str, kind: str) -> list[str]:
    reduction = predict(MODELS[name], stretched(kind, 1.0)).reduction
    return reduction.split("+") if reduction else []


def test_two_kinds_of_loss_cannot_be_reduced_to_one_channel() -> None:
    both = stretched("all", 1.0)
    assert "restated as one loss process" in str(predict(MODELS["packet_trains"], both).reason)
    assert "restated as periodic hand-offs" in str(predict(MODELS["handoffs"], both).reason)


# The root finder (Brent's method) gives the same bits as scipy's

numbers = st.floats(-3, 3)


@given(numbers, numbers, numbers, numbers, st.floats(-5, 5), st.floats(0.01, 6))
def test_the_root_equals_that_of_scipy(
    a: float, b: float, c: float, d: float, low: float, width: float
) -> None:
    shapes: list[Callable[[float], float]] = [
        lambda x: ((a * x + b) * x + c) * x + d,
        lambda x: math.exp(a * x) - b,
        lambda x: math.tanh(a * x) + b * math.sin(c * x) + d,
    ]
    crossing = [f for f in shapes if f(low) * f(low + width) < 0]
    assume(crossing)
    for f in crossing:
        expected, answer = brentq(f, low, low + width, xtol=1e-12, full_output=True, disp=False)
        if answer.converged:
            assert window.root_between(f, low, low + width, within=1e-12) == expected


def test_a_root_at_an_end_is_found() -> None:
    assert window.root_between(lambda x: x, 0.0, 1.0, within=1e-12) == 0
    assert window.root_between(lambda x: x - 1, 0.0, 1.0, within=1e-12) == 1


def test_a_root_that_takes_too_long_is_refused() -> None:
    with pytest.raises(ArithmeticError, match="no root between -1 and 2"):
        window.root_between(lambda x: x**3, -1.0, 2.0, within=1e-12)
