"""Read what a census found: how far off models are, what decides it, which to use when.

python -m tcpgoodput.census.read LOOKS TABLE FOLDER
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from typing import Any

from tcpgoodput.census import advice, drawn, homes, importance, pairs, spread, statuses
from tcpgoodput.census import tree as trees
from tcpgoodput.census.evidence import halves, read_evidence, told_of_unanswered
from tcpgoodput.census.extents import COUNTS
from tcpgoodput.census.keep import sound
from tcpgoodput.comparison.errors import per_cent, typical
from tcpgoodput.jobs.command import job_parser, run_job
from tcpgoodput.storage.files import write_text
from tcpgoodput.storage.tables import csv_text


def work(arguments: argparse.Namespace) -> None:
    """Write a table of each finding."""
    looks = json.loads(arguments.looks.read_text(encoding="utf-8"))
    measured = read_evidence(sound(arguments.table), looks["families"])
    if told := told_of_unanswered(arguments.table, looks["families"]):
        print(told)
    evidence = measured.closely()
    grown, judged = halves(evidence)
    tree = trees.grow(evidence, grown)
    impairments = looks["impairments"]
    half_width = measured.drawn["half_width"]
    counted = {
        "points": measured.points,
        "drawn": len(measured.drawn),
        "unresolved": int(half_width.isna().sum()),
        "close": len(evidence.connections),
        "typical_half_width_%": per_cent(typical(half_width.dropna())),
        "typical_close_half_width_%": per_cent(typical(evidence.connections["half_width"])),
        "typical_packets": int(measured.connections["packets"].median()),
        "as_asked": int((half_width <= looks["half_width"]).sum()),
        "grown": int(grown.sum()),
        "judged": int(judged.sum()),
    }
    tables: dict[str, tuple[list[str], Iterable[dict[str, Any]]]] = {
        COUNTS: (list(counted), [counted]),
        "left_out": (drawn.LEFT_OUT_COLUMNS, drawn.left_out_of(measured, impairments)),
        "ranges": (drawn.RANGE_COLUMNS, drawn.ranges_of(measured.drawn)),
        "errors": (spread.ERROR_COLUMNS, spread.errors_of(evidence, impairments)),
        "calibration": (spread.CALIBRATION_COLUMNS, spread.calibration_of(evidence)),
        "statuses": (statuses.COLUMNS, statuses.statuses_of(measured, impairments)),
        "homes": (homes.COLUMNS, homes.homes_of(evidence, impairments)),
        "importance": (importance.COLUMNS, importance.importance_of(evidence)),
        "tree": (trees.TREE_COLUMNS, trees.tree_rows(tree, evidence, judged)),
        "advice": (
            advice.COLUMNS,
            advice.advice_rows(tree, measured, halves(measured)[1], impairments),
        ),
        "pairs": (pairs.COLUMNS, pairs.pairs_of(evidence, judged)),
    }
    for name, (columns, rows) in tables.items():
        write_text(arguments.folder / f"{name}.csv", csv_text(columns, rows))


def main() -> int:
    """Run the job; see `run_job`."""
    return run_job(job_parser("tcpgoodput.census.read", "looks", "table", "folder"), work)


if __name__ == "__main__":
    sys.exit(main())
