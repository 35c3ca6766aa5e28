"""A random sample of connections (census) is measured on a real Slurm cluster.

The cluster is a controller and three node daemons on this machine.

The tests need root, and Debian's slurm-wlm and munge; otherwise they are skipped with a reason.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from tests.folders import copy_with_caches

SLURM = Path(__file__).with_name("slurm")
PROGRAMS = ("slurmctld", "slurmd", "munged", "sbatch")
MISSING = [name for name in PROGRAMS if shutil.which(name) is None]

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="daemons of Slurm are started by root"),
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}"),
    pytest.mark.skipif(
        Path("/etc/slurm/slurm.conf").exists(), reason="this machine has a Slurm of its own"
    ),
    pytest.mark.xdist_group("slurm"),
]

TINY = ("--config", "configuration=config/test/config.yaml", "run=test")
T = TypeVar("T")

TABLE = "runs/test/results/census/tiny/whole.parquet"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Start Slurm, yield the folder of its files, and stop it after the tests."""
    folder = tmp_path_factory.mktemp("slurm")
    try:
        subprocess.run([SLURM, "start", folder], check=True, timeout=120)
        yield folder
    finally:
        subprocess.run([SLURM, "stop", folder], check=False, timeout=60)


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the table of measured connections, as bytes, that a run without a cluster makes."""
    folder = project(tmp_path_factory.mktemp("local"))
    run(folder, "--cores", "2", TABLE)
    return (folder / TABLE).read_bytes()


def project(folder: Path) -> Path:
    copy_with_caches(folder)
    return folder


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "snakemake", *arguments, *TINY]


def run(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        command(*arguments), cwd=folder, capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def on_cluster() -> list[str]:
    return [TABLE, "--profile", "profiles/slurm", "--group-components", "chunks=1"]


def test_a_cluster_gives_the_same_bytes_as_one_machine(
    cluster: Path, local: bytes, tmp_path: Path
) -> None:
    folder = project(tmp_path / "project")
    message = run(folder, *on_cluster())
    assert "has been submitted with SLURM jobid" in message
    assert (folder / TABLE).read_bytes() == local


def test_a_job_on_a_failed_node_is_repeated(cluster: Path, local: bytes, tmp_path: Path) -> None:
    folder = project(tmp_path / "project")
    with running(folder, *on_cluster()) as workflow:
        node = waited_for(lambda: listed("RUNNING", "%N"))[0]
        kill_node(cluster, node)
        try:
            message, _ = workflow.communicate(timeout=900)
        finally:
            subprocess.run(["slurmd", "-N", node], check=True)
    assert workflow.returncode == 0, message
    assert (folder / TABLE).read_bytes() == local


def test_a_job_out_of_memory_is_repeated_with_more_memory(
    cluster: Path, local: bytes, tmp_path: Path
) -> None:
    folder = project(tmp_path / "project")
    message = run(folder, *on_cluster(), *first("mem_mb", 20, 600))
    assert "exceeded memory limit" in message
    assert (folder / TABLE).read_bytes() == local


def test_a_job_over_its_time_limit_is_stopped_and_repeated(
    cluster: Path, local: bytes, tmp_path: Path
) -> None:
    folder = project(tmp_path / "project")
    alone = ["--groups", "census_chunk=chunk"]
    with running(folder, *on_cluster(), *alone, *first("runtime", 1, 30)) as workflow:
        os.kill(waited_for(lambda: at_work(folder))[0], signal.SIGSTOP)
        message, _ = workflow.communicate(timeout=900)
    assert workflow.returncode == 0, message
    assert "DUE TO TIME LIMIT" in message
    assert (folder / TABLE).read_bytes() == local


def first(resource: str, little: int, enough: int) -> list[str]:
    """Return Snakemake's options for an amount of a resource that is too small at first.

    A job's first attempt gets `little`, each further attempt `enough`.
    """
    amount = f"{little} if attempt == 1 else {enough}"
    return ["--set-resources", f"census_chunk:{resource}={amount}"]


def running(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command(*arguments),
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def waited_for(look: Callable[[], list[T]]) -> list[T]:
    """Call `look` until it returns a non-empty list, at most for 300 s; return the list."""
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        if seen := look():
            return seen
        time.sleep(0.1)
    raise TimeoutError("nothing has happened")


def listed(states: str, column: str) -> list[str]:
    """Return a column (squeue's format) for all Slurm jobs in the given states."""
    request = ["squeue", "--noheader", f"--states={states}", f"--format={column}"]
    return subprocess.run(request, capture_output=True, text=True, check=True).stdout.split()


def at_work(folder: Path) -> list[int]:
    """Return the ids of the processes that measure connections for the project in a folder."""
    measures = ["pgrep", "-f", "python.*tcpgoodput.project.census"]
    found = subprocess.run(measures, capture_output=True, text=True).stdout.split()
    return [int(pid) for pid in found if Path(f"/proc/{pid}/cwd").resolve() == folder.resolve()]


def kill_node(cluster: Path, node: str) -> None:
    """Kill a Slurm node's daemon and all its processes, as a power failure would."""
    subprocess.run(["pkill", "-KILL", "-f", f"slurmstepd.*{node}"], check=False)
    for pid in (cluster / f"slurmd-{node}.pid").read_text().split():
        os.kill(int(pid), signal.SIGKILL)
    subprocess.run(
        ["scontrol", "update", f"NodeName={node}", "State=DOWN", "Reason=killed"], check=True
    )
    subprocess.run(["scontrol", "update", f"NodeName={node}", "State=RESUME"], check=False)
