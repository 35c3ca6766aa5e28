"""Read a census beside another one of the same points: what its sender is worth, and to whom."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tcpgoodput.comparison.answers import AT_HOME
from tcpgoodput.comparison.census.answer import SAID
from tcpgoodput.comparison.census.design import GAINS, SHARED, TREES
from tcpgoodput.comparison.census.evidence import Evidence, answered, halves, read_evidence, sizes
from tcpgoodput.comparison.census.keep import sound
from tcpgoodput.comparison.census.quantities import ENDLESS
from tcpgoodput.comparison.census.space import JOINED
from tcpgoodput.comparison.census.spread import EVERY, groups_of
from tcpgoodput.comparison.census.tree import SIMULATE, advised_by
from tcpgoodput.comparison.errors import per_cent, share_within, typical
from tcpgoodput.storage import csv_text

Record = dict[str, Any]

ANY = "any"
SAME_RTO, OTHER_RTO = "the same", "another"
"""Of the sender beside, held against the smallest timeout of this one."""

SHORT, LONG = 100, 1000
"""Packets up to which a finite transfer is short, and beyond which it is long."""

LOSSY = "loss on the link"
"""A group of connections: independent losses or bursts, alone or with something else."""

FASTER = float(np.log(1.05))
"""ln of the ratio beyond which one of two senders is told to be faster."""

GAIN_COLUMNS = [
    "sender",
    "smallest_rto",
    "ack_every",
    "happening",
    "connections",
    "left_out",
    "median",
    "q05",
    "q95",
    "within_5_%",
    "within_10_%",
    "faster_%",
    "slower_%",
]
SHARED_COLUMNS = [
    "family",
    "sender",
    "happening",
    "connections",
    "typical_%",
    "typical_beside_%",
    "within_10_%",
    "within_10_beside_%",
]
TREE_COLUMNS = ["tree", "group", "connections", "cubic_%", "typical_%", "mean_%", "within_10_%"]

OWN, OTHER = "own", "beside"
"""Trees of advice: the one grown on this census, and that of the census beside."""

SIMULATED = "simulated"


def shared(here: Evidence, beside: Evidence) -> tuple[Evidence, Evidence]:
    """Return what both know of the connections that differ in the stack alone.

    Points are joined by number; of those, variant and path must be the same.
    """
    left, right = (e.connections.reset_index().set_index("point") for e in (here, beside))
    points = left.index.intersection(right.index)
    left, right = left.loc[points], right.loc[points]
    same = (left[SAID.names] == right[SAID.names]).all(axis=1)
    return here.at(left.loc[same, "index"]), beside.at(right.loc[same, "index"])


def gains_of(here: Evidence, beside: Evidence, impairments: Sequence[str]) -> Iterator[Record]:
    """Yield how goodputs of the first compare with those of the second, of shared connections.

    Only those that both measured closely count; the others are told as left out.
    """
    connections = here.connections
    close = here.close & beside.close
    gains = np.log(connections["goodput_pps"] / beside.connections["goodput_pps"])
    groups = _groups(connections, impairments) | _transfers(connections)
    same_rto = connections["timeout"] == beside.connections["timeout"]
    parts: list[tuple[Record, pd.Series]] = [
        ({"sender": name}, inside) for name, inside in _senders(connections).items()
    ]
    parts += [({"smallest_rto": SAME_RTO}, same_rto), ({"smallest_rto": OTHER_RTO}, ~same_rto)]
    for count in sorted(connections["ack_every"].unique()):
        parts.append(({"ack_every": int(count)}, connections["ack_every"] == count))
    for part, inside in parts:
        for group, happening in groups.items():
            both = inside & happening
            if (both & close).any():
                told = {"sender": EVERY, "smallest_rto": ANY, "ack_every": ANY, "happening": group}
                left_out = {"left_out": int((both & ~close).sum())}
                yield told | part | left_out | _spread(gains[both & close])


def _senders(connections: pd.DataFrame) -> dict[str, pd.Series]:
    """Return which connections each variant has, and all."""
    every = pd.Series(True, index=connections.index)
    variants = sorted(connections["variant"].unique())
    return {EVERY: every, **{name: connections["variant"] == name for name in variants}}


def _groups(connections: pd.DataFrame, impairments: Sequence[str]) -> dict[str, pd.Series]:
    """Return which connections are in each group, by what happens to them."""
    return groups_of(connections["happening"], impairments) | {LOSSY: connections["loss"] > 0}


def _transfers(connections: pd.DataFrame) -> dict[str, pd.Series]:
    """Return which connections are short and long transfers to which nothing else happens."""
    alone = ~connections["happening"].str.contains(JOINED, regex=False)
    finite = alone & (connections["transfer"] < ENDLESS)
    packets = connections["transfer"] * connections["product"]
    return {
        "short transfers": finite & (packets <= SHORT),
        "long transfers": finite & (packets > LONG),
    }


def _spread(gains: pd.Series) -> Record:
    """Return how the logarithms of some ratios spread."""
    low, middle, high = np.exp(np.quantile(gains, (0.05, 0.5, 0.95)))
    return {
        "connections": len(gains),
        "median": middle,
        "q05": low,
        "q95": high,
        "within_5_%": 100 * share_within(gains, 0.05),
        "within_10_%": 100 * share_within(gains, 0.10),
        "faster_%": 100 * float((gains > FASTER).mean()),
        "slower_%": 100 * float((gains < -FASTER).mean()),
    }


def errors_of_both(
    here: Evidence, beside: Evidence, impairments: Sequence[str]
) -> Iterator[Record]:
    """Yield each family's errors in both, where it is at home in both."""
    groups, senders = _groups(here.connections, impairments), _senders(here.connections)
    for family in here.errors.columns.intersection(beside.errors.columns):
        home = pd.Series(True, index=here.connections.index)
        for evidence in (here, beside):
            home &= evidence.statuses[family].isin(AT_HOME) & evidence.errors[family].notna()
        for (sender, of_sender), (group, inside) in product(senders.items(), groups.items()):
            wanted = home & of_sender & inside
            if not wanted.any():
                continue
            own, other = here.errors.loc[wanted, family], beside.errors.loc[wanted, family]
            yield {
                "family": family,
                "sender": sender,
                "happening": group,
                "connections": len(own),
                "typical_%": per_cent(typical(own)),
                "typical_beside_%": per_cent(typical(other)),
                "within_10_%": 100 * share_within(own, 0.10),
                "within_10_beside_%": 100 * share_within(other, 0.10),
            }


def advice_of(evidence: Evidence, trees: Mapping[str, pd.DataFrame]) -> Iterator[Record]:
    """Yield what each tree's advice is worth to those who judge this census's.

    Args:
        evidence: of this census.
        trees: their published rows, by name.

    """
    judges = evidence.at(halves(evidence)[1])
    advised = {name: advised_by(nodes, judges.connections) for name, nodes in trees.items()}
    named_by_all = pd.concat(advised, axis=1).ne(SIMULATE).all(axis=1)
    cubic = judges.connections["variant"] == "cubic"
    senders = _senders(judges.connections)
    for name, family in advised.items():
        named = family != SIMULATE
        groups = {SIMULATED: ~named, "named": named, "named by both": named_by_all}
        groups |= {f"named {of}": inside & named for of, inside in senders.items() if of != EVERY}
        groups |= {f"naming {one}": family == one for one in sorted(family[named].unique())}
        column = judges.errors.columns.get_indexer(family)  # -1: simulated, or asked only there
        said = judges.errors.to_numpy()[np.arange(len(family)), column]
        errors = pd.Series(np.where(column >= 0, said, np.nan))
        for group, inside in groups.items():
            found = pd.Series(sizes(errors[inside]))
            told = {"tree": name, "group": group, "connections": int(inside.sum())}
            if inside.any():
                told["cubic_%"] = 100 * float(cubic[inside].mean())
            if inside.any() and group != SIMULATED:
                told["typical_%"] = per_cent(typical(found))
                told["mean_%"] = per_cent(float(found.mean()))
                told["within_10_%"] = 100 * share_within(found, 0.10)
            yield told


def findings_beside(
    looks: Mapping[str, Any], table: Path, other_table: Path, trees: Mapping[str, pd.DataFrame]
) -> dict[str, str]:
    """Return a table of each finding about both, as CSV.

    Args:
        looks: how the census is read; see `looks.to_read`.
        table: what was measured and answered of its connections.
        other_table: the same of the census beside it.
        trees: the trees of advice that both have grown, `OWN` and `OTHER`.

    """
    # Both tables are read for the models that both have answers of.
    families = answered(other_table, answered(table, looks["families"]))
    own = read_evidence(sound(table), families)
    other = read_evidence(sound(other_table), families, own.points)
    here, beside = shared(own, other)
    close = here.connections.index[here.close & beside.close]
    impairments = looks["impairments"]
    found: dict[str, tuple[list[str], Iterable[Record]]] = {
        GAINS: (GAIN_COLUMNS, gains_of(here, beside, impairments)),
        SHARED: (SHARED_COLUMNS, errors_of_both(here.at(close), beside.at(close), impairments)),
        TREES: (TREE_COLUMNS, advice_of(own.closely(), trees)),
    }
    print(f"{len(close)} connections that both have")
    return {name: csv_text(columns, rows) for name, (columns, rows) in found.items()}
