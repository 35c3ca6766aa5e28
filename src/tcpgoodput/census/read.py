"""Read what a census found: how far off models are, what decides it, which to use when.

python -m tcpgoodput.census.read LOOKS TABLE FOLDER
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from typing import Any

from tcpgoodput.census import advice, importance, spread
from tcpgoodput.census.evidence import read_evidence
from tcpgoodput.census.extents import COUNTS, KEPT
from tcpgoodput.census.keep import verified
from tcpgoodput.comparison.errors import per_cent, typical
from tcpgoodput.storage.files import write_text
from tcpgoodput.storage.tables import csv_text
from tcpgoodput.workflow.jobs import job_parser, run_job


def work(arguments: argparse.Namespace) -> None:
    """Write a table of each finding."""
    looks = json.loads(arguments.looks.read_text(encoding="utf-8"))
    if arguments.table.parent == KEPT:
        verified(arguments.table)
    evidence = read_evidence(arguments.table, looks["families"])
    grown, judged = advice.halves(evidence)
    tree = advice.grow(evidence, grown)
    impairments = looks["impairments"]
    counted = {
        "points": evidence.points,
        "drawn": evidence.drawn,
        "unresolved": evidence.unresolved,
        "close": len(evidence.connections),
        "typical_half_width_%": per_cent(typical(evidence.connections["half_width"])),
        "as_asked": int((evidence.connections["half_width"] <= looks["half_width"]).sum()),
        "grown": int(grown.sum()),
        "judged": int(judged.sum()),
    }
    tables: dict[str, tuple[list[str], Iterable[dict[str, Any]]]] = {
        "errors": (spread.ERROR_COLUMNS, spread.errors_of(evidence, impairments)),
        "calibration": (spread.CALIBRATION_COLUMNS, spread.calibration_of(evidence)),
        "importance": (importance.COLUMNS, importance.importance_of(evidence)),
        "advice": (
            advice.ADVICE_COLUMNS,
            advice.advice_rows(tree, evidence, judged, impairments),
        ),
        "tree": (advice.TREE_COLUMNS, advice.tree_rows(tree, evidence, judged)),
        COUNTS: (list(counted), [counted]),
    }
    for name, (columns, rows) in tables.items():
        write_text(arguments.folder / f"{name}.csv", csv_text(columns, rows))


def main() -> int:
    """Run the job; see `run_job`."""
    return run_job(job_parser("tcpgoodput.census.read", "looks", "table", "folder"), work)


if __name__ == "__main__":
    sys.exit(main())
