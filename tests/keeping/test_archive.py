"""The project as one file: nothing that belongs is missing, and it works where it is unpacked."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tcpgoodput.keeping.archive import archive
from tests.folders import ROOT


def tracked() -> set[str]:
    listed = subprocess.run(
        ["git", "ls-tree", "-r", "-z", "--name-only", "HEAD"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    ).stdout
    if not listed:
        pytest.skip("not a git clone")
    return set(listed.strip("\0").split("\0"))


def names(packed: bytes) -> set[str]:
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        return {info.name.partition("/")[2] for info in tar}


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tracked()
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(fileobj=io.BytesIO(archive(ROOT))) as tar:
        tar.extractall(folder)  # Debian 12's Python knows no filters; the file is our own
    (project,) = folder.iterdir()
    return project


def test_every_tracked_file_is_in_it() -> None:
    assert names(archive(ROOT)) == tracked()


def test_the_same_commit_gives_the_same_bytes() -> None:
    tracked()
    assert archive(ROOT) == archive(ROOT)


def test_what_is_unpacked_gives_the_same_archive_again(unpacked: Path) -> None:
    made = unpacked / "results/mathis"
    made.mkdir(parents=True)
    (made / "fig01.csv").touch()
    (unpacked / "figures/mathis.pdf").touch()
    (unpacked / "src/tcpgoodput/__pycache__").mkdir()
    (unpacked / "src/tcpgoodput/__pycache__/a.pyc").touch()
    again = archive(unpacked)
    assert names(again) == tracked()
    assert again == archive(ROOT)
    shutil.rmtree(unpacked / "results")


def test_the_commands_work_where_it_is_unpacked(unpacked: Path) -> None:
    assert os.access(unpacked / "reproduce", os.X_OK)
    told = subprocess.run(
        [unpacked / "reproduce", "--help"], capture_output=True, text=True, check=True
    )
    assert "snakemake arguments" in told.stdout
    environment = {**os.environ, "PYTHONPATH": str(unpacked / "src")}
    check = subprocess.run(
        [sys.executable, "-c", "from tcpgoodput.cli import main; main()", "check"],
        cwd=unpacked,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert check.returncode == 0, check.stdout + check.stderr
    assert "config/config.yaml" in check.stdout
