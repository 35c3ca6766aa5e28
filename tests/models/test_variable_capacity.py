"""The fluid model, compared with a second implementation, closed forms, limits and conservation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.integrate import quad

from tcpgoodput.answers import Conditions, Estimate
from tcpgoodput.models import MODELS
from tcpgoodput.models.predict import predict, predictions
from tcpgoodput.models.variable_capacity import runs
from tcpgoodput.models.variable_capacity.closed_form import utilisation
from tcpgoodput.models.variable_capacity.curves import decreases, record
from tcpgoodput.models.variable_capacity.fluid import averaged, means
from tcpgoodput.models.variable_capacity.runs import Averaged, Run, averages, grid_of
from tcpgoodput.scenario import Scenario, override
from tests.scenarios import scenario

Array = NDArray[np.float64]

MODEL = MODELS["variable_capacity.fluid"]
LOW_PPS, HIGH_PPS, RTT_S = 1e7 / 12000, 1e8 / 12000, 0.1


def path(buffer: int | None = 84, rtt_s: float = RTT_S, rate_bps: float = 1e8) -> dict[str, Any]:
    return {
        "rate_bps": rate_bps,
        "forward_delay_s": 0.1 * rtt_s,
        "backward_delay_s": 0.9 * rtt_s,
        "buffer_packets": buffer,
    }


def varying(process: str, buffer: int | None = 84, rtt_s: float = RTT_S, **keys: Any) -> Scenario:
    capacity = {"process": process, "min_bps": 1e7, "max_bps": 1e8, **keys}
    tcp = {"variant": "sack", "mss_bytes": 1500}
    return scenario(tcp=tcp, path=path(buffer, rtt_s), capacity=capacity)


def sinusoid(frequency_hz: float, buffer: int | None = 84, rtt_s: float = RTT_S) -> Scenario:
    return varying("sinusoid", buffer, rtt_s, frequency_hz=frequency_hz)


def constant(buffer: int | None, rate_pps: float = 1000.0, **tcp: Any) -> Scenario:
    tcp = {"variant": "sack", "mss_bytes": 1500, **tcp}
    return scenario(tcp=tcp, path=path(buffer, rate_bps=12000 * rate_pps))


def utilisation_of(of: Scenario, **conditions: Any) -> float:
    prediction = predict(MODEL, of, Conditions(**conditions))
    assert prediction.status == "native", prediction.reason
    assert prediction.utilisation is not None
    return prediction.utilisation


# The closed form of the utilisation, and the fluid model on a link of constant capacity


@given(st.floats(0.001, 1))
def test_closed_form_equals_the_area_of_the_saw_tooth(beta: float) -> None:
    """W grows at the rate dW/dt = 1/T_m up to W = C T_m, then at C/W; here C and T_m are 1."""
    top = 1 + beta
    packets = quad(lambda w: w, top / 2, top)[0]
    seconds = quad(lambda w: max(w, 1.0) / w * w if w > 1 else 1.0, top / 2, top, points=[1])[0]
    assert utilisation(beta, 1.0) == pytest.approx(packets / seconds, rel=1e-9)


@pytest.mark.parametrize("decrease", [0.1, 0.2, 0.3, 0.7, 0.9])
@pytest.mark.parametrize("share", [0.1, 0.5, 1.0])
def test_the_fluid_has_the_saw_tooth_of_any_decrease(share: float, decrease: float) -> None:
    """The recovery takes a round trip, which the closed form leaves out."""
    link = constant(round(100 * share))
    fluid = averages([averaged(link, Conditions(), decrease=decrease)])[0].utilisation
    closed = utilisation(share, 1.0, decrease)
    assert fluid == pytest.approx(closed, abs=0.01)


def test_a_small_decrease_leaves_the_link_busy() -> None:
    """The window stays above the pipe C T_m if (1 - b)(C T_m + B) ≥ C T_m."""
    assert utilisation(0.25, 1.0, 0.2) == 1
    assert utilisation(0.25, 1.0, 0.21) < 1


@pytest.mark.parametrize("share", [0.1, 0.25, 0.5, 1.0])
def test_fluid_agrees_with_the_closed_form(share: float) -> None:
    link = constant(round(100 * share))
    closed = predict(MODELS["variable_capacity.closed_form"], link)
    assert utilisation_of(link) == pytest.approx(closed.utilisation, abs=0.005)


def test_an_unlimited_buffer_gives_full_utilisation() -> None:
    assert utilisation_of(constant(None)) == 1
    assert utilisation_of(sinusoid(1.0, None)) == 1
    assert predict(MODELS["variable_capacity.closed_form"], constant(None)).utilisation == 1


@pytest.mark.parametrize(("window", "expected"), [(50, 0.5), (97, 0.97), (103, 1.0), (150, 1.0)])
@pytest.mark.parametrize("buffer", [None, 200])
def test_a_limited_window_without_overflow_gives_its_own_rate(
    window: int, expected: float, buffer: int | None
) -> None:
    link = constant(buffer, max_window_packets=window)
    assert utilisation_of(link) == pytest.approx(expected, rel=0.002)
    assert predict(MODELS["variable_capacity.closed_form"], link).utilisation == min(1, expected)


@pytest.mark.parametrize(("window", "expected_pps"), [(150, 1000), (151, 1000 * 27 / 28)])
def test_a_window_that_path_and_buffer_just_hold_causes_no_loss(
    window: int, expected_pps: float
) -> None:
    """The path holds 100 packets and the buffer 50; with β = 1/2, ρ = ¾ (3/2)²/(7/4) = 27/28."""
    tcp = {"variant": "sack", "max_window_packets": window}
    link = scenario(tcp=tcp, path={"rate_bps": 8e6, "buffer_packets": 50})
    closed = predict(MODELS["variable_capacity.closed_form"], link)
    assert closed.goodput_pps == pytest.approx(expected_pps, rel=1e-12)


# The fluid model's compiled loops, compared with a second implementation


def plain(of: Scenario, capacity: Array, *, restores: bool, empties: bool) -> dict[str, Array]:
    """Run a second implementation of the fluid model (section III-A), step by step."""
    grid = grid_of(of)
    # Packets that the link can serve from the start to the beginning of each step.
    ahead = np.concatenate([[0.0], np.cumsum(capacity)])
    n, b, timeout = capacity.size, 0.5, grid.steps(runs.timeout_s(of))
    buffer = of.path.buffer_packets or math.inf
    limit = of.tcp.max_window_packets or math.inf
    r, u, lost = np.zeros(n), np.zeros(n), np.zeros(n)
    w_path, q_path, y_path = np.zeros(n), np.zeros(n), np.zeros(n)
    w, q, y = 1.0, 0.0, 1.0
    mode, detection, noticed, w_f, acked_since = "avoid", None, 0, 0.0, 0.0
    for k in range(n):
        a = u[k - grid.backward] if k >= grid.backward else 0.0
        if k == detection:
            mode, detection, noticed, w_f, acked_since = "recover", None, k, w, 0.0
            w = max(1.0, (1 - b) * w_f)
        if mode == "avoid":
            new = min(limit, w + a / w)
            r[k], w = a + new - w, new
        else:
            before, acked_since = acked_since, acked_since + a
            silent = acked_since < b * w_f or before < b * w_f
            r[k] = max(0.0, acked_since - b * w_f) if silent else a
            if acked_since >= w_f and not silent:
                mode = "avoid"
                if restores:
                    r[k] += max(0.0, w - (y - a + r[k]))
            elif k - noticed + 1 >= timeout and (y - a < 1 if empties else acked_since < b * w_f):
                mode, w, r[k] = "avoid", 1.0, 1.0 - (y - a if empties else 0.0)
        x = (r[k - grid.forward] if k >= grid.forward else 0.0) + (k == grid.forward - 1)
        offered = q + x
        u[k] = min(capacity[k], offered)
        lost[k] = max(0.0, offered - u[k] - buffer)
        q = offered - u[k] - lost[k]
        y += r[k] - a - lost[k]
        if lost[k] > 0 and mode == "avoid" and detection is None:
            gone = ahead[k + 1] + buffer + of.tcp.dupthresh
            detection = int(np.searchsorted(ahead, gone)) - 1 + grid.backward
        w_path[k], q_path[k], y_path[k] = w, q, y
    return {
        "sent": r,
        "served": u,
        "lost": lost,
        "window": w_path,
        "queue": q_path,
        "flight": y_path,
    }


@pytest.mark.parametrize("equations", ["corrected", "printed"])
@pytest.mark.parametrize(
    "of",
    [
        sinusoid(1.0),
        sinusoid(15.0),
        varying("square", 84, frequency_hz=0.5),
        override(varying("square", 20, frequency_hz=0.03), {"capacity.min_bps": 1.1e5}),
        override(sinusoid(0.5), {"tcp.max_window_packets": 180, "tcp.rto.fixed_s": 0.2}),
        override(constant(10, 200.0), {"path.forward_delay_s": 0.0}),
    ],
    ids=["1 Hz", "15 Hz", "square", "deep square", "window and RTO", "small, no forward delay"],
)
def test_compiled_kernel_equals_the_plain_recursion(of: Scenario, equations: Any) -> None:
    got = record(of, 0.0, 120_000 * grid_of(of).step_s, equations=equations)
    ours = equations == "corrected"
    want = plain(of, got.capacity, restores=ours, empties=ours)
    losses = np.sum(np.diff(want["window"]) < 0)
    assert losses >= 3, "the comparison must pass through losses"
    for name in ("sent", "served", "window", "queue", "flight"):
        np.testing.assert_allclose(
            getattr(got, name), want[name], rtol=1e-9, atol=1e-8, err_msg=name
        )


random_keys = {"process": "ar1", "min_bps": 1e5, "max_bps": 1e7}
capacities = st.one_of(
    st.builds(
        lambda process, f: {**process, "max_bps": 1e7, "frequency_hz": f},
        st.sampled_from(
            [{"process": "sinusoid", "min_bps": 2e5}, {"process": "square", "min_bps": 1e5}]
        ),
        st.floats(0.05, 50),
    ),
    st.builds(
        lambda t, v: {**random_keys, "coherence_s": t, "variance": v},
        st.floats(0.01, 5),
        st.sampled_from(["preserved", "literal"]),
    ),
)


@settings(max_examples=40, deadline=None)
@given(capacities, st.integers(1, 300), st.sampled_from([None, 30, 100]), st.booleans())
def test_fluid_is_conserved(
    capacity: dict[str, Any], buffer: int, window: int | None, restores: bool
) -> None:
    tcp = {"variant": "sack", "mss_bytes": 1500, "max_window_packets": window}
    of = scenario(tcp=tcp, path=path(buffer, rate_bps=1e7), capacity=capacity)
    grid = grid_of(of)
    run = record(of, 0.0, 60.0, equations="corrected" if restores else "printed")
    delayed = [
        np.concatenate([np.zeros(steps), amounts])[: amounts.size]
        for steps, amounts in ((grid.forward, run.sent), (grid.backward, run.served))
    ]
    arriving, acked = delayed
    arriving[grid.forward - 1] += 1.0  # the first packet is sent before the first step
    before = np.concatenate([[0.0], run.queue[:-1]])
    lost = before + arriving - run.served - run.queue
    tolerance = 1e-8 * (1 + run.sent.sum())
    assert np.all(lost >= -1e-9)
    assert np.all((run.queue >= 0) & (run.queue <= buffer))
    assert np.all((run.served >= 0) & (run.served <= run.capacity))
    assert np.all(run.sent >= -1e-9)
    in_flight = 1.0 + np.cumsum(run.sent - acked - lost)
    np.testing.assert_allclose(run.flight, in_flight, atol=tolerance)
    assert np.all(run.window >= 1)
    assert np.all(run.window <= (window or math.inf))


def test_flight_equals_the_window_in_congestion_avoidance() -> None:
    """Y = W by equation (8), but not with the printed loss recovery."""
    run = record(sinusoid(1.0), 200, 260)
    equal = np.abs(run.flight - run.window) < 1e-6
    rising = np.concatenate([[False], np.diff(run.window) > 0])
    assert (equal & rising).sum() > 0.9 * rising.sum()
    literal = record(sinusoid(1.0), 200, 260, equations="printed")
    assert np.mean(np.abs(literal.flight - literal.window) < 1e-6) < 0.5


def test_flight_equals_the_content_of_pipe_and_buffer() -> None:
    """Y was sent in the last T_fm, is queued, or was served in the last T_bm."""
    of = sinusoid(2.0)
    grid = grid_of(of)
    run = record(of, 300, 320)
    sent, served = np.cumsum(run.sent), np.cumsum(run.served)
    k = np.arange(200, run.time_s.size)
    held = sent[k] - sent[k - grid.forward] + run.queue[k] + served[k] - served[k - grid.backward]
    np.testing.assert_allclose(run.flight[k], held, atol=1e-6)


# Utilisations with known values, limits or order


@pytest.mark.parametrize(
    ("frequency_hz", "expected", "within"),
    [(1.0, 0.277, 0.005), (10.0, 0.861, 0.003), (15.0, 0.596, 0.01), (0.1, 0.2966, 0.005)],
)
def test_utilisation_has_a_resonance_at_the_studys_buffer(
    frequency_hz: float, expected: float, within: float
) -> None:
    assert utilisation_of(sinusoid(frequency_hz, 83)) == pytest.approx(expected, abs=within)


@pytest.mark.parametrize("buffer", [84, 417])
def test_slow_variation_gives_the_mean_over_constant_links(buffer: int) -> None:
    def of_phase(phase: float) -> float:
        c = (LOW_PPS + HIGH_PPS) / 2 + (HIGH_PPS - LOW_PPS) / 2 * math.sin(phase)
        return c * utilisation(buffer, c * RTT_S)

    served = quad(of_phase, 0, 2 * math.pi, limit=200)[0] / (2 * math.pi)
    expected = served / ((LOW_PPS + HIGH_PPS) / 2)
    slow = utilisation_of(sinusoid(5e-4, buffer), precision="draft")
    assert slow == pytest.approx(expected, abs=0.002)


@pytest.mark.parametrize("buffer", [84, 209, 417])
def test_fast_variation_gives_the_utilisation_of_its_mean(buffer: int) -> None:
    expected = utilisation(buffer, (LOW_PPS + HIGH_PPS) / 2 * RTT_S)
    assert utilisation_of(sinusoid(777.7, buffer)) == pytest.approx(expected, abs=0.005)
    assert utilisation_of(sinusoid(10.0, buffer)) == pytest.approx(expected, abs=0.005)


def test_whole_products_of_frequency_and_round_trip_are_maxima() -> None:
    for n in (1, 2, 3):
        peak = utilisation_of(sinusoid(n / RTT_S))
        assert peak > utilisation_of(sinusoid((n - 0.1) / RTT_S)) + 0.01
        assert peak > utilisation_of(sinusoid((n + 0.1) / RTT_S)) + 0.01


def test_a_larger_buffer_never_reduces_goodput() -> None:
    for frequency_hz in (0.02, 0.3, 3.0, 14.0):
        values = [utilisation_of(sinusoid(frequency_hz, b)) for b in (84, 209, 417, 834)]
        assert values == sorted(values)


def test_utilisation_converges_with_smaller_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    of = sinusoid(1.0)
    values = {}
    for steps in (10, 20, 40, 100, 400):
        monkeypatch.setattr("tcpgoodput.models.variable_capacity.runs.STEPS_PER_ROUND_TRIP", steps)
        grid = grid_of(of)
        request = Averaged(Run(of), grid.steps(200), grid.steps(2000))
        values[steps] = averages([request])[0].utilisation
    assert abs(values[100] - values[400]) < 3e-4
    assert abs(values[10] - values[400]) < 2e-3


@settings(max_examples=8, deadline=None)
@given(st.floats(0.01, 100), st.floats(0.3, 20))
def test_scaling_time_or_packets_changes_nothing(factor: float, frequency_hz: float) -> None:
    base = sinusoid(frequency_hz)
    slower = scenario(
        tcp={"variant": "sack", "mss_bytes": 1500},
        path=path(84, RTT_S * factor, rate_bps=1e8 / factor),
        capacity={
            "process": "sinusoid",
            "min_bps": 1e7 / factor,
            "max_bps": 1e8 / factor,
            "frequency_hz": frequency_hz / factor,
        },
    )
    larger = override(
        base,
        {
            "tcp.mss_bytes": 15000,
            "path.rate_bps": 1e9,
            "capacity.min_bps": 1e8,
            "capacity.max_bps": 1e9,
        },
    )
    expected = utilisation_of(base, precision="draft")
    # Rounding can shift a loss by one time step, which changes the utilisation slightly.
    assert utilisation_of(slower, precision="draft") == pytest.approx(expected, abs=2e-3)
    assert utilisation_of(larger, precision="draft") == pytest.approx(expected, abs=2e-3)


# The fluid model's loss recovery as the study prints it, and after a timeout


def test_printed_recovery_loses_fluid_permanently() -> None:
    of = constant(10)
    literal = means(of, Conditions(equations="printed")).utilisation
    grid = grid_of(of)
    lost = Run(of, restores=False, empties=False)
    (forever,) = averages([Averaged(lost, grid.steps(2000), grid.steps(60_000))])
    assert literal == pytest.approx(forever.utilisation, abs=0.02)
    assert literal < 0.6 < 0.8 < means(of, Conditions()).utilisation


def test_a_timeout_leaves_one_packet_in_flight() -> None:
    deep = override(varying("square", 20, frequency_hz=0.03), {"capacity.min_bps": 1.1e5})
    run = record(deep, 0, 200)
    restarts = np.flatnonzero((run.window == 1) & (np.diff(run.window, prepend=1) < 0))
    assert restarts.size >= 3
    np.testing.assert_allclose(run.flight[restarts], 1.0, atol=1e-9)


# Random capacities, and the status of predictions


def random_capacity(**keys: Any) -> Scenario:
    return varying("ar1", **{"coherence_s": 0.1, "step_s": 0.005, **keys})


def test_random_capacity_gives_a_reproducible_interval() -> None:
    first, again = (
        predict(MODEL, random_capacity(), Conditions("corrected", "draft")).estimate,
    ) * 2
    assert isinstance(first, Estimate)
    assert first.low_pps < first.goodput_pps < first.high_pps
    assert first.replications == 3
    assert predict(MODEL, random_capacity(), Conditions("corrected", "draft")).estimate == again
    other = predict(MODEL, random_capacity(), Conditions("corrected", "draft", seed=2)).estimate
    assert other != first
    assert other is not None
    assert abs(other.goodput_pps - first.goodput_pps) < 3 * (first.high_pps - first.low_pps)


def test_literal_autoregression_tends_to_its_limits() -> None:
    slow = utilisation_of(random_capacity(coherence_s=100.0, variance="literal"), precision="draft")
    assert slow == pytest.approx(utilisation(84, 458.3), abs=0.005)
    fast = [
        utilisation_of(random_capacity(coherence_s=t, variance=v), precision="draft")
        for t, v in ((1e-4, "literal"), (1e-4, "preserved"))
    ]
    # If consecutive steps of the capacity are not correlated, both forms of the variance agree.
    assert fast[0] == pytest.approx(fast[1], abs=0.02)


def test_other_impairments_need_a_reduction() -> None:
    lossy = scenario(loss={"process": "bernoulli", "probability": 0.01})
    assert predict(MODEL, lossy, Conditions(reductions=False)).status == "undefined"
    assert predict(MODEL, lossy).reduction == "R-WIN"
    closed = predict(
        MODELS["variable_capacity.closed_form"], sinusoid(1.0), Conditions(reductions=False)
    )
    assert closed.status == "undefined"
    assert "varying capacity" in str(closed.reason)


def test_scenarios_that_take_too_long_are_undefined() -> None:
    for changes in (
        {"path.rate_bps": 1e15},
        {"path.buffer_packets": 10**12},
        {"capacity.frequency_hz": 1e-9},
    ):
        prediction = predict(MODEL, override(sinusoid(1.0), changes))
        if prediction.status == "undefined":
            assert "steps" in str(prediction.reason)
        else:
            assert "path.rate_bps" in changes  # the sinusoid, not the path's rate, limits the link
    fast = override(random_capacity(), {"capacity.step_s": 1e-9})
    assert predict(MODEL, fast).status == "undefined"


# Several runs computed at the same time


def test_parallel_runs_equal_single_runs() -> None:
    """Runs in one call give the same bits as alone; their losses occur at different times."""
    links = [sinusoid(1.0), sinusoid(7.3, 30), varying("square", 84, frequency_hz=0.5)]
    links += [constant(40), override(sinusoid(0.5), {"tcp.max_window_packets": 180})]
    links += [override(sinusoid(2.0), {"path.forward_delay_s": 0.03}), sinusoid(15.0, 200)]
    random = varying("ar1", 50, coherence_s=0.5)
    request = [(link, n) for link in [*links, random] for n in range(3 if link is random else 1)]
    # By the printed equations a run takes ten times as many steps.
    for equations, some in (("printed", request[-4:]), ("corrected", request)):
        conditions = Conditions(precision="draft", equations=equations)
        together = averages(averaged(link, conditions, n) for link, n in some)
        assert together == [means(link, conditions, n) for link, n in some]
    assert len({one.utilisation for one in together}) == len(request)


def test_a_sweep_equals_its_single_points() -> None:
    links = [sinusoid(f) for f in (0.3, 3.0)] + [constant(None), varying("ar1", 50, coherence_s=1)]
    too_wide = override(constant(10**9), {"path.rate_bps": 1e12})
    of, conditions = MODELS["variable_capacity.fluid"], Conditions(precision="draft")
    alone = [predict(of, link, conditions) for link in [*links, too_wide]]
    assert predictions(of, [*links, too_wide], conditions) == alone
    assert alone[-1].status == "undefined"


def test_the_curve_of_decreases_has_both_forms_and_refuses_others() -> None:
    link = constant(50)
    fluid, closed = (decreases(link, form=form) for form in ("fluid", "closed"))
    assert fluid.x[[0, 8, -1]] == pytest.approx([0.1, 0.5, 0.9])
    assert closed.y[8] == pytest.approx(utilisation(0.5, 1.0))
    assert fluid.y == pytest.approx(closed.y, abs=0.01)
    for of, options in ((link, {"form": "printed"}), (sinusoid(1.0), {"form": "closed"})):
        with pytest.raises(ValueError, match="form"):
            decreases(of, **options)
