"""Brief jobs, forked from a process that has their libraries, as if each had one of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from tcpgoodput.workflow import brief, forked
from tcpgoodput.workflow.shell import FORKED, prefix
from tests.processes import is_running

pytestmark = pytest.mark.xdist_group("brief")  # one worker builds what its tests share

JOB = """
import os, sys, time
from pathlib import Path

print("to", sys.argv[1], "in", Path.cwd().name, "with", os.environ.get("GIVEN"), flush=True)
print("an error", file=sys.stderr, flush=True)
match sys.argv[1]:
    case "end": sys.exit(3)
    case "refuse": sys.exit("no such thing")
    case "fail": raise ValueError("it fails")
    case "die": os.kill(os.getpid(), 9)
    case "sleep":
        Path("begun").write_text(str(os.getpid()))
        time.sleep(60)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a folder with a module, where a process listens that has loaded libraries."""
    folder = tmp_path_factory.mktemp("project")
    (folder / ".snakemake").mkdir()
    (folder / "job.py").write_text(JOB, encoding="utf-8")
    with server(folder) as process:
        yield folder
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait() == 0


def server(folder: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", brief.__name__]
    process = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE)
    wait_for(folder / forked.SOCKET)
    return process


def wait_for(file: Path) -> None:
    while not file.exists():
        time.sleep(0.02)


def asked(folder: Path, what: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-IS", str(FORKED), "job", what]
    given = {**os.environ, "GIVEN": "a value"}
    return subprocess.run(command, cwd=folder, env=given, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("what", "status", "error"),
    [
        ("return", 0, ""),
        ("end", 3, ""),
        ("refuse", 1, "no such thing"),
        ("fail", 1, "ValueError: it fails"),
        ("die", 137, ""),
    ],
)
def test_a_job_ends_as_it_would_by_itself(
    folder: Path, tmp_path: Path, what: str, status: int, error: str
) -> None:
    (tmp_path / "job.py").write_text(JOB, encoding="utf-8")
    by_itself = asked(tmp_path, what)  # where nobody listens
    forked_one = asked(folder, what)
    assert forked_one.returncode == status
    assert by_itself.returncode == (-signal.SIGKILL if what == "die" else status)
    for run, place in ((forked_one, folder), (by_itself, tmp_path)):
        assert run.stdout == f"to {what} in {place.name} with a value\n"
        assert "an error\n" in run.stderr
        assert error in run.stderr


def test_a_job_is_forked_and_finds_libraries_loaded(folder: Path) -> None:
    (folder / "loaded.py").write_text(
        "import os, sys\nprint(os.getppid(), 'matplotlib' in sys.modules)\n", encoding="utf-8"
    )
    command = [sys.executable, "-IS", str(FORKED), "loaded"]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    parent, loaded = run.stdout.split()
    listening = Path(f"/proc/{parent}/cmdline").read_bytes()
    assert brief.__name__.encode() in listening
    assert loaded == "True"


def test_a_job_ends_with_who_asked_for_it(folder: Path) -> None:
    command = [sys.executable, "-IS", str(FORKED), "job", "sleep"]
    with subprocess.Popen(command, cwd=folder) as process:
        wait_for(folder / "begun")
        process.kill()
    assert gone(int((folder / "begun").read_text()))


def test_jobs_end_with_the_process_that_began_the_run(tmp_path: Path) -> None:
    (tmp_path / ".snakemake").mkdir()
    (tmp_path / "job.py").write_text(JOB, encoding="utf-8")
    command = [sys.executable, "-IS", str(FORKED), "job", "sleep"]
    with server(tmp_path) as process:
        with subprocess.Popen(command, cwd=tmp_path) as asking:
            wait_for(tmp_path / "begun")
            assert process.stdin is not None
            process.stdin.close()
        assert asking.returncode == 1
    assert gone(int((tmp_path / "begun").read_text()))


def gone(pid: int) -> bool:
    """Wait for a process to end, and tell whether it has."""
    for _ in range(200):
        if not is_running(pid):
            return True
        time.sleep(0.02)
    return False


def test_few_brief_jobs_do_not_repay_the_loading() -> None:
    few = ["brief tcpgoodput.drawing.figure"] * (brief.FEWEST - 1)
    assert not brief.worth_it([*few, "run tcpgoodput.engines.measure", None])
    assert brief.worth_it([*few, "brief tcpgoodput.drawing.census"])


def test_what_jobs_run_is_loaded() -> None:
    """A module of a brief command that is not loaded is no gain."""
    rules = Path(__file__).parents[2].joinpath("workflow/rules").glob("*.smk")
    words = [word for rule in rules for word in rule.read_text(encoding="utf-8").split()]
    asked = {module for word, module in pairwise(words) if word == '"brief'}
    assert asked
    assert asked <= set(brief.LOADED)


def test_the_shell_knows_where_results_go() -> None:
    script = prefix("a place/results").replace("{{", "{").replace("}}", "}")
    command = ["bash", "-c", script + 'echo "$results $OMP_NUM_THREADS"; run this --version']
    said = subprocess.run(command, capture_output=True, text=True)
    assert said.stdout.startswith("a place/results 1\n")
