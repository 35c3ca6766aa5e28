"""Decision tree that recommends a family of models for a connection, given its quantities.

The tree is fitted on the first half of a random sample (census). It splits connections by
measurable quantities so that each family's errors are similar within a leaf. A leaf recommends the
family with the smallest mean error there, or a simulation if even that error is large. The second
half of the sample validates the tree.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tcpgoodput.comparison.census.evidence import Evidence, sizes
from tcpgoodput.comparison.census.quantities import INFINITE, QUANTITIES
from tcpgoodput.comparison.errors import per_cent, share_within, typical

Record = dict[str, Any]

USELESS = 0.25
"""Mean of |ln(model / simulated)| of a leaf's best model family above which the leaf recommends a
simulation. Chosen by hand."""

LEAVES, LEAF_SHARE = 16, 0.01
"""LEAVES: largest number of leaves of the decision tree. LEAF_SHARE: smallest share of the fitted
connections in a leaf. Both are chosen by hand."""

SIMULATE = "simulate"

THRESHOLD_DIGITS = 3

TREE_COLUMNS = [
    *(
        "node",
        "parent",
        "side",
        "quantity",
        "threshold",
        "question",
        "fitted_connections",
        "validation_connections",
        "family",
    ),
    *("best_family", "expected_%", "typical_%", "within_10_%", "within_25_%", "next_family"),
    "next_expected_%",
]


@dataclass(frozen=True)
class Node:
    """A node of the decision tree: a question, or a leaf with its recommendation."""

    number: int
    parent: int | None
    side: str
    """Answer to the parent's question that leads to this node, `yes` or `no`; empty at the root."""
    quantity: str | None
    """Quantity that the question is about; None for a leaf."""
    threshold: float
    """The question is whether the quantity is at most this threshold."""
    fitted_connections: int
    """Number of connections in this node when the tree was fitted."""
    ranking: tuple[tuple[str, float], ...]
    """Families with their mean |ln(model / simulated)| in this node, the smallest first."""

    @property
    def family(self) -> str:
        """The family of models that the node recommends, or `simulate`."""
        family, expected = self.ranking[0]
        return family if expected <= USELESS else SIMULATE


@dataclass(frozen=True)
class Tree:
    """A decision tree that recommends a family of models for a connection."""

    nodes: tuple[Node, ...]
    """All nodes of the tree, each parent before its children."""

    @property
    def leaves(self) -> list[Node]:
        """The tree's leaves: nodes without a question, which have recommendations."""
        return [node for node in self.nodes if node.quantity is None]

    def leaf_of(self, connections: pd.DataFrame) -> NDArray[np.int64]:
        """Return, for each connection, the number of the leaf to which the tree assigns it."""
        at = np.zeros(len(connections), np.int64)
        for node in self.nodes:
            if node.quantity is None:
                continue
            here = at == node.number
            yes = connections[node.quantity].to_numpy(float) <= node.threshold
            for side, chosen in (("yes", here & yes), ("no", here & ~yes)):
                child = next(n for n in self.nodes if (n.parent, n.side) == (node.number, side))
                at[chosen] = child.number
        return at


def grow(evidence: Evidence, inside: pd.Series) -> Tree:
    """Fit a decision tree to the connections for which `inside` is true."""
    from sklearn.tree import DecisionTreeRegressor

    names = list(QUANTITIES)
    losses = sizes(evidence.errors[inside])
    tree = DecisionTreeRegressor(max_leaf_nodes=LEAVES, min_samples_leaf=LEAF_SHARE, random_state=0)
    values = evidence.connections.loc[inside, names]
    tree.fit(values.to_numpy(float), losses)
    nodes = _nodes(tree.tree_, names, list(evidence.errors))
    return _pruned(Tree(tuple(_snapped(node, values) for node in nodes)))


def _snapped(node: Node, values: pd.DataFrame) -> Node:
    """Return a node whose threshold is rounded, or replaced by a clearer equivalent one.

    If a threshold separates only 0 from all other values, 0 is an equivalent threshold. If it
    separates only infinite values from all others, half of `INFINITE` is equivalent.
    """
    if node.quantity is None:
        return node
    own, threshold = values[node.quantity].to_numpy(float), node.threshold
    if own[own <= threshold].max() == 0:
        return replace(node, threshold=0.0)
    if own[own > threshold].min() == INFINITE:
        return replace(node, threshold=INFINITE / 2)
    return replace(node, threshold=_short(threshold))


def _pruned(tree: Tree) -> Tree:
    """Return a tree without questions whose two answers lead to the same recommendation."""
    for node in reversed(tree.nodes):
        children = [n for n in tree.nodes if n.parent == node.number]
        advised = {child.family for child in children if child.quantity is None}
        if len(children) == 2 and len(advised) == 1 and all(c.quantity is None for c in children):
            kept = [n for n in tree.nodes if n not in children]
            leaf = replace(node, quantity=None, threshold=math.nan)
            return _pruned(Tree(tuple(leaf if n is node else n for n in kept)))
    return tree


def _nodes(fitted: Any, names: Sequence[str], families: Sequence[str]) -> Iterator[Node]:
    """Yield the nodes of a scikit-learn tree; children have higher numbers than parents."""
    parents: dict[int, tuple[int, str]] = {}
    for number in range(fitted.node_count):
        parent, side = parents.get(number, (None, ""))
        means = dict(zip(families, fitted.value[number].ravel().tolist(), strict=True))
        leaf = fitted.children_left[number] < 0
        if not leaf:
            parents[int(fitted.children_left[number])] = (number, "yes")
            parents[int(fitted.children_right[number])] = (number, "no")
        yield Node(
            number,
            parent,
            side,
            None if leaf else names[fitted.feature[number]],
            math.nan if leaf else float(fitted.threshold[number]),
            int(fitted.n_node_samples[number]),
            tuple(sorted(means.items(), key=lambda item: item[1])),
        )


def _short(threshold: float) -> float:
    """Return a threshold rounded to `THRESHOLD_DIGITS` significant digits."""
    return float(f"{threshold:.{THRESHOLD_DIGITS}g}")


def tree_rows(tree: Tree, evidence: Evidence, validation: pd.Series) -> Iterator[Record]:
    """Yield the nodes of a tree as rows; a leaf's row has its errors on the validation half."""
    leaf = tree.leaf_of(evidence.connections)
    for node in tree.nodes:
        row: Record = {
            "node": node.number,
            "parent": node.parent,
            "side": node.side,
            "quantity": node.quantity,
            "threshold": node.threshold,
            "question": QUANTITIES[node.quantity].question(node.threshold)
            if node.quantity
            else None,
            "fitted_connections": node.fitted_connections,
        }
        if node.quantity is None:
            here = validation & (leaf == node.number)
            row |= {"family": node.family, "validation_connections": int(here.sum())}
            best, expected = node.ranking[0]
            row |= {"best_family": best, "expected_%": per_cent(expected)}
            for second, next_expected in node.ranking[1:2]:
                row |= {"next_family": second, "next_expected_%": per_cent(next_expected)}
            if here.any():
                found = sizes(evidence.errors.loc[here, best])
                row |= {
                    "typical_%": per_cent(typical(found)),
                    "within_10_%": 100 * share_within(found, 0.1),
                    "within_25_%": 100 * share_within(found, 0.25),
                }
        yield row


def leaves_by(nodes: pd.DataFrame, connections: pd.DataFrame) -> pd.Series:
    """Return, for each connection, the number of the leaf to which the decision tree assigns it.

    Args:
        nodes: the nodes of the tree as a table, read from the rows of `tree_rows`.
        connections: the quantities of the connections, one column for each.

    """
    at = pd.Series(0, index=connections.index)
    for _, row in nodes.iterrows():  # the rows of parents precede those of children
        if not isinstance(row["quantity"], str):
            continue
        here = at == row["node"]
        yes = connections[row["quantity"]] <= row["threshold"]
        for side, chosen in (("yes", here & yes), ("no", here & ~yes)):
            child = (nodes["parent"] == row["node"]) & (nodes["side"] == side)
            at[chosen] = int(nodes.loc[child, "node"].iloc[0])
    return at


def advised_by(nodes: pd.DataFrame, connections: pd.DataFrame) -> pd.Series:
    """Return the recommendation for each connection: a model family, or `simulate`.

    See `leaves_by` for the arguments.
    """
    return leaves_by(nodes, connections).map(nodes.set_index("node")["family"])


def entries_named(table: pd.DataFrame, names: pd.Series) -> pd.Series:
    """Return, for each row of a table, the entry in the column that `names` gives for this row.

    The result is NaN if the table has no such column.
    """
    columns = table.columns.get_indexer(names)
    found = pd.Series(table.to_numpy()[np.arange(len(table)), columns], index=table.index)
    return found.where(columns >= 0)
