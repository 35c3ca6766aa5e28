"""Compare two random samples (censuses) whose connections differ in the sender only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tcpgoodput.comparison.answers import IN_DOMAIN
from tcpgoodput.comparison.census.design import GAINS, SHARED, TREES
from tcpgoodput.comparison.census.evidence import (
    Evidence,
    answered,
    read_evidence,
    sizes,
    split_halves,
)
from tcpgoodput.comparison.census.measure import IDENTITY
from tcpgoodput.comparison.census.quantities import INFINITE
from tcpgoodput.comparison.census.record import verified_path
from tcpgoodput.comparison.census.space import JOINED
from tcpgoodput.comparison.census.summary import EVERY, groups_of
from tcpgoodput.comparison.census.tree import SIMULATE, advised_by, entries_named
from tcpgoodput.comparison.errors import per_cent, share_within, typical
from tcpgoodput.storage import csv_text

Record = dict[str, Any]

ANY = "any"
SAME_RTO, OTHER_RTO = "the same", "another"
"""Values of the column `smallest_rto`: whether the smallest RTO is the same in both samples."""

SHORT, LONG = 100, 1000
"""A transfer of at most `SHORT` packets is short; one of more than `LONG` packets is long."""

LOSSY = "loss on the link"
"""Name of the group of connections with random loss on the link, alone or with other
impairments."""

FASTER = float(np.log(1.05))
"""Smallest |ln| of the ratio of two senders' goodputs at which one counts as faster: 5 %."""

GAIN_COLUMNS = [
    *("sender", "smallest_rto", "ack_every", "impairments", "connections", "left_out", "median"),
    *("q05", "q95", "within_5_%", "within_10_%", "faster_%", "slower_%"),
]
SHARED_COLUMNS = [
    *("family", "sender", "impairments", "connections", "typical_%", "typical_other_%"),
    *("within_10_%", "within_10_other_%"),
]
TREE_COLUMNS = ["tree", "group", "connections", "cubic_%", "typical_%", "mean_%", "within_10_%"]

OWN, OTHER = "own", "other"
"""Values of the column `tree`: the decision tree fitted on this random sample, and the tree fitted
on the other sample."""

SIMULATED = "simulated"


def shared(here: Evidence, there: Evidence) -> tuple[Evidence, Evidence]:
    """Return the data of two samples for the connections with the same paths and variants.

    Connections are joined by the number of their point. Both results have the same order of
    connections.
    """
    left, right = (e.connections.reset_index().set_index("point") for e in (here, there))
    points = left.index.intersection(right.index)
    left, right = left.loc[points], right.loc[points]
    same = (left[IDENTITY.names] == right[IDENTITY.names]).all(axis=1)
    return here.at(left.loc[same, "index"]), there.at(right.loc[same, "index"])


def gains_of(here: Evidence, there: Evidence, impairments: Sequence[str]) -> Iterator[Record]:
    """Yield statistics of the ratio of goodputs, first sample over second, by group.

    Connections with a wide interval in either sample are left out; `left_out` is their number.

    Args:
        here: the first census, restricted to shared connections; see `shared`.
        there: the second census, with the same connections in the same order.
        impairments: the impairments of the census.

    """
    connections = here.connections
    close = here.close & there.close
    # In double precision: logarithms of single precision have other digits on other processors.
    ratios = connections["goodput_pps"].astype(float) / there.connections["goodput_pps"].astype(
        float
    )
    gains = np.log(ratios)
    groups = _groups(connections, impairments) | _transfers(connections)
    same_rto = connections["timeout"] == there.connections["timeout"]
    parts: list[tuple[Record, pd.Series]] = [
        ({"sender": name}, inside) for name, inside in _senders(connections).items()
    ]
    parts += [({"smallest_rto": SAME_RTO}, same_rto), ({"smallest_rto": OTHER_RTO}, ~same_rto)]
    for count in sorted(connections["ack_every"].unique()):
        parts.append(({"ack_every": int(count)}, connections["ack_every"] == count))
    for part, inside in parts:
        for group, in_group in groups.items():
            both = inside & in_group
            if (both & close).any():
                row = {"sender": EVERY, "smallest_rto": ANY, "ack_every": ANY, "impairments": group}
                left_out = {"left_out": int((both & ~close).sum())}
                yield row | part | left_out | _spread(gains[both & close])


def _senders(connections: pd.DataFrame) -> dict[str, pd.Series]:
    """Return masks by name: the connections with each variant of the sender, and all."""
    every = pd.Series(True, index=connections.index)
    variants = sorted(connections["variant"].unique())
    return {EVERY: every, **{name: connections["variant"] == name for name in variants}}


def _groups(connections: pd.DataFrame, impairments: Sequence[str]) -> dict[str, pd.Series]:
    """Return masks by name: the connections in each group of impairments."""
    return groups_of(connections["impairments"], impairments) | {LOSSY: connections["loss"] > 0}


def _transfers(connections: pd.DataFrame) -> dict[str, pd.Series]:
    """Return masks of short and of long finite transfers without any other impairment."""
    alone = ~connections["impairments"].str.contains(JOINED, regex=False)
    finite = alone & (connections["transfer"] < INFINITE)
    packets = connections["transfer"] * connections["product"]
    return {
        "short transfers": finite & (packets <= SHORT),
        "long transfers": finite & (packets > LONG),
    }


def _spread(gains: pd.Series) -> Record:
    """Return statistics of ratios of goodputs, given the natural logarithms of the ratios."""
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


def errors_of_both(here: Evidence, there: Evidence, impairments: Sequence[str]) -> Iterator[Record]:
    """Yield each model family's errors in two samples, on connections in its domain in both.

    See `gains_of` for the arguments.
    """
    groups, senders = _groups(here.connections, impairments), _senders(here.connections)
    for family in here.errors.columns.intersection(there.errors.columns):
        in_domain = pd.Series(True, index=here.connections.index)
        for evidence in (here, there):
            in_domain &= evidence.statuses[family].isin(IN_DOMAIN) & evidence.errors[family].notna()
        for (sender, of_sender), (group, inside) in product(senders.items(), groups.items()):
            wanted = in_domain & of_sender & inside
            if not wanted.any():
                continue
            own, other = here.errors.loc[wanted, family], there.errors.loc[wanted, family]
            yield {
                "family": family,
                "sender": sender,
                "impairments": group,
                "connections": len(own),
                "typical_%": per_cent(typical(own)),
                "typical_other_%": per_cent(typical(other)),
                "within_10_%": 100 * share_within(own, 0.10),
                "within_10_other_%": 100 * share_within(other, 0.10),
            }


def advice_of(evidence: Evidence, trees: Mapping[str, pd.DataFrame]) -> Iterator[Record]:
    """Yield the errors of each decision tree's advice on this sample's second half.

    Args:
        evidence: the connections of the sample that were precisely measured.
        trees: the nodes of each tree as a table, by the name of the tree.

    """
    judges = evidence.at(split_halves(evidence)[1])
    advised = {name: advised_by(nodes, judges.connections) for name, nodes in trees.items()}
    named_by_all = pd.concat(advised, axis=1).ne(SIMULATE).all(axis=1)
    cubic = judges.connections["variant"] == "cubic"
    senders = _senders(judges.connections)
    for name, family in advised.items():
        named = family != SIMULATE
        groups = {SIMULATED: ~named, "named": named, "named by both": named_by_all}
        groups |= {f"named {of}": inside & named for of, inside in senders.items() if of != EVERY}
        groups |= {f"naming {one}": family == one for one in sorted(family[named].unique())}
        errors = entries_named(judges.errors, family)  # NaN where the tree recommends a simulation
        for group, inside in groups.items():
            found = pd.Series(sizes(errors[inside]))
            row = {"tree": name, "group": group, "connections": int(inside.sum())}
            if inside.any():
                row["cubic_%"] = 100 * float(cubic[inside].mean())
            if inside.any() and group != SIMULATED:
                row["typical_%"] = per_cent(typical(found))
                row["mean_%"] = per_cent(float(found.mean()))
                row["within_10_%"] = 100 * share_within(found, 0.10)
            yield row


def paired_findings(
    looks: Mapping[str, Any], table: Path, other_table: Path, trees: Mapping[str, pd.DataFrame]
) -> dict[str, str]:
    """Return the tables of the comparison of two random samples, as CSV by name.

    Args:
        looks: settings for the evaluation of the samples; see `read.to_read`.
        table: file with the measurements and predictions of this sample.
        other_table: file with the measurements and predictions of the other sample.
        trees: the decision trees of both samples, under the names `OWN` and `OTHER`.

    """
    # Use only the models that both tables contain.
    families = answered(other_table, answered(table, looks["families"]))
    own = read_evidence(verified_path(table), families)
    other = read_evidence(verified_path(other_table), families, own.points)
    here, there = shared(own, other)
    close = here.connections.index[here.close & there.close]
    impairments = looks["impairments"]
    found: dict[str, tuple[list[str], Iterable[Record]]] = {
        GAINS: (GAIN_COLUMNS, gains_of(here, there, impairments)),
        SHARED: (SHARED_COLUMNS, errors_of_both(here.at(close), there.at(close), impairments)),
        TREES: (TREE_COLUMNS, advice_of(own.with_narrow_intervals(), trees)),
    }
    print(f"{len(close)} connections that both have")
    return {name: csv_text(columns, rows) for name, (columns, rows) in found.items()}
