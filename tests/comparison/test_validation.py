"""Held-out connections: how they are drawn, measured, and used to validate models."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import tcpgoodput
from tcpgoodput.answers import Conditions
from tcpgoodput.comparison import errors, validation
from tcpgoodput.comparison.answers import with_errors
from tcpgoodput.comparison.census.files import load_census
from tcpgoodput.comparison.errors import errors_by
from tcpgoodput.scenario.plausibility import doubts
from tests import shipped
from tests.folders import ROOT

SHIPPED = load_census(ROOT / "config" / "heldout.yaml")


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
    rows = pd.DataFrame(several, columns=["scenario", "family", "status", "log_error"])
    (found,) = validation.families_compared(rows).to_dict("records")
    assert (found["family"], found["other"], found["n"]) == ("near", "far", 12)
    assert found["different"] == 11  # the scenario on which both errors are equal does not count
    assert found["nearer_%"] == pytest.approx(100 * 10 / 11)


@pytest.mark.parametrize("share", [0.5, 0.9])
def test_a_bootstrap_draws_whole_clusters(share: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(errors, "MOST_DRAWS", 3000)
    random = np.random.default_rng(3)
    values, clusters = pd.Series(random.lognormal(size=80)), pd.Series(random.integers(0, 9, 80))
    groups = [own.to_numpy() for _, own in values.groupby(clusters.to_numpy())]
    even = np.full(len(groups), 1 / len(groups))
    times = np.random.default_rng(errors.SEED).multinomial(len(groups), even, 3000)
    quantiles = [
        np.quantile(
            np.concatenate([np.tile(g, n) for g, n in zip(groups, row, strict=True)]), share
        )
        for row in times
    ]
    expected = np.quantile(quantiles, errors.ENDS)
    drawn = errors.spread_of(None, clusters, len(values))
    assert drawn.of_quantile(values.to_numpy(), share) == pytest.approx(tuple(expected))


def test_few_clusters_have_no_interval() -> None:
    clusters = pd.Series(list("aabbccddeeff"))
    values = np.arange(12.0)
    assert np.isfinite(errors.spread_of(None, clusters, 12).of_quantile(values, 0.5)).all()
    few = errors.spread_of(None, clusters[:10], 10)
    assert np.isnan(few.of_quantile(values[:10], 0.5)).all()
    assert np.isnan(few.of_share(values[:10] > 3)).all()
    assert np.isnan(few.of_share(values[:10] > 99)).all()


@pytest.mark.parametrize(("count", "column"), [(2, "median"), (5, "median"), (35, "q90")])
def test_too_few_independent_values_have_no_interval(count: int, column: str) -> None:
    found = errors_by(pd.DataFrame({"log_error": np.arange(float(count))}))
    assert np.isnan(found.loc[0, [f"{column}_low_%", f"{column}_high_%"]].astype(float)).all()


def test_an_interval_of_a_median_or_90th_percentile_contains_it_in_95_per_cent_of_trials() -> None:
    random, trials = np.random.default_rng(5), 400
    for share, count in ((0.5, 7), (0.9, 40)):
        true = float(np.log(1 / (1 - share)))
        hits = 0
        for _ in range(trials):
            values = random.exponential(size=count)
            low, high = errors.Independent().of_quantile(values, share)
            hits += low <= true <= high
        assert hits >= 0.95 * trials - 2 * np.sqrt(0.05 * 0.95 * trials)


def test_a_share_of_independent_values_has_the_interval_of_wilson() -> None:
    ends = errors.Independent().of_share(np.array([True] * 2 + [False] * 8))
    assert ends == pytest.approx((0.0567, 0.5098), abs=1e-4)


@pytest.mark.parametrize("hit", [True, False])
def test_a_share_of_none_or_all_has_an_interval(hit: bool) -> None:
    """Three values of each of 20 scenarios: none differs, but another scenario could."""
    clusters = pd.Series(np.repeat(np.arange(20), 3))
    ends = errors.spread_of(None, clusters, 60).of_share(np.full(60, hit))
    width = 1 - 0.025 ** (1 / 20)  # the probability to see none in 20 is then 2.5 %
    assert ends == pytest.approx((1 - width, 1) if hit else (0, width))


def test_no_error_is_computed_without_a_steady_state() -> None:
    record = {"name": "mathis", "status": "native", "goodput_pps": 90.0}
    simulation = {"goodput_pps": 100.0, "goodput_bps": 8e5, "ci95_bps": 8e3, "is_steady": True}
    steady = with_errors([record], {"simulation": simulation})
    assert steady["models"][0]["log_error"] == pytest.approx(math.log(0.9))
    unsteady = with_errors([record], {"simulation": {**simulation, "is_steady": False}})
    assert unsteady["models"][0]["log_error"] is None
    assert unsteady["nearest"] is None


def test_copies_have_the_same_paths_with_another_sender() -> None:
    compared = shipped.comparison()
    assert compared.held is not None
    held = validation.connections(compared.held)
    (copies,) = validation.copies(compared, held).values()
    originals = validation.recorded(held)
    assert [c.scenario.id for c in copies] == [f"{c.scenario.id}-bbr" for c in originals]
    for copy, original in zip(copies, originals, strict=True):
        assert (copy.number, copy.impairments) == (original.number, original.impairments)
        assert copy.scenario.tcp.variant == "bbr"
        assert copy.scenario.path == original.scenario.path
        assert copy.scenario.loss == original.scenario.loss
