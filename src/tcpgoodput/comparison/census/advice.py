"""Errors of following the advice of a decision tree that was fitted to a random sample (census)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from tcpgoodput.comparison.answers import IN_DOMAIN
from tcpgoodput.comparison.census.evidence import Evidence, sizes
from tcpgoodput.comparison.census.summary import EVERY, groups_of
from tcpgoodput.comparison.census.tree import SIMULATE, Node, Tree, entries_named
from tcpgoodput.comparison.errors import BOUNDS, per_cent, share_within, typical

TREE, ALONE = "the tree", "the tree without simulations"
BEST, ALWAYS = "the best of each", "always simulate"
SIMULATING = "{} with the tree's simulations"
"""Name of a strategy that simulates the connections for which the decision tree recommends a
simulation, and uses one family of models for all others."""

INCLUDING_WIDE = "with the left out"
"""Name of the group of all connections in the validation half, including those with a wide
confidence interval, which all other groups leave out."""

NAMED, NAMED_HOME, NAMED_OUTSIDE = "named", "named in domain", "named outside"
"""Names of groups of connections for which the decision tree recommends a family of models: all
these connections, those in this family's domain, and those outside it."""

COLUMNS = [
    *("strategy", "group", "connections", "simulated", "typical_%", "mean_%"),
    *(f"within_{100 * b:g}_%" for b in BOUNDS),
    *("regret_typical_%", "regret_mean_%"),
]


@dataclass(frozen=True)
class Strategy:
    """A way to choose a model or a simulation for each connection.

    `found` has the size of the error on each connection. `simulated` is true for the connections
    that the strategy simulates.
    """

    found: pd.Series
    simulated: pd.Series


def advice_rows(
    tree: Tree, measured: Evidence, validation: pd.Series, impairments: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Yield the errors of each strategy on the sample's second half, in each group of connections.

    Some strategies follow the tree's advice or use one model family for all connections, each with
    and without the tree's simulations. Two more are the best family for each connection, which is
    known only after a simulation, and the simulation of every connection. The error of a simulated
    connection is taken to be the half-width of its interval.

    Args:
        tree: the decision tree.
        measured: all connections, including those with a wide confidence interval.
        validation: whether each connection belongs to the validation half.
        impairments: the impairments of the census.

    """
    advised = _of_leaves(tree, measured.connections, lambda leaf: leaf.family)
    groups = _groups(advised, measured, impairments)
    strategies = dict(_strategies(tree, advised, measured))
    best = strategies[BEST].found
    for name, strategy in strategies.items():
        for group, inside in groups.items():
            here = validation & inside
            if not here.any():
                continue
            found = strategy.found[here]
            regret = (strategy.found - best)[here & ~strategy.simulated]
            yield {
                "strategy": name,
                "group": group,
                "connections": int(here.sum()),
                "simulated": int(strategy.simulated[here].sum()),
                "typical_%": per_cent(typical(found)),
                "mean_%": per_cent(float(found.mean())),
                **{f"within_{100 * b:g}_%": 100 * share_within(found, b) for b in BOUNDS},
                "regret_typical_%": per_cent(typical(regret)),
                "regret_mean_%": per_cent(float(regret.mean())) if len(regret) else math.nan,
            }


def _strategies(
    tree: Tree, advised: pd.Series, measured: Evidence
) -> Iterator[tuple[str, Strategy]]:
    losses = pd.DataFrame(sizes(measured.errors), columns=measured.errors.columns)
    half_width = measured.connections["half_width"]
    by_simulation = advised == SIMULATE
    never = pd.Series(False, index=advised.index)
    alone = _of_leaves(tree, measured.connections, lambda leaf: leaf.ranking[0][0])
    without = entries_named(losses, alone)
    yield TREE, Strategy(without.mask(by_simulation, half_width), by_simulation)
    yield ALONE, Strategy(without, never)
    yield BEST, Strategy(losses.min(axis=1), never)
    yield ALWAYS, Strategy(half_width, ~never)
    for family in losses:
        yield str(family), Strategy(losses[family], never)
        found = losses[family].mask(by_simulation, half_width)
        yield SIMULATING.format(family), Strategy(found, by_simulation)


def _groups(
    advised: pd.Series, measured: Evidence, impairments: Sequence[str]
) -> dict[str, pd.Series]:
    """Return which connections are in each group, as a mask by the name of the group.

    All groups except `INCLUDING_WIDE` have only connections with a narrow confidence interval.
    """
    connections = measured.connections
    named = advised != SIMULATE
    status = entries_named(measured.statuses, advised.where(named, measured.statuses.columns[0]))
    sender = {
        "cubic": connections["cubic"] > 0,
        "newreno or sack": (connections["repairs"] == 2) & (connections["cubic"] == 0),
        "reno": connections["repairs"] == 1,
        "tahoe": connections["repairs"] == 0,
        "each packet": connections["ack_every"] == 1,
        "each second packet": connections["ack_every"] == 2,
    }
    groups = {
        **groups_of(connections["impairments"], impairments),
        NAMED: named,
        NAMED_HOME: named & status.isin(IN_DOMAIN),
        NAMED_OUTSIDE: named & ~status.isin(IN_DOMAIN),
        **{f"{NAMED} {name}": named & inside for name, inside in sender.items()},
    }
    close = {group: inside & measured.close for group, inside in groups.items()}
    return {**close, INCLUDING_WIDE: groups[EVERY]}


def _of_leaves(tree: Tree, connections: pd.DataFrame, value_of: Callable[[Node], str]) -> pd.Series:
    """Return, for each connection, `value_of(leaf)` of the leaf to which the tree assigns it."""
    of = {leaf.number: value_of(leaf) for leaf in tree.leaves}
    return pd.Series(tree.leaf_of(connections), index=connections.index).map(of)
