"""Predictions of a model whose goodput is a number, is missing, or cannot be computed."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import pytest

from tcpgoodput.answers import Conditions, Undefined, is_failure
from tcpgoodput.comparison.compare import why
from tcpgoodput.models import MODELS, Model
from tcpgoodput.models.predict import predict
from tcpgoodput.scenario import Scenario
from tests.scenarios import scenario


class FakeModel(Model):
    """A model whose goodput in packets/s is the result of the function `does`."""

    name = "made"
    title = "Made up"
    source = "tests"
    citation = "none"
    inputs = ()
    domain = "none"

    def __init__(self, does: Callable[[], float]) -> None:
        self.does = does

    def goodput_pps(self, scenario: Scenario, conditions: Conditions) -> float:
        return self.does()


def raising(error: BaseException) -> FakeModel:
    def does() -> float:
        raise error

    return FakeModel(does)


def test_a_models_exception_is_the_reason_of_its_row() -> None:
    prediction = predict(raising(ValueError("math domain error")), scenario())
    assert prediction.status == "undefined"
    assert prediction.goodput_pps is None
    reason = prediction.reason or ""
    assert reason.startswith("failed: ValueError: math domain error (test_base.py, line ")
    assert is_failure(prediction.reason)
    assert prediction.record()["reason"] == prediction.reason


def test_a_failure_is_one_short_line() -> None:
    reason = predict(raising(RuntimeError("one\n two " + 1000 * "x")), scenario()).reason
    assert reason is not None
    assert reason.startswith("failed: RuntimeError: one two xxx")
    assert "xxx… (" in reason
    assert len(reason) < 250
    reason = predict(raising(ZeroDivisionError()), scenario()).reason or ""
    assert reason.startswith("failed: ZeroDivisionError (")


def test_a_failure_of_a_wrapped_method_has_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """The wrapper of `lru_cache` has no code of its own."""

    @lru_cache
    def fails(*_: object) -> float:
        raise ValueError("wrapped")

    monkeypatch.setattr(FakeModel, "goodput_pps", fails)
    reason = predict(FakeModel(lambda: 1.0), scenario()).reason or ""
    assert reason.startswith("failed: ValueError: wrapped (test_base.py, line ")


def test_undefined_is_not_a_failure() -> None:
    undefined = predict(raising(Undefined("has no value here")), scenario())
    assert not is_failure(undefined.reason)
    assert not is_failure(predict(FakeModel(lambda: 1.0), scenario()).reason)


def test_a_keyboard_interrupt_is_not_caught() -> None:
    with pytest.raises(KeyboardInterrupt):
        predict(raising(KeyboardInterrupt()), scenario())


def test_a_negative_goodput_is_a_failure() -> None:
    prediction = predict(FakeModel(lambda: -1.0), scenario())
    assert prediction.goodput_pps is None
    assert is_failure(prediction.reason)


REASON = "a text or None"


@pytest.mark.parametrize(
    ("method", "result", "fault"),
    [
        ("outside_domain", True, f"outside_domain returned True; it must return {REASON}"),
        ("outside_domain", ["a"], f"outside_domain returned ['a']; it must return {REASON}"),
        ("outside_domain", False, f"outside_domain returned False; it must return {REASON}"),
        ("limited", 3, f"limited returned 3; it must return {REASON}"),
        ("goodput_pps", "5", "goodput_pps returned '5'; it must return a number of packets per"),
        ("goodput_pps", None, "goodput_pps returned None; it must return a number of packets per"),
        ("goodput_pps", 1j, "goodput_pps returned 1j; it must return a number of packets per"),
        ("goodput_pps", True, "goodput_pps returned True; it must return a number of packets per"),
    ],
)
@pytest.mark.parametrize("reduces", [False, True])
def test_a_result_of_a_wrong_type_is_the_models_failure(
    monkeypatch: pytest.MonkeyPatch, method: str, result: object, fault: str, reduces: bool
) -> None:
    handled = "hand-offs" if reduces else "independent loss"
    monkeypatch.setattr(FakeModel, "handles", frozenset({handled}))
    monkeypatch.setattr(FakeModel, "reduces", frozenset({"independent loss"}))
    monkeypatch.setattr(FakeModel, method, lambda *_: result)
    lossy = scenario(loss={"process": "bernoulli", "probability": 0.01})
    prediction = predict(FakeModel(lambda: 5.0), lossy)
    assert prediction.status == "undefined"
    assert prediction.goodput_pps is None
    assert (prediction.reason or "").startswith(f"failed: {fault}")
    assert " (test_base.py, line " in (prediction.reason or "")
    record = prediction.record()
    assert fault in why(record)


def test_an_array_without_dimensions_is_a_goodput() -> None:
    prediction = predict(FakeModel(lambda: np.where(True, 5.0, 7.0)), scenario())
    assert prediction.goodput_pps == 5


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("value", [np.inf, np.nan, 1e250])
def test_nonfinite_numpy_values_are_undefined_without_warnings(value: float) -> None:
    def does() -> float:
        return float(np.float64(1) / np.float64(0)) * 0 + value

    prediction = predict(FakeModel(does), scenario())
    assert prediction.goodput_pps is None
    assert "too large for a floating-point number" in str(prediction.reason)
    assert not is_failure(prediction.reason)


@pytest.mark.parametrize(
    ("parts", "key"),
    [
        ({"path": {"rate_bps": 5e-324}}, "path.rate_bps"),
        ({"path": {"forward_delay_s": 1e-200, "backward_delay_s": 0}}, "path.forward_delay_s"),
        ({"tcp": {"rto": {"min_s": 1e-101}}}, "tcp.rto.min_s"),
        (
            {
                "capacity": {
                    "process": "shadowing",
                    "peak_bps": 1e6,
                    "mean_bps": 5e5,
                    "speed_mps": 1.0,
                    "coherence_distance_m": 1e-101,
                }
            },
            "capacity.coherence_distance_m",
        ),
        (
            {
                "spikes": {
                    "interval": {"distribution": "constant", "mean_s": 5e-324},
                    "duration": {"distribution": "constant", "mean_s": 1.0},
                }
            },
            "spikes.interval.mean_s",
        ),
    ],
)
def test_all_models_refuse_quantities_close_to_zero(parts: dict[str, object], key: str) -> None:
    for model in MODELS.values():
        prediction = predict(model, scenario(**parts))
        assert prediction.status == "undefined"
        assert str(prediction.reason).startswith(f"{key} is ")
