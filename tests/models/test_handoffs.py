"""Hand-offs against round-by-round counting, recurrence, continuity and limits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tcpgoodput.models import ERRATA, MODELS, Conditions
from tcpgoodput.models.handoffs.curves import recovery_period, recovery_periods
from tcpgoodput.models.handoffs.recovery_period import (
    Handoff,
    fixed_point,
    is_recoverable,
    next_window,
    period_packets,
    recoverable_packets_printed,
    unrecoverable_packets,
)
from tcpgoodput.models.handoffs.repeated_handoffs import (
    packets_per_period,
    periods_to_timeout,
    timeout_window,
    window_after,
    window_after_slow_start,
)
from tcpgoodput.models.mathis.square_root import throughput_pps
from tests.scenarios import scenario

MODEL = MODELS["handoffs"]


def testbed(**handoffs: Any) -> Any:
    b, window = handoffs.pop("b", 1), handoffs.pop("window", 133)
    rtt_s = handoffs.pop("rtt_s", 0.1)
    return scenario(
        tcp={"mss_bytes": 1448, "max_window_packets": window, "ack_every": b},
        path={"rate_bps": 18_640_000, "forward_delay_s": rtt_s / 2, "backward_delay_s": rtt_s / 2},
        handoffs={"interval_s": 2, "packets": 1, "fate": "lost", **handoffs},
    )


def kilobytes_per_s(**handoffs: Any) -> float:
    prediction = MODEL.predict(testbed(**handoffs))
    assert prediction.goodput_pps is not None
    return prediction.goodput_pps * 1.448


handoff_cases = st.builds(
    lambda T, d, late, b: Handoff(T, d, min(d, late), b),
    st.floats(1, 500),
    st.integers(1, 60),
    st.integers(1, 60),
    st.sampled_from([1, 2]),
)


def rounds(window: float, handoff: Handoff, limit: float, per_round: int = 2000) -> float:
    """Count new packets in small parts of round trips, from the verbal description."""
    T, d, r, b = handoff
    times = (np.arange(round(T * per_round)) + 0.5) / per_round
    recovering = np.maximum(window / 2 - d + times, 0)
    avoiding = np.minimum(window / 2 + (times - r) / b, limit)
    return float(np.where(times < r, recovering, avoiding).sum() / per_round)


@pytest.mark.parametrize("seed", range(30))
def test_a_period_is_the_sum_of_its_rounds(seed: int) -> None:
    random = np.random.default_rng(seed)
    limit = random.uniform(10, 200)
    d = int(random.integers(1, 40))
    handoff = Handoff(
        float(random.integers(5, 200)), d, int(random.integers(1, d + 1)), 1 + seed % 2
    )
    window = random.uniform(4, limit)
    assert period_packets(window, handoff, limit) == pytest.approx(
        rounds(window, handoff, limit), rel=2e-3, abs=0.5
    )


@given(handoff_cases, st.floats(2, 500))
def test_areas_are_the_equations_where_these_apply(handoff: Handoff, window: float) -> None:
    T, d, r, _ = handoff
    assume(d <= window / 2 and r <= T)
    if is_recoverable(window, handoff):
        exact = recoverable_packets_printed(window, handoff)
        assert period_packets(window, handoff, window) == pytest.approx(exact, rel=1e-9)
    else:
        exact = unrecoverable_packets(window, handoff)
        assert period_packets(window, handoff) == pytest.approx(exact, rel=1e-9)


@given(handoff_cases, st.floats(4, 500))
def test_goodput_is_continuous_where_the_window_is_just_regained(
    handoff: Handoff, window: float
) -> None:
    _, d, r, b = handoff
    assume(d + 2 < window and d <= window / 2)
    edge = r + b * window / 2
    per_round = [
        packets_per_period(handoff._replace(interval_rtts=edge * (1 + e)), window) / edge
        for e in (-1e-9, 1e-9)
    ]
    assert per_round[0] == pytest.approx(per_round[1], rel=1e-6)


@given(handoff_cases, st.floats(1, 500), st.integers(0, 40))
def test_closed_form_of_the_window_is_the_recurrence(h: Handoff, first: float, n: int) -> None:
    window = first
    for _ in range(n):
        window = next_window(window, h)
    assert window_after(n, first, h) == pytest.approx(window, rel=1e-9, abs=1e-9)


shrinking_cases = st.builds(
    lambda d, part, b: Handoff(d + part * b * (d + 2) / 2, d, d, b),
    st.integers(1, 60),
    st.floats(0.01, 0.99),
    st.sampled_from([1, 2]),
)
"""Hand-offs whose fixed point is a part of the window at which the sender times out."""


@given(shrinking_cases)
def test_periods_to_timeout_by_stepping(handoff: Handoff) -> None:
    assert fixed_point(handoff) < timeout_window(handoff)
    window, steps = window_after_slow_start(handoff), 0
    while window > timeout_window(handoff) and steps < 100:
        window, steps = next_window(window, handoff), steps + 1
    assume(abs(window / timeout_window(handoff) - 1) > 1e-9)
    assert periods_to_timeout(window_after_slow_start(handoff), handoff) == steps


@given(handoff_cases, st.floats(5, 1000))
def test_the_steady_state_is_what_many_hand_offs_lead_to(handoff: Handoff, limit: float) -> None:
    window, packets = min(limit, 50.0), []
    floor = timeout_window(handoff)
    assume(fixed_point(handoff) > floor + 0.1 and limit > floor + 0.1)
    window = max(window, floor + 0.1)
    for _ in range(400):
        packets.append(period_packets(window, handoff, limit))
        window = next_window(window, handoff, limit)
    assert packets_per_period(handoff, limit) == pytest.approx(packets[-1], rel=1e-6)


def test_small_hand_offs_without_a_limit_are_mathis() -> None:
    """One packet in 1/p, d → 0: 1/p = X A_h gives the square root's goodput."""
    T = 400.0
    handoff = Handoff(T, 1e-9, 1e-9, 1)
    packets = packets_per_period(handoff, math.inf)
    assert packets / T == pytest.approx(throughput_pps(1 / packets, 1.0), rel=1e-6)


@given(st.floats(0.2, 20), st.floats(0.05, 0.5), st.integers(1, 20), st.floats(0.2, 5))
def test_time_scales(interval_s: float, rtt_s: float, d: int, by: float) -> None:
    assume(interval_s > 1.1 * rtt_s)

    def per_round_trip(scale: float) -> float:
        subject = scenario(
            tcp={"max_window_packets": 100},
            path={
                "rate_bps": 1e9 / scale,
                "forward_delay_s": rtt_s * scale,
                "backward_delay_s": 0,
            },
            handoffs={"interval_s": interval_s * scale, "packets": d, "fate": "lost"},
        )
        return (MODEL.predict(subject).goodput_pps or 0) * rtt_s * scale

    assert per_round_trip(by) == pytest.approx(per_round_trip(1.0), rel=1e-9)


def test_numbers_of_the_study_that_were_computed_apart() -> None:
    """kB/s: one late packet at 2 s; five, ten, fifteen lost; 64 to 1024 KB; 4 to 8 s."""
    late = {"fate": "late", "late_s": 0.05}
    assert kilobytes_per_s(**late) == pytest.approx(408.8, rel=0.01)
    assert kilobytes_per_s(packets=5, **late) == pytest.approx(402.5, rel=0.01)
    assert kilobytes_per_s(packets=15, **late) == pytest.approx(395.3, rel=0.01)
    assert kilobytes_per_s(packets=5) == pytest.approx(289.6, rel=0.01)
    assert kilobytes_per_s(packets=15) == pytest.approx(126.3, rel=0.01)
    two_rounds = {"fate": "late", "late_s": 0.15, "packets": 10, "interval_s": 4}
    windows = [kilobytes_per_s(window=w, **two_rounds) for w in (44, 110, 707)]
    assert windows == pytest.approx([529.1, 805.1, 805.1], rel=0.01)
    slower = kilobytes_per_s(**{**two_rounds, "interval_s": 8})
    assert slower == pytest.approx(1500.7, rel=0.01)
    assert kilobytes_per_s(b=2, **two_rounds) == pytest.approx(399.3, rel=0.01)


def test_late_beyond_recovery_is_lost() -> None:
    lost = MODEL.predict(testbed(packets=5)).goodput_pps
    late = MODEL.predict(testbed(packets=5, fate="late", late_s=5.0)).goodput_pps
    assert late == pytest.approx(lost)


def test_printed_equations_where_the_window_is_regained_and_where_it_is_not() -> None:
    """(13) is right as printed; (17) leaves most of the study's own points without a value."""
    regained = testbed(packets=10, interval_s=20)
    printed = MODEL.predict(regained, Conditions(equations="printed"))
    assert printed.goodput_pps == pytest.approx(MODEL.predict(regained).goodput_pps)
    for d, interval_s in ((1, 2), (5, 2), (15, 2), (10, 4), (10, 6)):
        frequent = testbed(packets=d, interval_s=interval_s)
        prediction = MODEL.predict(frequent, Conditions(equations="printed"))
        assert prediction.status == "undefined"
        assert "(17)" in str(prediction.reason)


def test_drawn_periods_carry_the_packets_that_are_counted() -> None:
    subject = testbed(packets=5, window=24, interval_s=4)
    drawn = recovery_period(subject)
    area = np.trapezoid(drawn.y, drawn.x)
    assert area == pytest.approx(drawn.landmarks["packets"], rel=1e-9)
    many = recovery_periods(testbed(packets=9, window=60, interval_s=1.2), first="transfer")
    windows = [many.landmarks[f"W{n}"] for n in range(4)]
    assert windows == sorted(windows, reverse=True)
    assert windows[0] == 60


@pytest.mark.parametrize("name", [n for n in ERRATA.names() if n.startswith("handoffs.")])
def test_errata_make_a_difference(name: str) -> None:
    effect = ERRATA[name].effect()
    assert effect.printed is None or effect.printed != pytest.approx(effect.corrected, rel=1e-6)


@given(
    st.floats(0.01, 100), st.integers(1, 10**6), st.one_of(st.none(), st.floats(0, 100)),
    st.floats(1e4, 1e12), st.floats(1e-4, 3), st.sampled_from([1, 2, 10]),
    st.one_of(st.none(), st.integers(1, 10**9)),
    st.sampled_from(["reno", "newreno", "sack", "cubic", "tahoe"]),
)  # fmt: skip
def test_any_scenario_gets_a_number_or_a_reason(
    interval: float, d: int, late: float | None, rate: float, delay: float, b: int,
    window: int | None, variant: str,
) -> None:  # fmt: skip
    hits = {"interval_s": interval, "packets": d, "fate": "lost" if late is None else "late"}
    subject = scenario(
        tcp={"variant": variant, "ack_every": b, "max_window_packets": window},
        path={"rate_bps": rate, "forward_delay_s": delay, "backward_delay_s": delay},
        handoffs={**hits, "late_s": late},
    )
    for equations in ("printed", "corrected"):
        prediction = MODEL.predict(subject, Conditions(equations=equations))
        if prediction.goodput_pps is None:
            assert prediction.reason
        else:
            assert 0 <= prediction.goodput_pps < math.inf
