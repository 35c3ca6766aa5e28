"""Randomly drawn connections have the given distributions of parameters.

Connection number n does not depend on the sample's size.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from scipy.stats import kstest

from tcpgoodput.comparison.census.design import UNIMPAIRED, Chunk, Impossible, chunks, drawn
from tcpgoodput.comparison.census.schema import Choice, LogUniform, Uniform
from tests.census.spaces import SMALL, space

UNIT = st.floats(0, 1, exclude_max=True)


@given(UNIT, UNIT)
def test_laws_rise_within_their_ranges(one: float, other: float) -> None:
    low, high = sorted((one, other))
    for law in (
        Uniform(law="uniform", low=-2.0, high=5.0),
        LogUniform(law="log-uniform", low=0.1, high=30.0),
        LogUniform(law="log-uniform", low=1.0, high=9.0, whole=True),
    ):
        assert law.low <= law.at(low) <= law.at(high) <= law.high


def test_a_log_uniform_value_is_uniform_in_its_logarithm() -> None:
    law = LogUniform(law="log-uniform", low=1e-3, high=1e3)
    shares = np.random.default_rng(1).random(4000)
    logs = (np.log10([law.at(u) for u in shares]) + 3) / 6
    assert kstest(logs, "uniform").pvalue > 0.01


@given(st.lists(st.floats(0.1, 5), min_size=1, max_size=6), UNIT)
def test_choices_come_as_often_as_their_weights_say(weights: list[float], u: float) -> None:
    law = Choice(law="choice", values=list(range(len(weights))), weights=weights)
    before = sum(weights[: law.at(u)]) / sum(weights)
    after = sum(weights[: law.at(u) + 1]) / sum(weights)
    assert before - 1e-9 <= u <= after + 1e-9


def test_shares_of_impairments_and_pairs_are_as_configured() -> None:
    small = space(points=4096)
    counts = Counter(c.impairments for c in drawn(small, Chunk(0, 4096)))
    assert counts[UNIMPAIRED] / 4096 == pytest.approx(0.2, abs=0.005)
    pairs = sum(n for name, n in counts.items() if " and " in name)
    assert pairs / 4096 == pytest.approx(0.3, abs=0.005)


def test_impairments_that_set_the_same_key_form_no_pair() -> None:
    groups = space().impairment_groups
    pairs = ["loss and handoffs", "bursts and handoffs"]
    assert [one.name for one in groups] == [UNIMPAIRED, "loss", "bursts", "handoffs", *pairs]
    assert sum(one.share for one in groups) == pytest.approx(1)


def test_more_points_keep_the_old_ones() -> None:
    few = list(drawn(space(points=64), Chunk(0, 64)))
    many = list(drawn(space(points=5000), Chunk(0, 5000)))
    assert few == many[:64]


@given(st.integers(1, 40))
def test_chunks_of_any_size_draw_the_same(size: int) -> None:
    small = space()
    whole = list(drawn(small, Chunk(0, 64)))
    assert whole == [c for chunk in chunks(64, size) for c in drawn(small, chunk)]


def test_latin_hypercube_fills_each_slice_once() -> None:
    small = space(design="latin-hypercube", impairments={}, unimpaired=0, pairs=0)
    rtts = [c.scenario.propagation_rtt_s for c in drawn(small, Chunk(0, 64))]
    slices = np.floor(64 * (np.log10(rtts) + 2) / 2)
    assert sorted(slices) == list(range(64))


def test_points_that_violate_a_condition_are_skipped() -> None:
    small = space(conditions=["rtt_s - 0.1"])
    found = list(drawn(small, Chunk(0, 64)))
    assert 0 < len(found) < 64
    assert all(c.scenario.propagation_rtt_s >= 0.1 for c in found)
    assert [c.number for c in found] == sorted({c.number for c in found})


def test_an_invalid_scenario_is_reported_with_its_key() -> None:
    wrong = space(set={"path.forward_delay_s": "= -rtt"})
    with pytest.raises(Impossible, match=r"point 0 .*path\.forward_delay_s"):
        list(drawn(wrong, Chunk(0, 1)))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"draw": {"x": {"law": "uniform", "low": 2.0, "high": 1.0}}}, "must be above low"),
        ({"draw": {"x": {"law": "log-uniform", "low": 0.0, "high": 1.0}}}, "above 0"),
        ({"draw": {"x": {"law": "choice", "values": []}}}, "at least 1"),
        ({"unimpaired": 0.8}, "above 1 together"),
        ({"points": 10**6}, "chunk must be at least 2500"),
    ],
)
def test_invalid_census_keys_are_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        space(**changes)


def test_a_drawn_key_overrides_the_value_in_set() -> None:
    part = SMALL["impairments"]["handoffs"]
    laws = {**part["draw"], "handoffs.packets": {"law": "choice", "values": [7]}}
    small = space(impairments={"handoffs": {**part, "draw": laws}}, pairs=0, unimpaired=0)
    found = next(iter(drawn(small, Chunk(0, 1)))).scenario
    assert found.handoffs is not None
    assert found.handoffs.packets == 7
