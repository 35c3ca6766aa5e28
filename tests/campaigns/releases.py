"""Compare the results under another Python or other libraries with those of the locked releases.

python -m tests.campaigns.releases MANIFEST [--record NAME]

MANIFEST lists the result files of a workflow run with the locked packages; `manifest.parquet` is
next to it. The other run's results are in this project's folder, and were made by the Python that
runs this campaign.
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Mapping
from pathlib import Path

from tcpgoodput.jobs import installed
from tcpgoodput.project.manifest import Manifest, read_manifest
from tcpgoodput.project.verify import RELATIVE, Finding, compared
from tests.campaigns.outcomes import Outcome, outcome_line, record
from tests.folders import ROOT

SUFFIX = ".dist-info"


def here() -> dict[str, str]:
    """Return the version of each Python package that is installed here, by the package's name."""
    names = (name.removesuffix(SUFFIX).rpartition("-") for name in installed())
    return {name.lower().replace("_", "-"): release for name, _, release in names}


def other(manifest: Manifest, releases: Mapping[str, str]) -> list[str]:
    """Return a text for each version that differs from the manifest's: Python, then packages.

    `releases` are the versions of the installed packages.
    """
    found = []
    if manifest.python != platform.python_version():
        found.append(f"Python {platform.python_version()} for {manifest.python}")
    locked = {n.lower().replace("_", "-"): r for n, r in manifest.origin.packages.items()}
    return found + [
        f"{name} {releases.get(name, 'none')} for {release}"
        for name, release in sorted(locked.items())
        if releases.get(name) != release
    ]


def is_other(finding: Finding) -> bool:
    """Return whether a table is missing, or differs in text or by more than `RELATIVE`."""
    return finding.kind not in ("digits", "bytes")


def campaign(manifest_file: Path) -> Outcome:
    """Compare the results in the project's folder with those that a manifest lists."""
    started = time.perf_counter()
    manifest = read_manifest(manifest_file)
    findings = compared(manifest, manifest_file.parent, ROOT)
    tables = [file.path for file in manifest.files if file.path.endswith(".csv")]
    of_tables = {found.path: found for found in findings if found.path.endswith(".csv")}
    changed = {path: found for path, found in of_tables.items() if is_other(found)}
    for path, found in of_tables.items():
        columns = "; ".join(f"{column.column} {column.difference}" for column in found.columns)
        print(f"{path}: {found.kind} {found.reason} {columns}")
    numbers = {path: found.relative for path, found in of_tables.items() if path not in changed}
    worst = max(numbers, key=lambda path: numbers[path] or 0, default="")
    differs = sum(found.path not in of_tables for found in findings)
    return Outcome(
        "With other releases than those of the lock file, numbers are the same to a relative "
        f"difference of {RELATIVE:g}",
        "published tables",
        len(tables),
        len(tables),
        len(changed),
        time.perf_counter() - started,
        numbers.get(worst),
        f"largest relative difference of equal numbers, in {worst}" if worst else "",
        note=f"{', '.join(other(manifest, here())) or 'the locked releases'}; "
        f"{len(of_tables)} tables and {differs} other files have other bytes"
        + (f"; more than last digits differ in {', '.join(sorted(changed))}" if changed else ""),
    )


def main() -> None:
    """Compare both runs, print the outcome, and write it to a file if --record is given."""
    parser = argparse.ArgumentParser(description="Hold a run against one with locked releases.")
    parser.add_argument("manifest", type=Path)
    parser.add_argument("--record", metavar="NAME", help="write data/trust/NAME.csv")
    arguments = parser.parse_args()
    outcome = campaign(arguments.manifest)
    print(outcome_line(outcome))
    if arguments.record:
        print(record(arguments.record, [outcome]))


if __name__ == "__main__":
    main()
