"""Held-out connections: how they are drawn, measured, and used to validate models."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import tcpgoodput
from tcpgoodput.answers import Conditions
from tcpgoodput.comparison import bootstrap, validation
from tcpgoodput.comparison.census.files import load_census
from tcpgoodput.comparison.rule_errors import row_of
from tcpgoodput.scenario.plausibility import doubts
from tests.folders import ROOT

SHIPPED = load_census(ROOT / "config" / "heldout.yaml")


def rows(*errors: tuple[str, str, str, float | None]) -> pd.DataFrame:
    """Return a table of errors, given tuples (scenario, family of models, status, log error)."""
    return pd.DataFrame(errors, columns=["scenario", "family", "status", "log_error"])


def test_the_shipped_connections_are_numerous_and_plausible() -> None:
    held = validation.connections(SHIPPED)
    assert len(held) >= 240
    assert not [doubt for connection in held for doubt in doubts(connection.scenario)]
    assert {c.scenario.tcp.variant for c in held} == {"sack", "newreno", "reno", "tahoe", "cubic"}
    assert 0.4 < np.mean([c.scenario.tcp.ack_every == 2 for c in held]) < 0.6
    assert 0.4 < np.mean([" and " in c.impairments for c in held]) < 0.6
    assert len(validation.recorded(held)) >= len(held) / 4


def test_another_seed_draws_other_connections() -> None:
    one = tcpgoodput.validation(measurements=None, points=6)
    other = tcpgoodput.validation(measurements=None, points=6, draw=7)
    paths = [[c.scenario.path for c in held.connections] for held in (one, other)]
    assert paths[0] != paths[1]


def test_a_draft_requests_wider_intervals() -> None:
    held = validation.connections(SHIPPED)[:1]
    (paper,) = validation.requests(SHIPPED, held, Conditions())
    (draft,) = validation.requests(SHIPPED, held, Conditions(precision="draft"))
    assert paper.key != draft.key
    assert paper.setting.half_width == 0.01


def test_errors_are_listed_by_status_and_family() -> None:
    table = rows(
        ("a", "one", "native", 0.01),
        ("b", "one", "reduced", -0.03),
        ("c", "one", "out-of-domain", 1.0),
        ("a", "two", "native", 0.05),
        ("d", "two", "undefined", None),
    )
    found = {(r["status"], r["family"]): r for r in validation.errors_by_status(table)}
    inside = found["in domain", "all"]
    assert (inside["answers"], inside["scenarios"]) == (3, 2)
    assert inside["median_%"] == pytest.approx(3.0)
    assert inside["within_tenth_%"] == 100
    assert found["native", "two"]["median_%"] == pytest.approx(5.0)
    assert found["out-of-domain", "one"]["beyond_two_%"] == 100
    # A single connection has a median error, but no confidence interval of the median.
    assert math.isnan(found["native", "two"]["median_low_%"])


def test_two_families_are_compared_where_both_are_in_domain() -> None:
    several = [
        entry
        for n in range(12)
        for entry in (
            (f"s{n}", "near", "native", {0: 0.5, 1: -0.2}.get(n, 0.01)),
            (f"s{n}", "far", "reduced", 0.2),
            (f"s{n}", "away", "out-of-domain", 0.0),
        )
    ]
    (found,) = validation.families_compared(rows(*several))
    assert (found["family"], found["other"], found["scenarios"]) == ("near", "far", 12)
    assert found["different"] == 11  # the scenario on which both errors are equal does not count
    assert found["nearer_%"] == pytest.approx(100 * 10 / 11)


@pytest.mark.parametrize("share", [0.5, 0.9])
def test_a_bootstrap_draws_whole_clusters(share: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "MOST_DRAWS", 3000)
    random = np.random.default_rng(3)
    values, clusters = pd.Series(random.lognormal(size=80)), pd.Series(random.integers(0, 9, 80))
    groups = [own.to_numpy() for _, own in values.groupby(clusters.to_numpy())]
    even = np.full(len(groups), 1 / len(groups))
    times = np.random.default_rng(bootstrap.SEED).multinomial(len(groups), even, 3000)
    quantiles = [
        np.quantile(
            np.concatenate([np.tile(g, n) for g, n in zip(groups, row, strict=True)]), share
        )
        for row in times
    ]
    expected = np.quantile(quantiles, bootstrap.ENDS)
    assert bootstrap.clustered_quantile(values, clusters, share) == pytest.approx(tuple(expected))


def test_few_clusters_have_no_interval() -> None:
    clusters = pd.Series(list("aabbccddeeff"))
    values = pd.Series(np.arange(12.0))
    few = clusters < "f"
    assert np.isfinite(bootstrap.clustered_quantile(values, clusters)).all()
    assert np.isnan(bootstrap.clustered_quantile(values[few], clusters[few])).all()
    assert np.isnan(bootstrap.clustered_share(values[few] > 3, clusters[few])).all()
    assert np.isnan(bootstrap.clustered_share(values[few] > 99, clusters[few])).all()


@pytest.mark.parametrize(("count", "share"), [(2, 0.5), (5, 0.5), (10, 0.9), (35, 0.9)])
def test_too_few_independent_values_have_no_interval(count: int, share: float) -> None:
    values = pd.Series(np.arange(float(count)))
    assert np.isnan(bootstrap.clustered_quantile(values, values, share)).all()


def test_intervals_of_independent_values_equal_those_of_the_random_sample() -> None:
    """The rows of the random sample and of the held-out connections are in the same table."""
    errors = pd.Series(np.random.default_rng(4).lognormal(-2, 1, 60))
    random = row_of("random", "everywhere", "all", "two-line rule", errors)
    (held,) = [
        row
        for row in validation.errors_by_status(
            rows(*((f"s{n}", "one", "native", error) for n, error in enumerate(errors)))
        )
        if (row["status"], row["family"]) == ("native", "one")
    ]
    for column in ("median_%", "q90_%", "beyond_two_%"):
        assert held[column] == pytest.approx(random[column])
    for column in ("median_low_%", "median_high_%", "beyond_two_low_%", "beyond_two_high_%"):
        assert held[column] == pytest.approx(random[column])


def test_an_interval_of_a_median_or_90th_percentile_contains_it_in_95_per_cent_of_trials() -> None:
    random, trials = np.random.default_rng(5), 400
    for share, count in ((0.5, 7), (0.9, 40)):
        true, clusters = float(np.log(1 / (1 - share))), pd.Series(range(count))
        hits = 0
        for _ in range(trials):
            values = pd.Series(random.exponential(size=count))
            low, high = bootstrap.clustered_quantile(values, clusters, share)
            hits += low <= true <= high
        assert hits >= 0.95 * trials - 2 * np.sqrt(0.05 * 0.95 * trials)


def test_a_share_of_independent_values_has_the_interval_of_wilson() -> None:
    low, high = bootstrap.clustered_share(pd.Series([True] * 2 + [False] * 8), pd.Series(range(10)))
    assert (low, high) == pytest.approx((0.0567, 0.5098), abs=1e-4)
    empty = pd.Series(dtype=bool)
    assert np.isnan(bootstrap.clustered_share(empty, empty)).all()


@pytest.mark.parametrize("hit", [True, False])
def test_a_share_of_none_or_all_has_an_interval(hit: bool) -> None:
    """Three values of each of 20 scenarios: none differs, but another scenario could."""
    clusters = pd.Series(np.repeat(np.arange(20), 3))
    low, high = bootstrap.clustered_share(pd.Series([hit] * 60), clusters)
    width = 1 - 0.025 ** (1 / 20)  # the probability to see none in 20 is then 2.5 %
    assert (low, high) == pytest.approx((1 - width, 1) if hit else (0, width))


def test_no_error_is_computed_without_a_steady_state() -> None:
    from tcpgoodput.comparison.answers import with_errors

    record = {"name": "mathis", "status": "native", "goodput_pps": 90.0}
    simulation = {"goodput_pps": 100.0, "goodput_bps": 8e5, "ci95_bps": 8e3, "is_steady": True}
    steady = with_errors([record], {"simulation": simulation})
    assert steady["models"][0]["log_error"] == pytest.approx(math.log(0.9))
    unsteady = with_errors([record], {"simulation": {**simulation, "is_steady": False}})
    assert unsteady["models"][0]["log_error"] is None
    assert unsteady["nearest"] is None
