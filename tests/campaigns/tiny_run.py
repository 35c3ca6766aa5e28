"""Workflow runs of the tiny configuration in a copy of the project: start, kill, resume, compare.

The tiny configuration (`config/test`) has a few scenarios and figures, so a run is short.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from tcpgoodput.project.manifest import read_manifest, sha256_of
from tests.folders import copy_with_caches

# With -P, as with the command `snakemake`, no module is imported from the current folder.
TINY = "configuration=config/test/config.yaml"
COMMAND = [sys.executable, "-P", "-m", "snakemake", "--config", TINY]

RUN = Path("runs/test")
MANIFEST = RUN / "results" / "manifest.json"

MADE = ("runs", "logs", ".snakemake")
"""Folders that a run creates in the project's folder."""

LONGEST_S = 1200


class TinyRun:
    """A copy of the project, in which the workflow runs the tiny configuration."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        copy_with_caches(folder)

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        """Start the workflow by the documented command, in a separate process group."""
        return subprocess.Popen(
            [*COMMAND, *arguments],
            cwd=self.folder,
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )

    def finish(self, *arguments: str, **environment: str) -> tuple[int, str]:
        """Run the workflow to its end; return the exit status and the messages."""
        run = self.start(*arguments, **environment)
        message, _ = run.communicate(timeout=LONGEST_S)
        return run.returncode, message

    def killed_after(self, seconds: float) -> bool:
        """Start the workflow, kill it after some seconds; return whether it was still running."""
        run = self.start()
        try:
            run.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)
            run.communicate()
            return True
        return False

    def forget(self) -> None:
        """Remove everything that runs have made."""
        for part in MADE:
            shutil.rmtree(self.folder / part, ignore_errors=True)

    @property
    def manifest(self) -> str:
        """SHA-256 digest of the manifest, which contains the digests of the run's output files."""
        return sha256_of(self.folder / MANIFEST)

    def contents(self) -> dict[str, str]:
        """Return the SHA-256 digest of every output file by its path in the run's folder.

        Times and paths in notebooks do not count.
        """
        files = read_manifest(self.folder / MANIFEST).files
        found = {file.path: sha256_of(self.folder / RUN / file.path) for file in files}
        for file in sorted((self.folder / RUN).rglob("*.ipynb")):
            name = str(file.relative_to(self.folder / RUN))
            found[name] = hashlib.sha256(normalised(file).encode()).hexdigest()
        return found


def normalised(notebook: Path) -> str:
    """Return an executed notebook without the times and paths that papermill and Jupyter add."""
    text = notebook.read_text(encoding="utf-8")
    text = re.sub(r'"\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)?"', '""', text)
    text = re.sub(r'"duration": [\d.]+', '"duration": 0', text)
    text = re.sub(r'"id": "[0-9a-f-]+"', '"id": ""', text)
    return re.sub(r"/[^\s\"']*/(?=runs/)", "", text)


def half_written(run: TinyRun, expected: dict[str, str]) -> list[str]:
    """Return the output files, except notebooks, that exist but differ from the expected content.

    `expected` has the digests of a complete run's files.
    """
    found = {name: run.folder / RUN / name for name in expected if not name.endswith(".ipynb")}
    return [
        name for name, path in found.items() if path.is_file() and sha256_of(path) != expected[name]
    ]


def timed(run: TinyRun) -> float:
    """Run the workflow from scratch; return the wall-clock time in seconds.

    Raises:
        RuntimeError: the run failed.

    """
    started = time.perf_counter()
    status, message = run.finish()
    if status:
        raise RuntimeError(message)
    return time.perf_counter() - started
