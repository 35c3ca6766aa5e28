"""Errors of strategies for choosing a model, on connections whose best model is known."""

from __future__ import annotations

from typing import Any

import pytest

from tcpgoodput.comparison.census import advice
from tcpgoodput.comparison.census.evidence import Evidence, split_halves
from tcpgoodput.comparison.census.summary import EVERY
from tcpgoodput.comparison.census.tree import grow
from tests.census.evidences import COUNT, evidence


def found(measured: Evidence) -> dict[tuple[str, str], dict[str, Any]]:
    """Grow a decision tree on half of the connections; return table rows for the other half.

    Each row has the errors of one rule to choose a model (such as the tree) on one group of
    connections; the keys are rule and group.
    """
    known = measured.with_narrow_intervals()
    tree = grow(known, split_halves(known)[0])
    rows = advice.advice_rows(tree, measured, split_halves(measured)[1], ["loss"])
    return {(row["strategy"], row["group"]): row for row in rows}


def test_errors_of_strategies_equal_those_of_made_up_data() -> None:
    rows = found(evidence())
    assert rows[advice.TREE, EVERY]["regret_mean_%"] < 0.5
    assert rows["one", EVERY]["mean_%"] > 20
    assert rows[advice.BEST, EVERY]["mean_%"] == pytest.approx(1)
    assert rows[advice.ALWAYS, EVERY]["simulated"] == COUNT / 2
    assert rows[advice.TREE, EVERY]["connections"] == COUNT / 2
    assert rows[advice.TREE, advice.NAMED_HOME]["connections"] == COUNT / 2
    assert (advice.TREE, advice.NAMED_OUTSIDE) not in rows


def test_tree_may_simulate_and_simulation_can_be_excluded() -> None:
    rows = found(evidence(near=0.5, far=0.6))
    simulating = advice.SIMULATING.format("one")
    assert rows[advice.TREE, EVERY]["simulated"] == COUNT / 2
    assert rows[advice.TREE, EVERY]["typical_%"] == pytest.approx(2)
    assert rows[simulating, EVERY]["typical_%"] == pytest.approx(2)
    assert rows[advice.ALONE, EVERY]["simulated"] == rows["one", EVERY]["simulated"] == 0
    assert rows[advice.ALONE, EVERY]["typical_%"] > 49
    assert (advice.TREE, advice.NAMED) not in rows  # the tree recommends a simulation everywhere


def test_groups_separate_status_and_sender() -> None:
    known = evidence()
    known.statuses["one"] = "out-of-domain"
    known.connections.loc[::4, "cubic"] = 1.0
    rows = found(known)
    outside = rows[advice.TREE, advice.NAMED_OUTSIDE]["connections"]
    judged = split_halves(known)[1]
    assert outside == pytest.approx((known.connections["loss"] <= 0.3)[judged].sum(), abs=10)
    assert rows[advice.TREE, advice.NAMED_HOME]["connections"] == COUNT / 2 - outside
    assert rows[advice.TREE, f"{advice.NAMED} cubic"]["connections"] == COUNT / 8
    assert rows["other", advice.NAMED_OUTSIDE]["typical_%"] == pytest.approx(40)


def test_wide_intervals_count_only_in_the_group_of_all() -> None:
    known = evidence()
    known.connections.loc[1::2, "half_width"] = 0.2
    rows = found(known)
    assert rows[advice.TREE, EVERY]["connections"] == COUNT / 4
    assert rows[advice.TREE, advice.INCLUDING_WIDE]["connections"] == COUNT / 2
