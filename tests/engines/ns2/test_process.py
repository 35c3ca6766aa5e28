"""A program `ns` that is missing, is not ns-2, hangs or fails is reported, and leaves no files."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tcpgoodput.answers import Conditions
from tcpgoodput.engines.base import Unavailable
from tcpgoodput.engines.ns2 import Ns2, process
from tests.scenarios import scenario

Pretend = Callable[[str], Path]


@pytest.fixture
def pretend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pretend:
    """Return a function that installs a shell script in place of ns-2.

    The function returns the folder of the engine's temporary files.
    """
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))

    def put(script: str) -> Path:
        program = tmp_path / "ns"
        program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
        return temporary

    return put


def test_missing_ns2_is_reported_with_the_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert "apt-get install ns2" in str(process.missing())


@pytest.mark.parametrize(
    ("script", "message"), [("echo namespace tool 3", "namespace tool 3"), ("exit 1", "not ns-2")]
)
def test_another_program_named_ns_is_rejected(pretend: Pretend, script: str, message: str) -> None:
    pretend(script)
    missing = process.missing()
    assert missing is not None
    assert message in missing
    assert "apt-get install ns2" in missing


@pytest.mark.parametrize(
    ("script", "complaint"),
    [
        ("echo first >&2; echo second >&2; exit 3", r"exit status 3\): first$"),
        ("exit 1", "it says no more"),
        ("echo careful >&2", r"exit status 0\): careful$"),
    ],
)
def test_a_failing_run_is_one_message(pretend: Pretend, script: str, complaint: str) -> None:
    left = pretend(f"touch trace.out; {script}")
    with pytest.raises(Unavailable, match=complaint):
        process.run("", 10.0)
    assert not list(left.iterdir())


def test_a_hanging_run_is_stopped_with_its_child_processes(
    pretend: Pretend, tmp_path: Path
) -> None:
    left = pretend(f"sleep 1000 & echo $! > {tmp_path}/child; wait")
    with pytest.raises(Unavailable, match=r"no end within 3 s"):
        process.run("", 3)
    assert not list(left.iterdir())
    child = Path("/proc", (tmp_path / "child").read_text().strip())
    while child.exists() and "Z" not in (child / "stat").read_text().split()[2]:
        time.sleep(0.01)


def test_unexpected_output_is_refused(pretend: Pretend) -> None:
    pretend('grep -q ns-version script.tcl && echo 2.35 || echo "measured_s nan"')
    one = scenario(loss={"process": "bernoulli", "probability": 0.01})
    with pytest.raises(Unavailable, match="printed 1 lines"):
        Ns2().measure(one, Conditions(precision="draft"), replications=2, duration_s=1.0)
    assert os.environ["PATH"].endswith("/bin")
