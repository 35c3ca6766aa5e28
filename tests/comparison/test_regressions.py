"""Regressions of the cap's error: what they learn at each level of knowledge, and from what."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from tcpgoodput.comparison.input_errors import COLUMNS, Judged, cap_pps
from tcpgoodput.comparison.inputs import Inputs
from tcpgoodput.comparison.regressions import FEWEST, Regressions, caps_of
from tests import shipped as own
from tests.scenarios import scenario


@pytest.fixture(scope="module")
def shipped() -> Inputs:
    found = own.configuration().inputs
    assert found is not None
    return found


def sinusoid(number: int, peak_bps: float, window: int | None = None) -> Judged:
    """Return a connection that has 0.8 of its mean rate, which is half of the peak rate."""
    varying = {"process": "sinusoid", "min_bps": 1e3, "max_bps": peak_bps, "frequency_hz": 0.1}
    link = scenario(
        tcp={"max_window_packets": window}, path={"rate_bps": peak_bps}, capacity=varying
    )
    return Judged("linux", f"c{number}", 0.8 * (peak_bps + 1e3) / 2 / link.packet_bits, link)


def sample(count: int, seed: int) -> list[Judged]:
    rates = np.random.default_rng(seed).uniform(1e6, 1e7, count)
    return [sinusoid(number, rate) for number, rate in enumerate(rates)]


@pytest.fixture(scope="module")
def taught(shipped: Inputs) -> Regressions:
    return Regressions(caps_of(sample(FEWEST, seed=1), shipped.settings))


def by_case(rows: pd.DataFrame) -> pd.Series:
    return rows.groupby("case")["log_error"].agg(lambda errors: errors.abs().median())


def test_what_an_unknown_mean_rate_is_on_average_is_learned(
    taught: Regressions, shipped: Inputs
) -> None:
    """The cap is off by ln(1/0.8), without the mean rate by ln(2/0.8): both are learned."""
    judged = sample(40, seed=2)
    for one in judged:
        cap = cap_pps(one.scenario)
        assert cap is not None
        assert math.log(cap / one.goodput_pps) == pytest.approx(math.log(1 / 0.8), rel=1e-3)
    found = taught.predictors(caps_of(judged, shipped.settings))
    assert list(found.columns) == COLUMNS
    medians = by_case(found)
    assert set(medians.index) == set(shipped.settings.levels)
    assert medians.max() < 0.01


def test_what_is_not_known_changes_no_prediction(taught: Regressions, shipped: Inputs) -> None:
    """Two connections with the same goodput differ in their window, which two levels know not."""
    one, other = (sinusoid(0, 5e6, window) for window in (4, 4000))
    assert one.goodput_pps == other.goodput_pps
    first, second = (
        taught.predictors(caps_of([link], shipped.settings)).groupby("case")["log_error"].first()
        for link in (one, other)
    )
    for case in ("lost-packets", "loss-events"):
        assert first[case] == second[case]
    for case in ("sender", "mean-rate", "everything"):
        assert first[case] != second[case]


def test_a_few_connections_teach_nothing(shipped: Inputs) -> None:
    # Without the round trip, a connection has two errors.
    few = Regressions(caps_of(sample(FEWEST // 2 - 1, seed=1), shipped.settings))
    assert few.predictors(caps_of(sample(2, seed=2), shipped.settings)).empty
