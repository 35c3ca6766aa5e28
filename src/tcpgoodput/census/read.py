"""Read what a census found: how far off models are, what decides it, which to use when.

python -m tcpgoodput.census.read LOOKS TABLE FOLDER
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tcpgoodput.census import advice, importance, spread
from tcpgoodput.census.evidence import read_evidence
from tcpgoodput.census.keep import verified
from tcpgoodput.storage.files import as_json, write_text
from tcpgoodput.storage.tables import csv_text
from tcpgoodput.workflow.jobs import job_parser, run_job

KEPT = Path("data/census")


def work(arguments: argparse.Namespace) -> None:
    """Write a table of each finding."""
    looks = json.loads(arguments.looks.read_text(encoding="utf-8"))
    if arguments.table.parent == KEPT:
        verified(arguments.table)
    evidence = read_evidence(arguments.table, looks["families"])
    grown, judged = advice.halves(evidence)
    tree = advice.grow(evidence, grown)
    impairments = looks["impairments"]
    tables: dict[str, tuple[list[str], Iterable[dict[str, Any]]]] = {
        "errors": (spread.ERROR_COLUMNS, spread.errors_of(evidence, impairments)),
        "calibration": (spread.CALIBRATION_COLUMNS, spread.calibration_of(evidence)),
        "importance": (importance.COLUMNS, importance.importance_of(evidence)),
        "advice": (
            advice.ADVICE_COLUMNS,
            advice.advice_rows(tree, evidence, judged, impairments),
        ),
        "tree": (advice.TREE_COLUMNS, advice.tree_rows(tree, evidence, judged)),
    }
    for name, (columns, rows) in tables.items():
        write_text(arguments.folder / f"{name}.csv", csv_text(columns, rows))
    counted = {
        "drawn": evidence.drawn,
        "close": len(evidence.connections),
        "grown": int(grown.sum()),
        "judged": int(judged.sum()),
    }
    write_text(arguments.folder / "counts.json", as_json(counted))


def main() -> int:
    """Run the job; see `run_job`."""
    return run_job(job_parser("tcpgoodput.census.read", "looks", "table", "folder"), work)


if __name__ == "__main__":
    sys.exit(main())
