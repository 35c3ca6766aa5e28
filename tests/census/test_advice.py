"""The tree of advice, on connections whose best model is known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tcpgoodput.census import advice
from tcpgoodput.census.evidence import Evidence
from tcpgoodput.census.quantities import QUANTITIES
from tcpgoodput.census.spread import errors_of
from tcpgoodput.storage.tables import csv_text

COUNT = 2000


def evidence(near: float = 0.01, far: float = 0.4) -> Evidence:
    """Return connections on which `one` is right with little loss, `other` with much."""
    random = np.random.default_rng(7)
    connections = pd.DataFrame({name: np.zeros(COUNT) for name in QUANTITIES})
    connections["loss"] = random.random(COUNT)
    connections["product"] = random.random(COUNT)  # on which nothing hangs
    connections["point"] = np.arange(COUNT)
    connections["happening"] = np.where(random.random(COUNT) < 0.5, "loss", "nothing")
    connections["half_width"] = 0.02
    little = connections["loss"] <= 0.3
    errors = pd.DataFrame(
        {
            "one": np.where(little, near, far) * random.choice([-1, 1], COUNT),
            "other": np.where(little, far, near) * random.choice([-1, 1], COUNT),
        }
    )
    statuses = errors.apply(lambda column: column.map(lambda _: "native"))
    return Evidence(connections, errors, statuses, errors, statuses, COUNT, 0, COUNT)


def test_it_finds_what_decides_and_where() -> None:
    known = evidence()
    grown, judged = advice.halves(known)
    tree = advice.grow(known, grown)
    (question,) = [node for node in tree.nodes if node.quantity]
    assert question.quantity == "loss"
    assert question.threshold == pytest.approx(0.3, abs=0.01)
    assert {leaf.side: leaf.family for leaf in tree.leaves} == {"yes": "one", "no": "other"}
    rows = {
        (r["strategy"], r["happening"]): r
        for r in advice.advice_rows(tree, known, judged, ["loss"])
    }
    assert rows[advice.TREE, "all"]["regret_mean_%"] < 0.5
    assert rows["one", "all"]["mean_%"] > 20
    assert rows[advice.BEST, "all"]["mean_%"] == pytest.approx(1)
    assert rows[advice.ALWAYS, "all"]["simulated"] == judged.sum()
    assert rows[advice.TREE, "all"]["connections"] == COUNT / 2


def test_where_all_are_far_off_it_says_simulate() -> None:
    known = evidence(near=0.5, far=0.6)
    grown, judged = advice.halves(known)
    tree = advice.grow(known, grown)
    assert {leaf.family for leaf in tree.leaves} == {advice.SIMULATE}
    assert len(tree.nodes) == 1  # questions that lead to one advice are not asked
    row = next(advice.advice_rows(tree, known, judged, []))
    assert row["simulated"] == COUNT / 2
    assert row["typical_%"] == pytest.approx(2)


def test_judges_do_not_grow_the_tree() -> None:
    known = evidence()
    grown, judged = advice.halves(known)
    assert not (grown & judged).any()
    assert grown.sum() == judged.sum() == COUNT / 2
    spoilt = known.errors.where(grown, known.errors * 17)
    other = Evidence(**{**vars(known), "errors": spoilt})
    assert advice.grow(other, grown) == advice.grow(known, grown)


def test_no_answer_is_as_useless_as_the_largest_error() -> None:
    sizes = advice.sizes(pd.Series([-0.1, 5.0, np.nan]))
    assert sizes.tolist() == pytest.approx([0.1, advice.LARGEST, advice.LARGEST])


def test_errors_by_group_against_a_count_by_hand() -> None:
    known = evidence()
    rows = {(r["family"], r["happening"], r["standing"]): r for r in errors_of(known, ["loss"])}
    inside = known.connections["happening"] == "loss"
    row = rows["one", "loss", "native"]
    by_hand = known.errors.loc[inside, "one"]
    assert row["answers"] == inside.sum()
    assert row["within_5_%"] == pytest.approx(100 * (by_hand.abs() <= 0.05).mean())
    assert row["q50_%"] == pytest.approx(100 * np.median(by_hand))
    assert ("one", "all", "outside") not in rows


def test_published_rows_lead_to_the_same_leaves(tmp_path: Path) -> None:
    known = evidence()
    grown, judged = advice.halves(known)
    tree = advice.grow(known, grown)
    path = tmp_path / "tree.csv"
    rows = advice.tree_rows(tree, known, judged)
    path.write_text(csv_text(advice.TREE_COLUMNS, rows), encoding="utf-8")
    nodes = pd.read_csv(path)
    leaves = tree.leaf_of(known.connections)
    for index in range(0, COUNT, 97):
        values = known.connections.loc[index, list(QUANTITIES)].to_dict()
        assert advice.leaf_row(nodes, values)["node"] == leaves[index]
