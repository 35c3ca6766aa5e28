"""The command `tcpgoodput verify`: compares the files of a run with a manifest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from tcpgoodput.cli.output import AsJson, print_json
from tcpgoodput.configuration import refused
from tcpgoodput.project.manifest import OWN, REFERENCE, different_origins, read_manifest
from tcpgoodput.project.run import Run
from tcpgoodput.project.verify import ABSOLUTE, RELATIVE, Finding, compared, tolerance_of

File = Annotated[
    Path | None,
    typer.Argument(
        metavar="MANIFEST",
        help=f"manifest of the expected results; default: {REFERENCE}, else {OWN}",
    ),
]
Folder = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="folder that contains results/ and figures/; default: the current one, or the run's "
        "own folder below runs/",
    ),
]
Bytes = Annotated[
    bool,
    typer.Option("--bytes", help="every byte must be the same, also in pictures; lists all files"),
]
SHOWN = 20
"""Largest number of differing columns that are printed for one table; chosen by hand."""

SHOWN_EXTRA = 5
"""Largest number of extra files that are named without --bytes; chosen by hand."""

FAILURES = ("differs", "missing")
"""Kinds of findings after which results do not count as reproduced."""


def verify(
    manifest: File = None,
    folder: Folder = None,
    of_bytes: Bytes = False,
    as_json: AsJson = False,
) -> None:
    """Compare the results of a run with a manifest.

    Results are reproduced if all numbers and words of tables, of notebooks and of the report agree.
    A relative difference of 1e-9 is allowed, because processors round differently. Pictures are
    judged by the tables that they show. If a number or a word differs, or a file is missing, the
    command lists the files, and its exit status is 1. With --bytes, any different or extra file is
    listed, and makes the exit status 1; `tcpgoodput verify --bytes results/manifest.json` checks a
    run for damage. A comparison with the run's own manifest shows only whether files changed since
    the run, and reproduces nothing. The default is the manifest of the reference results. A file
    that the run cannot make, such as the report without LaTeX, is skipped. The command writes no
    file.
    """
    path = manifest or next((file for file in (REFERENCE, OWN) if file.is_file()), OWN)
    known = read_manifest(path)
    root = folder or Path(Run(known.origin.run).root)
    if not root.is_dir():
        raise refused(root, "", "is no folder; --folder names the one to compare")
    own = read_manifest(root / OWN) if (root / OWN).is_file() else None
    is_own = own is not None and path.samefile(root / OWN)
    different = different_origins(known, own) if own else []
    findings = compared(known, path.parent, root, own)
    counts = Counter(finding.kind for finding in findings)
    identical = len(known.files) - counts.total() + counts["extra"]
    kinds = counts.keys() - {"skipped"} if of_bytes else counts.keys() & {*FAILURES}
    if as_json:
        content = {
            "manifest": path.as_posix(),
            "own": is_own,
            "version": known.origin.version,
            "other": different,
            "reproduced": not counts.keys() & {*FAILURES},
            "relative_tolerance": RELATIVE,
            "absolute_tolerance": ABSOLUTE,
            "identical": identical,
            "findings": [_record(finding) for finding in findings],
        }
        print_json(content)
    else:
        whose = ", the run's own manifest: not with the reference results" if is_own else ""
        typer.echo(f"Compared with {path}, version {known.origin.version}{whose}.")
        if different:
            typer.echo(f"This run has another {', '.join(different)}.")
        shown = [f for f in findings if of_bytes or f.kind in {*FAILURES, "skipped"}]
        for line in _lines(shown, None if own else root / OWN):
            typer.echo(line)
        others = [f"{counts[kind]} {word}" for kind, word in SUMMARIES.items() if counts[kind]]
        typer.echo(", ".join([f"{identical} of {len(known.files)} files identical", *others]))
        if newer := _newer(shown, root):
            typer.echo(
                f"Made or changed after the last complete run: {', '.join(newer)}. "
                "./reproduce makes all results agree with the configuration."
            )
        if not of_bytes:
            if counts["extra"]:
                typer.echo(_extra([f.path for f in findings if f.kind == "extra"]))
            typer.echo(_verdict(counts, is_own=is_own))
    if kinds:
        raise typer.Exit(1)


def _extra(paths: list[str]) -> str:
    """Name the first extra files, and the folders of all of them."""
    rest = len(paths) - SHOWN_EXTRA
    named = ", ".join(paths[:SHOWN_EXTRA])
    if rest > 0:
        folders = Counter(Path(path).parent.as_posix() for path in paths[SHOWN_EXTRA:])
        places = ", ".join(f"{count} in {folder}/" for folder, count in sorted(folders.items()))
        named += f", and {places} (--bytes lists all)"
    return f"Extra files, which the manifest does not list: {named}."


def _newer(findings: list[Finding], root: Path) -> list[str]:
    """Return the paths of differing files that are newer than the run's own manifest."""
    if not (root / OWN).is_file():
        return []
    made = (root / OWN).stat().st_mtime
    paths = [finding.path for finding in findings if finding.kind not in ("missing", "skipped")]
    return [path for path in paths if (root / path).stat().st_mtime > made]


def _lines(findings: list[Finding], absent: Path | None) -> Iterator[str]:
    """Yield the findings (differences from the manifest) as lines of text.

    If the run has no manifest of its own, whose path is then `absent`, missing files are only
    counted.
    """
    missing = sum(finding.kind == "missing" for finding in findings)
    if absent and missing:
        cause = f"no run is finished, {absent} does not exist; ./reproduce makes or continues it"
        yield f"missing  {missing} files: {cause}"
    for finding in findings:
        if absent and finding.kind == "missing":
            continue
        end = f": {finding.reason}" if finding.reason else ""
        yield f"{finding.kind:<8} {finding.path}{end}"
        for column in finding.columns[:SHOWN]:
            yield f"         {column.column}: {column.difference}"
        if finding.relative is not None:
            yield f"         equal within {tolerance_of(finding.relative):.0e}"


SUMMARIES = {
    "differs": "different",
    "digits": f"different in digits below {RELATIVE:g}",
    "bytes": "different in bytes alone",
    "missing": "missing",
    "extra": "extra",
    "skipped": "skipped",
}


def _verdict(counts: Counter[str], *, is_own: bool) -> str:
    """Return the last line; a run that is compared with itself cannot show reproduction."""
    if failed := sum(counts[kind] for kind in FAILURES):
        verdict = "Changed since the run" if is_own else "Not reproduced"
        return f"{verdict}: {failed} files differ in numbers or words, or are missing."
    verdict = "Unchanged since the run" if is_own else "Results reproduced"
    return (
        f"{verdict}: all numbers agree to a relative difference of {RELATIVE:g}, and all words "
        "are the same."
    )


def _record(finding: Finding) -> dict[str, object]:
    columns = [vars(column) for column in finding.columns]
    found = {"file": finding.path, "kind": finding.kind, "reason": finding.reason or None}
    return {**found, "relative": finding.relative, "columns": columns}
