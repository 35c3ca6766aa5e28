"""`tcpgoodput verify`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from tcpgoodput.cli.output import AsJson, print_json
from tcpgoodput.configuration import refused
from tcpgoodput.project.manifest import NAME, Manifest, read_manifest
from tcpgoodput.project.verify import Finding, compared, tolerance_of

File = Annotated[
    Path, typer.Argument(metavar="[MANIFEST]", help="of the results as they should be")
]
Folder = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="that holds results/ and figures/; default: this one, or the run's own below runs/",
    ),
]
SHOWN = 20
"""Largest number of differing columns of one table that are listed."""


def verify(
    manifest: File = Path("results") / NAME, folder: Folder = None, as_json: AsJson = False
) -> None:
    """Compare published files with a manifest: missing, extra or different ones. Writes nothing.

    The exit status is 1 if anything differs.
    """
    known = read_manifest(manifest)
    root = folder or Path("runs", known.origin.run) if known.origin.run else folder or Path()
    if not root.is_dir():
        raise refused(root, "", "is no folder; --folder names the one to compare")
    findings = compared(known, manifest.parent, root)
    counts = Counter(finding.kind for finding in findings)
    identical = len(known.files) - counts["missing"] - counts["differs"]
    if as_json:
        print_json({"identical": identical, "findings": [_record(f) for f in findings]})
    else:
        _tell(known, findings, identical, counts)
    if findings:
        raise typer.Exit(1)


def _tell(known: Manifest, findings: list[Finding], identical: int, counts: Counter[str]) -> None:
    for finding in findings:
        end = f": {finding.reason}" if finding.reason else ""
        typer.echo(f"{finding.kind:<8} {finding.path}{end}")
        for column in finding.columns[:SHOWN]:
            typer.echo(f"         {column.column}: {column.said}")
        if finding.relative is not None:
            typer.echo(f"         equal within {tolerance_of(finding.relative):.0e}")
    summary = [f"{identical} of {len(known.files)} files identical"]
    kinds = {"differs": "different", "missing": "missing", "extra": "extra"}
    summary += [f"{counts[kind]} {word}" for kind, word in kinds.items() if counts[kind]]
    typer.echo(", ".join(summary))


def _record(finding: Finding) -> dict[str, object]:
    columns = [vars(column) for column in finding.columns]
    found = {"file": finding.path, "kind": finding.kind, "reason": finding.reason or None}
    return {**found, "relative": finding.relative, "columns": columns}
