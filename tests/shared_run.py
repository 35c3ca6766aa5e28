"""A finished workflow run of the tiny configuration (`config/test`): made once, copied by tests."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import worked_example
from tests.folders import ROOT, copy_project

TINY = "configuration=config/test/config.yaml"


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
    copy_project(folder)
    worked_example.add_to(folder / "config/test/config.yaml")
    run = subprocess.run(
        [sys.executable, "-m", "snakemake", "--config", TINY],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=900,
    )
    if run.returncode:
        shutil.rmtree(folder)  # so that no other worker uses the failed run
        pytest.fail(run.stdout + run.stderr)
