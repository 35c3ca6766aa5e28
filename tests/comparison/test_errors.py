"""Errors of predictions, ties, and rankings of models, compared with computations by hand."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tcpgoodput.comparison.answers import errors_of, nearest
from tcpgoodput.comparison.errors import (
    bias,
    log_error,
    order_of_errors,
    per_cent,
    share_within,
    typical,
    worst,
)
from tcpgoodput.comparison.families import regime
from tcpgoodput.comparison.table import COLUMNS, FamilyRank, ranked, sensitivities, standings
from tests.scenarios import scenario

errors = st.floats(-2, 2)
widths = st.floats(1e-6, 0.5)


@given(errors, errors, widths)
def test_an_order_of_errors_holds_for_every_value_in_the_interval(
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
def test_errors_of_equal_sign_are_never_tied(one: float, other: float) -> None:
    width = min(abs(one), abs(other)) / 2
    assume(one * other > 0 and abs(one - other) > 1e-9 and width > 0)
    assert order_of_errors(one, other, width) == (-1 if abs(one) < abs(other) else 1)


def test_errors_of_opposite_sign_are_tied_if_close() -> None:
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


def test_the_nearest_model_in_domain_is_named() -> None:
    records = [
        record("a", "native", 0.10),
        record("b", "reduced", -0.05),
        record("c", "out-of-domain", 0.0),
        record("d", "undefined", None),
    ]
    assert nearest(records, 0.001) == "b"
    # With an interval of ±5 %, the models a (+10 %) and b (-5 %) are tied, so the status decides:
    # native is preferred to reduced.
    assert nearest(records, 0.05) == "a"
    assert nearest(records[2:], 0.001) is None


def standing(family: str, size: float, in_domain: int = 4) -> FamilyRank:
    return FamilyRank("", "spikes", family, in_domain, 4, size, 0.0, size, "s", None)


def test_tied_families_share_a_rank_and_ties_are_not_transitive() -> None:
    sizes = {"d": 0.09, "b": 0.03, "c": 0.06, "a": 0.01}
    found = ranked([standing(family, size) for family, size in sizes.items()], 0.035)
    assert [(s.family, s.rank) for s in found] == [("a", 1), ("b", 1), ("c", 3), ("d", 3)]


def test_a_family_that_is_in_domain_too_seldom_has_no_rank() -> None:
    found = ranked([standing("often", 0.2), standing("seldom", 0.01, in_domain=1)], 0.0)
    assert [(s.family, s.rank) for s in found] == [("often", 1), ("seldom", None)]


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


def test_standings_use_only_answers_in_domain() -> None:
    rows = table(
        [
            ("s1", "m", "native", 0.1),
            ("s2", "m", "reduced", -0.3),
            ("s3", "m", "out-of-domain", 5.0),
        ]
    )
    (found,) = standings(
        rows.assign(family=rows["model"]), dict.fromkeys(("s1", "s2", "s3"), "hand-offs")
    )
    assert (found.in_domain, found.of, found.rank) == (2, 3, 1)
    assert found.typical == pytest.approx(0.2)
    assert found.bias == pytest.approx(-0.1)
    assert (found.worst, found.worst_scenario) == (-0.3, "s2")


def test_regimes_are_named_by_impairments() -> None:
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


def test_a_change_belongs_to_the_longest_matching_variation() -> None:
    plain = table([("s", "m", "native", 0.0)])
    varied = table([("s-b2", "m", "native", 0.1), ("s-linux-b2", "m", "native", 0.2)])
    found = sensitivities(plain, varied, ["b2", "linux-b2"])
    assert found["variation"].tolist() == ["b2", "linux-b2"]
    assert found["model_change"].tolist() == pytest.approx([0.1, 0.2])


def test_a_map_has_an_error_wherever_model_and_simulation_have_a_value() -> None:
    point = {"x": 1.0, "y": 2.0, "goodput_pps": 100.0, "half_width_pps": 1.0}
    home = {**point, "a_pps": 110.0, "a_status": "reduced"}
    away = {**point, "x": 2.0, "a_pps": 90.0, "a_status": "out-of-domain"}
    silent = {**point, "x": 3.0, "a_pps": math.nan, "a_status": "undefined"}
    stuck = {**home, "x": 4.0, "goodput_pps": math.nan}
    found = errors_of(pd.DataFrame([home, away, silent, stuck]), "a")
    errors = [math.log(1.1), math.log(0.9), math.nan, math.nan]
    assert list(found["log_error"]) == pytest.approx(errors, nan_ok=True)
    assert list(found["in_domain"]) == [True, False, False, True]


@given(st.lists(st.floats(-5, 5), min_size=1))
def test_no_displayed_median_exceeds_the_worst_error(found: list[float]) -> None:
    shown = abs(per_cent(worst(found)))
    assert per_cent(typical(found)) <= shown
    assert abs(per_cent(bias(found))) <= shown * (1 + 1e-12)
    assert share_within(found, abs(worst(found))) == 1


def test_statistics_of_no_errors_are_nan() -> None:
    assert all(math.isnan(of([])) for of in (typical, bias, worst))
    assert math.isnan(share_within([], 0.1))


def test_errors_of_a_factor_and_its_inverse_have_equal_size() -> None:
    above, below = log_error(2.0, 1.0), log_error(0.5, 1.0)
    assert above is not None
    assert below is not None
    assert per_cent(above) == pytest.approx(69.3, abs=0.05)
    assert per_cent(below) == pytest.approx(-per_cent(above))
