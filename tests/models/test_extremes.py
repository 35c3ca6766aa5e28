"""For extreme scenarios, models reach the goodput's known limit, or give a reason for no value."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest import mock

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tcpgoodput.answers import Conditions, Prediction
from tcpgoodput.models import MODELS
from tcpgoodput.models import losses as bursts
from tcpgoodput.models.packet_trains.model import MOST_WINDOWS
from tcpgoodput.models.predict import predict
from tcpgoodput.models.variable_capacity import fluid
from tests.random_scenarios import checked_prediction
from tests.scenarios import scenario

PATH = {"rate_bps": 1e6, "buffer_packets": 20}
RATE_PPS = 125.0


def burst(alpha: float, beta: float) -> dict[str, Any]:
    return {"process": "gilbert-elliott", "good_to_bad": alpha, "bad_to_good": beta}


def lossy(p: float) -> dict[str, Any]:
    return {"process": "bernoulli", "probability": p}


def sound(model: str, equations: str = "corrected", **parts: Any) -> Prediction:
    """Return a model's prediction for the given parts; assert that it has no fault."""
    conditions = Conditions(equations, "draft")  # type: ignore[arg-type]
    prediction, fault = checked_prediction(MODELS[model], scenario(**parts), conditions)
    assert fault is None
    return prediction


# Models on scenarios with extremely rare loss events


@pytest.mark.parametrize("p", [1e-9, 1e-12, 1e-100, 5e-324])
@pytest.mark.parametrize("loss", [lossy, lambda p: burst(p, 1.0), lambda p: burst(p, 0.1)])
def test_very_rare_losses_restated_as_hand_offs_fill_the_path(loss: Any, p: float) -> None:
    """For all but the largest p, the hand-offs are rarer than a scenario may state."""
    prediction = sound("handoffs", path=PATH, loss=loss(p))
    assert prediction.goodput_pps == pytest.approx(RATE_PPS, rel=1e-3 if p == 1e-9 else 1e-6)


def test_losses_and_hand_offs_agree_near_the_longest_interval() -> None:
    """One loss in X A_h packets gives the goodput X, as a hand-off every A_h seconds does."""
    interval_s = 0.99e9
    rare = {"interval_s": interval_s, "packets": 1, "fate": "lost"}
    as_handoffs = sound("handoffs", path=PATH, handoffs=rare).goodput_pps
    as_losses = sound("handoffs", path=PATH, loss=lossy(1 / (RATE_PPS * interval_s))).goodput_pps
    assert as_losses == pytest.approx(as_handoffs, rel=1e-9)


@pytest.mark.parametrize("w", [1.0, 12.5, 1e6])
@pytest.mark.parametrize("alpha", [5e-324, 1e-310, 2.3e-308, 1e-300, 1e-9])
def test_very_improbable_bursts_are_counted_exactly(alpha: float, w: float) -> None:
    """Slots and losses per loss event of w slots equal those computed with 400 digits."""
    beta = 0.25
    with mpmath.workdps(400):
        a, b = mpmath.mpf(max(alpha, bursts.RAREST)), mpmath.mpf(beta)
        bad = a / (a + b)
        slots = w + (1 - bad - (1 - bad) * (1 - a - b) ** w) / a
        assert bursts.slots_per_event(alpha, beta, w) == pytest.approx(float(slots), rel=1e-12)
        lost = float(bad * slots)
        assert bursts.losses_per_event(alpha, beta, w) == pytest.approx(max(1, lost), rel=1e-12)


@pytest.mark.parametrize("model", ["mathis", "pftk", "misra", "cubic"])
@pytest.mark.parametrize("alpha", [5e-324, 1e-200])
def test_bursts_that_never_occur_give_the_window_limit(model: str, alpha: float) -> None:
    tcp = {"variant": "sack", "max_window_packets": 8}
    prediction = sound(model, tcp=tcp, path=PATH, loss=burst(alpha, 0.5))
    assert prediction.goodput_pps == pytest.approx(8 / 0.1, rel=1e-6)


# Models on scenarios with extremely frequent loss events


@pytest.mark.parametrize(
    "model", ["mathis", "pftk", "cubic", "delay_spikes.lossy", "packet_trains"]
)
@pytest.mark.parametrize("interval_s", [1e-100, 1e-12, 1e-3])
def test_hand_offs_at_every_packet_are_undefined(model: str, interval_s: float) -> None:
    hits = {"interval_s": interval_s, "packets": 1, "fate": "lost"}
    prediction = sound(model, tcp={"variant": "sack"}, path=PATH, handoffs=hits)
    assert prediction.status == "undefined"
    assert "no goodput is consistent" in str(prediction.reason)


def test_models_do_not_fail_on_extreme_hand_offs_and_rates() -> None:
    hits = {"interval_s": 1e-90, "packets": 1, "fate": "lost"}
    path = {"rate_bps": 1e-90}
    for model in MODELS.values():
        assert (
            checked_prediction(model, scenario(path=path, handoffs=hits), Conditions())[1] is None
        )


# Printed equations that have no value


def test_a_printed_cycle_of_negative_length_is_undefined() -> None:
    """The model has no value if a congestion cycle is negative by equation (16) as printed."""
    spikes = {
        "interval": {"distribution": "exponential", "mean_s": 20.0},
        "duration": {"distribution": "constant", "mean_s": 4.0},
    }
    parts: dict[str, Any] = {
        "tcp": {"variant": "sack"},
        "path": {"rate_bps": 8e5, "forward_delay_s": 2.0, "backward_delay_s": 2.0},
        "loss": lossy(8.3e-4),
        "spikes": spikes,
    }
    exact = sound("delay_spikes.lossy_exact", "printed", **parts)
    assert exact.status == "undefined"
    assert "(16)" in str(exact.reason)
    corrected = sound("delay_spikes.lossy_exact", **parts)
    assert (corrected.goodput_pps or 0) > 0


# Scenarios for which a model would compute too long


def chain(dupthresh: int, **parts: Any) -> Prediction:
    return sound(
        "packet_trains",
        tcp={"variant": "sack", "dupthresh": dupthresh},
        path={"rate_bps": 0.5 * MOST_WINDOWS * 8000 / 0.1},
        **parts,
    )


def test_many_duplicate_acks_make_the_chain_too_large() -> None:
    assert chain(3, loss=burst(1e-9, 0.3)).goodput_pps is not None
    many = chain(1000, loss=burst(1e-9, 0.3))
    assert many.status == "undefined"
    assert "too many states" in str(many.reason)


def test_a_search_over_large_chains_is_refused() -> None:
    hits = {"interval_s": 1e6, "packets": 2, "fate": "lost"}
    searched = chain(3, handoffs=hits)
    assert searched.status == "undefined"
    assert "chain of loss windows" in str(searched.reason)


def test_many_values_of_a_random_capacity_are_refused() -> None:
    random = {"process": "ar1", "min_bps": 1e5, "max_bps": 1e6, "coherence_s": 1.0}

    def often(step_s: float) -> Prediction:
        with mock.patch.object(fluid, "MOST_LEVELS", 2_000_000):
            capacity = {**random, "step_s": step_s}
            return sound("variable_capacity.fluid", path=PATH, capacity=capacity)

    assert often(5e-3).goodput_pps is not None
    refused = often(2e-5)
    assert refused.status == "undefined"
    assert "values of the capacity" in str(refused.reason)


# Capacities from trace files with extreme values


@pytest.mark.parametrize(
    ("rows", "word"), [("0,5e-324\n1,0\n", "mean capacity"), ("0,1e5\n5e-324,1e5\n", "too short")]
)
def test_a_trace_without_capacity_is_refused(tmp_path: Path, rows: str, word: str) -> None:
    file = tmp_path / "trace.csv"
    file.write_text("time_s,capacity_bps\n" + rows, encoding="utf-8")
    capacity = {"process": "trace", "file": str(file)}
    prediction = sound("variable_capacity.fluid", path=PATH, capacity=capacity)
    assert prediction.status == "undefined"
    assert word in str(prediction.reason)


# Units: goodput in packets/s scales with the units of packet size and time

WITH_UNITS_OF_ITS_OWN = ("cubic", "poojary", "delay_spikes.loss")
"""Models whose result depends on the unit of time: CUBIC's window grows in seconds, and slow start
in the study delay_spikes begins with one packet per second."""


def rescaled(part: dict[str, Any], size: float, time: float) -> dict[str, Any]:
    """Return a part with all sizes and times multiplied; a key's end, as `_bps`, gives its unit."""
    powers = {"_s": time, "_hz": 1 / time, "_mps": 1 / time, "_bps": size / time, "_bytes": size}
    factors = {name: f for name in part for end, f in powers.items() if name.endswith(end)}
    return {
        name: rescaled(value, size, time)
        if isinstance(value, dict)
        else [time * each for each in value]
        if isinstance(value, list)
        else value * factors[name]
        if name in factors and value is not None
        else value
        for name, value in part.items()
    }


@pytest.mark.parametrize(("size", "time"), [(2, 1.0), (1, 4.0), (3, 0.125)])
@settings(max_examples=12)
@given(loss=st.sampled_from([lossy(0.01), burst(0.003, 0.3)]), data=st.data())
def test_models_scale_with_units_of_size_and_time(
    size: float, time: float, loss: dict[str, Any], data: st.DataObject
) -> None:
    parts = {
        "tcp": {"variant": data.draw(st.sampled_from(["tahoe", "reno", "newreno", "sack"]))},
        "path": {"rate_bps": data.draw(st.floats(1e4, 1e7)), "buffer_packets": 30},
        "loss": loss,
        "handoffs": data.draw(
            st.none() | st.just({"interval_s": 7.0, "packets": 2, "fate": "lost"})
        ),
    }
    one = scenario(**parts)
    other = one.model_validate(rescaled(one.model_dump(), size, time))
    for model in MODELS.values():
        if model.costly:
            continue
        if time != 1 and model.name.startswith(WITH_UNITS_OF_ITS_OWN):
            continue
        before, after = predict(model, one), predict(model, other)
        assert after.status == before.status, model.name
        assert (after.goodput_pps is None) == (before.goodput_pps is None)
        if before.goodput_pps is not None and after.goodput_pps is not None:
            assert after.goodput_pps * time == pytest.approx(before.goodput_pps, rel=1e-6)
