"""Errors of predictions, ties, and rankings of models, compared with computations by hand."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tcpgoodput.comparison.answers import errors_of, nearest
from tcpgoodput.comparison.errors import errors_by, log_error, order_of_errors, quantile, ratios_by
from tcpgoodput.comparison.families import regime
from tcpgoodput.comparison.table import COLUMNS, RANKING_COLUMNS, ranked, ranking, sensitivities
from tests.scenarios import scenario

errors = st.floats(-2, 2)
widths = st.floats(1e-6, 0.5)


@given(errors, errors, widths)
def test_an_order_of_errors_holds_for_every_value_in_the_interval(
    one: float, other: float, width: float
) -> None:
    order = order_of_errors(one, other, width)
    assert order == -order_of_errors(other, one, width)
    shifts = [-math.log1p(s * width) for s in (-1, -0.5, 0, 0.5, 1)]  # other true goodputs
    everywhere = [abs(one + shift) - abs(other + shift) for shift in shifts]
    if order < 0:
        assert max(everywhere) < 1e-12
    elif order > 0:
        assert min(everywhere) > -1e-12
    else:
        assert min(everywhere) <= 1e-12
        assert max(everywhere) >= -1e-12


@given(errors, errors)
def test_errors_of_equal_sign_are_never_tied(one: float, other: float) -> None:
    width = -math.expm1(-min(abs(one), abs(other)) / 2)  # shifts both errors by at most half
    assume(one * other > 0 and abs(one - other) > 1e-9 and width > 0)
    assert order_of_errors(one, other, width) == (-1 if abs(one) < abs(other) else 1)


def test_errors_of_opposite_sign_are_tied_if_close() -> None:
    assert order_of_errors(0.05, -0.06, 0.02) == 0
    assert order_of_errors(0.05, -0.20, 0.02) == -1
    assert order_of_errors(0.1, 0.1, 0.0) == 0


def test_the_order_allows_for_all_goodputs_of_a_wide_interval() -> None:
    """A goodput 23 % below the measured one shifts both errors by 0.26, not by 0.23."""
    assert order_of_errors(-0.6, 0.1, 0.21) == 1
    assert order_of_errors(-0.6, 0.1, 0.23) == 0  # they are then -0.34 and 0.36
    assert order_of_errors(0.1, 0.2, 1.5) == 0


def test_an_error_needs_two_positive_values() -> None:
    assert log_error(2.0, 1.0) == pytest.approx(math.log(2))
    for pair in ((None, 1.0), (1.0, None), (0.0, 1.0)):
        assert log_error(*pair) is None


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


def unranked(**sizes: tuple[float, int]) -> pd.DataFrame:
    rows = [(name, size, n, 4, 0.035) for name, (size, n) in sizes.items()]
    return pd.DataFrame(rows, columns=["family", "median_%", "n", "of", "half_width"])


def test_tied_families_share_a_rank_and_ties_are_not_transitive() -> None:
    found = ranked(unranked(d=(9.0, 4), b=(3.0, 4), c=(6.0, 4), a=(1.0, 4)))
    assert found[["family", "rank"]].values.tolist() == [["a", 1], ["b", 1], ["c", 3], ["d", 3]]


def test_a_family_that_is_in_domain_too_seldom_has_no_rank() -> None:
    found = ranked(unranked(often=(20.0, 4), seldom=(1.0, 1)))
    assert found["family"].tolist() == ["often", "seldom"]
    assert found["rank"].isna().tolist() == [False, True]


def table(
    rows: list[tuple[str, str, str, float]], simulated: float = 100.0, variation: str = ""
) -> pd.DataFrame:
    data = [
        {
            "scenario": name,
            "variation": variation,
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
    statuses = {"native": 0.1, "reduced": -0.3, "out-of-domain": 5.0}
    rows = table([(f"s{n}", "m", *one) for n, one in enumerate(statuses.items(), start=1)])
    rows = rows.assign(family=rows["model"], regime="hand-offs")
    (found,) = ranking(rows).to_dict("records")
    assert (found["n"], found["of"], found["rank"]) == (2, 3, 1)
    assert found["median_%"] == pytest.approx(20)
    assert found["bias_%"] == pytest.approx(-10)
    assert found["worst_%"] == pytest.approx(-30)
    assert found["worst_scenario"] == "s2"


def test_families_are_ranked_on_the_measured_scenarios_of_a_regime() -> None:
    rows = table([("s1", "far", "native", 0.3), ("s1", "near", "native", 0.1)])
    lost = table([("s2", "far", "native", 0.0), ("s2", "near", "native", 0.0)])
    lost = lost.assign(log_error=math.nan, half_width=math.inf)
    both = pd.concat([rows, lost])
    found = ranking(both.assign(family=both["model"], regime="hand-offs"))
    assert found[["family", "rank", "of"]].values.tolist() == [["near", 1, 2], ["far", 2, 2]]


def test_a_ranking_of_no_family_in_domain_has_no_rows() -> None:
    rows = table([("s1", "m", "out-of-domain", 0.3)])
    found = ranking(rows.assign(family=rows["model"], regime="hand-offs"))
    assert (list(found), len(found)) == (RANKING_COLUMNS, 0)


def test_without_any_interval_all_families_share_the_first_rank() -> None:
    rows = unranked(a=(1.0, 4), b=(9.0, 4)).assign(half_width=math.inf)
    assert ranked(rows)["rank"].tolist() == [1, 1]


def test_regimes_are_named_by_impairments() -> None:
    lossy = {"process": "bernoulli", "probability": 0.01}
    hits = {"interval_s": 2, "packets": 1, "fate": "lost"}
    assert regime(scenario()) == "overflow alone"
    assert regime(scenario(loss=lossy)) == "independent loss"
    assert regime(scenario(handoffs=hits)) == "hand-offs"
    assert regime(scenario(handoffs=hits, loss=lossy)) == "several at once"


def test_a_change_is_the_ratio_of_two_goodputs() -> None:
    plain = table([("s", "m", "native", 0.0)])
    varied = table([("s", "m", "native", 0.1)], simulated=50.0, variation="b2")
    (found,) = sensitivities(plain, varied).to_dict("records")
    assert found["variation"] == "b2"
    assert found["simulated_change"] == pytest.approx(math.log(0.5))
    assert found["model_change"] == pytest.approx(math.log(0.5) + 0.1)
    assert found["half_width"] == pytest.approx(math.hypot(0.01, 0.01))


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


def one_group(values: list[float], **keys: Any) -> dict[str, Any]:
    rows = pd.DataFrame({"log_error": values, **keys})
    names = {name: name for name in ("cluster", "weights") if name in keys}
    (found,) = errors_by(rows, **names).to_dict("records")
    return found


@given(st.lists(st.floats(-5, 5), min_size=1))
def test_statistics_of_a_group_equal_a_computation_by_hand(found: list[float]) -> None:
    sizes = np.abs(found)
    row = one_group(found)
    assert row["n"] == len(found)
    assert row["bias_%"] == pytest.approx(100 * np.mean(found))
    assert row["above_%"] == pytest.approx(100 * np.mean(np.array(found) > 0))
    assert row["median_%"] == pytest.approx(100 * np.median(sizes))
    assert row["q90_%"] == pytest.approx(100 * np.quantile(sizes, 0.9))
    assert row["within_10_%"] == pytest.approx(100 * np.mean(sizes <= 0.1))
    assert row["off_by_two_%"] == pytest.approx(100 * np.mean(sizes >= math.log(2)))


def test_groups_are_in_the_order_of_their_first_row_without_missing_errors() -> None:
    rows = pd.DataFrame(
        {"a": ["y", "x", "y", "z"], "b": [1, 2, 1, 3], "log_error": [0.1, 0.2, -0.3, math.nan]}
    )
    found = errors_by(rows, ["a", "b"])
    assert found[["a", "b", "n"]].values.tolist() == [["y", 1, 2], ["x", 2, 1]]
    assert errors_by(rows.assign(log_error=math.nan), "a").empty


def test_a_row_of_weight_two_counts_as_two_rows() -> None:
    values = [0.05, -0.2, 0.8, 0.01, -0.4, 0.3, 0.02]
    twice = one_group([*values, *values])
    weighted = one_group(values, weights=2.0, cluster=range(7))
    for name in ("bias_%", "above_%", "within_10_%", "off_by_two_%"):
        assert weighted[name] == pytest.approx(twice[name])
    heavy = one_group([0.1, 0.3, 0.2], weights=[1e-9, 1e-9, 1.0])
    assert heavy["median_%"] == pytest.approx(20)
    assert quantile(np.array(values), 0.3, np.ones(7)) == pytest.approx(np.quantile(values, 0.3))


def test_large_clusters_have_the_intervals_of_the_bootstrap() -> None:
    """Linearisation, which is used for large tables, agrees with drawing whole clusters."""
    random = np.random.default_rng(3)
    clusters = np.repeat(np.arange(300), 4)
    shift = random.normal(0, 0.2, 300)[clusters]
    values = shift + random.normal(0, 0.1, 1200)
    drawn = one_group(list(values), cluster=clusters)
    linear = one_group(list(values), cluster=clusters, weights=1.0)
    alone = one_group(list(values))
    for name in ("median", "within_10", "q90"):
        low, high = (f"{name}_{end}_%" for end in ("low", "high"))
        width = drawn[high] - drawn[low]
        assert linear[high] - linear[low] == pytest.approx(width, rel=0.15)
        assert width > 1.3 * (alone[high] - alone[low])
    assert drawn["clusters"] == linear["clusters"] == 300


def test_columns_weights_and_clusters_are_checked() -> None:
    rows = pd.DataFrame({"log_error": [0.1, 0.2], "link": ["a", None], "weight": [1.0, 0.0]})
    with pytest.raises(ValueError, match=r"no column is called .lnk.*link"):
        errors_by(rows, "lnk")
    with pytest.raises(ValueError, match="no value of 'link'"):
        errors_by(rows, cluster="link")
    with pytest.raises(ValueError, match="not all positive"):
        errors_by(rows, weights="weight")


def test_a_share_does_not_depend_on_the_order_of_the_rows() -> None:
    values = np.where(np.arange(37742) < 29699, 0.2, -0.2)
    shuffled = np.random.default_rng(1).permutation(values)
    one, other = one_group(list(values)), one_group(list(shuffled))
    assert [one[n] for n in one if n != "bias_%"] == [other[n] for n in one if n != "bias_%"]


def test_quantiles_of_ratios_equal_those_of_numpy_and_enclose_the_known_ones() -> None:
    logs = np.random.default_rng(3).normal(0.2, 0.5, 4000)
    rows = pd.DataFrame({"group": ["a"] * 3999 + ["b"], "gain": logs})
    found = ratios_by(rows, ["group"], "gain").set_index("group")
    assert found.loc["a", "n"] == 3999
    for name, level in {"q05": 0.05, "q25": 0.25, "q50": 0.5, "q75": 0.75, "q95": 0.95}.items():
        low, high = found.loc["a", f"{name}_low"], found.loc["a", f"{name}_high"]
        assert found.loc["a", name] == pytest.approx(np.exp(np.quantile(logs[:-1], level)))
        assert low < math.exp(0.2 + 0.5 * NormalDist().inv_cdf(level)) < high
    assert found.loc["a", "above_%"] == pytest.approx(100 * np.mean(logs[:-1] > 0))
    assert math.isnan(found.loc["b", "q50_low"])


def test_no_ratios_have_the_columns_of_others() -> None:
    rows = pd.DataFrame({"group": ["a"], "gain": [0.1]})
    none = ratios_by(rows[:0], "group", "gain")
    assert (list(none), len(none)) == (list(ratios_by(rows, "group", "gain")), 0)
    assert math.isnan(quantile(np.array([]), 0.5))


def test_ratios_of_an_unknown_column_are_refused() -> None:
    rows = pd.DataFrame({"group": ["a"], "gain": [0.1]})
    for by, value in (("groups", "gain"), ("group", "gains")):
        with pytest.raises(ValueError, match=r"no column is called '(groups|gains)'"):
            ratios_by(rows, by, value)
