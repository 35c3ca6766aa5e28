"""Errors, ties, rankings and recommendations against what follows by hand."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tcpgoodput.comparison.answers import recommended
from tcpgoodput.comparison.errors import log_error, order_of_errors
from tcpgoodput.comparison.regime import regime
from tcpgoodput.comparison.regions import nearest
from tcpgoodput.comparison.table import COLUMNS, Standing, ranked, sensitivities, standings
from tests.scenarios import scenario

errors = st.floats(-2, 2)
widths = st.floats(1e-6, 0.5)


@given(errors, errors, widths)
def test_an_order_holds_wherever_in_the_interval_the_truth_is(
    one: float, other: float, width: float
) -> None:
    order = order_of_errors(one, other, width)
    assert order == -order_of_errors(other, one, width)
    everywhere = [abs(one + s * width) - abs(other + s * width) for s in (-1, -0.5, 0, 0.5, 1)]
    if order < 0:
        assert max(everywhere) < 1e-12
    elif order > 0:
        assert min(everywhere) > -1e-12
    else:
        assert min(everywhere) <= 1e-12
        assert max(everywhere) >= -1e-12


@given(errors, errors)
def test_errors_on_one_side_are_never_tied_by_the_measurement(one: float, other: float) -> None:
    width = min(abs(one), abs(other)) / 2
    assume(one * other > 0 and abs(one - other) > 1e-9 and width > 0)
    assert order_of_errors(one, other, width) == (-1 if abs(one) < abs(other) else 1)


def test_errors_on_both_sides_are_tied_if_close() -> None:
    assert order_of_errors(0.05, -0.06, 0.02) == 0
    assert order_of_errors(0.05, -0.20, 0.02) == -1
    assert order_of_errors(0.1, 0.1, 0.0) == 0


def test_an_error_needs_two_positive_values() -> None:
    assert log_error(2.0, 1.0) == pytest.approx(math.log(2))
    assert log_error(None, 1.0) is None
    assert log_error(1.0, None) is None
    assert log_error(0.0, 1.0) is None


def record(name: str, status: str, error: float | None) -> dict[str, Any]:
    return {"name": name, "status": status, "log_error": error}


def test_the_nearest_model_at_home_is_recommended() -> None:
    records = [
        record("a", "native", 0.10),
        record("b", "reduced", -0.05),
        record("c", "out-of-domain", 0.0),
        record("d", "undefined", None),
    ]
    assert recommended(records, 0.001) == "b"
    # b and a are on two sides: a wide interval does not tell them apart, and a is native
    assert recommended(records, 0.05) == "a"
    assert recommended(records[2:], 0.001) is None


def standing(model: str, typical: float, at_home: int = 4) -> Standing:
    return Standing("", "spikes", model, at_home, 4, typical, 0.0, typical, "s", None)


def test_ties_share_a_rank_and_do_not_add_up() -> None:
    typical = {"d": 0.09, "b": 0.03, "c": 0.06, "a": 0.01}
    found = ranked([standing(model, error) for model, error in typical.items()], 0.035)
    assert [(s.model, s.rank) for s in found] == [("a", 1), ("b", 1), ("c", 3), ("d", 3)]


def test_a_model_that_is_at_home_too_seldom_has_no_rank() -> None:
    found = ranked([standing("often", 0.2), standing("seldom", 0.01, at_home=1)], 0.0)
    assert [(s.model, s.rank) for s in found] == [("often", 1), ("seldom", None)]


def table(rows: list[tuple[str, str, str, float]], simulated: float = 100.0) -> pd.DataFrame:
    data = [
        {
            "scenario": name,
            "model": model,
            "status": status,
            "goodput_bps": simulated * math.exp(error),
            "simulated_bps": simulated,
            "ci95_bps": 1.0,
            "log_error": error,
            "half_width": 0.01,
        }
        for name, model, status, error in rows
    ]
    return pd.DataFrame(data, columns=[*COLUMNS, "reason", "half_width"])


def test_only_what_is_at_home_counts() -> None:
    rows = table(
        [
            ("s1", "m", "native", 0.1),
            ("s2", "m", "reduced", -0.3),
            ("s3", "m", "out-of-domain", 5.0),
        ]
    )
    (found,) = standings(rows, dict.fromkeys(("s1", "s2", "s3"), "hand-offs"))
    assert (found.at_home, found.of, found.rank) == (2, 3, 1)
    assert found.typical == pytest.approx(0.2)
    assert found.bias == pytest.approx(-0.1)
    assert (found.worst, found.worst_scenario) == (-0.3, "s2")


def test_regimes_are_told_by_what_happens() -> None:
    lossy = {"process": "bernoulli", "probability": 0.01}
    hits = {"interval_s": 2, "packets": 1, "fate": "lost"}
    assert regime(scenario()) == "overflow alone"
    assert regime(scenario(loss=lossy)) == "independent loss"
    assert regime(scenario(handoffs=hits)) == "hand-offs"
    assert regime(scenario(handoffs=hits, loss=lossy)) == "several at once"


def test_a_change_is_the_ratio_of_two_goodputs() -> None:
    plain = table([("s", "m", "native", 0.0)])
    varied = table([("s-b2", "m", "native", 0.1)], simulated=50.0)
    (found,) = sensitivities(plain, varied, ["b2"]).to_dict("records")
    assert found["simulated_change"] == pytest.approx(math.log(0.5))
    assert found["model_change"] == pytest.approx(math.log(0.5) + 0.1)
    assert found["half_width"] == pytest.approx(math.hypot(0.01, 0.01))


def test_the_nearest_of_a_map_is_at_home_and_may_be_tied() -> None:
    point = {"x": 1.0, "y": 2.0, "goodput_pps": 100.0, "half_width_pps": 1.0}
    models = {"a": (101.5, "native"), "b": (98.6, "reduced"), "c": (100.0, "out-of-domain")}
    cells = {f"{m}_pps": value for m, (value, _) in models.items()}
    cells |= {f"{m}_status": status for m, (_, status) in models.items()}
    (found,) = nearest(pd.DataFrame([{**point, **cells}]), list(models))
    assert found.model == "b"
    assert found.tied
    away = {f"{m}_status": "undefined" for m in models}
    (nobody,) = nearest(pd.DataFrame([{**point, **cells, **away}]), list(models))
    assert nobody.model is None
