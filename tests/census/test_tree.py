"""The decision tree that recommends a model, on connections whose best model is known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tcpgoodput.comparison.census import tree as trees
from tcpgoodput.comparison.census.evidence import LARGEST, Evidence, sizes, split_halves
from tcpgoodput.comparison.census.quantities import INFINITE, QUANTITIES
from tcpgoodput.storage import csv_text
from tests.census.evidences import COUNT, evidence


def test_tree_finds_the_deciding_quantity_and_threshold() -> None:
    known = evidence()
    tree = trees.grow(known, split_halves(known)[0])
    (question,) = [node for node in tree.nodes if node.quantity]
    assert question.quantity == "loss"
    assert question.threshold == pytest.approx(0.3, abs=0.01)
    assert {leaf.side: leaf.family for leaf in tree.leaves} == {"yes": "one", "no": "other"}


def test_tree_advises_simulation_if_all_errors_are_large() -> None:
    known = evidence(near=0.5, far=0.6)
    tree = trees.grow(known, split_halves(known)[0])
    assert {leaf.family for leaf in tree.leaves} == {trees.SIMULATE}
    assert len(tree.nodes) == 1  # questions whose answers give the same advice are removed


def deciding(quantity: str, little: float, more: float) -> Evidence:
    """Return connections on which a quantity has one of two values and decides the best model.

    The best model is `one` if the quantity equals `little`, and `other` if it equals `more`.
    """
    known = evidence()
    values = np.where(known.connections["loss"] <= 0.3, little, more)
    known.connections["loss"] = 0.0
    known.connections[quantity] = values
    return known


@pytest.mark.parametrize(
    ("quantity", "little", "more", "threshold", "question"),
    [
        ("handoff_late", 0.0, 0.2, 0.0, "no hand-offs?"),
        ("handoff_late", 0.1, 0.2, 0.15, "$\\Delta C$ $\\leq$ 0.15?"),
        ("transfer", 3.0, INFINITE, INFINITE / 2, "a finite transfer?"),
        ("transfer", 3.0, 5.0, 4.0, "$N/CR$ $\\leq$ 4?"),
    ],
)
def test_a_question_about_presence_is_written_in_words(
    quantity: str, little: float, more: float, threshold: float, question: str
) -> None:
    known = deciding(quantity, little, more)
    grown, judged = split_halves(known)
    tree = trees.grow(known, grown)
    request = next(iter(trees.tree_rows(tree, known, judged)))
    assert (request["quantity"], request["threshold"]) == (quantity, threshold)
    assert request["question"] == question
    advised = tree.leaf_of(known.connections)
    assert len(set(zip(advised, known.connections[quantity], strict=True))) == 2


def test_the_validation_half_does_not_affect_the_tree() -> None:
    known = evidence()
    grown, judged = split_halves(known)
    assert not (grown & judged).any()
    assert grown.sum() == judged.sum() == COUNT / 2
    spoilt = known.errors.where(grown, known.errors * 17)
    other = Evidence(**{**vars(known), "errors": spoilt})
    assert trees.grow(other, grown) == trees.grow(known, grown)


def test_a_missing_answer_counts_as_the_largest_error() -> None:
    found = sizes(pd.Series([-0.1, 5.0, np.nan]))
    assert found.tolist() == pytest.approx([0.1, LARGEST, LARGEST])


def test_published_rows_give_the_same_leaves_as_the_tree(tmp_path: Path) -> None:
    known = evidence()
    grown, judged = split_halves(known)
    tree = trees.grow(known, grown)
    path = tmp_path / "tree.csv"
    rows = trees.tree_rows(tree, known, judged)
    path.write_text(csv_text(trees.TREE_COLUMNS, rows), encoding="utf-8")
    nodes = pd.read_csv(path)
    leaves = tree.leaf_of(known.connections)
    found = trees.leaves_by(nodes, known.connections[list(QUANTITIES)])
    for index in range(COUNT):
        assert found[index] == leaves[index]
