"""Read a census beside another one of the same points: what its sender is worth, and to whom.

python -m tcpgoodput.census.beside LOOKS TABLE BESIDE FOLDER
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from tcpgoodput.census.answer import SAID
from tcpgoodput.census.evidence import Evidence, read_evidence
from tcpgoodput.census.extents import GAINS, SHARED
from tcpgoodput.census.keep import sound
from tcpgoodput.census.quantities import ENDLESS
from tcpgoodput.census.space import JOINED
from tcpgoodput.census.spread import EVERY, groups_of
from tcpgoodput.comparison.answers import AT_HOME
from tcpgoodput.comparison.errors import per_cent, share_within, typical
from tcpgoodput.jobs.command import job_parser, run_job
from tcpgoodput.storage.files import write_text
from tcpgoodput.storage.tables import csv_text

Record = dict[str, Any]

ANY_RTO, SAME_RTO = "any", "the same"
"""Of the sender beside, held against the smallest timeout of this one."""

SHORT, LONG = 100, 1000
"""Packets up to which a finite transfer is short, and beyond which it is long."""

FASTER = float(np.log(1.05))
"""ln of the ratio beyond which one of two senders is told to be faster."""

GAIN_COLUMNS = [
    "sender",
    "smallest_rto",
    "happening",
    "connections",
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
    "happening",
    "connections",
    "typical_%",
    "typical_beside_%",
    "within_10_%",
    "within_10_beside_%",
]


def shared(here: Evidence, beside: Evidence) -> tuple[Evidence, Evidence]:
    """Return what both know of the connections that differ in the sender's stack alone.

    Points are joined by number; of those, variant and path must be the same.
    """
    left, right = (e.connections.reset_index().set_index("point") for e in (here, beside))
    points = left.index.intersection(right.index)
    left, right = left.loc[points], right.loc[points]
    same = (left[SAID.names] == right[SAID.names]).all(axis=1)
    return here.at(left.loc[same, "index"]), beside.at(right.loc[same, "index"])


def gains_of(here: Evidence, beside: Evidence, impairments: Sequence[str]) -> Iterator[Record]:
    """Yield how goodputs of the first compare with those of the second, by sender and happening."""
    connections = here.connections
    gains = np.log(connections["goodput_pps"] / beside.connections["goodput_pps"])
    every = pd.Series(True, index=connections.index)
    same_rto = connections["timeout"] == beside.connections["timeout"]
    variants = sorted(connections["variant"].unique())
    senders = {EVERY: every, **{name: connections["variant"] == name for name in variants}}
    groups = groups_of(connections["happening"], impairments) | _transfers(connections)
    for sender, of_sender in senders.items():
        for smallest_rto, timed in ((ANY_RTO, every), (SAME_RTO, same_rto)):
            for group, inside in groups.items():
                own = gains[of_sender & timed & inside]
                if not own.empty:
                    told = {"sender": sender, "smallest_rto": smallest_rto, "happening": group}
                    yield told | _spread(own)


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
    groups = groups_of(here.connections["happening"], impairments)
    for family in here.errors.columns.intersection(beside.errors.columns):
        home = pd.Series(True, index=here.connections.index)
        for evidence in (here, beside):
            home &= evidence.statuses[family].isin(AT_HOME) & evidence.errors[family].notna()
        for group, inside in groups.items():
            wanted = home & inside
            if not wanted.any():
                continue
            own, other = here.errors.loc[wanted, family], beside.errors.loc[wanted, family]
            yield {
                "family": family,
                "happening": group,
                "connections": len(own),
                "typical_%": per_cent(typical(own)),
                "typical_beside_%": per_cent(typical(other)),
                "within_10_%": 100 * share_within(own, 0.10),
                "within_10_beside_%": 100 * share_within(other, 0.10),
            }


def work(arguments: argparse.Namespace) -> None:
    """Write both tables, of connections that both censuses measured closely."""
    looks = json.loads(arguments.looks.read_text(encoding="utf-8"))
    families = looks["families"]
    own = read_evidence(sound(arguments.table), families)
    other = read_evidence(sound(arguments.beside), families, own.points)
    here, beside = shared(own.closely(), other.closely())
    impairments = looks["impairments"]
    found: dict[str, tuple[list[str], Iterable[Record]]] = {
        GAINS: (GAIN_COLUMNS, gains_of(here, beside, impairments)),
        SHARED: (SHARED_COLUMNS, errors_of_both(here, beside, impairments)),
    }
    for name, (columns, rows) in found.items():
        write_text(arguments.folder / f"{name}.csv", csv_text(columns, rows))
    print(f"{len(here.connections)} connections that both have")


def main() -> int:
    """Run the job; see `run_job`."""
    parser = job_parser("tcpgoodput.census.beside", "looks", "table", "beside", "folder")
    return run_job(parser, work)


if __name__ == "__main__":
    sys.exit(main())
