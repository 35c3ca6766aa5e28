"""The model of hand-offs, compared with counting round by round, and with known limits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tcpgoodput.answers import Conditions, Undefined
from tcpgoodput.models import ERRATA, MODELS
from tcpgoodput.models.handoffs.curves import first_round_trip, recovery_period, recovery_periods
from tcpgoodput.models.handoffs.recovery_period import (
    Handoff,
    acks_before_new_packet,
    fixed_point,
    is_recoverable,
    landing_rtt,
    new_packets_before_the_last,
    next_window,
    outstanding_and_window,
    period_packets,
    period_profile,
    recoverable_packets_printed,
    unrecoverable_packets,
    unrecoverable_packets_printed,
)
from tcpgoodput.models.handoffs.repeated_handoffs import (
    packets_per_period,
    periods_to_timeout,
    periods_to_timeout_printed,
    slow_start_packets,
    steady_cycle,
    timeout_window,
    transfer_rtts,
    window_after,
    window_after_printed,
    window_after_slow_start,
    window_after_slow_start_printed,
)
from tcpgoodput.models.mathis.square_root import throughput_pps
from tcpgoodput.models.predict import predict
from tcpgoodput.scenario import Scenario
from tests.scenarios import scenario

MODEL = MODELS["handoffs"]


STEADY = {"recovery": "slow-but-steady"}


def connection(
    b: int = 1,
    window: int = 133,
    tcp: dict[str, Any] | None = None,
    path: dict[str, Any] | None = None,
    loss: dict[str, Any] | None = None,
    **handoffs: Any,
) -> Scenario:
    """Return the study's connection with changes; by default each hand-off loses a packet."""
    return scenario(
        tcp={"mss_bytes": 1448, "max_window_packets": window, "ack_every": b, **(tcp or {})},
        path={"rate_bps": 18_640_000, **(path or {})},
        loss=loss or {"process": "none"},
        handoffs={"interval_s": 2, "packets": 1, "fate": "lost", **handoffs},
    )


def kilobytes_per_s(**handoffs: Any) -> float:
    prediction = predict(MODEL, connection(**handoffs))
    assert prediction.goodput_pps is not None
    return prediction.goodput_pps * 1.448


handoff_cases = st.builds(
    lambda T, d, late, b: Handoff(T, d, min(d, late), b),
    st.floats(1, 500),
    st.integers(1, 60),
    st.integers(1, 60),
    st.sampled_from([1, 2]),
)


def rounds(
    window: float,
    handoff: Handoff,
    limit: float,
    path_packets: float = math.inf,
    per_round: int = 2000,
) -> float:
    """Count the new packets between two hand-offs in `per_round` small steps of each round trip."""
    T, d, r, b = handoff
    times = (np.arange(round(T * per_round)) + 0.5) / per_round
    recovering = np.maximum(window / 2 - d + times, 0)
    avoiding = np.minimum(window / 2 + (times - r) / b, limit)
    new = np.minimum(np.where(times < r, recovering, avoiding), path_packets)
    return float(new.sum() / per_round)


@pytest.mark.parametrize("seed", range(30))
def test_packets_of_a_period_equal_the_sum_of_its_rounds(seed: int) -> None:
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
    held = random.uniform(2, 1.2 * limit)
    assert period_packets(window, handoff, limit, held) == pytest.approx(
        rounds(window, handoff, limit, held), rel=2e-3, abs=0.5
    )


@given(handoff_cases, st.floats(2, 500))
def test_areas_equal_the_printed_equations_in_their_range(handoff: Handoff, window: float) -> None:
    T, d, r, _ = handoff
    assume(d <= window / 2 and r <= T)
    if is_recoverable(window, handoff):
        exact = recoverable_packets_printed(window, handoff)
        assert period_packets(window, handoff, window) == pytest.approx(exact, rel=1e-9)
    else:
        exact = unrecoverable_packets(window, handoff)
        assert period_packets(window, handoff) == pytest.approx(exact, rel=1e-9)


@given(handoff_cases, st.floats(4, 500))
def test_goodput_is_continuous_at_the_limit_of_window_recovery(
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
def test_closed_form_of_the_window_equals_the_recurrence(h: Handoff, first: float, n: int) -> None:
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
"""Random hand-offs that reduce the window more and more, until the sender times out."""


@given(shrinking_cases)
def test_periods_to_timeout_agree_with_stepping(handoff: Handoff) -> None:
    assert fixed_point(handoff) < timeout_window(handoff)
    window, steps = window_after_slow_start(handoff), 0
    while window > timeout_window(handoff) and steps < 100:
        window, steps = next_window(window, handoff), steps + 1
    assume(abs(window / timeout_window(handoff) - 1) > 1e-9)
    assert periods_to_timeout(window_after_slow_start(handoff), handoff) == steps


@given(handoff_cases, st.floats(5, 1000))
def test_the_steady_state_is_the_limit_of_many_hand_offs(handoff: Handoff, limit: float) -> None:
    window, packets = min(limit, 50.0), []
    floor = timeout_window(handoff)
    assume(fixed_point(handoff) > floor + 0.1 and limit > floor + 0.1)
    window = max(window, floor + 0.1)
    for _ in range(400):
        packets.append(period_packets(window, handoff, limit))
        window = next_window(window, handoff, limit)
    assert packets_per_period(handoff, limit) == pytest.approx(packets[-1], rel=1e-6)


def test_small_hand_offs_without_a_limit_agree_with_mathis() -> None:
    """For d → 0 the goodput X follows the square-root law with 1/p = X A_h."""
    T = 400.0
    handoff = Handoff(T, 1e-9, 1e-9, 1)
    packets = packets_per_period(handoff, math.inf)
    assert packets / T == pytest.approx(throughput_pps(1 / packets, 1.0), rel=1e-6)


def settled_packets(T: int, d: int, r: int, b: int = 1) -> float:
    """Return the packets between two hand-offs, each at the fixed point F = 2(T - r)/b.

    They are r²/2 + r(F/2 - d) + (T - r)F/2 + (T - r)²/(2b).
    """
    return r**2 / 2 + r * ((T - r) / b - d) + 1.5 * (T - r) ** 2 / b


@pytest.mark.parametrize(
    ("interval_s", "d", "late_s", "b", "packets"),
    [
        (2, 1, 0.05, 1, 560),
        (2, 1, 0.5, 1, 560),
        (2, 1, None, 1, 560),
        (2, 5, 0.05, 1, 556),
        (2, 15, 0.05, 1, 546),
        (2, 5, 0.5, 1, 400),
        (2, 15, 0.5, 1, 350),
        (2, 5, None, 1, 400),
        (4, 10, 0.2, 1, 2224),
        (4, 10, 0.2, 2, 1103),
        (6, 10, 0.2, 1, 5144),
    ],
)
def test_a_window_that_does_not_recover_tends_to_the_fixed_point(
    interval_s: int, d: int, late_s: float | None, b: int, packets: float
) -> None:
    """The `packets` of a period are those of the study's figures (RTT 100 ms, limit 193 kB)."""
    r = d if late_s is None else min(d, max(1, math.ceil(round(late_s * 10, 9))))
    assert settled_packets(10 * interval_s, d, r, b) == packets
    fate = {"fate": "lost"} if late_s is None else {"fate": "late", "late_s": late_s}
    found = kilobytes_per_s(interval_s=interval_s, packets=d, b=b, **fate)
    assert found == pytest.approx(packets / interval_s * 1.448, rel=1e-12)


def test_the_window_limit_matters_only_if_the_window_recovers() -> None:
    late = {"fate": "late", "late_s": 0.2, "packets": 10, "interval_s": 4}
    small, middle, large = (kilobytes_per_s(window=w, **late) for w in (44, 110, 707))
    # Goodput in kB/s: the packets between two hand-offs by equation (13), divided by 4 s.
    regained = (44 * 40 - 44**2 / 8 - 2 * (22 + 8) - 2) / 4 * 1.448
    assert small == pytest.approx(regained, rel=1e-12)
    assert middle == large == pytest.approx(2224 / 4 * 1.448, rel=1e-12)


def played_out(
    handoff: Handoff,
    limit: float,
    window: float,
    periods: int,
    per_rtt: int = 400,
    path_packets: float = math.inf,
) -> NDArray[np.float64]:
    """Return the new packets in each small time step, by the study's description in words.

    Slow start doubles the window once per round trip up to d/2, which must be a power of two.
    """
    T, d, r, b = handoff
    parts, dt = round(T * per_rtt), 1 / per_rtt
    t = (np.arange(parts) + 0.5) * dt
    counted = []
    for _ in range(periods):
        if window <= d + 2:
            doubling = round(math.log2(d / 2))
            grown = d / 2 + (t - doubling) / b
            rate = np.minimum(np.where(t < doubling, 2.0 ** np.floor(t), grown), limit)
            end = d / 2 + (T - doubling) / b
        else:
            avoiding = window / 2 + (t - r) / b
            rate = np.where(t < r, np.maximum(window / 2 - d + t, 0), np.minimum(avoiding, limit))
            end = window / 2 + (T - r) / b
        window = min(end, limit)
        counted.append(np.minimum(rate, path_packets) * dt)
    return np.concatenate(counted)


@pytest.mark.parametrize(
    ("T", "d", "r", "b", "limit"),
    [
        (20, 16, 16, 1, 100),
        (18, 16, 13, 1, 60),
        (40, 32, 32, 1, 200),
        (50, 32, 30, 2, 45),
        (9, 8, 8, 1, 9.5),
        (30, 8, 8, 1, 30),
        (60, 4, 2, 2, 100),
    ],
)
def test_long_runs_agree_with_stepping(T: float, d: int, r: int, b: int, limit: float) -> None:
    """The cases end in timeouts, at the window's fixed point, or at its limit."""
    handoff = Handoff(T, d, r, b)
    parts = played_out(handoff, limit, limit, periods=600).reshape(600, -1)
    cycle = steady_cycle(handoff, limit).periods
    last = parts[-120 // cycle * cycle :].sum(axis=1)
    assert packets_per_period(handoff, limit) == pytest.approx(last.mean(), rel=2e-3)


@pytest.mark.parametrize(
    ("T", "d", "r", "b", "limit"),
    [(20, 16, 16, 1, 64), (18, 16, 13, 1, 32), (40, 8, 5, 1, 128), (60, 8, 8, 2, 32)],
)
@pytest.mark.parametrize("packets", [5, 40, 400, 900, 4000, 30_000])
@pytest.mark.parametrize("path_packets", [math.inf, 16])
def test_a_finite_transfer_agrees_with_stepping(
    T: float, d: int, r: int, b: int, limit: int, packets: int, path_packets: float
) -> None:
    handoff, per_rtt = Handoff(T, d, r, b), 400
    t = (np.arange(round(T * per_rtt)) + 0.5) / per_rtt
    first = np.minimum(2.0 ** np.floor(t), min(limit, path_packets)) / per_rtt
    later = played_out(handoff, limit, min(2.0**T, limit), 400, per_rtt, path_packets)
    carried = np.cumsum(np.concatenate([first, later]))
    assert carried[-1] > packets
    taken = np.searchsorted(carried, packets) / per_rtt
    rtts = transfer_rtts(packets, handoff, limit, path_packets)
    assert rtts == pytest.approx(taken, rel=5e-3, abs=0.15)


@given(handoff_cases, st.floats(5, 200), st.integers(1, 12))
def test_a_transfer_that_ends_with_a_period_takes_whole_periods(
    h: Handoff, limit: float, periods: int
) -> None:
    T, window = h.interval_rtts, min(2.0**h.interval_rtts, limit)
    # Packets before the first hand-off: slow start from one packet, then a full window.
    packets = window - 1 + max(0, T - math.log2(limit)) * limit
    for _ in range(periods):
        if window > timeout_window(h):
            packets += period_packets(window, h, limit)
            window = next_window(window, h, limit)
        else:
            packets += slow_start_packets(h, limit)
            window = window_after_slow_start(h, limit)
    # Test just before the last packet, because the next one may follow a silent round trip.
    just_before = transfer_rtts(packets * (1 - 1e-9), h, limit)
    assert just_before == pytest.approx((periods + 1) * T, rel=1e-5)


@given(handoff_cases, st.floats(5, 1000), st.floats(1, 1e6), st.floats(1.001, 10))
def test_more_packets_take_longer(h: Handoff, limit: float, packets: float, by: float) -> None:
    assert transfer_rtts(packets * by, h, limit) > transfer_rtts(packets, h, limit)


@given(handoff_cases, st.floats(5, 1000))
def test_a_huge_transfer_tends_to_the_steady_state(handoff: Handoff, limit: float) -> None:
    steady = packets_per_period(handoff, limit) / handoff.interval_rtts
    assert 1e9 / transfer_rtts(1e9, handoff, limit) == pytest.approx(steady, rel=1e-3)


def test_the_model_ignores_the_duration_of_timeouts() -> None:
    """Only 15 lost packets cause a timeout, which takes no time in the model."""
    assert kilobytes_per_s(packets=15, b=2) > 1.4 * kilobytes_per_s(packets=10, b=2)


def test_packets_late_beyond_recovery_count_as_lost() -> None:
    lost = predict(MODEL, connection(packets=5)).goodput_pps
    late = predict(MODEL, connection(packets=5, fate="late", late_s=5.0)).goodput_pps
    assert late == pytest.approx(lost)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"tcp": {"variant": "tahoe"}}, "tahoe"),
        ({"tcp": {"variant": "cubic"}}, "cubic"),
        ({"tcp": {"variant": "reno"}, "packets": 2}, "Reno leaves fast recovery"),
        ({"tcp": {"dupthresh": 5}}, "duplicate ACKs"),
        ({"delay_steps_s": [0.1, 0.2]}, "round-trip time"),
        ({"interval_s": 1, "packets": 20, "tcp": STEADY}, "for recovery"),
        ({"packets": 2, "tcp": {"partial_window_deflation": "ssthresh"}}, "no new packet"),
        (
            {"packets": 2, "tcp": {**STEADY, "partial_window_deflation": "ssthresh"}},
            "no new packet",
        ),
        ({"packets": 3}, "impatient"),
        ({"interval_s": 20, "packets": 10}, "impatient"),
        ({"interval_s": 20, "packets": 10, "fate": "late", "late_s": 0.9}, "impatient"),
        ({"interval_s": 0.7, "packets": 1, "tcp": {"rto": {"min_s": 1}}}, "4 timeouts of 1 s"),
        ({"tcp": {"variant": "sack"}, "packets": 20, "window": 30}, "duplicate ACKs may arrive"),
        ({"fate": "late", "late_s": 1e-4}, "overtake"),
        ({"fate": "late", "late_s": 0.01, "packets": 10, "tcp": STEADY}, "overtake"),
        ({"path": {"buffer_packets": 10}, "interval_s": 60, "window": 500}, "a queue"),
        ({"path": {"buffer_packets": 18}, "window": 60}, "half the window"),
        ({"path": {"buffer_packets": 2}}, "that ACKs release"),
    ],
)
def test_domain_excludes_these_connections(change: dict[str, Any], words: str) -> None:
    prediction = predict(MODEL, connection(**change))
    assert prediction.status == "out-of-domain"
    assert prediction.goodput_pps is not None
    assert words in str(prediction.reason)


@pytest.mark.parametrize(
    "change",
    [
        # In the study a partial ACK restarts the retransmission timer and deflates cwnd.
        *(
            {"packets": d, "fate": "late", "late_s": late_s, "tcp": STEADY}
            for d, late_s in ((1, 0.05), (5, 0.05), (5, 0.5), (15, 0.2), (15, 0.5))
        ),
        {},
        {"tcp": {"partial_window_deflation": "ssthresh"}},
        # The steady window 2 (T - r) is 38 packets, with T = 20 and r = 1.
        {"path": {"buffer_packets": 20}, "window": 60},
    ],
)
def test_domain_includes_these_connections(change: dict[str, Any]) -> None:
    prediction = predict(MODEL, connection(**change))
    assert prediction.status == "native", prediction.reason


def test_without_hand_offs_or_with_too_many_there_is_no_value() -> None:
    assert "no hand-offs" in str(predict(MODEL, scenario()).reason)
    assert "less than the round trip" in str(predict(MODEL, connection(interval_s=0.09)).reason)
    lossy = {"process": "bernoulli", "probability": 0.01}
    assert predict(MODEL, connection(loss=lossy)).status == "undefined"


def test_sack_ends_recovery_by_the_third_round_trip() -> None:
    sack = {"tcp": {"variant": "sack"}}
    for d, r in ((1, 1), (2, 2), (3, 3), (10, 3)):
        expected = settled_packets(20, d, r) / 2
        assert predict(MODEL, connection(packets=d, **sack)).goodput_pps == pytest.approx(expected)
    early = predict(MODEL, connection(packets=10, fate="late", late_s=0.05, **sack)).goodput_pps
    assert early == pytest.approx(settled_packets(20, 10, 1) / 2)


def test_a_delay_of_whole_round_trips_is_not_rounded_up() -> None:
    for rtts in range(1, 200):
        for rtt_s in (0.07, 0.1, 0.15, 0.3):
            assert landing_rtt(rtts * rtt_s / rtt_s) == rtts
            assert landing_rtt((rtts * rtt_s + 1e-6) / rtt_s) == rtts + 1


def test_printed_equations_are_right_only_if_the_window_recovers() -> None:
    """(13) is right as printed; (17) has no value for the scenarios of the study's figures."""
    printed = Conditions(equations="printed")
    regained = connection(packets=10, interval_s=20)
    found = predict(MODEL, regained, printed).goodput_pps
    assert found == pytest.approx(predict(MODEL, regained).goodput_pps)
    points = 0
    for d, interval_s in ((1, 2), (5, 2), (10, 2), (15, 2), (10, 4), (10, 6)):
        for late_s in (0.01, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5):
            frequent = connection(packets=d, interval_s=interval_s, fate="late", late_s=late_s)
            prediction = predict(MODEL, frequent, printed)
            assert prediction.status == "undefined"
            assert "(17)" in str(prediction.reason)
            points += 1
    assert points == 48


def test_only_the_corrected_equations_end_recovery_within_d_round_trips() -> None:
    """(13) with T = W = 60 and d = 1: r = 4 as printed, r = 1 as corrected."""
    late = connection(window=60, interval_s=6, fate="late", late_s=0.4)
    printed = predict(MODEL, late, Conditions(equations="printed")).goodput_pps
    assert printed == pytest.approx((60 * 60 - 4 * 30 - 4**2 / 2 - 60**2 / 8) / 6)
    corrected = predict(MODEL, late).goodput_pps
    assert corrected == pytest.approx((60 * 60 - 1 * 30 - 1 / 2 - 60**2 / 8) / 6)


def test_printed_equations_have_a_value_without_timeout() -> None:
    """The printed (17) gives n = 1.11, rounded up to 2, for T = 20 and d = r = 10."""
    first = 5 + 20 - math.log2(5)
    second = first / 2 + 10
    data = [50 + 10 * (w / 2 - 10) + 5 * (w + 5) for w in (first, second)]
    found = predict(MODEL, connection(packets=10), Conditions(equations="printed")).goodput_pps
    assert found == pytest.approx(sum(data) / 2 / 2)


@given(st.integers(1, 200), st.floats(0, 1))
def test_printed_equations_are_undefined_with_a_timeout(d: int, part: float) -> None:
    handoff = Handoff(d + part * (d + 2) / 2, d, d, 1)
    assume(fixed_point(handoff) < timeout_window(handoff) - 1e-6)
    with pytest.raises(Undefined):
        periods_to_timeout_printed(window_after_slow_start_printed(handoff), handoff)


@given(handoff_cases, st.floats(1, 500), st.integers(1, 40))
def test_printed_recurrence_differs_by_f_over_two_to_the_n(
    h: Handoff, first: float, n: int
) -> None:
    miss = window_after_printed(n, first, h) - window_after(n, first, h)
    assert miss == pytest.approx(-fixed_point(h) / 2**n, rel=1e-6, abs=1e-9)


@given(handoff_cases, st.floats(1, 500))
def test_printed_data_of_a_period_differ_by_half_a_triangle(h: Handoff, window: float) -> None:
    """The printed (18) lacks a factor 2, and so gives (T - r)²/(4b) packets too few."""
    T, _, r, b = h
    assume(r <= T)
    miss = unrecoverable_packets_printed(window, h) - unrecoverable_packets(window, h)
    assert miss == pytest.approx(-((T - r) ** 2) / (4 * b), rel=1e-6, abs=1e-6)


@given(st.integers(1, 200), st.floats(2, 200), st.sampled_from([1, 2]))
def test_regions_beyond_half_a_window_count_negative_packets(d: int, window: float, b: int) -> None:
    """For d > W/2 equation (3) counts negative numbers, (d - W/2)²/2 packets too few."""
    handoff = Handoff(d + b * window / 2 + 10, d, d, b)
    miss = period_packets(window, handoff, window) - recoverable_packets_printed(window, handoff)
    assert miss == pytest.approx(max(0, d - window / 2) ** 2 / 2, abs=1e-6)


@given(handoff_cases, st.floats(4, 500))
def test_the_window_recovers_after_the_rounds_of_the_lemma(h: Handoff, window: float) -> None:
    rounds = h.recovery_rtts + h.packets_per_ack * window / 2
    after = h._replace(interval_rtts=rounds + 1)
    drawn = period_profile(window, after, window)
    assert np.interp(rounds, *drawn) == pytest.approx(window)
    assert is_recoverable(window, h) == (h.interval_rtts >= rounds)


@pytest.mark.parametrize(("late", "acks"), [(1, 6.113), (10, 7.364), (15, 8.308)])
def test_acks_before_the_first_new_packet_equal_a_count(late: int, acks: float) -> None:
    """The count ends when the inflated window W = 30 exceeds the packets in flight."""
    window, part = 30, 1e-4
    cwnd, flight, counted = window / 2 + 3, float(window), 0.0
    while cwnd < flight:
        partial = part * late / (window - 3)
        cwnd, flight, counted = (
            cwnd + part - partial,
            flight - partial * (window - 3) / late,
            counted + part,
        )
    assert acks_before_new_packet(window, late) == pytest.approx(counted, abs=1e-3)
    assert counted == pytest.approx(acks, abs=1e-3)


@given(st.floats(7, 500), st.data())
def test_the_studys_count_decreases_with_late_packets(window: float, data: Any) -> None:
    """By the formula for L, more late packets leave fewer ACKs and fewer new packets."""
    fewer, more = sorted(data.draw(st.floats(1, window - 4)) for _ in range(2))
    assume(more - fewer > 1e-3)
    left = [window - 3 - acks_before_new_packet(window, late) for late in (fewer, more)]
    freed = [
        acks * (2 - late / (window - 3)) for acks, late in zip(left, (fewer, more), strict=True)
    ]
    assert left[1] < left[0]
    assert freed[1] < freed[0]
    assert freed == pytest.approx([1.5 * window - 3 - late for late in (fewer, more)])


def test_the_example_of_the_lemma_has_the_expected_counts() -> None:
    """With L = 12 for one late packet, counted one by one, instead of 6.1, the lemma is right.

    Only then do ten late packets leave more ACKs after L. The new packets do not depend on L.
    """
    effect = ERRATA["handoffs.lemma-against-its-count"].effect()
    assert (effect.printed, effect.corrected) == pytest.approx((6.1132, 12.0), abs=1e-4)
    one, ten, fifteen = (
        first_round_trip(connection(packets=d, window=30, fate="late", late_s=0.05)).landmarks
        for d in (1, 10, 15)
    )
    assert 30 - 3 - effect.corrected < ten["left"] == pytest.approx(19.6364, abs=1e-4)
    found = [landmarks["new"] for landmarks in (one, fifteen, ten)]
    assert found == pytest.approx([14.0, 25.2, 29.3])


@given(st.floats(7, 500), st.data())
def test_the_drawn_first_round_trip_has_the_studys_count(window: float, data: Any) -> None:
    late = data.draw(st.floats(1, window - 4))
    in_flight, cwnd = outstanding_and_window(window, late, acks_before_new_packet(window, late))
    assert in_flight == pytest.approx(cwnd)
    last = (window - 3) / late
    assert new_packets_before_the_last(window, late) == pytest.approx(
        1.5 * window - 3 - late - last
    )


def test_packets_that_arrive_after_fast_retransmit_are_not_lost() -> None:
    """Five packets that arrive two round trips late count as late, not as lost."""
    effect = ERRATA["handoffs.which-recovery"].effect()
    late = kilobytes_per_s(packets=5, fate="late", late_s=0.2)
    lost = kilobytes_per_s(packets=5)
    assert (effect.printed, effect.corrected) == pytest.approx((lost, late))


def test_drawn_periods_have_the_counted_packets() -> None:
    subject = connection(packets=5, window=24, interval_s=4)
    drawn = recovery_period(subject)
    area = np.trapezoid(drawn.y, drawn.x)
    assert area == pytest.approx(drawn.landmarks["packets"], rel=1e-9)
    many = recovery_periods(connection(packets=9, window=60, interval_s=1.2), first="transfer")
    windows = [many.landmarks[f"W{n}"] for n in range(4)]
    assert windows == sorted(windows, reverse=True)
    assert windows[0] == 60


OWN_ERRATA = [name for name in ERRATA.names() if name.startswith("handoffs.")]
WITHOUT_VALUE = {"handoffs.steady-state", "handoffs.letter-p"}
"""Errata (misprints in the hand-offs study) whose printed equation gives no number."""


def test_only_the_listed_errata_have_no_printed_value() -> None:
    assert {name for name in OWN_ERRATA if ERRATA[name].effect().printed is None} == WITHOUT_VALUE


def test_what_never_decays_has_the_studys_goodput() -> None:
    effect = ERRATA["handoffs.steady-state"].effect()
    assert effect.corrected == pytest.approx(kilobytes_per_s(), rel=1e-9)


def test_the_printed_number_of_periods_does_not_lead_to_the_timeout() -> None:
    effect = ERRATA["handoffs.no-decay"].effect()
    assert "n = 0.64" in effect.point
    assert effect.printed == 3
    assert 21.5 < effect.corrected < 38  # packets: between the first window and the fixed point
