"""The job that writes the manifest of a run.

python -m tcpgoodput.keeping.make REQUEST ROOT MANIFEST CELLS
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from pathlib import Path

from tcpgoodput.jobs.command import job_parser, run_job
from tcpgoodput.keeping.cells import write_cells
from tcpgoodput.keeping.digest import sha256_of
from tcpgoodput.keeping.manifest import Manifest, Origin, Published
from tcpgoodput.storage.files import as_json, write_text


def work(arguments: argparse.Namespace) -> None:
    """Write the manifest, and the cells of all tables beside it."""
    request = json.loads(arguments.request.read_text(encoding="utf-8"))
    rules = {path: rule for rule, paths in request["files"].items() for path in paths}
    tables = [path for path in sorted(rules) if path.endswith(".csv")]
    write_cells(tables, arguments.root, arguments.cells)
    manifest = Manifest(
        origin=Origin.model_validate(request["origin"]),
        python=platform.python_version(),
        cells=sha256_of(arguments.cells),
        files=[_published(arguments.root, path, rules[path]) for path in sorted(rules)],
    )
    write_text(arguments.manifest, as_json(manifest.model_dump(mode="json")))


def _published(root: Path, path: str, rule: str) -> Published:
    file = root / path
    return Published(path=path, sha256=sha256_of(file), size=file.stat().st_size, rule=rule)


if __name__ == "__main__":
    sys.exit(run_job(job_parser(__spec__.name, "request", "root", "manifest", "cells"), work))
