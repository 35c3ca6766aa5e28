"""Which family to use when: a shallow tree of measurable quantities, grown on half of a census.

The tree splits connections so that families' sizes of errors are alike within a leaf; a leaf
advises the family whose errors are the smallest there, or a simulation where even these are large.
The other half of the census judges it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tcpgoodput.census.evidence import Evidence
from tcpgoodput.census.quantities import ENDLESS, QUANTITIES
from tcpgoodput.census.spread import groups_of
from tcpgoodput.comparison.errors import BOUNDS, per_cent, share_within, typical

Record = dict[str, Any]
Floats = NDArray[np.float64]

LARGEST = float(np.log(2))
"""Size that no error exceeds here: who is off by more, or has no answer, is useless alike."""

USELESS = 0.25
"""Mean size of errors from which on a leaf advises to simulate."""

LEAVES, LEAF_SHARE = 16, 0.01
"""The most leaves of the tree, and the smallest part of all connections in one."""

SIMULATE = "simulate"

TREE_COLUMNS = [
    "node",
    "parent",
    "side",
    "quantity",
    "threshold",
    "family",
    "grown",
    "judged",
    "expected_%",
    "typical_%",
    "within_10_%",
    "next_family",
    "next_expected_%",
]

ADVICE_COLUMNS = [
    "strategy",
    "happening",
    "connections",
    "simulated",
    "typical_%",
    "mean_%",
    *(f"within_{100 * b:g}_%" for b in BOUNDS),
    "regret_typical_%",
    "regret_mean_%",
]


def halves(evidence: Evidence) -> tuple[pd.Series, pd.Series]:
    """Return which connections grow the tree, and which judge it: the points drawn later."""
    first = evidence.connections["point"] < evidence.points / 2
    return first, ~first


def sizes(errors: pd.Series | pd.DataFrame) -> Floats:
    """Return the sizes of errors, none above the largest; that of no answer is the largest."""
    return np.minimum(
        np.abs(errors.to_numpy(float)),
        LARGEST,
        where=errors.notna().to_numpy(),
        out=np.full(errors.shape, LARGEST),
    )


@dataclass(frozen=True)
class Node:
    """A question of the tree, or a leaf's advice."""

    number: int
    parent: int | None
    side: str
    """Of the parent's question: `yes` or `no`; empty at the root."""
    quantity: str | None
    threshold: float
    """The question is whether the quantity is at most this."""
    family: str | None
    """Of a leaf: who is advised."""
    expected: float
    """Of a leaf: mean size of the advised family's errors, on the half that grew the tree."""
    next_family: str | None
    next_expected: float
    grown: int


def grow(evidence: Evidence, inside: pd.Series) -> list[Node]:
    """Grow the tree on some connections; return its nodes, parents before children."""
    from sklearn.tree import DecisionTreeRegressor

    values = _logarithms(evidence.connections)
    losses = sizes(evidence.errors)
    tree = DecisionTreeRegressor(max_leaf_nodes=LEAVES, min_samples_leaf=LEAF_SHARE, random_state=0)
    tree.fit(values[inside], losses[inside])
    return list(_nodes(tree.tree_, list(evidence.errors)))
