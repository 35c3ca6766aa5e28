"""Parts of the fluid model: capacities, radio link, delays, periodic analysis."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.optimize import brentq

from tcpgoodput.answers import Conditions
from tcpgoodput.models import CURVES, ERRATA, MODELS
from tcpgoodput.models.predict import predict
from tcpgoodput.models.variable_capacity import periodic
from tcpgoodput.models.variable_capacity.curves import busy_pipes, busy_queue, record, trajectory
from tcpgoodput.models.variable_capacity.fluid import means
from tcpgoodput.models.variable_capacity.runs import (
    buffer_delay,
    buffer_delay_by_recursion,
    grid_of,
)
from tcpgoodput.scenario import Scenario, override
from tcpgoodput.scenario.capacity import radio
from tcpgoodput.scenario.capacity.of_time import capacity_steps
from tcpgoodput.scenario.capacity.radio import correlation_per_step
from tcpgoodput.scenario.content import content_of
from tcpgoodput.scenario.vocabulary import Shadowing
from tests.scenarios import scenario

Array = NDArray[np.float64]

PACKET_BITS = 12000
LINK = {"rate_bps": 1e8, "forward_delay_s": 0.01, "backward_delay_s": 0.09, "buffer_packets": 84}


def link(capacity: dict[str, Any], **path: Any) -> Scenario:
    tcp = {"variant": "sack", "mss_bytes": 1500}
    return scenario(tcp=tcp, path={**LINK, **path}, capacity=capacity)


def sinusoid(frequency_hz: float, **path: Any) -> Scenario:
    range_bps = {"min_bps": 1e7, "max_bps": 1e8}
    return link({"process": "sinusoid", **range_bps, "frequency_hz": frequency_hz}, **path)


def amounts(of: Scenario, step_s: float, count: int, length: int = 1000, seed: int = 1) -> Array:
    blocks = capacity_steps(of, step_s, length, np.random.default_rng(seed))
    taken = [block.copy() for block in itertools.islice(blocks, math.ceil(count / length))]
    return np.concatenate(taken)[:count]


# The packets that a capacity carries in each time step


@settings(deadline=None)
@given(st.floats(1e-4, 5e3), st.sampled_from([1e-3, 7.7e-5]), st.integers(0, 20_000))
def test_sinusoid_is_integrated_exactly(frequency_hz: float, step_s: float, k: int) -> None:
    got = amounts(sinusoid(frequency_hz), step_s, k + 1)[k]
    with mpmath.workdps(40):
        omega = 2 * mpmath.pi * mpmath.mpf(frequency_hz)
        start, stop = k * mpmath.mpf(step_s), (k + 1) * mpmath.mpf(step_s)
        swing = 4.5e7 * (mpmath.cos(omega * start) - mpmath.cos(omega * stop)) / omega
        expected = (5.5e7 * (stop - start) + swing) / PACKET_BITS
    assert got == pytest.approx(float(expected), rel=1e-8)


@settings(deadline=None)
@given(st.floats(0.01, 3e3), st.sampled_from([1e-3, 7.7e-5]))
def test_square_wave_is_integrated_exactly(frequency_hz: float, step_s: float) -> None:
    of = link({"process": "square", "min_bps": 1e7, "max_bps": 1e8, "frequency_hz": frequency_hz})
    got = np.cumsum(amounts(of, step_s, 2500))
    turns = frequency_hz * step_s * np.arange(1, 2501)
    high = np.floor(turns) / 2 + np.minimum(turns % 1, 0.5)
    expected = (1e7 * turns + 9e7 * high) / frequency_hz / PACKET_BITS
    np.testing.assert_allclose(got, expected, rtol=1e-9)


def test_trace_is_integrated_and_repeated(tmp_path: Path) -> None:
    file = tmp_path / "steps.csv"
    file.write_text("time_s,capacity_bps\n0,12e6\n0.25,0\n0.4,36e6\n1.0,5\n")
    of = link({"process": "trace", "file": str(file)})
    got = amounts(of, 0.05, 100, length=7)
    # Packets that the trace's capacity carries in each of its 20 intervals of 50 ms.
    period = [1000 * 0.05] * 5 + [0.0] * 3 + [150.0] * 12
    np.testing.assert_allclose(got, period * 5, atol=1e-6)
    assert means(of, Conditions(precision="draft")).capacity_pps == pytest.approx(2050, rel=0.01)


@pytest.mark.parametrize("step_s", [1e-3, 3e-3, 2.3e-4])
def test_random_levels_are_constant_for_a_step_and_integrated(step_s: float) -> None:
    of = link(
        {"process": "ar1", "min_bps": 1e7, "max_bps": 1e8, "coherence_s": 0.1, "step_s": 7e-3}
    )
    # A time step is as long as the capacity is constant (7 ms), so these are the capacities C(k).
    fine = amounts(of, 7e-3, 400, length=1) / 7e-3
    edges = step_s * np.arange(1, 2001)
    edges = edges[edges < 400 * 7e-3]
    carried = np.concatenate([[0.0], np.cumsum(fine * 7e-3)])
    expected = np.interp(edges, 7e-3 * np.arange(401), carried)
    np.testing.assert_allclose(
        np.cumsum(amounts(of, step_s, edges.size, length=97)), expected, rtol=1e-9
    )


@pytest.mark.parametrize("variance", ["literal", "preserved"])
def test_the_autoregression_has_its_moments(variance: str) -> None:
    of = link(
        {
            "process": "ar1",
            "min_bps": 1e7,
            "max_bps": 1e8,
            "coherence_s": 0.02,
            "step_s": 5e-3,
            "variance": variance,
        }
    )
    c = amounts(of, 5e-3, 400_000, length=4096) / 5e-3 * PACKET_BITS / 1e6
    alpha = 0.1 ** (5 / 20)
    of_innovations = 90 / math.sqrt(12)
    assert c.mean() == pytest.approx(55, abs=0.4)
    if variance == "literal":
        expected = of_innovations * math.sqrt((1 - alpha) / (1 + alpha))
        assert c.std() == pytest.approx(expected, rel=0.01)
    else:
        # Capacities are limited to 10 to 100 Mbit/s, which reduces the variance.
        assert 0.9 * of_innovations < c.std() < of_innovations
    d = c - c.mean()
    assert np.mean(d[4:] * d[:-4]) / np.mean(d * d) == pytest.approx(0.1, abs=0.015)
    assert c.min() >= 10 - 1e-9
    assert c.max() <= 100 + 1e-9


def test_the_correlation_per_step_is_as_given() -> None:
    assert correlation_per_step(0.002, 6.0) ** 3000 == pytest.approx(0.1)


# The case study's radio link


def shadowing(**keys: Any) -> Shadowing:
    base = {"process": "shadowing", "peak_bps": 14.4e6, "mean_bps": 9.6e6, "speed_mps": 30 / 3.6}
    return Shadowing.model_validate({**base, **keys})


def test_the_snr_at_the_cells_vertex_is_right() -> None:
    snr = radio.snr_of(shadowing())
    assert snr == pytest.approx(1 / (2 + 2 / 16 + 2 / 49), rel=1e-11)
    assert 10 * math.log10(snr) == pytest.approx(-3.36, abs=0.005)
    flat = radio.snr_of(shadowing(path_loss_exponent=2))
    assert flat == pytest.approx(1 / (2 + 2 / 4 + 2 / 7), rel=1e-11)
    assert radio.snr_of(shadowing(path_loss_exponent=2, snr_db=-3.0)) == pytest.approx(10**-0.3)


def test_the_coherence_distance_and_the_speed_give_the_coherence_time() -> None:
    assert radio.coherence_s(shadowing(speed_mps=10.0)) == 5.0
    assert radio.coherence_s(shadowing(speed_mps=10.0, coherence_distance_m=20)) == 2.0


def test_new_keys_of_the_radio_link_leave_earlier_contents_as_they_were() -> None:
    before = content_of(link(shadowing().model_dump()))
    assert not any(key in before for key in ("coherence_distance", "exponent", "snr_db"))
    for keys in ({"coherence_distance_m": 20}, {"path_loss_exponent": 3}, {"snr_db": 0}):
        assert next(iter(keys)) in content_of(link(shadowing(**keys).model_dump()))


@pytest.mark.parametrize("keys", [{}, {"snr_db": 10.0}, {"path_loss_exponent": 2.0}])
def test_the_radio_links_mean_is_the_scenarios(keys: dict[str, float]) -> None:
    of = shadowing(**keys)
    cell = radio.cell_of(of)
    random = np.random.default_rng(3)
    drawn = cell.capacity_bps(radio.stationary_sigma_db(of) * random.standard_normal(400_000))
    assert drawn.mean() == pytest.approx(of.mean_bps, rel=0.005)
    assert cell.snr == radio.snr_of(of)


def test_the_scale_of_the_logarithm_agrees_with_quadrature() -> None:
    snr = 1 / (2 + 2 / 16 + 2 / 49)

    def rate(z: float, scale: float) -> float:
        return min(14.4e6, scale * math.log2(1 + snr * 10 ** (-0.8 * z)))

    def mean(scale: float) -> float:
        kink = brentq(lambda z: scale * math.log2(1 + snr * 10 ** (-0.8 * z)) - 14.4e6, -9, 9)

        def density(z: float) -> float:
            return rate(z, scale) * math.exp(-z * z / 2) / math.sqrt(2 * math.pi)

        return quad(density, -12, kink, epsrel=1e-11)[0] + quad(density, kink, 12, epsrel=1e-11)[0]

    expected = brentq(lambda scale: mean(scale) - 9.6e6, 1e7, 5e7)
    assert expected == pytest.approx(22.963e6, rel=1e-4)
    assert radio.cell_of(shadowing()).scale_bps == pytest.approx(expected, rel=1e-6)


@settings(max_examples=10, deadline=None)
@given(st.floats(0.01, 0.95), st.floats(0.1, 20), st.sampled_from(["literal", "preserved"]))
def test_a_cell_has_the_requested_mean(share: float, sigma: float, variance: str) -> None:
    capacity = shadowing(mean_bps=14.4e6 * share, sigma_db=sigma, variance=variance)
    cell = radio.cell_of(capacity)
    draws = np.random.default_rng(1).normal(0, radio.stationary_sigma_db(capacity), 200_000)
    simulated = cell.capacity_bps(draws)
    error = simulated.std() / math.sqrt(draws.size)
    assert simulated.mean() == pytest.approx(capacity.mean_bps, abs=5 * error + 1)


def test_shadowed_capacity_has_its_mean_over_time() -> None:
    of = link(shadowing(speed_mps=200.0).model_dump())
    c = amounts(of, 2e-3, 400_000, length=4096) / 2e-3 * PACKET_BITS
    assert c.mean() == pytest.approx(9.6e6, rel=0.02)
    assert c.max() <= 14.4e6 * (1 + 1e-12)


# The study's equations (9) to (11) for a periodic capacity, and their bound on the queue

LINKS = st.builds(lambda f: periodic.PeriodicLink.of(sinusoid(f)), st.floats(0.05, 50))
SPANS = st.tuples(st.floats(0, 5), st.floats(0.001, 20))


def integral(of: periodic.PeriodicLink, start_s: float, stop_s: float) -> float:
    """Return the integral of the sinusoidal capacity C(t) (packets) by numerical integration."""

    def c(t: float) -> float:
        angle = 2 * math.pi * of.frequency_hz * t + of.phase
        return of.lowest_pps + of.swing_pps * (1 + math.cos(angle))

    edges = np.linspace(start_s, stop_s, 2 + int(4 * of.frequency_hz * (stop_s - start_s)))
    return math.fsum(quad(c, a, b)[0] for a, b in itertools.pairwise(edges))


@settings(max_examples=40, deadline=None)
@given(LINKS, SPANS)
def test_acknowledged_pipe_equals_the_mean_of_the_delayed_capacity(
    of: periodic.PeriodicLink, span: tuple[float, float]
) -> None:
    start_s, duration_s = span
    stop_s = start_s + duration_s
    delay_s = of.backward_s
    expected = of.rtt_s * integral(of, start_s - delay_s, stop_s - delay_s) / duration_s
    got = periodic.acknowledged_pipe(of, stop_s, start_s, delay_s)
    assert got == pytest.approx(expected, rel=1e-6)


@settings(max_examples=40, deadline=None)
@given(LINKS, st.floats(0.2, 20))
def test_last_round_trip_equals_the_integral_of_the_capacity(
    of: periodic.PeriodicLink, t: float
) -> None:
    expected = integral(of, t - of.rtt_s, t)
    assert periodic.last_round_trip(of, t) == pytest.approx(expected, rel=1e-6)


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 9), st.floats(0, 5), st.floats(0, 20), st.floats(300, 3000))
def test_the_bound_holds_at_integer_products(
    n: int, start_s: float, duration_s: float, window: float
) -> None:
    of = periodic.PeriodicLink.of(sinusoid(n / 0.1))
    t = start_s + duration_s
    queue = periodic.queue(of, t, start_s, window)
    assert queue <= periodic.queue_bound(of, t, start_s, window) + 1e-6


@pytest.mark.parametrize("n", [1, 3])
def test_some_start_reaches_the_queues_bound(n: int) -> None:
    """There the oscillating terms of the queue's equation have their largest value."""
    of = periodic.PeriodicLink.of(sinusoid(n / 0.1))
    starts_s = np.linspace(0, 1 / of.frequency_hz, 401)
    ends_s = starts_s + 5.5 / of.frequency_hz
    window = 1.2 * of.mean_pipe_packets
    queues = periodic.queue(of, ends_s, starts_s, window)
    bound = periodic.queue_bound(of, ends_s[0], starts_s[0], window)
    assert queues.max() == pytest.approx(bound, rel=1e-4)


def test_fluid_agrees_with_the_analysis_for_a_busy_buffer() -> None:
    for frequency_hz in (10.0, 15.0):
        of = sinusoid(frequency_hz, buffer_packets=834)
        analysis = busy_queue(of, start_s=500, stop_s=502)
        fluid = trajectory(of, quantity="queue", start_s=500, stop_s=502)
        at = np.interp(analysis.x, fluid.x, fluid.y)
        assert np.abs(at - analysis.y).max() < 0.05 * np.ptp(fluid.y)
        assert analysis.landmarks["t0"] == pytest.approx(500.1, abs=0.01)


# The delay in the buffer, and the round-trip time


@settings(max_examples=50)
@given(st.floats(1, 1e4), st.floats(1e-4, 1e-2))
def test_delay_of_a_constant_link_equals_queue_over_rate(rate_pps: float, step_s: float) -> None:
    queue = np.array([0.0, 1.0, 30.0 * rate_pps * step_s])
    capacity = np.full(200, rate_pps * step_s)
    delay = buffer_delay(queue, capacity, step_s)
    np.testing.assert_allclose(delay[[0, 2]], queue[[0, 2]] / rate_pps, rtol=1e-9, atol=1e-12)


def test_a_delay_beyond_the_recorded_capacity_is_nan() -> None:
    assert np.isnan(buffer_delay(np.array([10.0]), np.ones(5), 1.0)).all()


def test_recursion_for_the_delay_follows_the_definition() -> None:
    run = record(sinusoid(1.0, buffer_packets=834), 300, 304)
    forward, step_s = run.grid.forward, run.grid.step_s
    arrivals, capacity = run.sent[:-forward], run.capacity[forward:]
    queue = run.queue[forward:]
    n = 3000
    exact = buffer_delay(queue, capacity, step_s)[: n - 1]
    corrected, printed = (
        buffer_delay_by_recursion(queue[:n], arrivals[:n], capacity, step_s, per_s)[1:]
        for per_s in (1 / step_s, 1.0)
    )
    # The recursion starts with a delay of 0, which is right only from the first empty queue on.
    begins = int(np.flatnonzero(queue == 0)[0])
    error = np.abs(corrected - exact)[begins:].max()
    assert error < 0.03
    assert np.abs(printed - exact)[begins:].max() > 3 * error


def test_littles_law_holds() -> None:
    """At a full window, packets in flight over throughput equal the mean RTT of packets sent."""
    of = override(sinusoid(1.0, buffer_packets=500), {"tcp.max_window_packets": 400})
    run = record(of, 200, 210)
    rtt = trajectory(of, quantity="rtt", start_s=200, stop_s=210, points=10**6)
    weighted = float(run.sent @ rtt.y / run.sent.sum())
    assert weighted == pytest.approx(
        run.flight.sum() * run.grid.step_s / run.served.sum(), rel=0.01
    )
    assert means(of, Conditions()).delay_s == pytest.approx(weighted, rel=0.01)
    assert rtt.y.min() >= 0.1 - 1e-12


# Curves for the study's figures, and its errata


def test_trajectory_quantities_agree() -> None:
    of = sinusoid(0.1)
    curves = {
        name: trajectory(of, quantity=name, start_s=400, stop_s=420)
        for name in ("queue", "window", "bandwidth-delay", "flight", "rtt")
    }
    assert {c.y_unit for n, c in curves.items() if n != "rtt"} == {"packets"}
    assert curves["bandwidth-delay"].y.max() == pytest.approx(1e8 / PACKET_BITS * 0.1, rel=1e-3)
    assert curves["queue"].y.max() <= 84
    pipe = curves["window"].landmarks["pipe"]
    assert pipe == pytest.approx(1e7 / PACKET_BITS * 0.1 + 84)
    # `pipe` is what path and buffer hold at the lowest capacity. The window rises to it, and then
    # falls to half of it.
    assert curves["window"].y.max() == pytest.approx(pipe, rel=0.2)
    assert curves["window"].y.min() == pytest.approx(pipe / 2, rel=0.2)


@pytest.mark.parametrize(
    "bad",
    [
        lambda: trajectory(sinusoid(1.0), quantity="cwnd", start_s=0, stop_s=1),
        lambda: trajectory(sinusoid(1.0), quantity="queue", start_s=2, stop_s=1),
        lambda: trajectory(sinusoid(1.0), quantity="queue", start_s=0, stop_s=1e9),
        lambda: trajectory(sinusoid(1.0), quantity="queue", start_s=1e9, stop_s=1e9 + 1),
        lambda: trajectory(sinusoid(1.0), quantity="queue", start_s=0, stop_s=1, points=1),
        lambda: CURVES["variable_capacity.mean_delay"](
            override(sinusoid(1.0), {"path.buffer_packets": None}), start_hz=1, stop_hz=2
        ),
        lambda: busy_queue(sinusoid(1.5), form="bound", start_s=0, stop_s=10),
        lambda: busy_queue(sinusoid(1.0), form="tight", start_s=0, stop_s=10),
        lambda: busy_queue(sinusoid(0.1), start_s=400, stop_s=400.5),
        lambda: CURVES["variable_capacity.mean_delay"](
            override(sinusoid(1.0), {"capacity": None}), start_hz=1, stop_hz=2
        ),
        lambda: CURVES["variable_capacity.capacity_deviation"](sinusoid(1.0), step="fixed"),
    ],
)
def test_curves_refuse_invalid_options(bad: Callable[[], Any]) -> None:
    with pytest.raises(ValueError, match=r"\w+"):
        bad()


OWN_ERRATA = [e for e in ERRATA.values() if e.source == "variable_capacity"]


def test_corrected_values_equal_independent_computations() -> None:
    effects = {entry.id: entry.effect() for entry in OWN_ERRATA}
    of = periodic.PeriodicLink.of(sinusoid(1.0))
    acknowledged = integral(of, 0.2 - of.backward_s, 0.5 - of.backward_s)
    assert effects["acknowledged-pipe"].corrected == pytest.approx(acknowledged)
    longest = trajectory(
        sinusoid(1.0, buffer_packets=834), quantity="rtt", start_s=300, stop_s=319, points=10**6
    )
    assert effects["delay-index"].corrected == pytest.approx(longest.y.max() - 0.1, rel=0.01)
    assert effects["lost-fluid"].corrected == pytest.approx(0.75 * 1.1**2 / 1.11, abs=0.005)
    assert effects["correlation-coefficient"].corrected == pytest.approx(0.1)
    assert effects["vanishing-variance"].corrected == pytest.approx(90 / math.sqrt(12))
    assert effects["vanishing-shadowing"].corrected == 8.0
    scale = radio.cell_of(shadowing()).scale_bps
    assert effects["divided-by-ca"].printed == pytest.approx(9.6e6 / scale)


def test_a_run_begins_with_one_packet() -> None:
    of = sinusoid(1.0)
    grid = grid_of(of)
    run = record(of, 0.0, 0.5)
    assert run.served[: grid.forward - 1].sum() == 0
    assert run.served[grid.forward - 1] == 1.0
    assert run.sent[: grid.forward + grid.backward - 2].sum() == 0
    assert run.window[0] == 1.0
    assert run.flight[0] == 1.0


def test_pipes_of_a_slow_capacity_equal_the_initial_one() -> None:
    marks = busy_pipes(sinusoid(1e-6), stop_s=10).landmarks
    for name in ("f", "g", "printed"):
        assert marks[name] == pytest.approx(marks["start"], rel=1e-4)
    quick = busy_pipes(sinusoid(1e4), stop_s=10.00003).landmarks
    for name in ("f", "g"):
        assert quick[name] == pytest.approx(quick["mean_pipe"], rel=1e-3)


def test_f_of_the_busy_pipe_equals_the_mean_capacity() -> None:
    of = periodic.PeriodicLink.of(sinusoid(1.0))
    acknowledged = integral(of, -of.backward_s, 0.7 - of.backward_s)
    marks = busy_pipes(sinusoid(1.0), stop_s=0.7).landmarks
    assert marks["f"] == pytest.approx(acknowledged * of.rtt_s / 0.7)
    assert marks["printed"] != pytest.approx(marks["f"], rel=0.01)


def test_trajectory_reports_flight_and_delay() -> None:
    link = sinusoid(1.0, buffer_packets=84)
    marks = trajectory(link, quantity="rtt", start_s=400, stop_s=410, points=10).landmarks
    path = record(link, 400, 410)
    assert marks["below_window"] == pytest.approx(np.max(path.window - path.flight))
    assert marks["above_window"] == pytest.approx(np.max(path.flight - path.window))
    rate = path.served.sum() / 10
    assert marks["by_little"] == pytest.approx(path.flight.mean() / rate)
    assert 0.1 < marks["mean"] < 0.3
    assert "mean" not in trajectory(link, quantity="queue", start_s=400, stop_s=410).landmarks


# A capacity that reaches 0


@pytest.mark.parametrize("process", ["square", "sinusoid"])
@pytest.mark.parametrize("frequency_hz", [1e-6, 0.1, 7.3, 300.0])
def test_a_capacity_may_reach_zero_but_not_fall_below(process: str, frequency_hz: float) -> None:
    of = link({"process": process, "min_bps": 0, "max_bps": 2e7, "frequency_hz": frequency_hz})
    step_s = 1 / frequency_hz / 64
    (packets,) = itertools.islice(capacity_steps(of, step_s, 640), 1)
    assert packets.min() >= 0
    assert packets.sum() == pytest.approx(1e7 / of.packet_bits * 640 * step_s, rel=1e-9)
    if process == "square":
        assert abs((packets < 1e-9 * packets.max()).sum() - 320) <= 1


def test_a_square_capacity_with_a_stop_equals_the_same_trace(tmp_path: Path) -> None:
    """The fluid's utilisation is the same over a square wave from 0 and over its recorded steps."""
    file = tmp_path / "stops.csv"
    file.write_text("time_s,capacity_bps\n0,2e7\n0.5,0\n1,0\n")
    square = link({"process": "square", "min_bps": 0, "max_bps": 2e7, "frequency_hz": 1})
    trace = link({"process": "trace", "file": str(file)})
    found = [
        predict(MODELS["variable_capacity.fluid"], of, Conditions(precision="draft"))
        for of in (square, trace)
    ]
    assert found[0].goodput_pps == pytest.approx(found[1].goodput_pps, rel=1e-6)
    assert 0.2 < found[0].goodput_pps * square.packet_bits / 1e7 < 0.9
