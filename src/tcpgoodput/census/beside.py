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

from tcpgoodput.census.evidence import Evidence, read_evidence
from tcpgoodput.census.extents import GAINS, SHARED
from tcpgoodput.census.keep import sound
from tcpgoodput.census.quantities import QUANTITIES
from tcpgoodput.census.spread import groups_of
from tcpgoodput.comparison.answers import AT_HOME
from tcpgoodput.comparison.errors import per_cent, share_within, typical
from tcpgoodput.jobs.command import job_parser, run_job
from tcpgoodput.storage.files import write_text
from tcpgoodput.storage.tables import csv_text

Record = dict[str, Any]

OF_THE_STACK = ("timeout", "spike")
"""Quantities that hang on a sender's smallest timeout, and so may differ between two censuses."""

GAIN_COLUMNS = [
    "happening",
    "connections",
    "median_%",
    "q05_%",
    "q95_%",
    "within_5_%",
    "within_10_%",
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

    Points are joined by number; of those, variant, path and whatever happens must be the same.
    """
    alike = [name for name in QUANTITIES if name not in OF_THE_STACK]
    left, right = (e.connections.reset_index().set_index("point") for e in (here, beside))
    points = left.index.intersection(right.index)
    left, right = left.loc[points], right.loc[points]
    same = (left[alike] == right[alike]).all(axis=1) & (left["happening"] == right["happening"])
    return here.at(left.loc[same, "index"]), beside.at(right.loc[same, "index"])


def gains_of(here: Evidence, beside: Evidence, impairments: Sequence[str]) -> Iterator[Record]:
    """Yield by how much goodputs of the first are above those of the second, by what happens."""
    gains = np.log(here.connections["goodput_pps"] / beside.connections["goodput_pps"])
    for group, inside in groups_of(here.connections["happening"], impairments).items():
        own = gains[inside]
        if own.empty:
            continue
        low, middle, high = np.quantile(own, (0.05, 0.5, 0.95))
        yield {
            "happening": group,
            "connections": len(own),
            "median_%": per_cent(middle),
            "q05_%": per_cent(low),
            "q95_%": per_cent(high),
            "within_5_%": 100 * share_within(own, 0.05),
            "within_10_%": 100 * share_within(own, 0.10),
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
