"""A finished workflow run of the tiny configuration (`config/test`): made once, copied by tests.

`Project` runs Snakemake in such a copy.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests import worked_example
from tests.folders import ROOT, copy_project

TINY = "configuration=config/test/config.yaml"
SNAKEMAKE = [sys.executable, "-m", "snakemake"]
HAS_TEX = bool(shutil.which("latexmk") or shutil.which("tectonic"))
"""Whether LaTeX is on PATH. Without it the workflow has no rule `report`."""


@dataclass(frozen=True)
class Project:
    """A copy of the project's files, in which Snakemake can be run."""

    folder: Path
    code: Path = ROOT
    """The project whose code the workflow runs: the original, or the copy if it has code."""

    @classmethod
    def new(cls, folder: Path) -> Project:
        """Copy the files that the workflow reads to a folder, and return the copy."""
        copy_project(folder)
        return cls(folder)

    def snakemake(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run snakemake in the copy, with further environment variables; return the process."""
        return subprocess.run(
            [*SNAKEMAKE, *arguments],
            cwd=self.folder,
            env={**self._environment(), **environment},
            capture_output=True,
            text=True,
            timeout=6000,
        )

    def _environment(self) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": str(self.code / "src")}

    def planned(self, *settings: str) -> set[str]:
        """Return the rules that a run of the tiny configuration, with settings, would execute."""
        run = self.snakemake("--dry-run", "--config", TINY, *settings)
        assert run.returncode == 0, run.stdout + run.stderr
        return set(re.findall(r"^(\w+) +\d+$", run.stdout, re.MULTILINE)) - {"total", "all"}

    def stopped(self, signalled: signal.Signals, sign: str, *arguments: str) -> str:
        """Run snakemake, signal its process group once file `sign` exists; return the output."""
        run = subprocess.Popen(
            [*SNAKEMAKE, *arguments],
            cwd=self.folder,
            env=self._environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            # If the tests run in the background of a shell, child processes ignore Ctrl-C.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        while not (self.folder / sign).exists():
            assert run.poll() is None, "it ended before it could be stopped"
            time.sleep(0.05)
        os.killpg(run.pid, signalled)
        output = run.communicate(timeout=600)[0]
        assert run.returncode != 0
        return output

    def files(self) -> set[str]:
        """Return the paths of all files except caches, compiled code and Snakemake's own files."""
        return {
            str(path.relative_to(self.folder))
            for path in self.folder.rglob("*")
            if path.is_file() and not {".snakemake", ".cache", "__pycache__"} & set(path.parts)
        }

    @contextmanager
    def edited(self, file: str, old: str, new: str) -> Iterator[None]:
        """Replace a text in a file of the copy, and restore the file after the `with` block."""
        path = self.folder / file
        kept = path.read_text(encoding="utf-8")
        assert old in kept
        path.write_text(kept.replace(old, new, 1), encoding="utf-8")
        try:
            yield
        finally:
            path.write_text(kept, encoding="utf-8")


def copy_of_tiny_run(factory: pytest.TempPathFactory, name: str, *further: str) -> Path:
    """Return a new copy of the project with the results of the tiny configuration.

    The worked example's model is added to the configuration. The first test worker that needs the
    run makes it on all cores; the others wait for it.

    Args:
        factory: pytest's factory of temporary folders.
        name: name of the new folder.
        further: parts of the project to copy in addition to the files that the workflow reads.

    """
    made = _of_all_workers(factory) / "tiny"
    with open(made.with_suffix(".lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (made / "runs").is_dir():
            _make(made)
    folder = factory.mktemp("copy") / name
    shutil.copytree(made, folder, symlinks=True, ignore=shutil.ignore_patterns("*.socket"))
    for part in further:
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def _of_all_workers(factory: pytest.TempPathFactory) -> Path:
    """Return the temporary folder that pytest-xdist's workers share; if none, pytest's own."""
    own = factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


def _make(folder: Path) -> None:
    project = Project.new(folder)
    worked_example.add_to(folder / "config/test/config.yaml")
    run = project.snakemake("--config", TINY)
    if run.returncode:
        shutil.rmtree(folder)  # so that no other worker uses the failed run
        pytest.fail(run.stdout + run.stderr)
